// Sums 32-bit words in MRAM on all tasklets, and prints what each one found.
//
// Tasklet t takes blocks t, t + NR_TASKLETS, ... of 1 KiB. It brings each to WRAM, adds up its words and leaves its sum in
// sums[t]. When all have come to the barrier, tasklet 0 adds up the sums.
//
//   pimento simulate examples/upmem/sum.s --set tasklets=4 --in blocks=u32:64 --in heap=u32:1*16384 --out result:u32

        .section .text.sum_words,"ax",@progbits
        .type   sum_words,@function
sum_words:                              // r0: words, r1: how many (1 or more); r0 = their sum
        move    r2, 0
.Lnext:
        lw      r3, r0, 0
        add     r2, r2, r3
        add     r0, r0, 4
        add     r1, r1, -1, nz, .Lnext  // 4 slots per word
        move    r0, r2
        jump    r23
        .size   sum_words, . - sum_words

        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        sd      r22, 8, d22             // where to return, kept in a frame of 16 bytes
        add     r22, r22, 16
        lsl     r14, id, 10
        move    r15, buffers
        add     r14, r14, r15           // own buffer in WRAM
        move    r16, id                 // block
        move    r17, 0                  // own sum
        lw      r18, zero, blocks
        jgeu    r16, r18, .Lsummed
.Lblock:
        lsl     r0, r16, 10
        move    r1, __sys_used_mram_end // the data begin behind the program's own MRAM
        add     r0, r0, r1
        ldma    r14, r0, 127            // 127: (1024 / 8) - 1
        move    r0, r14
        move    r1, 256
        call    r23, sum_words
        add     r17, r17, r0
        add     r16, r16, NR_TASKLETS
        jltu    r16, r18, .Lblock
.Lsummed:
        sw      id4, sums, r17
        call    r23, log_begin          // keeps the line together
        move    r0, .Ltasklet
        call    r23, log_text
        move    r0, id
        call    r23, log_integer
        move    r0, .Lfound
        call    r23, log_text
        move    r0, r17
        call    r23, log_integer
        move    r0, .Lnewline
        call    r23, log_text
        call    r23, log_end
        move    r0, all_summed
        call    r23, barrier_wait
        jneq    id, 0, .Lreturn
        move    r0, sums
        move    r1, NR_TASKLETS
        call    r23, sum_words
        sw      zero, result, r0
.Lreturn:
        ld      d22, r22, -8
        jump    r23
        .size   main, . - main

        .section .data.all_summed,"aw",@progbits
all_summed:
        .byte   255, NR_TASKLETS, NR_TASKLETS, all_summed_lock
        .section .rodata.text,"a",@progbits
.Ltasklet:
        .asciz  "tasklet "
.Lfound:
        .asciz  " found "
.Lnewline:
        .asciz  "\n"

        .section .dpu_host,"aw",@progbits
        .globl  blocks
        .type   blocks,@object
        .p2align 3
blocks: .long   0                       // of 256 words each; the host writes it
        .size   blocks, 4
        .globl  result
        .type   result,@object
        .p2align 3
result: .long   0
        .size   result, 4

        .section .bss.work,"aw",@nobits
        .p2align 3
buffers:
        .zero   24576                   // 1 KiB per tasklet
sums:   .zero   96

        .section .atomic,"aw",@nobits
all_summed_lock:
        .zero   1
