// 64-bit products.
//
//   __umulsidi3(r0, r1)    d0 = r0 * r1, all 64 bits, unsigned; changes r0 to r8 alone
//   __muldi3(d0, d2)       d0 = d0 * d2, low 64 bits, signed or not; changes r0 to r13 alone
//
// Long multiplication: 16-bit digits, whose products are made from the hardware's products of bytes.

        .section .text.__umulsidi3,"ax",@progbits
        .globl  __umulsidi3
        .type   __umulsidi3,@function
__umulsidi3:
        lsr     r2, r0, 16              // digits: r2 r0, r3 r1
        lsr     r3, r1, 16
        mul_ul_ul r4, r0, r1
        mul_ul_uh r8, r0, r1
        lsl_add r4, r4, r8, 8
        mul_uh_ul r8, r0, r1
        lsl_add r4, r4, r8, 8
        mul_uh_uh r8, r0, r1
        lsl_add r4, r4, r8, 16
        mul_ul_ul r5, r2, r3
        mul_ul_uh r8, r2, r3
        lsl_add r5, r5, r8, 8
        mul_uh_ul r8, r2, r3
        lsl_add r5, r5, r8, 8
        mul_uh_uh r8, r2, r3
        lsl_add r5, r5, r8, 16
        mul_ul_ul r6, r0, r3
        mul_ul_uh r8, r0, r3
        lsl_add r6, r6, r8, 8
        mul_uh_ul r8, r0, r3
        lsl_add r6, r6, r8, 8
        mul_uh_uh r8, r0, r3
        lsl_add r6, r6, r8, 16
        mul_ul_ul r7, r2, r1
        mul_ul_uh r8, r2, r1
        lsl_add r7, r7, r8, 8
        mul_uh_ul r8, r2, r1
        lsl_add r7, r7, r8, 8
        mul_uh_uh r8, r2, r1
        lsl_add r7, r7, r8, 16
        add     r6, r6, r7, nc, .Lnocarry
        add     r5, r5, 0x10000
.Lnocarry:
        lsl     r7, r6, 16
        add     r1, r4, r7
        addc    r5, r5, 0
        lsr_add r0, r5, r6, 16
        jump    r23
        .size   __umulsidi3, . - __umulsidi3

        .section .text.__muldi3,"ax",@progbits
        .globl  __muldi3
        .type   __muldi3,@function
        .set    slots.__muldi3, 130
__muldi3:
        move    r13, r23
        move    r12, r1                 // low words
        move    r11, r3
        move    r10, r0                 // high words
        move    r9, r2
        move    r8, 0                   // what they add to the high word
        jeq     r9, 0, .LsecondShort
        move    r0, r12
        move    r1, r9
        call    r23, __mulsi3
        move    r8, r0
.LsecondShort:
        jeq     r10, 0, .LfirstShort
        move    r0, r11
        move    r1, r10
        call    r23, __mulsi3
        add     r8, r8, r0
.LfirstShort:
        move    r9, r8
        move    r0, r12
        move    r1, r11
        call    r23, __umulsidi3
        add     r0, r0, r9
        jump    r13
        .size   __muldi3, . - __muldi3
