package io.sluice.api.client;

import java.io.IOException;

/** A kubeconfig cannot be used; the message names the file and the field. */
public final class KubeConfigException extends IOException {
    private static final long serialVersionUID = 1L;

    public KubeConfigException(String message) {
        super(message);
    }

    public KubeConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
