// SEL, selection: keeps the even elements, in order, 2-byte elements (u16, i16).
//
// The program behind the published measurements: issue slots and transfers per element and per round are theirs, the
// text is ours. Every tasklet selects from its own slice, one buffer after the other. What a round keeps stands at the
// beginning of the round's block of the output; the rest of the block is undefined. A counter per round says how many
// were kept: the host closes the gaps.
//
//   args, written by the host:
//      0   elements per buffer; a buffer is 8 to 2048 bytes, a multiple of 8
//      4   tasklets; as many as the program was linked for
//      8   elements per tasklet; a multiple of the buffer, at least one buffer
//   MRAM from __sys_used_mram_end on, N = tasklets * elements per tasklet, R = elements per tasklet / buffer:
//      in    N elements; tasklet t has those from t * elements per tasklet on
//      out   N elements, written: round r of tasklet t begins at element t * elements per tasklet + r * buffer
//      kept  16 bytes per round, R per tasklet, written: word 0 of t * R + r how many that round kept, the others zero
//
//   slots: 4 per rejected element, 7 per kept one; 18 per round, with 1 read, 1 write, and 1 write of 16 bytes
//   heap: 2 buffers and 16 bytes per tasklet

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
        move    r15, r0                 // buffer of in
        move    r0, r14
        call    r23, mem_alloc
        move    r16, r0                 // buffer of out
        move    r0, 16
        call    r23, mem_alloc
        move    r17, r0                 // counter
        sd      r17, 0, 0
        sd      r17, 8, 0

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
        add     r21, r0, r0
        add     r21, r21, __sys_used_mram_end    // counters of tasklet 0
        lw      r0, zero, args + 8
        lw      r1, zero, args
        call    r23, __udivsi3          // rounds
        move    r1, id
        call    r23, __mulsi3
        lsl_add r21, r21, r0, 4         // counters of this tasklet
        add     r13, r15, r14           // end of the buffer of in
        move    r12, 0                  // bytes done

.Lround:
        move    r8, -1                  // a transfer of r14 bytes: r14 / 8 - 1 in bits 31:24
        lsr_add r8, r8, r14, 3
        lsl_add r9, r15, r8, 24
        ldma    r9, r19, 0
        move    r0, r15
        move    r1, r16
        move    r2, 0, true, .Lelement  // kept in this round
.Lkeep:
        add     r1, r1, 2
        sh      r1, -2, r3
        add     r2, r2, 1, true, .Lnext
.Lelement:
        lhu     r3, r0, 0
        and     zero, r3, 1, z, .Lkeep
.Lnext:
        add     r0, r0, 2
        jneq    r0, r13, .Lelement

        sw      r17, 0, r2
        move    r8, -1
        lsr_add r8, r8, r14, 3
        lsl_add r9, r16, r8, 24
        sdma    r9, r20, 0
        sdma    r17, r21, 1             // 16 bytes
        add     r19, r19, r14
        add     r20, r20, r14
        add     r21, r21, 16
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

        .section .data.ready,"aw",@progbits
ready:
        .byte   255, NR_TASKLETS, NR_TASKLETS, ready_lock

        .section .atomic,"aw",@nobits
ready_lock:
        .zero   1
