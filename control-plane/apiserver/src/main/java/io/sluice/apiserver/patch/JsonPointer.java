package io.sluice.apiserver.patch;

import java.util.ArrayList;
import java.util.List;

/**
 * A path into a document, RFC 6901.
 *
 * @param text as the client wrote it, for messages
 */
record JsonPointer(String text, List<String> tokens) {

    static JsonPointer parse(String text) throws PatchException {
        if (text.isEmpty()) {
            return new JsonPointer(text, List.of());
        }
        if (text.charAt(0) != '/') {
            throw PatchException.malformed("json patch: path \"" + text + "\" must start with '/'");
        }
        List<String> tokens = new ArrayList<>();
        for (String token : text.substring(1).split("/", -1)) {
            // ~1 first: "~01" means the text "~1".
            tokens.add(token.replace("~1", "/").replace("~0", "~"));
        }
        return new JsonPointer(text, List.copyOf(tokens));
    }

    boolean isRoot() {
        return tokens.isEmpty();
    }

    String last() {
        return tokens.getLast();
    }

    /** This path is the other one, or leads into it. */
    boolean startsWith(JsonPointer other) {
        return tokens.size() >= other.tokens.size()
                && tokens.subList(0, other.tokens.size()).equals(other.tokens);
    }
}
