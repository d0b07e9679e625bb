// Copies in MRAM through WRAM, with transfers whose size is known only at run time.
//
// The host writes {from, to, bytes} (bytes a multiple of 8) to `job`. One tasklet works.
//
//   pimento simulate examples/upmem/copy.s --set tasklets=1 --in job=u32:0,4096,2056 --in mram=u8:7*2056 --out mram+6144:u8[8]

        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        jneq    id, 0, .Ldone
        lw      r0, zero, job
        lw      r1, zero, job + 4
        lw      r2, zero, job + 8
        jeq     r2, 0, .Ldone
.Lnext:
        move    r3, 2048                // the largest transfer
        jgeu    r2, r3, .Lfull
        move    r3, r2
.Lfull:
        move    r4, -1                  // bits 31:24 of the WRAM operand: bytes / 8 - 1
        lsr_add r4, r4, r3, 3
        move    r5, buffer
        lsl_add r4, r5, r4, 24
        ldma    r4, r0, 0
        sdma    r4, r1, 0
        add     r0, r0, r3
        add     r1, r1, r3
        sub     r2, r2, r3, nz, .Lnext
.Ldone:
        jump    r23
        .size   main, . - main

        .section .dpu_host,"aw",@progbits
        .globl  job
        .type   job,@object
        .p2align 3
job:    .long   0, 0, 0
        .size   job, 12

        .section .bss.buffer,"aw",@nobits
        .p2align 3
buffer: .zero   2048
