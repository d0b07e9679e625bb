// me(): r0 = number of the calling tasklet.

        .section .text.me,"ax",@progbits
        .globl  me
        .type   me,@function
me:
        move    r0, id
        jump    r23
        .size   me, . - me
