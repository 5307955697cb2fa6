package io.sluice.kernel.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ipvs.Scheduler;
import io.sluice.kernel.VirtualMachine;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** IPVS of a real kernel, which this machine's may lack: in a virtual machine. */
class NetlinkIpvsIT {

    @Test
    void keepsTheContractCarriesConnectionsAndIsClearedUp() throws Exception {
        List<String> modules = new ArrayList<>(List.of(
                "dummy",
                "ip_vs",
                "ip_set",
                "ip_set_hash_ip",
                "ip_set_hash_ipport",
                "ip_set_list_set"));
        Arrays.stream(Scheduler.values()).forEach(each -> modules.add("ip_vs_" + each.word()));
        VirtualMachine.Ended ended = VirtualMachine.run(modules, IpvsGuest.class);
        assertThat(ended.code()).as("%s", ended.output()).isZero();
        assertThat(ended.output()).contains(IpvsGuest.DONE);
    }
}
