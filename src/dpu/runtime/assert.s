// __assert_failed(r0: condition, r1: file, r2: line, r3: function): prints them and ends the run.

        .section .text.__assert_failed,"ax",@progbits
        .globl  __assert_failed
        .type   __assert_failed,@function
__assert_failed:
        sw      r22, 0, r1
        sw      r22, 4, r2
        sw      r22, 8, r3
        sw      r22, 12, r0
        move    r0, id
        sw      r22, 16, r0
        sd      r22, 24, d22            // whoever reads the fault finds the caller here
        move    r8, r22
        add     r22, r22, 32
        move    r0, .Lformat
        call    r23, printf
        fault   2
        .size   __assert_failed, . - __assert_failed

        .section .rodata.__assert_failed,"a",@progbits
.Lformat:
        .asciz  "%s:%d: %s: assertion '%s' failed (tasklet %u)\n"
