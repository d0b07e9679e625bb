// The end of every soft float operation: rounding to nearest, ties to even, and packing.
//
//   __float_round: r0 = the float nearest to (r1 / 2^30) * 2^(r2 - 127), with the sign bit 31 of r3
//
// r1 has its leading one at bit 30, or below it where r2 = 1 (a subnormal result); bit 0 stands for everything that was
// cut off below it. Not for zero. Too large becomes infinity, too small a subnormal or zero. Changes r0 to r4 alone.

        .section .text.__float_round,"ax",@progbits
        .globl  __float_round
        .type   __float_round,@function
__float_round:
        and     r3, r3, 0x80000000
        jges    r2, 255, .Linfinity
        jgts    r2, 0, .Lround
        sub     r2, 1, r2               // subnormal: shift right, remembering what is cut off
        jgtu    r2, 31, .Ltiny
        lsrx    r4, r1, r2
        lsr     r1, r1, r2
        move    r2, 1
        jeq     r4, 0, .Lround
        or      r1, r1, 1, true, .Lround
.Ltiny:
        or      r0, r3, 0
        jump    r23
.Lround:
        and     r4, r1, 127
        lsr     r1, r1, 7
        add     r2, r2, -1              // the leading one adds 1 to the exponent
        lsl_add r1, r1, r2, 23
        jltu    r4, 64, .Lpacked
        jgtu    r4, 64, .Lup
        and     zero, r1, 1, z, .Lpacked
.Lup:
        add     r1, r1, 1               // may carry into the exponent, up to infinity
.Lpacked:
        or      r0, r3, r1
        jump    r23
.Linfinity:
        or      r0, r3, 0x7f800000
        jump    r23
        .size   __float_round, . - __float_round
