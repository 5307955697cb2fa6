package io.sluice.apiserver.registry;

/**
 * One thing wrong with an object, as a cause of a Status.
 *
 * @param field path of the field: {@code spec.ports[0].nodePort}
 * @param detail what was found and what is expected, without the field's path
 */
public record FieldError(Type type, String field, String detail) {

    /** The kinds of field error Kubernetes distinguishes; {@link #reason} is {@code causes[].reason}. */
    public enum Type {
        NOT_FOUND("FieldValueNotFound", "Not found"),
        REQUIRED("FieldValueRequired", "Required value"),
        DUPLICATE("FieldValueDuplicate", "Duplicate value"),
        INVALID("FieldValueInvalid", "Invalid value"),
        NOT_SUPPORTED("FieldValueNotSupported", "Unsupported value"),
        FORBIDDEN("FieldValueForbidden", "Forbidden"),
        TOO_LONG("FieldValueTooLong", "Too long"),
        TOO_MANY("FieldValueTooMany", "Too many"),
        TYPE_INVALID("FieldValueTypeInvalid", "Invalid value");

        private final String reason;
        private final String text;

        Type(String reason, String text) {
            this.reason = reason;
            this.text = text;
        }

        public String reason() {
            return reason;
        }

        /** How messages of this type begin. */
        public String text() {
            return text;
        }
    }

    /** {@code detail} as {@code causes[].message} has it, with the type's text in front, by the caller's convention. */
    @Override
    public String toString() {
        return field + ": " + detail;
    }
}
