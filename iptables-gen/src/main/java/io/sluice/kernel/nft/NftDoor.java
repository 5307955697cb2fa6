package io.sluice.kernel.nft;

import io.sluice.api.net.IpFamily;
import io.sluice.kernel.KernelException;
import io.sluice.nft.Element;
import io.sluice.nft.Transaction;

import java.util.List;
import java.util.Map;

/** What is asked of nf_tables. One thread. */
public interface NftDoor extends AutoCloseable {

    /**
     * All of it takes effect at one moment.
     *
     * @throws KernelException naming the first command that was refused; nothing has changed then
     */
    void commit(Transaction transaction) throws KernelException;

    /**
     * A number that changes with every transaction of anybody, in all tables of the network namespace.
     *
     * @return how many there were, modulo 2³²
     */
    int generation() throws KernelException;

    /** How many elements each set and rules each chain of our table has, by {@code set NAME} and {@code chain NAME}; empty without it. */
    Map<String, Integer> census(IpFamily family) throws KernelException;

    /** All elements that we put into sets and maps of our table; none without it. Reads as much as there is. */
    List<Element> elements(IpFamily family) throws KernelException;

    /** Takes a table away, with all that is in it. @return whether it was there */
    boolean deleteTable(IpFamily family, String table) throws KernelException;

    @Override
    void close();
}
