// Counts of bits and the order of bytes, for calls that a compiler makes where it has no instruction.
//
//   __popcountsi2, __paritysi2, __clzsi2, __ctzsi2, __ffssi2(r0)    r0 = count
//   __popcountdi2, __paritydi2, __clzdi2, __ctzdi2, __ffsdi2(d0)    r0 = count
//   __bswapsi2(r0)    r0          __bswapdi2(d0)    d0
// Leading and trailing zeros of 0: 32 and 64. Change r0 to r3 alone.

        .section .text.__popcountsi2,"ax",@progbits
        .globl  __popcountsi2
        .type   __popcountsi2,@function
__popcountsi2:
        cao     r0, r0
        jump    r23
        .size   __popcountsi2, . - __popcountsi2

        .section .text.__popcountdi2,"ax",@progbits
        .globl  __popcountdi2
        .type   __popcountdi2,@function
__popcountdi2:
        cao     r0, r0
        cao     r1, r1
        add     r0, r0, r1
        jump    r23
        .size   __popcountdi2, . - __popcountdi2

        .section .text.__paritydi2,"ax",@progbits
        .globl  __paritydi2
        .type   __paritydi2,@function
        .globl  __paritysi2
        .type   __paritysi2,@function
__paritydi2:
        xor     r0, r0, r1
__paritysi2:
        cao     r0, r0
        and     r0, r0, 1
        jump    r23
        .size   __paritydi2, . - __paritydi2
        .size   __paritysi2, . - __paritysi2

        .section .text.__clzdi2,"ax",@progbits
        .globl  __clzdi2
        .type   __clzdi2,@function
        .globl  __clzsi2
        .type   __clzsi2,@function
__clzdi2:
        jneq    r0, 0, __clzsi2
        clz     r0, r1
        add     r0, r0, 32
        jump    r23
__clzsi2:
        clz     r0, r0
        jump    r23
        .size   __clzdi2, . - __clzdi2
        .size   __clzsi2, . - __clzsi2

        .section .text.__ctzdi2,"ax",@progbits
        .globl  __ctzdi2
        .type   __ctzdi2,@function
        .globl  __ctzsi2
        .type   __ctzsi2,@function
__ctzdi2:
        jneq    r1, 0, .LlowWord
        add     r1, r0, -1              // ones where zeros were, and nothing above
        andn    r0, r0, r1
        cao     r0, r0
        add     r0, r0, 32
        jump    r23
.LlowWord:
        move    r0, r1
__ctzsi2:
        add     r1, r0, -1
        andn    r0, r0, r1
        cao     r0, r0
        jump    r23
        .size   __ctzdi2, . - __ctzdi2
        .size   __ctzsi2, . - __ctzsi2

        .section .text.__ffsdi2,"ax",@progbits
        .globl  __ffsdi2
        .type   __ffsdi2,@function
__ffsdi2:
        or      zero, r0, r1, z, .Lnone
        move    r3, r23
        call    r23, __ctzdi2
        add     r0, r0, 1
        jump    r3
.Lnone:
        move    r0, 0
        jump    r23
        .size   __ffsdi2, . - __ffsdi2

        .section .text.__ffssi2,"ax",@progbits
        .globl  __ffssi2
        .type   __ffssi2,@function
__ffssi2:
        jeq     r0, 0, .LnoneAtAll
        add     r1, r0, -1
        andn    r0, r0, r1
        cao     r0, r0
        add     r0, r0, 1
.LnoneAtAll:
        jump    r23
        .size   __ffssi2, . - __ffssi2

        .section .text.__bswapdi2,"ax",@progbits
        .globl  __bswapdi2
        .type   __bswapdi2,@function
__bswapdi2:
        rol     r2, r0, 8               // bytes 0 and 2 of the result
        rol     r3, r0, 24              // bytes 1 and 3
        and     r2, r2, 0x00ff00ff
        and     r3, r3, 0xff00ff00
        or      r2, r2, r3
        rol     r3, r1, 24
        rol     r0, r1, 8
        and     r3, r3, 0xff00ff00
        and     r0, r0, 0x00ff00ff
        or      r0, r0, r3
        move    r1, r2
        jump    r23
        .size   __bswapdi2, . - __bswapdi2

        .section .text.__bswapsi2,"ax",@progbits
        .globl  __bswapsi2
        .type   __bswapsi2,@function
__bswapsi2:
        rol     r1, r0, 8
        rol     r0, r0, 24
        and     r1, r1, 0x00ff00ff
        and     r0, r0, 0xff00ff00
        or      r0, r0, r1
        jump    r23
        .size   __bswapsi2, . - __bswapsi2
