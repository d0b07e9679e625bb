// SCAN, inclusive prefix sum: out[i] = in[0] + ... + in[i], 2-byte elements (u16, i16).
//
// The program behind the published measurements: issue slots and transfers per element and per round are theirs, the
// text is ours. First every tasklet sums its own slice. All meet at a barrier. Then every tasklet adds up the sums of
// the lower tasklets and goes through its slice again, writing running sums.
//
//   args, written by the host:
//      0   elements per buffer; a buffer is 8 to 2048 bytes, a multiple of 8
//      4   tasklets; as many as the program was linked for
//      8   elements per tasklet; a multiple of the buffer, at least one buffer
//   MRAM from __sys_used_mram_end on, N = tasklets * elements per tasklet:
//      in    N elements; tasklet t has those from t * elements per tasklet on
//      out   N elements, written
//
//   slots: 4 + 6 per element; 9 + 13 per round, with 1 read, then 1 read and 1 write
//   heap: 1 buffer per tasklet

        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        sd      r22, 0, d22
        add     r22, r22, 8
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

        lw      r0, zero, args + 8
        lsl     r18, r0, 1              // bytes per tasklet
        move    r0, r18
        move    r1, id
        call    r23, __mulsi3
        add     r19, r0, __sys_used_mram_end    // slice of in
        lw      r0, zero, args + 4
        move    r1, r18
        call    r23, __mulsi3           // bytes per array
        add     r20, r19, r0            // slice of out
        move    r17, r19                // where the first pass stands
        move    r21, 0                  // sum
        move    r12, 0                  // bytes done

.LsumRound:
        move    r8, -1                  // a transfer of r14 bytes: r14 / 8 - 1 in bits 31:24
        lsr_add r8, r8, r14, 3
        lsl_add r9, r15, r8, 24
        ldma    r9, r17, 0
        move    r0, r15
        add     r4, r15, r14
.LsumElement:
        lhu     r2, r0, 0
        add     r21, r21, r2
        add     r0, r0, 2
        jneq    r0, r4, .LsumElement

        add     r17, r17, r14
        add     r12, r12, r14
        jneq    r12, r18, .LsumRound

        sw      id4, sums, r21
        move    r0, summed
        call    r23, barrier_wait

        move    r21, 0                  // sum of the lower tasklets
        move    r0, 0
        jeq     id, 0, .Lwrite
.Llower:
        lw      r2, r0, sums
        add     r21, r21, r2
        add     r0, r0, 4
        jneq    id4, r0, .Llower
.Lwrite:
        move    r12, 0

.Lround:
        move    r8, -1
        lsr_add r8, r8, r14, 3
        lsl_add r9, r15, r8, 24
        ldma    r9, r19, 0
        move    r0, 0                   // offset in the buffer
.Lelement:
        add     r1, r15, r0
        lhu     r2, r1, 0
        add     r21, r21, r2
        add     r0, r0, 2
        sh      r1, 0, r21
        jneq    r0, r14, .Lelement

        move    r8, -1
        lsr_add r8, r8, r14, 3
        lsl_add r9, r15, r8, 24
        sdma    r9, r20, 0
        add     r19, r19, r14
        add     r20, r20, r14
        add     r12, r12, r14
        jneq    r12, r18, .Lround

        ld      d22, r22, -8
        jump    r23
        .size   main, . - main

        .section .dpu_host,"aw",@progbits
        .p2align 3
        .globl  args
        .type   args,@object
args:
        .zero   12
        .size   args, 12

        .section .bss.sums,"aw",@nobits
        .p2align 2
sums:
        .zero   96                      // one word per tasklet

        .section .data.ready,"aw",@progbits
ready:
        .byte   255, NR_TASKLETS, NR_TASKLETS, ready_lock
summed:
        .byte   255, NR_TASKLETS, NR_TASKLETS, ready_lock

        .section .atomic,"aw",@nobits
ready_lock:
        .zero   1
