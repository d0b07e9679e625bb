// Single values in MRAM, for loads and stores through pointers to it.
//
//   __mram_load8, __mram_load16, __mram_load32(r0: address)    r0 = the value; 8 and 16 bits without a sign
//   __mram_load64(r0: address)                                 d0 = the value
//   __mram_store8, __mram_store16, __mram_store32(r0: address, r1: value)
//   __mram_store64(r0: address, d2: value)
// Addresses are aligned as their values are long. Every call is a transfer of the 8 bytes around; stores of less than
// 64 bits are two, and two tasklets that store into the same 8 bytes at the same time lose one of the values: mram.h
// says so. Change r0 to r3 alone, and the 8 bytes of stack above r22.

        .section .text.__mram_load8,"ax",@progbits
        .globl  __mram_load8
        .type   __mram_load8,@function
__mram_load8:
        and     r1, r0, 7
        sub     r0, r0, r1
        ldma    r22, r0, 0
        add     r1, r1, r22
        lbu     r0, r1, 0
        jump    r23
        .size   __mram_load8, . - __mram_load8

        .section .text.__mram_load16,"ax",@progbits
        .globl  __mram_load16
        .type   __mram_load16,@function
__mram_load16:
        and     r1, r0, 7
        sub     r0, r0, r1
        ldma    r22, r0, 0
        add     r1, r1, r22
        lhu     r0, r1, 0
        jump    r23
        .size   __mram_load16, . - __mram_load16

        .section .text.__mram_load32,"ax",@progbits
        .globl  __mram_load32
        .type   __mram_load32,@function
__mram_load32:
        and     r1, r0, 7
        sub     r0, r0, r1
        ldma    r22, r0, 0
        add     r1, r1, r22
        lw      r0, r1, 0
        jump    r23
        .size   __mram_load32, . - __mram_load32

        .section .text.__mram_load64,"ax",@progbits
        .globl  __mram_load64
        .type   __mram_load64,@function
__mram_load64:
        ldma    r22, r0, 0
        ld      d0, r22, 0
        jump    r23
        .size   __mram_load64, . - __mram_load64

        .section .text.__mram_store8,"ax",@progbits
        .globl  __mram_store8
        .type   __mram_store8,@function
__mram_store8:
        and     r2, r0, 7
        sub     r0, r0, r2
        ldma    r22, r0, 0
        add     r2, r2, r22
        sb      r2, 0, r1
        sdma    r22, r0, 0
        jump    r23
        .size   __mram_store8, . - __mram_store8

        .section .text.__mram_store16,"ax",@progbits
        .globl  __mram_store16
        .type   __mram_store16,@function
__mram_store16:
        and     r2, r0, 7
        sub     r0, r0, r2
        ldma    r22, r0, 0
        add     r2, r2, r22
        sh      r2, 0, r1
        sdma    r22, r0, 0
        jump    r23
        .size   __mram_store16, . - __mram_store16

        .section .text.__mram_store32,"ax",@progbits
        .globl  __mram_store32
        .type   __mram_store32,@function
__mram_store32:
        and     r2, r0, 7
        sub     r0, r0, r2
        ldma    r22, r0, 0
        add     r2, r2, r22
        sw      r2, 0, r1
        sdma    r22, r0, 0
        jump    r23
        .size   __mram_store32, . - __mram_store32

        .section .text.__mram_store64,"ax",@progbits
        .globl  __mram_store64
        .type   __mram_store64,@function
__mram_store64:
        sd      r22, 0, d2
        sdma    r22, r0, 0
        jump    r23
        .size   __mram_store64, . - __mram_store64
