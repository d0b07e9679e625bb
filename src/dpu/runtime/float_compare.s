// Soft float: comparison. r0 = -1, 0 or 1 as the first operand is less than, equal to or greater than the second.
//
// With a NaN the answer is the one that makes the named comparison false: 1 from __eqsf2, __nesf2, __ltsf2 and __lesf2,
// -1 from __gtsf2 and __gesf2. __unordsf2: r0 = 1 if there is a NaN, else 0. Change r0 to r4 alone.

        .section .text.__lesf2,"ax",@progbits
        .globl  __lesf2
        .type   __lesf2,@function
__lesf2:
        lsl     r2, r0, 1               // magnitudes
        lsl     r3, r1, 1
        move    r4, 0xff000000
        jgtu    r2, r4, .Lleunordered
        jgtu    r3, r4, .Lleunordered
        or      zero, r2, r3, z, .Lleequal        // +0 and -0
        and     zero, r0, r1, mi, .Llenegative
        jlts    r0, r1, .Lleless
        jeq     r0, r1, .Lleequal
.Llegreater:
        move    r0, 1
        jump    r23
.Llenegative:
        jlts    r0, r1, .Llegreater
        jeq     r0, r1, .Lleequal
.Lleless:
        move    r0, -1
        jump    r23
.Lleequal:
        move    r0, 0
        jump    r23
.Lleunordered:
        move    r0, 1
        jump    r23
        .size   __lesf2, . - __lesf2

        .section .text.__ltsf2,"ax",@progbits
        .globl  __ltsf2
        .type   __ltsf2,@function
__ltsf2:
        jump    __lesf2
        .size   __ltsf2, . - __ltsf2

        .section .text.__eqsf2,"ax",@progbits
        .globl  __eqsf2
        .type   __eqsf2,@function
__eqsf2:
        jump    __lesf2
        .size   __eqsf2, . - __eqsf2

        .section .text.__nesf2,"ax",@progbits
        .globl  __nesf2
        .type   __nesf2,@function
__nesf2:
        jump    __lesf2
        .size   __nesf2, . - __nesf2

        .section .text.__gesf2,"ax",@progbits
        .globl  __gesf2
        .type   __gesf2,@function
__gesf2:
        lsl     r2, r0, 1               // magnitudes
        lsl     r3, r1, 1
        move    r4, 0xff000000
        jgtu    r2, r4, .Lgeunordered
        jgtu    r3, r4, .Lgeunordered
        or      zero, r2, r3, z, .Lgeequal        // +0 and -0
        and     zero, r0, r1, mi, .Lgenegative
        jlts    r0, r1, .Lgeless
        jeq     r0, r1, .Lgeequal
.Lgegreater:
        move    r0, 1
        jump    r23
.Lgenegative:
        jlts    r0, r1, .Lgegreater
        jeq     r0, r1, .Lgeequal
.Lgeless:
        move    r0, -1
        jump    r23
.Lgeequal:
        move    r0, 0
        jump    r23
.Lgeunordered:
        move    r0, -1
        jump    r23
        .size   __gesf2, . - __gesf2

        .section .text.__gtsf2,"ax",@progbits
        .globl  __gtsf2
        .type   __gtsf2,@function
__gtsf2:
        jump    __gesf2
        .size   __gtsf2, . - __gtsf2

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
