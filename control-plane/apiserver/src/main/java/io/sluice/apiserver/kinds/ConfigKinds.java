package io.sluice.apiserver.kinds;

import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.object.KubeObject;
import io.sluice.apiserver.registry.Column;
import io.sluice.apiserver.registry.FieldError;
import io.sluice.apiserver.registry.Strategy;
import io.sluice.apiserver.validation.ConfigValidation;
import io.sluice.apiserver.validation.FieldErrors;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Strategies and columns of ConfigMaps and Secrets. */
final class ConfigKinds {
    static final List<Column> CONFIG_MAP_COLUMNS = List.of(Columns.number(
            "Data", map -> map.path("data").size() + map.path("binaryData").size()));

    static final List<Column> SECRET_COLUMNS = List.of(
            Columns.text("Type", secret -> KubeObject.text(secret, "type")),
            Columns.number("Data", secret -> secret.path("data").size()));

    private ConfigKinds() {}

    /** ConfigMaps. */
    record ConfigMapStrategy() implements Strategy {
        @Override
        public List<FieldError> validate(ObjectNode map) {
            FieldErrors errors = new FieldErrors();
            ConfigValidation.validateConfigMap(map, errors);
            return errors.list();
        }

        @Override
        public List<FieldError> validateUpdate(ObjectNode map, ObjectNode old) {
            FieldErrors errors = new FieldErrors();
            ConfigValidation.validateConfigMapUpdate(map, old, errors);
            return errors.list();
        }
    }

    /** Secrets: {@code stringData} is written into {@code data} and never stored. */
    record SecretStrategy() implements Strategy {
        @Override
        public void prepareForCreate(ObjectNode secret) {
            encode(secret);
        }

        @Override
        public void prepareForUpdate(ObjectNode secret, ObjectNode old) {
            encode(secret);
        }

        private static void encode(ObjectNode secret) {
            KubeObject.map(secret.path("stringData")).forEach((key, value) -> {
                byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
                KubeObject.child(secret, "data")
                        .put(key, Base64.getEncoder().encodeToString(bytes));
            });
            secret.remove("stringData");
        }

        @Override
        public List<FieldError> validate(ObjectNode secret) {
            FieldErrors errors = new FieldErrors();
            ConfigValidation.validateSecret(secret, errors);
            return errors.list();
        }

        @Override
        public List<FieldError> validateUpdate(ObjectNode secret, ObjectNode old) {
            FieldErrors errors = new FieldErrors();
            ConfigValidation.validateSecretUpdate(secret, old, errors);
            return errors.list();
        }
    }
}
