// Soft double: comparison. r0 = -1, 0 or 1 as the first operand is less than, equal to or greater than the second.
//
// With a NaN the answer is the one that makes the named comparison false: 1 from __eqdf2, __nedf2, __ltdf2 and __ledf2,
// -1 from __gtdf2 and __gedf2. __unorddf2: r0 = 1 if there is a NaN, else 0. Change r0 to r6 alone.

        .section .text.__ledf2,"ax",@progbits
        .globl  __ltdf2
        .type   __ltdf2,@function
        .globl  __eqdf2
        .type   __eqdf2,@function
        .globl  __nedf2
        .type   __nedf2,@function
        .globl  __ledf2
        .type   __ledf2,@function
__ltdf2:
__eqdf2:
__nedf2:
__ledf2:
        and     r4, r0, 0x7fffffff      // high words of the magnitudes
        and     r5, r2, 0x7fffffff
        move    r6, 0x7ff00000
        sub     zero, 0, r1
        subc    zero, r6, r4, ltu, .LleUnordered
        sub     zero, 0, r3
        subc    zero, r6, r5, ltu, .LleUnordered
        or      r4, r4, r5
        or      r4, r4, r1
        or      zero, r4, r3, z, .LleEqual // +0 and -0
        and     zero, r0, r2, mi, .LleNegative
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .LleLess
        jneq    r0, r2, .LleGreater
        jeq     r1, r3, .LleEqual
.LleGreater:
        move    r0, 1
        jump    r23
.LleNegative:
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .LleGreater
        jneq    r0, r2, .LleLess
        jeq     r1, r3, .LleEqual
.LleLess:
        move    r0, -1
        jump    r23
.LleEqual:
        move    r0, 0
        jump    r23
.LleUnordered:
        move    r0, 1
        jump    r23
        .size   __ltdf2, . - __ltdf2
        .size   __eqdf2, . - __eqdf2
        .size   __nedf2, . - __nedf2
        .size   __ledf2, . - __ledf2

        .section .text.__gedf2,"ax",@progbits
        .globl  __gtdf2
        .type   __gtdf2,@function
        .globl  __gedf2
        .type   __gedf2,@function
__gtdf2:
__gedf2:
        and     r4, r0, 0x7fffffff      // high words of the magnitudes
        and     r5, r2, 0x7fffffff
        move    r6, 0x7ff00000
        sub     zero, 0, r1
        subc    zero, r6, r4, ltu, .LgeUnordered
        sub     zero, 0, r3
        subc    zero, r6, r5, ltu, .LgeUnordered
        or      r4, r4, r5
        or      r4, r4, r1
        or      zero, r4, r3, z, .LgeEqual // +0 and -0
        and     zero, r0, r2, mi, .LgeNegative
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .LgeLess
        jneq    r0, r2, .LgeGreater
        jeq     r1, r3, .LgeEqual
.LgeGreater:
        move    r0, 1
        jump    r23
.LgeNegative:
        sub     zero, r1, r3
        subc    zero, r0, r2, lts, .LgeGreater
        jneq    r0, r2, .LgeLess
        jeq     r1, r3, .LgeEqual
.LgeLess:
        move    r0, -1
        jump    r23
.LgeEqual:
        move    r0, 0
        jump    r23
.LgeUnordered:
        move    r0, -1
        jump    r23
        .size   __gtdf2, . - __gtdf2
        .size   __gedf2, . - __gedf2

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
