package io.sluice.cli.packets;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.node.ObjectNode;

import io.sluice.api.model.EndpointSliceDecoder;
import io.sluice.api.model.ObjectDecoder;
import io.sluice.api.model.ServiceDecoder;
import io.sluice.api.net.IpFamily;
import io.sluice.api.net.Protocol;
import io.sluice.api.object.Json;
import io.sluice.cli.packets.PacketTable.Question;
import io.sluice.cli.packets.PacketTable.Row;
import io.sluice.cli.packets.PacketTable.Section;
import io.sluice.endpoints.ServiceTracker;
import io.sluice.rules.Fate;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Every mode's program, asked for every packet of the table; trackers included, since its objects come as the API server sends them. */
class PacketTableTest {
    private static final List<Protocol> PROTOCOLS = List.of(Protocol.values());

    @ParameterizedTest
    @EnumSource(Tracers.class)
    void theProgramDoesWhatTheTableSays(Tracers tracers) throws IOException {
        PacketTable table = PacketTable.load();
        ServiceTracker.CheckOut services = services(table);
        List<String> wrong = new ArrayList<>();
        int asked = 0;
        for (Section section : table.sections()) {
            if (!tracers.knows(section.settings())) {
                continue;
            }
            Tracer tracer = tracers.tracer(services, section.settings());
            for (Row row : section.rows()) {
                asked += ask(tracer, tracers.mode, row, wrong);
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(asked).as("packets").isGreaterThan(1_000);
    }

    private static int ask(Tracer tracer, Mode mode, Row row, List<String> wrong) {
        int asked = 0;
        for (Knock knock : row.knocks()) {
            for (Source source : Source.values()) {
                for (IpFamily family : IpFamily.values()) {
                    for (Protocol protocol : PROTOCOLS) {
                        Question question = new Question(mode, source, knock, family, protocol);
                        Optional<Expected> expected = row.expected(question, true);
                        if (expected.isPresent() && tracer.canBeAsked(question)) {
                            asked++;
                            compare(tracer, row, question, expected.get(), wrong);
                        }
                    }
                }
            }
        }
        return asked;
    }

    private static void compare(
            Tracer tracer, Row row, Question question, Expected expected, List<String> wrong) {
        Fate fate = tracer.fate(row.situation(), question);
        if (!fate.equals(expected.fate(question.family()))) {
            wrong.add("line %d, %s with endpoints %s: %s %s from %s to %s: %s, expected %s"
                    .formatted(
                            row.line(),
                            row.situation().shape(),
                            row.situation().endpoints(),
                            question.family(),
                            question.protocol(),
                            question.source().text(),
                            question.knock().text,
                            fate,
                            expected));
        }
    }

    private static ServiceTracker.CheckOut services(PacketTable table) throws IOException {
        ServiceTracker tracker = new ServiceTracker(Packets.NODE);
        for (Situation situation : table.situations()) {
            tracker.onService(decode(
                    new ServiceDecoder(), situation.withStatus(situation.service(PROTOCOLS))));
            for (ObjectNode slice : situation.slices(PROTOCOLS)) {
                tracker.onSlice(decode(new EndpointSliceDecoder(), slice));
            }
        }
        return tracker.checkOut();
    }

    private static <T> T decode(ObjectDecoder<T> decoder, ObjectNode object) throws IOException {
        List<String> problems = new ArrayList<>();
        try (JsonParser parser = Json.parser(Json.bytes(object))) {
            parser.nextToken();
            T value = decoder.decode(parser, problems::add).orElseThrow().value();
            assertThat(problems).isEmpty();
            return value;
        }
    }
}
