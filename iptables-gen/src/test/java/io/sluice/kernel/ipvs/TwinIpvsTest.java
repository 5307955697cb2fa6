package io.sluice.kernel.ipvs;

import org.junit.jupiter.api.Test;

class TwinIpvsTest {

    @Test
    void keepsTheContract() throws Exception {
        try (TwinIpvs twin = new TwinIpvs()) {
            IpvsContract.check(twin);
        }
    }
}
