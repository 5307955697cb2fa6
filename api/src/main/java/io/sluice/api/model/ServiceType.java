package io.sluice.api.model;

/** {@code spec.type} of a Service. */
public enum ServiceType {
    CLUSTER_IP("ClusterIP"),
    NODE_PORT("NodePort"),
    LOAD_BALANCER("LoadBalancer"),
    EXTERNAL_NAME("ExternalName");

    private final String text;

    ServiceType(String text) {
        this.text = text;
    }

    /** As the API writes it. */
    public String text() {
        return text;
    }
}
