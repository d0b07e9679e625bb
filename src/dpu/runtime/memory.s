// Memory helpers of C, on WRAM.
//
//   memcpy(r0: to, r1: from, r2: bytes)     r0 as it was; from lower to higher addresses
//   memmove(r0: to, r1: from, r2: bytes)    r0 as it was; the areas may overlap
//   memset(r0: to, r1: byte, r2: bytes)     r0 as it was
//   memcmp(r0, r1, r2: bytes)               r0 = difference of the first bytes that differ, as unsigned; else 0
//   memchr(r0, r1: byte, r2: bytes)         r0 = address of the first such byte, or 0
// Eight bytes at a time where the alignment allows it. Change r0 to r5 alone.

        .section .text.memmove,"ax",@progbits
        .globl  memmove
        .type   memmove,@function
memmove:
        jleu    r0, r1, memcpy
        add     r3, r1, r2              // the end of either area, going down
        jgeu    r0, r3, memcpy
        add     r2, r0, r2
        sub     r4, r2, r3
        and     zero, r4, 7, nz, .LmoveBytes
.LmoveHead:
        jeq     r2, r0, .Lmoved
        and     zero, r2, 7, z, .LmoveWords
        lbu     r4, r3, -1
        sb      r2, -1, r4
        add     r3, r3, -1
        add     r2, r2, -1, true, .LmoveHead
.LmoveWords:
        add     r1, r0, 8
        jltu    r2, r1, .LmoveBytes
.LmoveWord:
        ld      d4, r3, -8
        sd      r2, -8, d4
        add     r3, r3, -8
        add     r2, r2, -8
        jgeu    r2, r1, .LmoveWord
.LmoveBytes:
        jeq     r2, r0, .Lmoved
.LmoveByte:
        lbu     r4, r3, -1
        sb      r2, -1, r4
        add     r3, r3, -1
        add     r2, r2, -1
        jneq    r2, r0, .LmoveByte
.Lmoved:
        jump    r23
        .size   memmove, . - memmove

        .section .text.memcpy,"ax",@progbits
        .globl  memcpy
        .type   memcpy,@function
memcpy:
        move    r3, r0
        add     r2, r0, r2              // end
        xor     r4, r0, r1
        and     zero, r4, 7, nz, .LcopyBytes
.LcopyHead:
        jeq     r3, r2, .Lcopied
        and     zero, r3, 7, z, .LcopyWords
        lbu     r4, r1, 0
        sb      r3, 0, r4
        add     r1, r1, 1
        add     r3, r3, 1, true, .LcopyHead
.LcopyWords:
        sub     r4, r2, r3
        jltu    r4, 8, .LcopyBytes
        add     r2, r2, -7              // the last address where eight bytes are left, and one
.LcopyWord:
        ld      d4, r1, 0
        sd      r3, 0, d4
        add     r1, r1, 8
        add     r3, r3, 8
        jltu    r3, r2, .LcopyWord
        add     r2, r2, 7
.LcopyBytes:
        jeq     r3, r2, .Lcopied
.LcopyByte:
        lbu     r4, r1, 0
        sb      r3, 0, r4
        add     r1, r1, 1
        add     r3, r3, 1
        jneq    r3, r2, .LcopyByte
.Lcopied:
        jump    r23
        .size   memcpy, . - memcpy

        .section .text.memset,"ax",@progbits
        .globl  memset
        .type   memset,@function
memset:
        move    r3, r0
        add     r2, r0, r2              // end
.LsetHead:
        jeq     r3, r2, .Lset
        and     zero, r3, 7, z, .LsetWords
        sb      r3, 0, r1
        add     r3, r3, 1, true, .LsetHead
.LsetWords:
        sub     r4, r2, r3
        jltu    r4, 8, .LsetBytes
        extub   r4, r1                  // the byte, eight times
        lsl_add r4, r4, r4, 8
        lsl_add r4, r4, r4, 16
        move    r5, r4
        add     r2, r2, -7
.LsetWord:
        sd      r3, 0, d4
        add     r3, r3, 8
        jltu    r3, r2, .LsetWord
        add     r2, r2, 7
.LsetBytes:
        jeq     r3, r2, .Lset
.LsetByte:
        sb      r3, 0, r1
        add     r3, r3, 1
        jneq    r3, r2, .LsetByte
.Lset:
        jump    r23
        .size   memset, . - memset

        .section .text.memcmp,"ax",@progbits
        .globl  memcmp
        .type   memcmp,@function
memcmp:
        jeq     r2, 0, .LcompareEqual
        add     r2, r0, r2              // end
.LcompareByte:
        lbu     r3, r0, 0
        lbu     r4, r1, 0
        add     r1, r1, 1
        sub     r5, r3, r4, nz, .LcompareDiffer
        add     r0, r0, 1
        jneq    r0, r2, .LcompareByte
.LcompareEqual:
        move    r0, 0
        jump    r23
.LcompareDiffer:
        move    r0, r5
        jump    r23
        .size   memcmp, . - memcmp

        .section .text.memchr,"ax",@progbits
        .globl  memchr
        .type   memchr,@function
memchr:
        extub   r1, r1
        jeq     r2, 0, .LfindNone
        add     r2, r0, r2              // end
.LfindByte:
        lbu     r3, r0, 0
        jeq     r3, r1, .Lfound
        add     r0, r0, 1
        jneq    r0, r2, .LfindByte
.LfindNone:
        move    r0, 0
.Lfound:
        jump    r23
        .size   memchr, . - memchr
