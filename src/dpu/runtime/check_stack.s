// check_stack(): r0 = bytes between the stack pointer and the end of the calling tasklet's stack; negative: beyond it.

        .section .text.check_stack,"ax",@progbits
        .globl  check_stack
        .type   check_stack,@function
check_stack:
        ld      d0, id8, __stack_table  // r0: address, r1: size
        add     r0, r0, r1
        sub     r0, r0, r22
        jump    r23
        .size   check_stack, . - check_stack
