// Soft double: multiplication. d0 = d0 * d2; IEEE 754 binary64, to nearest, ties to even.
//
// Long multiplication in digits of 32 bits. Changes r0 to r13 alone; stores r14 to r21 above the stack pointer
// meanwhile.

        .section .text.__muldf3,"ax",@progbits
        .globl  __muldf3
        .type   __muldf3,@function
        .set    slots.__muldf3, 224
__muldf3:
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
        sd      r22, 0, d14
        sd      r22, 8, d16
        sd      r22, 16, d18
        sd      r22, 24, d20
        move    r13, r23
        movd    d14, d0
        movd    d16, d2
        add     r18, r4, r5
        move    r19, r9
        move    r0, r15                 // low * low
        move    r1, r17
        call    r23, __umulsidi3
        movd    d20, d0
        move    r0, r14                 // high * low
        move    r1, r17
        call    r23, __umulsidi3
        add     r20, r20, r1
        addc    r9, r0, 0
        move    r0, r15                 // low * high
        move    r1, r16
        call    r23, __umulsidi3
        add     r20, r20, r1
        addc    r9, r9, r0
        addc    r10, zero, 0
        move    r0, r14                 // high * high
        move    r1, r16
        call    r23, __umulsidi3
        add     r3, r9, r1              // d2: upper half of the product, leading one at bit 63 or 62
        addc    r2, r10, r0
        or      zero, r20, r21, z, .Lexact
        or      r3, r3, 1
.Lexact:
        move    r5, r19
        add     r4, r18, -1023
        ld      d14, r22, 0
        ld      d16, r22, 8
        ld      d18, r22, 16
        ld      d20, r22, 24
        move    r23, r13
        clo     zero, r2, z, __double_round
        and     r6, r3, 1
        lsr     r3, r3, 1
        lsl_add r3, r3, r2, 31
        or      r3, r3, r6
        lsr     r2, r2, 1
        add     r4, r4, 1, true, __double_round
.LfirstSubnormal:
        clz     r6, r0, nmax, .LfirstCounted
        clz     r6, r1, max, .Lzero
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
        clz     r6, r3, max, .Lzero
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
.LfirstSpecial:
        or      zero, r0, r1, nz, .Lnan
        jeq     r5, r6, .LbothSpecial
        jneq    r5, 0, .Linfinity
        or      zero, r2, r3, nz, .Linfinity
        jump    .Lnan                   // infinity times zero
.LsecondSpecial:
        or      zero, r2, r3, nz, .Lnan
        jneq    r4, 0, .Linfinity
        or      zero, r0, r1, nz, .Linfinity
        jump    .Lnan
.LbothSpecial:
        or      zero, r2, r3, nz, .Lnan
.Linfinity:
        and     r0, r9, 0x80000000
        or      r0, r0, 0x7ff00000
        move    r1, 0
        jump    r23
.Lzero:
        and     r0, r9, 0x80000000
        move    r1, 0
        jump    r23
.Lnan:
        move    r0, 0x7ff80000
        move    r1, 0
        jump    r23
        .size   __muldf3, . - __muldf3
