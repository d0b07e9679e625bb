// Soft double: conversion from integers, to nearest, ties to even.
//
//   __floatsidf  __floatunsidf    d0 = r0, from int, from unsigned; exact
//   __floatdidf  __floatundidf    d0 = d0, from 64-bit int, from unsigned
// Change r0 to r7 alone.

        .section .text.__floatunsidf,"ax",@progbits
        .globl  __floatunsidf
        .type   __floatunsidf,@function
__floatunsidf:
        move    r5, 0
        jump    __double_from_magnitude
        .size   __floatunsidf, . - __floatunsidf

        .section .text.__floatsidf,"ax",@progbits
        .globl  __floatsidf
        .type   __floatsidf,@function
__floatsidf:
        move    r5, r0                  // sign
        clo     zero, r0, z, __double_from_magnitude
        neg     r0, r0
        jump    __double_from_magnitude
        .size   __floatsidf, . - __floatsidf

        .section .text.__double_from_magnitude,"ax",@progbits
        .globl  __double_from_magnitude
        .type   __double_from_magnitude,@function
__double_from_magnitude:
        clz     r4, r0, max, .LfromZero         // unsigned r0, with the sign bit 31 of r5
        lsl     r0, r0, r4
        sub     r4, 1054, r4
        lsr     r2, r0, 1
        lsl     r3, r0, 31
        jump    __double_round
.LfromZero:
        move    r1, 0
        jump    r23
        .size   __double_from_magnitude, . - __double_from_magnitude

        .section .text.__floatundidf,"ax",@progbits
        .globl  __floatundidf
        .type   __floatundidf,@function
__floatundidf:
        move    r5, 0
        jump    __double_from_long_magnitude
        .size   __floatundidf, . - __floatundidf

        .section .text.__floatdidf,"ax",@progbits
        .globl  __floatdidf
        .type   __floatdidf,@function
__floatdidf:
        move    r5, r0                  // sign
        clo     zero, r0, z, __double_from_long_magnitude
        neg     r1, r1
        subc    r0, 0, r0
        jump    __double_from_long_magnitude
        .size   __floatdidf, . - __floatdidf

        .section .text.__double_from_long_magnitude,"ax",@progbits
        .globl  __double_from_long_magnitude
        .type   __double_from_long_magnitude,@function
__double_from_long_magnitude:
        clz     r4, r0, max, .LfromShort
        lsl     r0, r0, r4
        lslx    r6, r1, r4
        or      r0, r0, r6
        lsl     r1, r1, r4
        sub     r4, 1086, r4
        and     r6, r1, 1
        lsr     r2, r0, 1
        lsr     r3, r1, 1
        lsl_add r3, r3, r0, 31
        or      r3, r3, r6
        jump    __double_round
.LfromShort:
        move    r0, r1
        jump    __double_from_magnitude
        .size   __double_from_long_magnitude, . - __double_from_long_magnitude
