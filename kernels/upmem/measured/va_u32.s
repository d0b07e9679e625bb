// VA, vector addition: c[i] = a[i] + b[i], 4-byte elements (u32, i32).
//
// The program behind the published measurements: issue slots and transfers per element and per round are theirs, the
// text is ours. Every tasklet adds its own slice, one buffer of each array after the other.
//
//   args, written by the host:
//      0   elements per buffer; a buffer is 8 to 2048 bytes, a multiple of 8
//      4   tasklets; as many as the program was linked for
//      8   elements per tasklet; a multiple of the buffer, at least one buffer
//   MRAM from __sys_used_mram_end on, N = tasklets * elements per tasklet:
//      a   N elements; tasklet t has those from t * elements per tasklet on
//      b   N elements
//      c   N elements, written
//
//   slots: 9 per element; 16 per round, with 2 reads and 1 write
//   heap: 3 buffers per tasklet

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
        lsl     r14, r14, 2             // bytes per buffer
        move    r0, r14
        call    r23, mem_alloc
        move    r15, r0                 // buffer of a
        move    r0, r14
        call    r23, mem_alloc
        move    r16, r0                 // buffer of b
        move    r0, r14
        call    r23, mem_alloc
        move    r17, r0                 // buffer of c

        lw      r0, zero, args + 8
        lsl     r18, r0, 2              // bytes per tasklet
        move    r0, r18
        move    r1, id
        call    r23, __mulsi3
        add     r19, r0, __sys_used_mram_end    // slice of a
        lw      r0, zero, args + 4
        move    r1, r18
        call    r23, __mulsi3           // bytes per array
        add     r20, r19, r0            // slice of b
        add     r21, r20, r0            // slice of c
        move    r12, 0                  // bytes done

.Lround:
        move    r8, -1                  // a transfer of r14 bytes: r14 / 8 - 1 in bits 31:24
        lsr_add r8, r8, r14, 3
        lsl_add r9, r15, r8, 24
        ldma    r9, r19, 0
        lsl_add r9, r16, r8, 24
        ldma    r9, r20, 0
        move    r0, 0                   // offset in the buffers
.Lelement:
        add     r1, r15, r0
        lw      r2, r1, 0
        add     r1, r16, r0
        lw      r3, r1, 0
        add     r2, r2, r3
        add     r1, r17, r0
        add     r0, r0, 4
        sw      r1, 0, r2
        jneq    r0, r14, .Lelement

        move    r8, -1
        lsr_add r8, r8, r14, 3
        lsl_add r9, r17, r8, 24
        sdma    r9, r21, 0
        add     r19, r19, r14
        add     r20, r20, r14
        add     r21, r21, r14
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
