// Where variables of a DPU program live, and what is said of functions.
#ifndef PIMENTO_DPU_ATTRIBUTES_H
#define PIMENTO_DPU_ATTRIBUTES_H

/// WRAM that the host reads and writes by the variable's name.
#define __host __attribute__((section(".dpu_host"), used, aligned(8)))
/// WRAM that transfers from and to MRAM may use.
#define __dma_aligned __attribute__((aligned(8)))

/// Points to MRAM. Reading or writing through such a pointer costs a separate transfer each time, and a write of
/// less than 8 aligned bytes reads those 8 bytes, changes them and writes them back: tasklets that write to the same
/// 8 bytes need a lock (or mram_unaligned.h). Buffers of WRAM and mram_read, mram_write are the fast way.
#define __mram_ptr __attribute__((address_space(255)))
/// A variable in MRAM, with its initial value.
#define __mram __mram_ptr __attribute__((section(".mram"), used, aligned(8)))
/// A variable in MRAM with undefined initial contents: loading a program does not change them.
#define __mram_noinit __mram_ptr __attribute__((section(".mram.noinit"), used, aligned(8)))
/// As __mram_noinit, at the beginning of MRAM: programs that declare the same ones first find each other's data.
#define __mram_noinit_keep __mram_ptr __attribute__((section(".mram.noinit_keep"), used, aligned(8)))
/// One byte represents one atomic bit, and its address the bit's number.
#define __atomic_bit __attribute__((section(".atomic"), used))

#define __section(name) __attribute__((section(name)))
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define __used __attribute__((used))
#define __noinline __attribute__((noinline))
#define __weak __attribute__((weak))
#define __keep __attribute__((used))

#endif
