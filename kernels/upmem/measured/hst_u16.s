// HST, histogram: bin[(value * bins) >> 12] += 1, 2-byte elements (u16, i16).
//
// The program behind the published measurements: issue slots and transfers per element and per round are theirs, the
// text is ours. Every tasklet has a histogram of its own slice, in WRAM, and writes it once, at the end; the host adds
// them up. Values have 12 bits: 0 to 4095. The multiplication is a call of the run-time library.
//
//   args, written by the host:
//      0   elements per buffer; a buffer is 8 to 2048 bytes, a multiple of 8
//      4   tasklets; as many as the program was linked for
//      8   elements per tasklet; a multiple of the buffer, at least one buffer
//      12  bins; even, 2 to 512
//   MRAM from __sys_used_mram_end on, N = tasklets * elements per tasklet:
//      in          N elements; tasklet t has those from t * elements per tasklet on
//      histograms  bins counts of 4 bytes per tasklet, written
//
//   slots: 10 and a multiplication per element; 10 per round, with 1 read; at the end one write
//   heap: 1 buffer and the histogram per tasklet

        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        sd      r22, 8, d22
        add     r22, r22, 16
        jneq    id, 0, .Lmeet
        call    r23, mem_reset
.Lmeet:
        move    r0, ready
        call    r23, barrier_wait

        lw      r14, zero, args
        lsl     r14, r14, 1             // bytes per buffer
        move    r0, r14
        call    r23, mem_alloc
        move    r15, r0                 // buffer
        lw      r0, zero, args + 12
        lsl     r0, r0, 2               // bytes per histogram
        move    r20, r0
        call    r23, mem_alloc
        move    r16, r0                 // histogram
        add     r20, r20, r0
.Lclear:
        sw      r0, 0, 0
        add     r0, r0, 4
        jneq    r0, r20, .Lclear

        lw      r0, zero, args + 8
        lsl     r18, r0, 1              // bytes per tasklet
        move    r0, r18
        move    r1, id
        call    r23, __mulsi3
        add     r19, r0, __sys_used_mram_end    // slice of in
        lw      r0, zero, args + 4
        move    r1, r18
        call    r23, __mulsi3           // bytes per array
        add     r13, r0, __sys_used_mram_end
        sw      r22, -16, r13           // histogram of tasklet 0 in MRAM
        sw      r22, -12, r18           // bytes per tasklet
        add     r17, r15, r14           // end of the buffer
        move    r18, 0                  // bytes done

.Lround:
        move    r8, -1                  // a transfer of r14 bytes: r14 / 8 - 1 in bits 31:24
        lsr_add r8, r8, r14, 3
        lsl_add r9, r15, r8, 24
        ldma    r9, r19, 0
        move    r20, r15
        lw      r21, zero, args + 12
.Lelement:
        lhu     r0, r20, 0
        move    r1, r21
        call    r23, __mulsi3
        lsr     r0, r0, 12
        lsl     r0, r0, 2
        add     r0, r16, r0
        lw      r1, r0, 0
        add     r1, r1, 1
        sw      r0, 0, r1
        add     r20, r20, 2
        jneq    r20, r17, .Lelement

        add     r19, r19, r14
        add     r18, r18, r14
        lw      r0, r22, -12
        jneq    r18, r0, .Lround

        lsl     r14, r21, 2             // bytes per histogram
        move    r0, r14
        move    r1, id
        call    r23, __mulsi3
        lw      r1, r22, -16
        add     r1, r1, r0
        move    r8, -1
        lsr_add r8, r8, r14, 3
        lsl_add r9, r16, r8, 24
        sdma    r9, r1, 0

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
