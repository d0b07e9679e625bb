        .text
        .file   "a.c"
        .file   1 "dir" "a.c"
        .section .text.main,"ax",@progbits
        .globl  main
        .type   main,@function
main:                                   // a comment
        .loc    1 12 3 prologue_end
        move    r0, __sys_used_mram_end
        jeq     id, NR_TASKLETS - 1, . + 2
        call    r23, main + 1
        lw      r1, zero, table + 4
        jump    r23
.Lend:
        .size   main, .Lend-main
        .section .data.table,"aw",@progbits
        .p2align 3
table:  .long   main, .Lend, table - 4
        .byte   1, 'a', -1, NR_TASKLETS
        .quad   0x123456789abcdef
        .asciz  "text\n\x41\101"
        .zero   8
        .comm   shared,16,8
        .section .mram,"aw",@nobits
        .zero   64
        .section .atomic,"aw",@nobits
lock:   .zero   1
size = table + 4
        .set    twice, 2
        .weak   hook
        .section .debug_info,"",@progbits
        .long   .Lend
