// Soft float: comparison. r0 = -1, 0 or 1 as the first operand is less than, equal to or greater than the second.
//
// With a NaN the answer is the one that makes the named comparison false: 1 from __eqsf2, __nesf2, __ltsf2 and __lesf2,
// -1 from __gtsf2 and __gesf2. __unordsf2: r0 = 1 if there is a NaN, else 0. Change r0 to r4 alone.

        .section .text.__lesf2,"ax",@progbits
        .globl  __ltsf2
        .type   __ltsf2,@function
        .globl  __eqsf2
        .type   __eqsf2,@function
        .globl  __nesf2
        .type   __nesf2,@function
        .globl  __lesf2
        .type   __lesf2,@function
__ltsf2:
__eqsf2:
__nesf2:
__lesf2:
        lsl     r2, r0, 1               // magnitudes
        lsl     r3, r1, 1
        move    r4, 0xff000000
        jgtu    r2, r4, .LleUnordered
        jgtu    r3, r4, .LleUnordered
        or      zero, r2, r3, z, .LleEqual // +0 and -0
        and     zero, r0, r1, mi, .LleNegative
        jlts    r0, r1, .LleLess
        jeq     r0, r1, .LleEqual
.LleGreater:
        move    r0, 1
        jump    r23
.LleNegative:
        jlts    r0, r1, .LleGreater
        jeq     r0, r1, .LleEqual
.LleLess:
        move    r0, -1
        jump    r23
.LleEqual:
        move    r0, 0
        jump    r23
.LleUnordered:
        move    r0, 1
        jump    r23
        .size   __ltsf2, . - __ltsf2
        .size   __eqsf2, . - __eqsf2
        .size   __nesf2, . - __nesf2
        .size   __lesf2, . - __lesf2

        .section .text.__gesf2,"ax",@progbits
        .globl  __gtsf2
        .type   __gtsf2,@function
        .globl  __gesf2
        .type   __gesf2,@function
__gtsf2:
__gesf2:
        lsl     r2, r0, 1               // magnitudes
        lsl     r3, r1, 1
        move    r4, 0xff000000
        jgtu    r2, r4, .LgeUnordered
        jgtu    r3, r4, .LgeUnordered
        or      zero, r2, r3, z, .LgeEqual // +0 and -0
        and     zero, r0, r1, mi, .LgeNegative
        jlts    r0, r1, .LgeLess
        jeq     r0, r1, .LgeEqual
.LgeGreater:
        move    r0, 1
        jump    r23
.LgeNegative:
        jlts    r0, r1, .LgeGreater
        jeq     r0, r1, .LgeEqual
.LgeLess:
        move    r0, -1
        jump    r23
.LgeEqual:
        move    r0, 0
        jump    r23
.LgeUnordered:
        move    r0, -1
        jump    r23
        .size   __gtsf2, . - __gtsf2
        .size   __gesf2, . - __gesf2

        .section .text.__unordsf2,"ax",@progbits
        .globl  __unordsf2
        .type   __unordsf2,@function
__unordsf2:
        lsl     r0, r0, 1
        lsl     r1, r1, 1
        move    r2, 0xff000000
        jgtu    r0, r2, .LthereIsOne
        jgtu    r1, r2, .LthereIsOne
        move    r0, 0
        jump    r23
.LthereIsOne:
        move    r0, 1
        jump    r23
        .size   __unordsf2, . - __unordsf2

        .section .text.__negsf2,"ax",@progbits
        .globl  __negsf2
        .type   __negsf2,@function
__negsf2:
        xor     r0, r0, 0x80000000
        jump    r23
        .size   __negsf2, . - __negsf2
