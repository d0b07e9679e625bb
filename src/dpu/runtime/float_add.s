// Soft float: addition and subtraction. r0 = r0 + r1, r0 - r1; IEEE 754 binary32, to nearest, ties to even.
//
// Change r0 to r8 alone.

        .section .text.__addsf3,"ax",@progbits
        .globl  __subsf3
        .type   __subsf3,@function
        .set    slots.__subsf3, 44
__subsf3:
        xor     r1, r1, 0x80000000
        .size   __subsf3, . - __subsf3

        .globl  __addsf3
        .type   __addsf3,@function
        .set    slots.__addsf3, 40
__addsf3:
        lsl     r3, r0, 1               // magnitudes
        lsl     r4, r1, 1
        jgeu    r3, r4, .Lordered
        move    r2, r0                  // r0: the larger one
        move    r0, r1
        move    r1, r2
        move    r2, r3
        move    r3, r4
        move    r4, r2
.Lordered:
        move    r7, 0xff000000
        jgeu    r3, r7, .Lspecial
        jeq     r4, 0, .LaddZero
        lsr     r2, r3, 24              // exponents
        lsr     r6, r4, 24
        lsl     r5, r0, 9               // significands, leading one at bit 30
        lsr     r5, r5, 2
        jeq     r2, 0, .LfirstSubnormal
        or      r5, r5, 0x40000000
.LfirstReady:
        lsl     r7, r1, 9
        lsr     r7, r7, 2
        jeq     r6, 0, .LsecondSubnormal
        or      r7, r7, 0x40000000
.LsecondReady:
        sub     r6, r2, r6, z, .Laligned
        jgtu    r6, 30, .Lfar
        lsrx    r8, r7, r6
        lsr     r7, r7, r6
        jeq     r8, 0, .Laligned
        or      r7, r7, 1, true, .Laligned
.Lfar:
        move    r7, 1
.Laligned:
        move    r3, r0
        xor     zero, r0, r1, mi, .Lsubtract
        add     r1, r5, r7, pl, __float_round
        and     r4, r1, 1               // one bit too many
        lsr     r1, r1, 1
        or      r1, r1, r4
        add     r2, r2, 1, true, __float_round
.Lsubtract:
        sub     r1, r5, r7, z, .Lcancelled
        clz     r4, r1
        add     r4, r4, -1
        jltu    r4, r2, .Lnormalise
        add     r4, r2, -1              // no further: the result is subnormal
.Lnormalise:
        lsl     r1, r1, r4
        sub     r2, r2, r4
        jump    __float_round
.LfirstSubnormal:
        move    r2, 1, true, .LfirstReady
.LsecondSubnormal:
        move    r6, 1, true, .LsecondReady
.Lcancelled:
        move    r0, 0
        jump    r23
.LaddZero:
        jneq    r3, 0, .Lfirst
        and     r0, r0, r1              // -0 only from -0 and -0
.Lfirst:
        jump    r23
.Lspecial:
        jgtu    r3, r7, .Lnan           // the larger one is a NaN
        jneq    r4, r7, .Lfirst         // infinity and a finite number
        jeq     r0, r1, .Lfirst         // infinities of one sign
.Lnan:
        move    r0, 0x7fc00000
        jump    r23
        .size   __addsf3, . - __addsf3
