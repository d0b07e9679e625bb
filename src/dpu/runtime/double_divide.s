// Soft double: division. d0 = d0 / d2; IEEE 754 binary64, to nearest, ties to even.
//
// Subtract and shift, 55 bits of quotient: 53, one for the rounding, and one to spare; what remains is the sticky bit.
// Changes r0 to r12 alone.

        .section .text.__divdf3,"ax",@progbits
        .globl  __divdf3
        .type   __divdf3,@function
        .set    slots.__divdf3, 415
__divdf3:
        xor     r9, r0, r2              // bit 31: sign
        lsl     r4, r0, 1
        lsr     r4, r4, 21              // exponents
        lsl     r5, r2, 1
        lsr     r5, r5, 21
        lsl     r0, r0, 11              // significands, leading one at bit 63
        lsr_add r0, r0, r1, 21
        lsl     r1, r1, 11
        lsl     r2, r2, 11
        lsr_add r2, r2, r3, 21
        lsl     r3, r3, 11
        and     r0, r0, 0x7fffffff
        and     r2, r2, 0x7fffffff
        move    r6, 2047
        jeq     r4, r6, .LfirstSpecial
        jeq     r5, r6, .LsecondSpecial
        jeq     r4, 0, .LfirstSubnormal
        or      r0, r0, 0x80000000
.LfirstReady:
        jeq     r5, 0, .LsecondSubnormal
        or      r2, r2, 0x80000000
.LsecondReady:
        sub     r4, r4, r5
        add     r4, r4, 1023
        move    r5, r9
        lsr     r1, r1, 1               // room for doubling the remainder
        lsl_add r1, r1, r0, 31
        lsr     r0, r0, 1
        lsr     r3, r3, 1
        lsl_add r3, r3, r2, 31
        lsr     r2, r2, 1
        sub     zero, r1, r3
        subc    zero, r0, r2, geu, .Ldivide
        add     r1, r1, r1              // now the quotient is at least 1
        addc    r0, r0, r0
        add     r4, r4, -1
.Ldivide:
        move    r10, 0                  // d10: quotient, leading one at bit 62
        move    r8, 31
.LhighBit:
        sub     r7, r1, r3
        subc    r6, r0, r2, ltu, .LhighZero
        movd    d0, d6                  // leaves the flags as they are
.LhighZero:
        addc    r10, r10, r10           // the carry is the new bit
        add     r1, r1, r1
        addc    r0, r0, r0
        add     r8, r8, -1, nz, .LhighBit
        move    r11, 0
        move    r8, 24
.LlowBit:
        sub     r7, r1, r3
        subc    r6, r0, r2, ltu, .LlowZero
        movd    d0, d6
.LlowZero:
        addc    r11, r11, r11
        add     r1, r1, r1
        addc    r0, r0, r0
        add     r8, r8, -1, nz, .LlowBit
        lsl     r3, r11, 8
        move    r2, r10
        or      zero, r0, r1, z, __double_round
        or      r3, r3, 1, true, __double_round
.LfirstSubnormal:
        clz     r6, r0, nmax, .LfirstCounted
        clz     r6, r1, max, .LfirstZero
        add     r6, r6, 32
.LfirstCounted:
        sub     r4, 1, r6                // no hidden one: exponent 1, less the shift
        lsl     r0, r0, r6, sh32, .LfirstWord
        lslx    r7, r1, r6
        or      r0, r0, r7
        lsl     r1, r1, r6, true, .LfirstReady
.LfirstWord:
        lsl     r0, r1, r6
        move    r1, 0, true, .LfirstReady
.LsecondSubnormal:
        clz     r6, r2, nmax, .LsecondCounted
        clz     r6, r3, max, .Linfinity
        add     r6, r6, 32
.LsecondCounted:
        sub     r5, 1, r6                // no hidden one: exponent 1, less the shift
        lsl     r2, r2, r6, sh32, .LsecondWord
        lslx    r7, r3, r6
        or      r2, r2, r7
        lsl     r3, r3, r6, true, .LsecondReady
.LsecondWord:
        lsl     r2, r3, r6
        move    r3, 0, true, .LsecondReady
.LfirstZero:
        jneq    r5, 0, .Lzero
        or      zero, r2, r3, z, .Lnan          // 0 / 0
.Lzero:
        and     r0, r9, 0x80000000
        move    r1, 0
        jump    r23
.LfirstSpecial:
        or      zero, r0, r1, nz, .Lnan
        jneq    r5, r6, .Linfinity              // infinity / infinity and infinity / NaN are NaN
.Lnan:
        move    r0, 0x7ff80000
        move    r1, 0
        jump    r23
.LsecondSpecial:
        or      zero, r2, r3, z, .Lzero
        jump    .Lnan
.Linfinity:
        and     r0, r9, 0x80000000
        or      r0, r0, 0x7ff00000
        move    r1, 0
        jump    r23
        .size   __divdf3, . - __divdf3
