// Soft float: division. r0 = r0 / r1; IEEE 754 binary32, to nearest, ties to even.
//
// One div_step per bit of the quotient: 24 bits, one for the rounding, and one that the first may lack. Changes r0 to
// r9 alone.

        .section .text.__divsf3,"ax",@progbits
        .globl  __divsf3
        .type   __divsf3,@function
        .set    slots.__divsf3, 87
__divsf3:
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
        sub     r2, r2, r3
        add     r2, r2, 127
        move    r3, r9
        lsr     r5, r0, 2               // room for doubling the remainder
        lsr     r1, r1, 2
        jgeu    r5, r1, .Ldivide
        add     r5, r5, r5              // now the quotient is at least 1
        add     r2, r2, -1
.Ldivide:
        move    r4, 0                   // d4: r4 quotient, r5 remainder
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        add     r5, r5, r5
        div_step d4, r1, d4, 0
        lsl     r1, r4, 5               // leading one from bit 25 to bit 30
        jeq     r5, 0, __float_round
        or      r1, r1, 1, true, __float_round
.LfirstSubnormal:
        lsl     r0, r0, 1               // no hidden one: exponent 1
        clz     r4, r0, max, .LfirstZero
        lsl     r0, r0, r4
        neg     r2, r4
        jump    .LfirstReady
.LsecondSubnormal:
        lsl     r1, r1, 1
        clz     r4, r1, max, .Linfinity         // division by zero
        lsl     r1, r1, r4
        neg     r3, r4
        jump    .LsecondReady
.LfirstZero:
        jneq    r3, 0, .Lzero
        lsl     r1, r1, 1, z, .Lnan             // 0 / 0
.Lzero:
        and     r0, r9, 0x80000000
        jump    r23
.LfirstSpecial:
        lsl     r0, r0, 1, nz, .Lnan
        jneq    r3, 255, .Linfinity             // infinity / infinity and infinity / NaN are NaN
.Lnan:
        move    r0, 0x7fc00000
        jump    r23
.LsecondSpecial:
        lsl     r1, r1, 1, nz, .Lnan
        jump    .Lzero
.Linfinity:
        and     r0, r9, 0x80000000
        or      r0, r0, 0x7f800000
        jump    r23
        .size   __divsf3, . - __divsf3
