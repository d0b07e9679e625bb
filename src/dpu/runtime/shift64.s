// 64-bit shifts: d0 = d0 shifted by r2, 0 to 63. (In a pair the even register is the high word.)
//
//   __ashldi3    left             __lshrdi3    right, zeros come in          __ashrdi3    right, the sign comes in
// Change r0, r1 and r3 alone.

        .section .text.__ashldi3,"ax",@progbits
        .globl  __ashldi3
        .type   __ashldi3,@function
__ashldi3:
        lsl     r0, r0, r2, sh32, .LwholeWord
        lslx    r3, r1, r2
        or      r0, r0, r3
        lsl     r1, r1, r2
        jump    r23
.LwholeWord:
        lsl     r0, r1, r2
        move    r1, 0
        jump    r23
        .size   __ashldi3, . - __ashldi3

        .section .text.__lshrdi3,"ax",@progbits
        .globl  __lshrdi3
        .type   __lshrdi3,@function
__lshrdi3:
        lsr     r1, r1, r2, sh32, .LwholeWordDown
        lsrx    r3, r0, r2
        or      r1, r1, r3
        lsr     r0, r0, r2
        jump    r23
.LwholeWordDown:
        lsr     r1, r0, r2
        move    r0, 0
        jump    r23
        .size   __lshrdi3, . - __lshrdi3

        .section .text.__ashrdi3,"ax",@progbits
        .globl  __ashrdi3
        .type   __ashrdi3,@function
__ashrdi3:
        lsr     r1, r1, r2, sh32, .LwholeWordSigned
        lsrx    r3, r0, r2
        or      r1, r1, r3
        asr     r0, r0, r2
        jump    r23
.LwholeWordSigned:
        asr     r1, r0, r2
        asr     r0, r0, 31
        jump    r23
        .size   __ashrdi3, . - __ashrdi3
