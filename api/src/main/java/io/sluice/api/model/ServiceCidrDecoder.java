package io.sluice.api.model;

import com.fasterxml.jackson.core.JsonParser;

import io.sluice.api.net.Cidr;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Reads networking.k8s.io/v1 ServiceCIDRs. */
public final class ServiceCidrDecoder implements ObjectDecoder<ServiceCidr> {

    @Override
    public Optional<Decoded<ServiceCidr>> decode(JsonParser parser, Consumer<String> problems)
            throws IOException {
        MetaReader meta = new MetaReader();
        List<String> texts = new ArrayList<>(2);
        boolean object = FieldReader.object(parser, (field, p) -> {
            switch (field) {
                case "metadata" -> meta.read(p, (map, key, value) -> value.skipChildren());
                case "spec" ->
                    FieldReader.object(p, (name, value) -> {
                        if (name.equals("cidrs")) {
                            texts.addAll(FieldReader.texts(value));
                        } else {
                            value.skipChildren();
                        }
                    });
                default -> p.skipChildren();
            }
        });
        if (!object || meta.id().name().isEmpty()) {
            problems.accept("ServiceCIDR without a name passed over");
            return Optional.empty();
        }
        List<Cidr> blocks = new ArrayList<>(texts.size());
        for (String text : texts) {
            Cidr.parse(text)
                    .ifPresentOrElse(
                            blocks::add,
                            () -> problems.accept(
                                    "ServiceCIDR " + meta.id().name() + ": spec.cidrs \"" + text
                                            + "\" is no address block; passed over"));
        }
        return Optional.of(new Decoded<>(
                meta.id(),
                meta.resourceVersion(),
                new ServiceCidr(meta.id().name(), List.copyOf(blocks))));
    }
}
