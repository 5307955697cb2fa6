package io.sluice.bench.kernel;

import io.sluice.api.net.IpAddress;

import java.util.ArrayList;
import java.util.List;

/** How large a cluster is. */
record Size(int services, int endpoints) {
    /** An EndpointSlice has no more. */
    private static final int MOST_IN_SLICE = 1_000;

    private static final int FIRST_ENDPOINT = 10 << 24 | 128 << 16;

    /** {@code 1000x5,40000x5}. */
    static List<Size> parse(String text) {
        List<Size> out = new ArrayList<>();
        for (String part : text.split(",")) {
            String[] numbers = part.strip().split("x");
            if (numbers.length != 2) {
                throw new IllegalArgumentException(
                        "--sizes: \"" + part + "\" is not SERVICESxENDPOINTS, as in 1000x5");
            }
            Size size = new Size(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
            if (size.endpoints > MOST_IN_SLICE) {
                throw new IllegalArgumentException(
                        "--sizes: more than " + MOST_IN_SLICE + " endpoints: " + part);
            }
            out.add(size);
        }
        return out;
    }

    /** Nobody is there. */
    IpAddress endpoint(int service, int endpoint) {
        int address = FIRST_ENDPOINT + service * endpoints + endpoint;
        return IpAddress.of(new byte[] {
            (byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address
        });
    }

    @Override
    public String toString() {
        return services + " × " + endpoints;
    }
}
