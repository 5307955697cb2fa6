package io.sluice.apiserver.rest;

import io.sluice.apiserver.registry.Statuses;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** From the {@code Accept} header to a {@link Format}. Pure. */
public final class Negotiation {
    public static final List<String> PRODUCED = List.of("application/json");
    private static final String META = "meta.k8s.io";

    private Negotiation() {}

    /** One entry of an {@code Accept} header. @param type in lower case */
    public record MediaType(String type, Map<String, String> parameters) {
        public String parameter(String name) {
            return parameters.getOrDefault(name, "");
        }

        private double weight() {
            try {
                return parameters.containsKey("q") ? Double.parseDouble(parameter("q")) : 1;
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }

    /** The first entry we can produce. @throws io.sluice.apiserver.registry.ApiException 406 where there is none */
    public static Format choose(String accept) {
        if (accept.isBlank()) {
            return Format.PLAIN;
        }
        for (MediaType entry : parse(accept)) {
            Optional<Format> format = format(entry);
            if (format.isPresent()) {
                return format.get();
            }
        }
        throw Statuses.notAcceptable(PRODUCED);
    }

    /** All entries, the most wanted first. */
    public static List<MediaType> parse(String accept) {
        List<MediaType> out = new ArrayList<>();
        for (String entry : accept.split(",")) {
            String[] parts = entry.split(";");
            Map<String, String> parameters = new HashMap<>();
            for (int i = 1; i < parts.length; i++) {
                int equals = parts[i].indexOf('=');
                if (equals > 0) {
                    parameters.put(
                            parts[i].substring(0, equals).trim().toLowerCase(Locale.ROOT),
                            parts[i].substring(equals + 1).trim().replace("\"", ""));
                }
            }
            MediaType type =
                    new MediaType(parts[0].trim().toLowerCase(Locale.ROOT), Map.copyOf(parameters));
            if (!type.type().isEmpty() && type.weight() > 0) {
                out.add(type);
            }
        }
        out.sort(Comparator.comparingDouble(MediaType::weight).reversed());
        return out;
    }

    public static boolean isJson(MediaType entry) {
        return entry.type().equals("application/json")
                || entry.type().equals("application/*")
                || entry.type().equals("*/*");
    }

    private static Optional<Format> format(MediaType entry) {
        if (!isJson(entry)) {
            return Optional.empty();
        }
        String version = entry.parameter("v");
        boolean meta = entry.parameter("g").equals(META)
                && (version.equals("v1") || version.equals("v1beta1"));
        return switch (entry.parameter("as")) {
            case "" -> Optional.of(Format.PLAIN);
            case "Table" -> meta ? Optional.of(new Format.Table(version)) : Optional.empty();
            case "PartialObjectMetadata" ->
                meta ? Optional.of(new Format.MetadataOnly(version, false)) : Optional.empty();
            case "PartialObjectMetadataList" ->
                meta ? Optional.of(new Format.MetadataOnly(version, true)) : Optional.empty();
            default -> Optional.empty();
        };
    }
}
