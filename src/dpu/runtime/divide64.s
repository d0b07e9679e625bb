// 64-bit division and remainder.
//
//   __udivmoddi4(d0, d2)    d0 quotient, d2 remainder, unsigned; changes r0 to r9 alone
//   __udivdi3  __umoddi3    quotient, remainder: d0, unsigned
//   __divdi3                quotient, rounded to zero
//   __moddi3                remainder, with the sign of the dividend; these change r0 to r11 alone
//
// One bit of the quotient after the other, from the first that can be one. A division by zero faults (code 2).

        .section .text.__udivmoddi4,"ax",@progbits
        .globl  __udivdi3
        .type   __udivdi3,@function
        .globl  __udivmoddi4
        .type   __udivmoddi4,@function
__udivdi3:
__udivmoddi4:
        jneq    r0, 0, .Llong
        jneq    r2, 0, .Lsmaller
        move    r9, r23                 // both have 32 bits
        move    r0, r1
        move    r1, r3
        call    r23, __udivmodsi4
        move    r3, r1
        move    r2, 0
        move    r1, r0
        move    r0, 0
        jump    r9
.Llong:
        clz     r4, r2, nmax, .LdivisorLong
        clz     r4, r3, max, .LdivideByZero
        add     r4, r4, 32
.LdivisorLong:
        clz     r5, r0
        sub     r8, r4, r5, mi, .Lsmaller       // shift that aligns the highest bits
        lsl     r4, r2, r8, sh32, .LshiftWord   // d4: the divisor there
        lslx    r6, r3, r8
        or      r4, r4, r6
        lsl     r5, r3, r8
        jump    .Lshifted
.LshiftWord:
        lsl     r4, r3, r8
        move    r5, 0
.Lshifted:
        move    r2, 0                           // d2: quotient
        move    r3, 0
.Lbit:
        sub     r7, r1, r5
        subc    r6, r0, r4, ltu, .Lzero
        movd    d0, d6                          // leaves the flags as they are
.Lzero:
        addc    r3, r3, r3                      // the carry is the new bit
        addc    r2, r2, r2
        lsr     r5, r5, 1
        lsl_add r5, r5, r4, 31
        lsr     r4, r4, 1
        add     r8, r8, -1, pl, .Lbit
        movd    d4, d0
        movd    d0, d2
        movd    d2, d4
        jump    r23
.Lsmaller:
        movd    d2, d0
        move    r0, 0
        move    r1, 0
        jump    r23
.LdivideByZero:
        fault   2
        .size   __udivdi3, . - __udivdi3
        .size   __udivmoddi4, . - __udivmoddi4

        .section .text.__umoddi3,"ax",@progbits
        .globl  __umoddi3
        .type   __umoddi3,@function
__umoddi3:
        move    r10, r23
        call    r23, __udivmoddi4
        movd    d0, d2
        jump    r10
        .size   __umoddi3, . - __umoddi3

        .section .text.__divdi3,"ax",@progbits
        .globl  __divdi3
        .type   __divdi3,@function
__divdi3:
        move    r10, r23
        xor     r11, r0, r2             // bit 31: sign of the quotient
        clo     zero, r0, z, .LdividendPositive
        neg     r1, r1
        subc    r0, 0, r0
.LdividendPositive:
        clo     zero, r2, z, .LdivisorPositive
        neg     r3, r3
        subc    r2, 0, r2
.LdivisorPositive:
        call    r23, __udivmoddi4
        clo     zero, r11, z, .Ldone
        neg     r1, r1
        subc    r0, 0, r0
.Ldone:
        jump    r10
        .size   __divdi3, . - __divdi3

        .section .text.__moddi3,"ax",@progbits
        .globl  __moddi3
        .type   __moddi3,@function
__moddi3:
        move    r10, r23
        move    r11, r0                 // bit 31: sign of the remainder
        clo     zero, r0, z, .LmodDividendPositive
        neg     r1, r1
        subc    r0, 0, r0
.LmodDividendPositive:
        clo     zero, r2, z, .LmodDivisorPositive
        neg     r3, r3
        subc    r2, 0, r2
.LmodDivisorPositive:
        call    r23, __udivmoddi4
        movd    d0, d2
        clo     zero, r11, z, .LmodDone
        neg     r1, r1
        subc    r0, 0, r0
.LmodDone:
        jump    r10
        .size   __moddi3, . - __moddi3
