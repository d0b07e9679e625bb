// Soft float: conversion to integers, rounded to zero.
//
//   __fixsfsi  __fixunssfsi    r0 = r0, as int, as unsigned
//   __fixsfdi  __fixunssfdi    d0 = r0, as 64-bit int, as unsigned
// What does not fit becomes the nearest value that does; a NaN becomes 0. Change r0 to r4 alone.

        .section .text.__fixunssfsi,"ax",@progbits
        .globl  __fixunssfsi
        .type   __fixunssfsi,@function
__fixunssfsi:
        clo     zero, r0, nz, .LuZero   // negative
        lsr     r1, r0, 23
        sub     r1, 158, r1
        jlts    r1, 0, .LuLarge
        jgtu    r1, 31, .LuZero         // below 1
        lsl     r0, r0, 8
        or      r0, r0, 0x80000000
        lsr     r0, r0, r1
        jump    r23
.LuLarge:
        move    r2, 0x7f800000
        jgtu    r0, r2, .LuZero         // a NaN
        move    r0, -1
        jump    r23
.LuZero:
        move    r0, 0
        jump    r23
        .size   __fixunssfsi, . - __fixunssfsi

        .section .text.__fixsfsi,"ax",@progbits
        .globl  __fixsfsi
        .type   __fixsfsi,@function
__fixsfsi:
        lsl     r1, r0, 1
        lsr     r2, r1, 24
        sub     r2, 158, r2
        jles    r2, 0, .LsLarge
        jgtu    r2, 31, .LsZero         // below 1
        lsl     r3, r0, 8
        or      r3, r3, 0x80000000
        lsr     r3, r3, r2
        clo     zero, r0, z, .LsPositive
        neg     r0, r3
        jump    r23
.LsPositive:
        move    r0, r3
        jump    r23
.LsLarge:
        move    r2, 0xff000000
        jgtu    r1, r2, .LsZero         // a NaN
        asr     r0, r0, 31
        xor     r0, r0, 0x7fffffff
        jump    r23
.LsZero:
        move    r0, 0
        jump    r23
        .size   __fixsfsi, . - __fixsfsi

        .section .text.__fixunssfdi,"ax",@progbits
        .globl  __fixunssfdi
        .type   __fixunssfdi,@function
__fixunssfdi:
        clo     zero, r0, nz, .LudZero  // negative
        lsr     r2, r0, 23
        sub     r2, 190, r2
        jlts    r2, 0, .LudLarge
        jgtu    r2, 63, .LudZero        // below 1
        lsl     r0, r0, 8
        or      r0, r0, 0x80000000
        move    r1, 0
        jump    __lshrdi3
.LudLarge:
        move    r2, 0x7f800000
        jgtu    r0, r2, .LudZero        // a NaN
        move.s  d0, -1
        jump    r23
.LudZero:
        move    r0, 0
        move    r1, 0
        jump    r23
        .size   __fixunssfdi, . - __fixunssfdi

        .section .text.__fixsfdi,"ax",@progbits
        .globl  __fixsfdi
        .type   __fixsfdi,@function
__fixsfdi:
        lsl     r1, r0, 1
        lsr     r2, r1, 24
        sub     r2, 190, r2
        jles    r2, 0, .LsdLarge
        jgtu    r2, 63, .LsdZero        // below 1
        move    r4, r0
        lsl     r0, r0, 8
        or      r0, r0, 0x80000000
        move    r1, 0
        clo     zero, r4, z, __lshrdi3
        move    r4, r23
        call    r23, __lshrdi3
        neg     r1, r1
        subc    r0, 0, r0
        jump    r4
.LsdLarge:
        move    r2, 0xff000000
        jgtu    r1, r2, .LsdZero        // a NaN
        asr     r1, r0, 31
        not     r1, r1
        xor     r0, r1, 0x80000000
        jump    r23
.LsdZero:
        move    r0, 0
        move    r1, 0
        jump    r23
        .size   __fixsfdi, . - __fixsfdi
