package io.sluice.store.embedded;

import java.util.Comparator;

/** Orders keys as their UTF-8 bytes: like {@link String#compareTo}, but for characters beyond the basic plane. */
final class KeyOrder implements Comparator<String> {
    static final KeyOrder INSTANCE = new KeyOrder();

    private KeyOrder() {}

    @Override
    public int compare(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char l = left.charAt(i);
            char r = right.charAt(i);
            if (l != r) {
                return Character.compare(fix(l), fix(r));
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** Moves surrogates (D800–DFFF) behind E000–FFFF, where their four-byte UTF-8 forms sort. */
    private static char fix(char c) {
        if (c < 0xD800) {
            return c;
        }
        return (char) (c >= 0xE000 ? c - 0x800 : c + 0x2000);
    }
}
