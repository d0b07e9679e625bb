// Blocks of one size: a free list.
//
//   fsb_alloc(r0: bytes of a block, r1: blocks)    r0 = the allocator, from the heap
//   fsb_get(r0: allocator)                         r0 = a block, 8-byte aligned; 0 where all are in use
//   fsb_free(r0: allocator, r1: block)             gives it back
//
// An allocator is 8 bytes {first free block, unused} in front of its blocks; a free block begins with the address of
// the next one. One atomic bit for all allocators. Change r0 to r5 alone.

        .section .text.fsb_alloc,"ax",@progbits
        .globl  fsb_alloc
        .type   fsb_alloc,@function
fsb_alloc:
        sd      r22, 8, d22
        sd      r22, 0, d14
        add     r22, r22, 16
        jneq    r0, 0, .LatLeastOne
        move    r0, 1
.LatLeastOne:
        add     r14, r0, 7
        and     r14, r14, -8
        move    r15, r1
        move    r0, r14
        call    r23, __mulsi3
        add     r0, r0, 8
        call    r23, mem_alloc
        add     r1, r0, 8
        sw      r0, 0, r1
        jneq    r15, 0, .Llink
        sw      r0, 0, 0
        jump    .Llinked
.Llink:
        add     r2, r1, r14
        add     r15, r15, -1, z, .Llast
        sw      r1, 0, r2
        move    r1, r2, true, .Llink
.Llast:
        sw      r1, 0, 0
.Llinked:
        ld      d14, r22, -16
        ld      d22, r22, -8
        jump    r23
        .size   fsb_alloc, . - fsb_alloc

        .section .text.fsb_get,"ax",@progbits
        .globl  fsb_get
        .type   fsb_get,@function
fsb_get:
        move    r1, r0
        acquire zero, __fsb_lock, nz, .
        lw      r0, r1, 0
        jeq     r0, 0, .Lnone
        lw      r2, r0, 0
        sw      r1, 0, r2
.Lnone:
        release zero, __fsb_lock, nz, . + 1
        jump    r23
        .size   fsb_get, . - fsb_get

        .section .text.fsb_free,"ax",@progbits
        .globl  fsb_free
        .type   fsb_free,@function
fsb_free:
        acquire zero, __fsb_lock, nz, .
        lw      r2, r0, 0
        sw      r1, 0, r2
        sw      r0, 0, r1
        release zero, __fsb_lock, nz, . + 1
        jump    r23
        .size   fsb_free, . - fsb_free

        .section .atomic,"aw",@nobits
__fsb_lock:
        .zero   1
