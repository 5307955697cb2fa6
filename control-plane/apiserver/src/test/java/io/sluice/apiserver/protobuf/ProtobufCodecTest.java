package io.sluice.apiserver.protobuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.api.object.Json;
import io.sluice.apiserver.schema.DecodeException;
import io.sluice.apiserver.schema.Schema;
import io.sluice.apiserver.schema.SchemaLibrary;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;

class ProtobufCodecTest {
    private static final Schema.Struct POD = SchemaLibrary.shared().struct("core-v1", "Pod");
    private static final Schema.Struct SERVICE =
            SchemaLibrary.shared().struct("core-v1", "Service");
    private static final Schema.Struct SECRET = SchemaLibrary.shared().struct("core-v1", "Secret");

    /** Writes fields as Go does. */
    private static final class Message {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Message number(int field, long value) {
            varint(field << 3L);
            varint(value);
            return this;
        }

        Message text(int field, String value) {
            return bytes(field, value.getBytes(StandardCharsets.UTF_8));
        }

        Message message(int field, Message value) {
            return bytes(field, value.out.toByteArray());
        }

        Message bytes(int field, byte[] value) {
            varint(field << 3L | 2);
            varint(value.length);
            out.writeBytes(value);
            return this;
        }

        private void varint(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                out.write((int) (rest & 0x7f | 0x80));
                rest >>>= 7;
            }
            out.write((int) rest);
        }

        byte[] framed(String apiVersion, String kind) {
            Message envelope = new Message()
                    .message(1, new Message().text(1, apiVersion).text(2, kind))
                    .message(2, this)
                    .text(3, "")
                    .text(4, "");
            ByteArrayOutputStream framed = new ByteArrayOutputStream();
            framed.writeBytes(new byte[] {'k', '8', 's', 0});
            framed.writeBytes(envelope.out.toByteArray());
            return framed.toByteArray();
        }
    }

    private static Message service() {
        return new Message()
                .message(
                        1,
                        new Message()
                                .text(1, "web")
                                .text(2, "")
                                .number(7, 0)
                                .message(8, new Message())
                                .message(11, new Message().text(1, "app").text(2, "web")))
                .message(
                        2,
                        new Message()
                                .message(
                                        1,
                                        new Message()
                                                .text(1, "http")
                                                .text(2, "TCP")
                                                .number(3, 80)
                                                .message(
                                                        4,
                                                        new Message()
                                                                .number(1, 1)
                                                                .number(2, 0)
                                                                .text(3, "named"))
                                                .number(5, 0))
                                .text(3, "")
                                .text(4, "NodePort"))
                .message(3, new Message().message(1, new Message()));
    }

    @Test
    void readsWhatJsonWouldSay() throws Exception {
        assertThat(ProtobufCodec.decode(service().framed("v1", "Service"), SERVICE))
                .isEqualTo(Json.parseObject("""
                        {"metadata":{"name":"web","labels":{"app":"web"}},
                         "spec":{"ports":[{"name":"http","protocol":"TCP","port":80,"targetPort":"named"}],
                                 "type":"NodePort"},
                         "status":{"loadBalancer":{}},"apiVersion":"v1","kind":"Service"}"""));
    }

    @Test
    void readsBytesAndMaps() throws Exception {
        byte[] body = new Message()
                .message(2, new Message().text(1, "k").bytes(2, new byte[] {0, -1}))
                .text(3, "Opaque")
                .number(5, 0)
                .framed("v1", "Secret");
        assertThat(ProtobufCodec.decode(body, SECRET).toString())
                .isEqualTo("{\"data\":{\"k\":\"AP8=\"},\"type\":\"Opaque\",\"immutable\":false,"
                        + "\"apiVersion\":\"v1\",\"kind\":\"Secret\"}");
    }

    @Test
    void showsInlinedFieldsAsTheParents() throws Exception {
        Message volume = new Message()
                .text(1, "v")
                .message(2, new Message().message(2, new Message().text(1, "")));
        Message probe = new Message()
                .message(
                        1,
                        new Message()
                                .message(
                                        3,
                                        new Message()
                                                .message(
                                                        1,
                                                        new Message()
                                                                .number(1, 0)
                                                                .number(2, 81)
                                                                .text(3, ""))))
                .number(2, 5);
        Message container = new Message()
                .text(1, "c")
                .message(
                        8,
                        new Message()
                                .message(
                                        1,
                                        new Message()
                                                .text(1, "cpu")
                                                .message(2, new Message().text(1, "100m"))))
                .message(10, probe);
        byte[] body = new Message()
                .message(
                        2,
                        new Message().message(1, volume).message(2, container).number(4, 0))
                .framed("v1", "Pod");
        assertThat(ProtobufCodec.decode(body, POD).path("spec")).isEqualTo(Json.parseObject("""
                        {"volumes":[{"name":"v","emptyDir":{}}],
                         "containers":[{"name":"c","resources":{"limits":{"cpu":"100m"}},
                           "livenessProbe":{"tcpSocket":{"port":81},"initialDelaySeconds":5}}],
                         "terminationGracePeriodSeconds":0}"""));
    }

    /** Mangled bytes give an object or a refusal, and nothing else. */
    @Test
    void survivesNonsense() throws IOException {
        Random random = new Random(11);
        byte[] good = service().framed("v1", "Service");
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            int changes = 1 + random.nextInt(4);
            for (int j = 0; j < changes; j++) {
                bad[4 + random.nextInt(bad.length - 4)] = (byte) random.nextInt(256);
            }
            byte[] cut = java.util.Arrays.copyOf(bad, random.nextInt(bad.length + 1));
            try {
                ProtobufCodec.decode(random.nextBoolean() ? bad : cut, SERVICE);
            } catch (DecodeException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void refusesWhatIsNoEnvelope() {
        assertThatThrownBy(() -> ProtobufCodec.decode(new byte[] {'k', '8', 's'}, SERVICE))
                .isInstanceOf(DecodeException.class);
    }
}
