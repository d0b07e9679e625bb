// Soft double: addition and subtraction. d0 = d0 + d2, d0 - d2; IEEE 754 binary64, to nearest, ties to even.
//
// Change r0 to r13 alone.

        .section .text.__adddf3,"ax",@progbits
        .globl  __subdf3
        .type   __subdf3,@function
        .set    slots.__subdf3, 60
__subdf3:
        xor     r2, r2, 0x80000000
        .size   __subdf3, . - __subdf3

        .globl  __adddf3
        .type   __adddf3,@function
        .set    slots.__adddf3, 54
__adddf3:
        and     r4, r0, 0x7fffffff      // high words of the magnitudes
        and     r5, r2, 0x7fffffff
        sub     zero, r1, r3
        subc    zero, r4, r5, geu, .Lordered
        movd    d8, d0                  // d0: the larger one
        movd    d0, d2
        movd    d2, d8
        swapd   d4, d4
.Lordered:
        move    r6, 0x7ff00000
        jgeu    r4, r6, .Lspecial
        or      zero, r5, r3, z, .LaddZero
        lsl     r8, r0, 12              // d8, d10: significands, leading one at bit 62
        lsr     r8, r8, 2
        lsr_add r8, r8, r1, 22
        lsl     r9, r1, 10
        lsl     r10, r2, 12
        lsr     r10, r10, 2
        lsr_add r10, r10, r3, 22
        lsl     r11, r3, 10
        xor     r12, r0, r2             // bit 31: the signs differ
        lsr     r6, r5, 20              // exponents
        lsr     r4, r4, 20
        move    r5, r0                  // sign
        jeq     r4, 0, .LfirstSubnormal
        or      r8, r8, 0x40000000
.LfirstReady:
        jeq     r6, 0, .LsecondSubnormal
        or      r10, r10, 0x40000000
.LsecondReady:
        sub     r6, r4, r6, z, .Laligned
        jgtu    r6, 62, .Lfar
        lsrx    r7, r11, r6, sh32, .LwholeWord
        lsr     r11, r11, r6
        lsrx    r13, r10, r6
        or      r11, r11, r13
        lsr     r10, r10, r6
        jeq     r7, 0, .Laligned
        or      r11, r11, 1, true, .Laligned
.LwholeWord:
        lsrx    r7, r10, r6
        or      r7, r7, r11
        lsr     r11, r10, r6
        move    r10, 0
        jeq     r7, 0, .Laligned
        or      r11, r11, 1, true, .Laligned
.Lfar:
        move    r10, 0
        move    r11, 1
.Laligned:
        clo     zero, r12, nz, .Lsubtract
        add     r3, r9, r11
        addc    r2, r8, r10, pl, __double_round
        and     r6, r3, 1               // one bit too many
        lsr     r3, r3, 1
        lsl_add r3, r3, r2, 31
        or      r3, r3, r6
        lsr     r2, r2, 1
        add     r4, r4, 1, true, __double_round
.Lsubtract:
        sub     r3, r9, r11
        subc    r2, r8, r10
        or      zero, r2, r3, z, .Lcancelled
        clz     r6, r2, nmax, .Lcounted
        clz     r6, r3
        add     r6, r6, 32
.Lcounted:
        add     r6, r6, -1
        jltu    r6, r4, .Lnormalise
        add     r6, r4, -1              // no further: the result is subnormal
.Lnormalise:
        sub     r4, r4, r6
        lsl     r2, r2, r6, sh32, .LnormaliseWord
        lslx    r7, r3, r6
        or      r2, r2, r7
        lsl     r3, r3, r6
        jump    __double_round
.LnormaliseWord:
        lsl     r2, r3, r6
        move    r3, 0
        jump    __double_round
.LfirstSubnormal:
        move    r4, 1, true, .LfirstReady
.LsecondSubnormal:
        move    r6, 1, true, .LsecondReady
.Lcancelled:
        move    r0, 0
        move    r1, 0
        jump    r23
.LaddZero:
        or      zero, r4, r1, nz, .Lfirst
        and     r0, r0, r2              // -0 only from -0 and -0
.Lfirst:
        jump    r23
.Lspecial:
        jneq    r4, r6, .Lnan           // the larger one is a NaN
        jneq    r1, 0, .Lnan
        jneq    r5, r6, .Lfirst         // infinity and a finite number
        jeq     r0, r2, .Lfirst         // infinities of one sign
.Lnan:
        move    r0, 0x7ff80000
        move    r1, 0
        jump    r23
        .size   __adddf3, . - __adddf3
