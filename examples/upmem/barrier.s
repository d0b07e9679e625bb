// All tasklets meet: each writes its number, and after the barrier reads the one of its neighbour.
//
//   pimento simulate examples/upmem/barrier.s --set tasklets=8 --out seen:u32[8]

        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:
        sd      r22, 8, d22
        add     r22, r22, 16
        move    r0, id
        sw      id4, numbers, r0
        move    r0, everybody
        call    r23, barrier_wait       // changes r1 to r4
        add     r0, id, 1               // the neighbour; that of the last tasklet is tasklet 0
        jneq    r0, NR_TASKLETS, .Lread
        move    r0, 0
.Lread:
        lsl     r0, r0, 2
        lw      r0, r0, numbers
        sw      id4, seen, r0
        ld      d22, r22, -8
        jump    r23
        .size   main, . - main

        .section .data.everybody,"aw",@progbits
everybody:
        .byte   255, NR_TASKLETS, NR_TASKLETS, everybody_lock

        .section .bss.numbers,"aw",@nobits
        .p2align 2
numbers:
        .zero   96
        .section .dpu_host,"aw",@progbits
        .globl  seen
        .type   seen,@object
        .p2align 3
seen:   .zero   96
        .size   seen, 96

        .section .atomic,"aw",@nobits
everybody_lock:
        .zero   1
