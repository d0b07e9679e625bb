// Memory that lives until the next reset: mem_reset and mem_alloc.
//
// One pointer goes up from the end of the stacks, under one atomic bit. Every block is 8-byte aligned, as DMA needs it.
//
//   mem_reset()              gives all blocks back; r0 = start of the heap
//   mem_alloc(r0: bytes)     r0 = address of a new block. Touches the last byte of the block: a request beyond the end
//                            of WRAM faults here and not at some later use.
// Both change r0 to r2 alone. From the linker: __heap_start.

        .section .text.mem_reset,"ax",@progbits
        .globl  mem_reset
        .type   mem_reset,@function
mem_reset:
        acquire zero, __heap_lock, nz, .
        move    r0, __heap_start
        sw      zero, __heap_pointer, r0
        release zero, __heap_lock, nz, . + 1
        jump    r23
        .size   mem_reset, . - mem_reset

        .section .text.mem_alloc,"ax",@progbits
        .globl  mem_alloc
        .type   mem_alloc,@function
mem_alloc:
        jeq     r0, 0, .Lnothing
        add     r1, r0, 7
        and     r1, r1, -8              // so the pointer stays aligned
        acquire zero, __heap_lock, nz, .
        lw      r0, zero, __heap_pointer
        add     r2, r0, r1, c, .Lfull
        lbu     r1, r2, -1
        sw      zero, __heap_pointer, r2
        release zero, __heap_lock, nz, . + 1
        jump    r23
.Lnothing:
        lw      r0, zero, __heap_pointer
        jump    r23
.Lfull:
        fault   1                       // the size wrapped around
        .size   mem_alloc, . - mem_alloc

        .section .data.__heap_pointer,"aw",@progbits
        .p2align 2
        .globl  __heap_pointer
        .type   __heap_pointer,@object
__heap_pointer:
        .long   __heap_start
        .size   __heap_pointer, 4

        .section .atomic,"aw",@nobits
__heap_lock:
        .zero   1
