package io.sluice.apiserver.auth;

import java.util.List;

/** Who asks. @param uid empty where the proof of identity has none */
public record Identity(String user, String uid, List<String> groups) {
    public static final String MASTERS = "system:masters";
    public static final String AUTHENTICATED = "system:authenticated";

    /** Nothing was presented. */
    public static final Identity ANONYMOUS =
            new Identity("system:anonymous", "", List.of("system:unauthenticated"));

    public boolean isIn(String group) {
        return groups.contains(group);
    }
}
