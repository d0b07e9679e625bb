// 32-bit division and remainder.
//
//   __udivsi3(r0, r1)    quotient, unsigned        __umodsi3    remainder
//   __divsi3(r0, r1)     quotient, rounded to zero __modsi3     remainder, with the sign of the dividend
//   __udivmodsi4(r0, r1) both, unsigned: r0 quotient, r1 remainder
//
// The hardware makes one bit of the quotient per div_step. Bits that are zero anyway are skipped: the first step is
// the one that brings the divisor up to the dividend's highest bit, so that small quotients are fast. A division by
// zero faults (code 2).
//
// Change r0 to r5 alone.

        .section .text.__udivmodsi4,"ax",@progbits
        .globl  __udivsi3
        .type   __udivsi3,@function
        .globl  __udivmodsi4
        .type   __udivmodsi4,@function
__udivsi3:
__udivmodsi4:
        clz     r3, r1, max, .LdivideByZero
        clz     r2, r0
        sub     r4, r3, r2, mi, .Lsmaller       // shift that aligns the highest bits
        move    r3, r0                          // d2: r2 quotient, r3 remainder
        move    r2, 0
        sub     r4, 31, r4
        jump    r4, .Lsteps
.Lsteps:
        div_step d2, r1, d2, 31
        div_step d2, r1, d2, 30
        div_step d2, r1, d2, 29
        div_step d2, r1, d2, 28
        div_step d2, r1, d2, 27
        div_step d2, r1, d2, 26
        div_step d2, r1, d2, 25
        div_step d2, r1, d2, 24
        div_step d2, r1, d2, 23
        div_step d2, r1, d2, 22
        div_step d2, r1, d2, 21
        div_step d2, r1, d2, 20
        div_step d2, r1, d2, 19
        div_step d2, r1, d2, 18
        div_step d2, r1, d2, 17
        div_step d2, r1, d2, 16
        div_step d2, r1, d2, 15
        div_step d2, r1, d2, 14
        div_step d2, r1, d2, 13
        div_step d2, r1, d2, 12
        div_step d2, r1, d2, 11
        div_step d2, r1, d2, 10
        div_step d2, r1, d2, 9
        div_step d2, r1, d2, 8
        div_step d2, r1, d2, 7
        div_step d2, r1, d2, 6
        div_step d2, r1, d2, 5
        div_step d2, r1, d2, 4
        div_step d2, r1, d2, 3
        div_step d2, r1, d2, 2
        div_step d2, r1, d2, 1
        div_step d2, r1, d2, 0
        move    r0, r2
        move    r1, r3
        jump    r23
.Lsmaller:
        move    r1, r0
        move    r0, 0
        jump    r23
.LdivideByZero:
        fault   2
        .size   __udivsi3, . - __udivsi3
        .size   __udivmodsi4, . - __udivmodsi4

        .section .text.__umodsi3,"ax",@progbits
        .globl  __umodsi3
        .type   __umodsi3,@function
__umodsi3:
        move    r5, r23
        call    r23, __udivmodsi4
        move    r0, r1
        jump    r5
        .size   __umodsi3, . - __umodsi3

        .section .text.__divsi3,"ax",@progbits
        .globl  __divsi3
        .type   __divsi3,@function
__divsi3:
        move    r5, r23
        clo     zero, r0, z, .Lpositive
        neg     r0, r0
        clo     zero, r1, z, .LnegativeQuotient
        neg     r1, r1                          // both negative
        jump    __udivmodsi4
.Lpositive:
        clo     zero, r1, z, __udivmodsi4
        neg     r1, r1
.LnegativeQuotient:
        call    r23, __udivmodsi4
        neg     r0, r0
        jump    r5
        .size   __divsi3, . - __divsi3

        .section .text.__modsi3,"ax",@progbits
        .globl  __modsi3
        .type   __modsi3,@function
__modsi3:
        move    r5, r23
        clo     zero, r1, z, .LdivisorPositive
        neg     r1, r1
.LdivisorPositive:
        clo     zero, r0, z, .LdividendPositive
        neg     r0, r0
        call    r23, __udivmodsi4
        neg     r0, r1
        jump    r5
.LdividendPositive:
        call    r23, __udivmodsi4
        move    r0, r1
        jump    r5
        .size   __modsi3, . - __modsi3
