// Soft float: conversion from integers, to nearest, ties to even.
//
//   __floatsisf  __floatunsisf    r0 = r0, from int, from unsigned
//   __floatdisf  __floatundisf    r0 = d0, from 64-bit int, from unsigned
// Change r0 to r6 alone.

        .section .text.__floatunsisf,"ax",@progbits
        .globl  __floatunsisf
        .type   __floatunsisf,@function
__floatunsisf:
        move    r3, 0
        jump    __float_from_magnitude
        .size   __floatunsisf, . - __floatunsisf

        .section .text.__floatsisf,"ax",@progbits
        .globl  __floatsisf
        .type   __floatsisf,@function
__floatsisf:
        move    r3, r0                  // sign
        clo     zero, r0, z, __float_from_magnitude
        neg     r0, r0
        jump    __float_from_magnitude
        .size   __floatsisf, . - __floatsisf

        .section .text.__float_from_magnitude,"ax",@progbits
        .globl  __float_from_magnitude
        .type   __float_from_magnitude,@function
__float_from_magnitude:
        clz     r4, r0, max, .LfromZero         // unsigned r0, with the sign bit 31 of r3
        sub     r2, 158, r4
        lsl     r0, r0, r4
        and     r4, r0, 1
        lsr     r1, r0, 1
        or      r1, r1, r4
        jump    __float_round
.LfromZero:
        jump    r23
        .size   __float_from_magnitude, . - __float_from_magnitude

        .section .text.__floatundisf,"ax",@progbits
        .globl  __floatundisf
        .type   __floatundisf,@function
__floatundisf:
        move    r3, 0
        jump    __float_from_long_magnitude
        .size   __floatundisf, . - __floatundisf

        .section .text.__floatdisf,"ax",@progbits
        .globl  __floatdisf
        .type   __floatdisf,@function
__floatdisf:
        move    r3, r0                  // sign
        clo     zero, r0, z, __float_from_long_magnitude
        neg     r1, r1
        subc    r0, 0, r0
        jump    __float_from_long_magnitude
        .size   __floatdisf, . - __floatdisf

        .section .text.__float_from_long_magnitude,"ax",@progbits
        .globl  __float_from_long_magnitude
        .type   __float_from_long_magnitude,@function
__float_from_long_magnitude:
        clz     r4, r0, max, .LfromShort
        sub     r2, 190, r4
        lsl     r0, r0, r4
        lslx    r5, r1, r4
        or      r0, r0, r5
        lsl     r1, r1, r4              // what is left of it below r0
        and     r4, r0, 1
        or      r4, r4, r1
        lsr     r1, r0, 1
        jeq     r4, 0, __float_round
        or      r1, r1, 1, true, __float_round
.LfromShort:
        move    r0, r1
        jump    __float_from_magnitude
        .size   __float_from_long_magnitude, . - __float_from_long_magnitude
