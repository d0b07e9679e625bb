// GEMM, matrix product: c[i][j] = sum over k of a[i][k] * bt[j][k], 4-byte elements (u32, i32).
//
// The program behind the published measurements: issue slots and transfers per element and per round are theirs, the
// text is ours. Every tasklet has some rows of c. A row is made in tiles of one buffer of columns; for each tile, a and
// bt come in chunks of one buffer along k. Multiplications are calls of the run-time library, which keep only r14 to
// r21: the rest is in the frame, and stored and loaded as often as the measured program does it.
//
//   args, written by the host:
//      0   elements per buffer, the extent of tiles along k and j; a buffer is 8 to 2048 bytes, a multiple of 8
//      4   tasklets; as many as the program was linked for
//      8   rows of c per tasklet, at least 1
//      12  K, elements per row of a and bt; a multiple of the buffer, at least one buffer
//      16  N, elements per row of c; a multiple of the buffer, at least one buffer
//   MRAM from __sys_used_mram_end on:
//      a   tasklets * rows per tasklet rows of K
//      bt  N rows of K: the second matrix, transposed
//      c   tasklets * rows per tasklet rows of N, written
//
//   slots: 8 and a multiplication per product; 11 per column and chunk, with 1 read; 19 per chunk, with 1 read; per
//   tile 23, 3 per element to clear it, and 1 write; per row 11
//   heap: 3 buffers per tasklet
//
//   frame: -8 caller; -12 MRAM address of the row of a, -16 of the chunk of a; -20 of the first row of bt of the tile,
//   -24 of its chunk; -28 of the tile of c; -32 buffer of a, -36 of c; -40 bytes per buffer, -44 as a size field;
//   -48 bytes done along k; -52 bytes per row of a; -56 bytes of bt per tile; -60 columns done; -64 rows done;
//   -68 MRAM address of bt

        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        sd      r22, 64, d22
        add     r22, r22, 72
        jneq    id, 0, .Lmeet
        call    r23, mem_reset
.Lmeet:
        move    r0, ready
        call    r23, barrier_wait

        lw      r14, zero, args
        lsl     r14, r14, 2             // bytes per buffer
        move    r17, r14                // bytes per buffer
        sw      r22, -40, r17
        move    r0, r17
        call    r23, mem_alloc
        sw      r22, -32, r0
        move    r0, r17
        call    r23, mem_alloc
        move    r15, r0                 // buffer of bt
        move    r0, r17
        call    r23, mem_alloc
        sw      r22, -36, r0
        add     r21, r0, r17            // end of the buffer of c

        lw      r0, zero, args + 12
        lsl     r14, r0, 2              // bytes per row of a
        sw      r22, -52, r14
        lw      r0, zero, args
        move    r1, r14
        call    r23, __mulsi3
        sw      r22, -56, r0
        lw      r0, zero, args + 8
        move    r1, r14
        call    r23, __mulsi3
        move    r16, r0                 // bytes of a per tasklet
        move    r1, id
        call    r23, __mulsi3
        add     r0, r0, __sys_used_mram_end
        sw      r22, -12, r0
        lw      r0, zero, args + 4
        move    r1, r16
        call    r23, __mulsi3
        add     r18, r0, __sys_used_mram_end
        sw      r22, -20, r18
        sw      r22, -68, r18
        lw      r0, zero, args + 16
        move    r1, r14
        call    r23, __mulsi3
        add     r18, r18, r0            // c of tasklet 0
        lw      r0, zero, args + 8
        lw      r1, zero, args + 16
        call    r23, __mulsi3
        move    r1, id
        call    r23, __mulsi3
        lsl_add r0, r18, r0, 2
        sw      r22, -28, r0
        sw      r22, -60, 0
        sw      r22, -64, 0

.Ltile:
        lw      r0, r22, -36
.Lclear:
        sw      r0, 0, 0
        add     r0, r0, 4
        jneq    r0, r21, .Lclear
        lw      r9, r22, -12
        lw      r10, r22, -20
        lw      r14, r22, -32
        lw      r17, r22, -40
        lw      r19, r22, -36
        move    r11, 0
.Lchunk:
        sw      r22, -48, r11
        lsl     r8, r17, 21             // r17 / 8 - 1 in bits 31:24
        add     r8, r8, -0x1000000
        sw      r22, -44, r8
        add     r0, r14, r8
        move    r20, r10                // row of bt
        sw      r22, -16, r9
        ldma    r0, r9, 0
        sw      r22, -24, r10
        sw      r22, -40, r17
.Lcolumn:
        lw      r8, r22, -44
        add     r9, r15, r8
        ldma    r9, r20, 0
        lw      r18, r19, 0             // sum
        move    r16, 0                  // offset in the buffers
        lw      r14, r22, -32
        lw      r17, r22, -40
.Lproduct:
        add     r0, r14, r16
        lw      r0, r0, 0
        add     r1, r15, r16
        lw      r1, r1, 0
        call    r23, __mulsi3
        add     r18, r18, r0
        add     r16, r16, 4
        sw      r19, 0, r18
        jneq    r16, r17, .Lproduct

        add     r19, r19, 4
        lw      r0, r22, -52
        add     r20, r20, r0
        jneq    r19, r21, .Lcolumn

        lw      r9, r22, -16
        lw      r10, r22, -24
        add     r9, r9, r17
        lw      r11, r22, -48
        add     r10, r10, r17
        lw      r19, r22, -36
        add     r11, r11, r17
        lw      r0, r22, -52
        jneq    r11, r0, .Lchunk

        move    r8, -1
        lsr_add r8, r8, r17, 3
        lsl_add r9, r19, r8, 24
        lw      r1, r22, -28
        sdma    r9, r1, 0
        add     r1, r1, r17
        sw      r22, -28, r1
        lw      r0, r22, -20            // the next tile of bt
        lw      r1, r22, -56
        add     r0, r0, r1
        sw      r22, -20, r0
        lw      r0, r22, -60
        lw      r1, zero, args
        add     r0, r0, r1
        sw      r22, -60, r0
        lw      r1, zero, args + 16
        jneq    r0, r1, .Ltile

        sw      r22, -60, 0             // the next row
        lw      r0, r22, -68
        sw      r22, -20, r0
        lw      r0, r22, -12
        lw      r1, r22, -52
        add     r0, r0, r1
        sw      r22, -12, r0
        lw      r0, r22, -64
        add     r0, r0, 1
        sw      r22, -64, r0
        lw      r1, zero, args + 8
        jneq    r0, r1, .Ltile

        ld      d22, r22, -8
        jump    r23
        .size   main, . - main

        .section .dpu_host,"aw",@progbits
        .p2align 3
        .globl  args
        .type   args,@object
args:
        .zero   20
        .size   args, 20

        .section .data.ready,"aw",@progbits
ready:
        .byte   255, NR_TASKLETS, NR_TASKLETS, ready_lock

        .section .atomic,"aw",@nobits
ready_lock:
        .zero   1
