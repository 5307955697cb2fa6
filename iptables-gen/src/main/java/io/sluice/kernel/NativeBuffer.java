package io.sluice.kernel;

import jnr.ffi.Memory;
import jnr.ffi.Pointer;

/** Plain native memory, freed with the object. */
public final class NativeBuffer {
    private final Pointer memory;
    private final int capacity;

    public NativeBuffer(int capacity) {
        this.memory = Memory.allocateDirect(LibC.RUNTIME, capacity);
        this.capacity = capacity;
    }

    public long address() {
        return memory.address();
    }

    public int capacity() {
        return capacity;
    }

    /** Copies from any native address to the buffer's start. */
    public void copyFrom(long address, long length) {
        Pointer.wrap(LibC.RUNTIME, address).transferTo(0, memory, 0, length);
    }
}
