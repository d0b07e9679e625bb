// Soft double: comparison. r0 = -1, 0 or 1 as the first operand is less than, equal to or greater than the second.
//
// With a NaN the answer is the one that makes the named comparison false: 1 from __eqdf2, __nedf2, __ltdf2 and __ledf2,
// -1 from __gtdf2 and __gedf2. __unorddf2: r0 = 1 if there is a NaN, else 0. Change r0 to r6 alone.

        .section .text.__ledf2,"ax",@progbits
        .globl  __ledf2
        .type   __ledf2,@function
__ledf2:
        and     r4, r0, 0x7fffffff      // high words of the magnitudes
        and     r5, r2, 0x7fffffff
        move    r6, 0x7ff00000
        sub     zero, 0, r1
        subc    zero, r6, r4, ltu, .Lleunordered
        sub     zero, 0, r3
        subc    zero, r6, r5, ltu, .Lleunordered
        or      r4, r4, r5
        or      r4, r4, r1
        or      zero, r4, r3, z, .Lleequal        // +0 and -0
        and     zero, r0, r2, mi, .Llenegative
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .Lleless
        jneq    r0, r2, .Llegreater
        jeq     r1, r3, .Lleequal
.Llegreater:
        move    r0, 1
        jump    r23
.Llenegative:
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .Llegreater
        jneq    r0, r2, .Lleless
        jeq     r1, r3, .Lleequal
.Lleless:
        move    r0, -1
        jump    r23
.Lleequal:
        move    r0, 0
        jump    r23
.Lleunordered:
        move    r0, 1
        jump    r23
        .size   __ledf2, . - __ledf2

        .section .text.__ltdf2,"ax",@progbits
        .globl  __ltdf2
        .type   __ltdf2,@function
__ltdf2:
        jump    __ledf2
        .size   __ltdf2, . - __ltdf2

        .section .text.__eqdf2,"ax",@progbits
        .globl  __eqdf2
        .type   __eqdf2,@function
__eqdf2:
        jump    __ledf2
        .size   __eqdf2, . - __eqdf2

        .section .text.__nedf2,"ax",@progbits
        .globl  __nedf2
        .type   __nedf2,@function
__nedf2:
        jump    __ledf2
        .size   __nedf2, . - __nedf2

        .section .text.__gedf2,"ax",@progbits
        .globl  __gedf2
        .type   __gedf2,@function
__gedf2:
        and     r4, r0, 0x7fffffff      // high words of the magnitudes
        and     r5, r2, 0x7fffffff
        move    r6, 0x7ff00000
        sub     zero, 0, r1
        subc    zero, r6, r4, ltu, .Lgeunordered
        sub     zero, 0, r3
        subc    zero, r6, r5, ltu, .Lgeunordered
        or      r4, r4, r5
        or      r4, r4, r1
        or      zero, r4, r3, z, .Lgeequal        // +0 and -0
        and     zero, r0, r2, mi, .Lgenegative
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .Lgeless
        jneq    r0, r2, .Lgegreater
        jeq     r1, r3, .Lgeequal
.Lgegreater:
        move    r0, 1
        jump    r23
.Lgenegative:
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .Lgegreater
        jneq    r0, r2, .Lgeless
        jeq     r1, r3, .Lgeequal
.Lgeless:
        move    r0, -1
        jump    r23
.Lgeequal:
        move    r0, 0
        jump    r23
.Lgeunordered:
        move    r0, -1
        jump    r23
        .size   __gedf2, . - __gedf2

        .section .text.__gtdf2,"ax",@progbits
        .globl  __gtdf2
        .type   __gtdf2,@function
__gtdf2:
        jump    __gedf2
        .size   __gtdf2, . - __gtdf2

        .section .text.__unorddf2,"ax",@progbits
        .globl  __unorddf2
        .type   __unorddf2,@function
__unorddf2:
        and     r4, r0, 0x7fffffff
        and     r5, r2, 0x7fffffff
        move    r6, 0x7ff00000
        move    r0, 1
        sub     zero, 0, r1
        subc    zero, r6, r4, ltu, .LthereIsOne
        sub     zero, 0, r3
        subc    zero, r6, r5, ltu, .LthereIsOne
        move    r0, 0
.LthereIsOne:
        jump    r23
        .size   __unorddf2, . - __unorddf2

        .section .text.__negdf2,"ax",@progbits
        .globl  __negdf2
        .type   __negdf2,@function
__negdf2:
        xor     r0, r0, 0x80000000
        jump    r23
        .size   __negdf2, . - __negdf2
