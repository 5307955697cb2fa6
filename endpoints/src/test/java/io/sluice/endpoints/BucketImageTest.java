package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.api.meta.NamespacedName;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The image behaves as a map that is copied at each change. */
class BucketImageTest {

    private static List<ServicePortImage> ports(String name, int port) {
        return Views.expand(AService.named(name)
                .port("p", io.sluice.api.net.Protocol.TCP, port, 0)
                .build());
    }

    private static Collection<ServicePortImage> all(
            Map<NamespacedName, List<ServicePortImage>> map) {
        return map.values().stream().flatMap(List::stream).toList();
    }

    @Test
    void equalsAMapAtEachPointOfARandomHistory() {
        Seeds.run(10, random -> {
            Map<NamespacedName, List<ServicePortImage>> map = new HashMap<>();
            List<BucketImage> images = new ArrayList<>(List.of(BucketImage.EMPTY));
            List<Collection<ServicePortImage>> expected = new ArrayList<>(List.of(List.of()));
            for (int step = 0; step < 30; step++) {
                Map<NamespacedName, List<ServicePortImage>> changes = changes(random);
                changes.forEach((name, ports) -> {
                    if (ports.isEmpty()) {
                        map.remove(name);
                    } else {
                        map.put(name, ports);
                    }
                });
                images.add(images.getLast().with(changes));
                expected.add(all(map));
            }
            for (int i = 0; i < images.size(); i++) {
                BucketImage image = images.get(i);
                assertThat(image.ports()).containsExactlyInAnyOrderElementsOf(expected.get(i));
                assertThat(image.ports()).hasSize(expected.get(i).size());
                for (ServicePortImage port : expected.get(i)) {
                    assertThat(image.find(port.name())).contains(port);
                }
            }
        });
    }

    private static Map<NamespacedName, List<ServicePortImage>> changes(Random random) {
        Map<NamespacedName, List<ServicePortImage>> out = new HashMap<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            String name = "s" + random.nextInt(12);
            out.put(
                    new NamespacedName("shop", name),
                    random.nextInt(3) == 0 ? List.of() : ports(name, 1 + random.nextInt(5)));
        }
        return out;
    }

    @Test
    void nothingChangedIsTheSameImage() {
        assertThat(BucketImage.EMPTY.with(Map.of())).isSameAs(BucketImage.EMPTY);
    }

    @Test
    void aNameThatIsNotThereIsNotFound() {
        ServicePortName name = ports("web", 80).getFirst().name();

        assertThat(BucketImage.EMPTY.find(name)).isEmpty();
    }
}
