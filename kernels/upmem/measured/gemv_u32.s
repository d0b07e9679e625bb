// GEMV, matrix-vector product: y[i] = sum over k of m[i][k] * v[k], 4-byte elements (u32, i32).
//
// The program behind the published measurements: issue slots and transfers per element and per round are theirs, the
// text is ours. Every tasklet has some rows. A row and the vector come in chunks of one buffer; results are collected
// in a buffer that is written when it is full, and at the end. Multiplications are calls of the run-time library, which
// keep only r14 to r21: the rest is in the frame and in args, and loaded again where it is needed.
//
//   args, written by the host:
//      0   elements per buffer; a buffer is 8 to 2048 bytes, a multiple of 8
//      4   tasklets; as many as the program was linked for
//      8   rows per tasklet, at least 1
//      12  elements per row; a multiple of the buffer, at least one buffer
//   MRAM from __sys_used_mram_end on:
//      m   tasklets * rows per tasklet rows, one after another
//      v   one row
//      y   rows per tasklet elements for each tasklet, padded to a multiple of 8 bytes, written
//
//   slots: 6 and a multiplication per element; 18 per chunk, with 2 reads; 25 per row, and 7 with 1 write where the
//   buffer of y is full
//   heap: 3 buffers per tasklet
//
//   frame: -8 caller; -12 MRAM address of the row, -16 of v, -20 of the next results; -24 buffer of m, -28 of v, -32 of
//   y; -36 results in it; -40 row; -44 bytes per row; -48 bytes per buffer

        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        sd      r22, 40, d22
        add     r22, r22, 48
        jneq    id, 0, .Lmeet
        call    r23, mem_reset
.Lmeet:
        move    r0, ready
        call    r23, barrier_wait

        lw      r14, zero, args
        lsl     r14, r14, 2             // bytes per buffer
        sw      r22, -48, r14
        move    r0, r14
        call    r23, mem_alloc
        sw      r22, -24, r0
        move    r0, r14
        call    r23, mem_alloc
        sw      r22, -28, r0
        move    r0, r14
        call    r23, mem_alloc
        sw      r22, -32, r0
        sw      r22, -36, 0
        sw      r22, -40, 0

        lw      r0, zero, args + 12
        lsl     r15, r0, 2              // bytes per row
        sw      r22, -44, r15
        lw      r0, zero, args + 8
        move    r1, r15
        call    r23, __mulsi3
        move    r16, r0                 // bytes of m per tasklet
        move    r1, id
        call    r23, __mulsi3
        add     r0, r0, __sys_used_mram_end
        sw      r22, -12, r0
        lw      r0, zero, args + 4
        move    r1, r16
        call    r23, __mulsi3
        add     r0, r0, __sys_used_mram_end
        sw      r22, -16, r0
        add     r17, r0, r15            // y of tasklet 0
        lw      r0, zero, args + 8
        lsl     r0, r0, 2
        add     r0, r0, 7
        and     r0, r0, -8              // bytes of y per tasklet
        move    r1, id
        call    r23, __mulsi3
        add     r0, r0, r17
        sw      r22, -20, r0

.Lrow:
        lw      r18, r22, -12           // chunk of m
        lw      r16, r22, -16           // chunk of v
        lw      r14, r22, -48
        lw      r10, r22, -24
        lw      r11, r22, -28
        lw      r13, zero, args
        move    r17, 0                  // sum
        move    r15, 0                  // bytes done
.Lchunk:
        move    r20, r10
        move    r8, -1                  // r13 elements: r13 / 2 - 1 in bits 31:24
        lsr_add r8, r8, r13, 1
        lsl_add r9, r10, r8, 24
        ldma    r9, r18, 0
        lsl_add r9, r11, r8, 24
        ldma    r9, r16, 0
        move    r21, r11
        add     r19, r10, r14
.Lelement:
        lw      r0, r20, 0
        lw      r1, r21, 0
        call    r23, __mulsi3
        add     r17, r17, r0
        add     r20, r20, 4
        add     r21, r21, 4
        jneq    r20, r19, .Lelement

        add     r18, r18, r14
        add     r16, r16, r14
        add     r15, r15, r14
        lsr     r9, r15, 2              // elements done
        lw      r10, r22, -24
        lw      r11, r22, -28
        lw      r13, zero, args
        lw      r12, zero, args + 12
        jneq    r9, r12, .Lchunk

        lw      r0, r22, -12            // the next row of m
        lw      r1, r22, -44
        add     r0, r0, r1
        sw      r22, -12, r0
        lw      r0, r22, -32            // this element of y
        lw      r1, r22, -36
        lsl_add r2, r0, r1, 2
        sw      r2, 0, r17
        add     r1, r1, 1
        sw      r22, -36, r1
        lw      r2, r22, -40
        add     r2, r2, 1
        sw      r22, -40, r2
        lw      r3, zero, args
        jneq    r1, r3, .LrowDone
        lw      r3, r22, -20            // the buffer of y is full
        move    r8, -1
        lsr_add r8, r8, r14, 3
        lsl_add r9, r0, r8, 24
        sdma    r9, r3, 0
        add     r3, r3, r14
        sw      r22, -20, r3
        sw      r22, -36, 0
.LrowDone:
        lw      r3, zero, args + 8
        jneq    r2, r3, .Lrow

        lw      r0, r22, -36            // what the last buffer holds
        jeq     r0, 0, .Lend
        lsl     r14, r0, 2
        add     r14, r14, 7
        and     r14, r14, -8
        lw      r0, r22, -32
        lw      r3, r22, -20
        move    r8, -1
        lsr_add r8, r8, r14, 3
        lsl_add r9, r0, r8, 24
        sdma    r9, r3, 0
.Lend:
        ld      d22, r22, -8
        jump    r23
        .size   main, . - main

        .section .dpu_host,"aw",@progbits
        .p2align 3
        .globl  args
        .type   args,@object
args:
        .zero   16
        .size   args, 16

        .section .data.ready,"aw",@progbits
ready:
        .byte   255, NR_TASKLETS, NR_TASKLETS, ready_lock

        .section .atomic,"aw",@nobits
ready_lock:
        .zero   1
