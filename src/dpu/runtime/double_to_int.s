// Soft double: conversion to integers, rounded to zero.
//
//   __fixdfsi  __fixunsdfsi    r0 = d0, as int, as unsigned
//   __fixdfdi  __fixunsdfdi    d0 = d0, as 64-bit int, as unsigned
// What does not fit becomes the nearest value that does; a NaN becomes 0. Change r0 to r4 alone.

        .section .text.__fixunsdfsi,"ax",@progbits
        .globl  __fixunsdfsi
        .type   __fixunsdfsi,@function
__fixunsdfsi:
        clo     zero, r0, nz, .LuZero   // negative
        lsr     r2, r0, 20
        sub     r2, 1054, r2
        jlts    r2, 0, .LuLarge
        jgtu    r2, 31, .LuZero         // below 1
        lsl     r3, r0, 11              // leading one at bit 63
        lsr_add r3, r3, r1, 21
        or      r3, r3, 0x80000000
        lsr     r0, r3, r2
        jump    r23
.LuLarge:
        move    r2, 0x7ff00000
        sub     zero, 0, r1
        subc    zero, r2, r0, ltu, .LuZero      // a NaN
        move    r0, -1
        jump    r23
.LuZero:
        move    r0, 0
        jump    r23
        .size   __fixunsdfsi, . - __fixunsdfsi

        .section .text.__fixdfsi,"ax",@progbits
        .globl  __fixdfsi
        .type   __fixdfsi,@function
__fixdfsi:
        lsl     r2, r0, 1
        lsr     r2, r2, 21
        sub     r2, 1054, r2
        jles    r2, 0, .LsLarge
        jgtu    r2, 31, .LsZero         // below 1
        lsl     r3, r0, 11              // leading one at bit 63
        lsr_add r3, r3, r1, 21
        or      r3, r3, 0x80000000
        lsr     r3, r3, r2
        clo     zero, r0, z, .LsPositive
        neg     r0, r3
        jump    r23
.LsPositive:
        move    r0, r3
        jump    r23
.LsLarge:
        move    r2, 0x7ff00000
        and     r3, r0, 0x7fffffff
        sub     zero, 0, r1
        subc    zero, r2, r3, ltu, .LsZero      // a NaN
        asr     r0, r0, 31
        xor     r0, r0, 0x7fffffff
        jump    r23
.LsZero:
        move    r0, 0
        jump    r23
        .size   __fixdfsi, . - __fixdfsi

        .section .text.__fixunsdfdi,"ax",@progbits
        .globl  __fixunsdfdi
        .type   __fixunsdfdi,@function
__fixunsdfdi:
        clo     zero, r0, nz, .LudZero  // negative
        lsr     r2, r0, 20
        sub     r2, 1086, r2
        jlts    r2, 0, .LudLarge
        jgtu    r2, 63, .LudZero        // below 1
        lsl     r3, r0, 11              // leading one at bit 63
        lsr_add r3, r3, r1, 21
        or      r3, r3, 0x80000000
        lsl     r1, r1, 11
        move    r0, r3
        jump    __lshrdi3
.LudLarge:
        move    r2, 0x7ff00000
        sub     zero, 0, r1
        subc    zero, r2, r0, ltu, .LudZero     // a NaN
        move.s  d0, -1
        jump    r23
.LudZero:
        move    r0, 0
        move    r1, 0
        jump    r23
        .size   __fixunsdfdi, . - __fixunsdfdi

        .section .text.__fixdfdi,"ax",@progbits
        .globl  __fixdfdi
        .type   __fixdfdi,@function
__fixdfdi:
        lsl     r2, r0, 1
        lsr     r2, r2, 21
        sub     r2, 1086, r2
        jles    r2, 0, .LsdLarge
        jgtu    r2, 63, .LsdZero        // below 1
        lsl     r3, r0, 11              // leading one at bit 63
        lsr_add r3, r3, r1, 21
        or      r3, r3, 0x80000000
        lsl     r1, r1, 11
        move    r4, r0
        move    r0, r3
        clo     zero, r4, z, __lshrdi3
        move    r4, r23
        call    r23, __lshrdi3
        neg     r1, r1
        subc    r0, 0, r0
        jump    r4
.LsdLarge:
        move    r2, 0x7ff00000
        and     r3, r0, 0x7fffffff
        sub     zero, 0, r1
        subc    zero, r2, r3, ltu, .LsdZero     // a NaN
        asr     r1, r0, 31
        not     r1, r1
        xor     r0, r1, 0x80000000
        jump    r23
.LsdZero:
        move    r0, 0
        move    r1, 0
        jump    r23
        .size   __fixdfdi, . - __fixdfdi
