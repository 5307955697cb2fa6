package io.sluice.rules;

import java.util.List;

/** What became of a packet, and why. @param steps rules that it met and that matched, in turn, in the words of the mode */
public record Trace(Fate fate, List<String> steps) {}
