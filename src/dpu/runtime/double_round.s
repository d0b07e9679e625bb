// The end of every soft double operation: rounding to nearest, ties to even, and packing.
//
//   __double_round: d0 = the double nearest to (d2 / 2^62) * 2^(r4 - 1023), with the sign bit 31 of r5
//
// d2 has its leading one at bit 62, or below it where r4 = 1 (a subnormal result); bit 0 stands for everything that was
// cut off below it. Not for zero. Too large becomes infinity, too small a subnormal or zero. Changes r0 to r7 alone.

        .section .text.__double_round,"ax",@progbits
        .globl  __double_round
        .type   __double_round,@function
__double_round:
        and     r5, r5, 0x80000000
        move    r6, 2047
        jges    r4, r6, .Linfinity
        jgts    r4, 0, .Lround
        sub     r4, 1, r4               // subnormal: shift right, remembering what is cut off
        jgtu    r4, 63, .Ltiny
        lsrx    r6, r3, r4, sh32, .LwholeWord
        lsr     r3, r3, r4
        lsrx    r7, r2, r4
        or      r3, r3, r7
        lsr     r2, r2, r4, true, .Lshifted
.LwholeWord:
        lsrx    r6, r2, r4
        or      r6, r6, r3
        lsr     r3, r2, r4
        move    r2, 0
.Lshifted:
        move    r4, 1
        jeq     r6, 0, .Lround
        or      r3, r3, 1
.Lround:
        and     r6, r3, 1023
        lsr     r3, r3, 10
        lsl_add r3, r3, r2, 22
        lsr     r2, r2, 10
        add     r4, r4, -1              // the leading one adds 1 to the exponent
        lsl_add r2, r2, r4, 20
        jltu    r6, 512, .Lpacked
        jgtu    r6, 512, .Lup
        and     zero, r3, 1, z, .Lpacked
.Lup:
        add     r3, r3, 1               // may carry into the exponent, up to infinity
        addc    r2, r2, 0
.Lpacked:
        or      r0, r5, r2
        move    r1, r3
        jump    r23
.Ltiny:
        move    r0, r5
        move    r1, 0
        jump    r23
.Linfinity:
        or      r0, r5, 0x7ff00000
        move    r1, 0
        jump    r23
        .size   __double_round, . - __double_round
