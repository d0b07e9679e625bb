// Soft float: conversion between float and double.
//
//   __extendsfdf2    d0 = r0, float to double, exact; changes r0 to r3 alone
//   __truncdfsf2     r0 = d0, double to float, to nearest, ties to even; changes r0 to r4 alone

        .section .text.__extendsfdf2,"ax",@progbits
        .globl  __extendsfdf2
        .type   __extendsfdf2,@function
__extendsfdf2:
        and     r2, r0, 0x80000000      // sign
        lsl     r1, r0, 1, z, .Lzero
        lsr     r3, r1, 24              // exponent
        jeq     r3, 0, .Lsubnormal
        lsr     r0, r1, 4               // exponent and significand where double has them
        add     r0, r0, 0x38000000      // 1023 - 127
        jneq    r3, 255, .Lnumber
        lsl     r3, r1, 8, nz, .LextendNan
        add     r0, r0, 0x38000000      // infinity
.Lnumber:
        lsl     r1, r1, 28
        or      r0, r0, r2
        jump    r23
.Lsubnormal:
        clz     r3, r1                  // at least 8: bring the leading one to bit 24, where it counts as exponent 1
        add     r3, r3, -7
        lsl     r1, r1, r3
        sub     r3, 896, r3
        lsr     r0, r1, 4
        lsl_add r0, r0, r3, 20
        jump    .Lnumber
.Lzero:
        jump    r23
.LextendNan:
        move    r0, 0x7ff80000
        move    r1, 0
        jump    r23
        .size   __extendsfdf2, . - __extendsfdf2

        .section .text.__truncdfsf2,"ax",@progbits
        .globl  __truncdfsf2
        .type   __truncdfsf2,@function
__truncdfsf2:
        move    r3, r0                  // sign
        lsl     r2, r0, 1
        lsr     r2, r2, 21              // exponent
        lsl     r0, r0, 12              // significand, leading one at bit 30
        lsr     r0, r0, 2
        lsr_add r0, r0, r1, 22
        lsl     r1, r1, 10, z, .Lexact
        or      r0, r0, 1
.Lexact:
        move    r4, 2047
        jeq     r2, r4, .Lspecial
        jeq     r2, 0, .LtooSmall
        or      r1, r0, 0x40000000
        add     r2, r2, -896
        jump    __float_round
.LtooSmall:
        and     r0, r3, 0x80000000
        jump    r23
.Lspecial:
        jneq    r0, 0, .Lnan
        and     r0, r3, 0x80000000
        or      r0, r0, 0x7f800000
        jump    r23
.Lnan:
        move    r0, 0x7fc00000
        jump    r23
        .size   __truncdfsf2, . - __truncdfsf2
