// Soft float: multiplication. r0 = r0 * r1; IEEE 754 binary32, to nearest, ties to even.
//
// Changes r0 to r13 alone.

        .section .text.__mulsf3,"ax",@progbits
        .globl  __mulsf3
        .type   __mulsf3,@function
        .set    slots.__mulsf3, 73
__mulsf3:
        move    r13, r23
        xor     r9, r0, r1              // bit 31: sign
        lsl     r2, r0, 1
        lsr     r2, r2, 24              // exponents
        lsl     r3, r1, 1
        lsr     r3, r3, 24
        lsl     r0, r0, 8               // significands, leading one at bit 31
        lsl     r1, r1, 8
        jeq     r2, 255, .LfirstSpecial
        jeq     r3, 255, .LsecondSpecial
        jeq     r2, 0, .LfirstSubnormal
        or      r0, r0, 0x80000000
.LfirstReady:
        jeq     r3, 0, .LsecondSubnormal
        or      r1, r1, 0x80000000
.LsecondReady:
        add     r10, r2, r3
        call    r23, __umulsidi3        // leading one at bit 63 or 62: of r0, 31 or 30
        move    r23, r13
        add     r2, r10, -126
        move    r3, r9
        jeq     r1, 0, .Lexact
        or      r0, r0, 1
.Lexact:
        clo     zero, r0, z, .Lshort
        lsr     r1, r0, 1
        and     r0, r0, 1
        or      r1, r1, r0
        jump    __float_round
.Lshort:
        move    r1, r0
        add     r2, r2, -1, true, __float_round
.LfirstSubnormal:
        lsl     r0, r0, 1               // no hidden one: exponent 1
        clz     r4, r0, max, .Lzero
        lsl     r0, r0, r4
        neg     r2, r4
        jump    .LfirstReady
.LsecondSubnormal:
        lsl     r1, r1, 1
        clz     r4, r1, max, .Lzero
        lsl     r1, r1, r4
        neg     r3, r4
        jump    .LsecondReady
.LfirstSpecial:
        lsl     r0, r0, 1, nz, .Lnan
        jeq     r3, 255, .LbothSpecial
        jneq    r3, 0, .Linfinity
        lsl     r1, r1, 1, nz, .Linfinity
        jump    .Lnan                   // infinity times zero
.LsecondSpecial:
        lsl     r1, r1, 1, nz, .Lnan
        jneq    r2, 0, .Linfinity
        lsl     r0, r0, 1, nz, .Linfinity
        jump    .Lnan
.LbothSpecial:
        lsl     r1, r1, 1, nz, .Lnan
.Linfinity:
        and     r0, r9, 0x80000000
        or      r0, r0, 0x7f800000
        jump    r13
.Lzero:
        and     r0, r9, 0x80000000
        jump    r13
.Lnan:
        move    r0, 0x7fc00000
        jump    r13
        .size   __mulsf3, . - __mulsf3
