// The first instructions of every DPU program.
//
// A launch starts tasklet 0 at instruction 0. It clears the atomic bits that the program uses, so that a run that ended
// early leaves no lock behind. Every tasklet but the last then boots its successor, which begins at instruction 0 too:
// the starts are a chain, one tasklet a few slots after the other. Each takes its stack pointer from the stack table
// (8 bytes per tasklet: stack size, stack address), calls main, which need not keep any register, and stops.
//
// Here too, because this file comes first in every program and its data at the bottom of WRAM, where the short offsets of
// sb_id reach: __wait_next, the table of who waits behind whom, one byte per tasklet, shared by everything that makes
// tasklets wait. A tasklet waits in one queue at a time, so one table serves all queues.
//
// From the linker: NR_TASKLETS, __stack_table, __atomic_start and __atomic_end (bit numbers; the end is one past the
// last bit in use).

        .section .text.__bootstrap,"ax",@progbits
        .globl  __bootstrap
        .type   __bootstrap,@function
__bootstrap:
        jneq    id, 0, .Lboot
        move    r0, __atomic_start
        move    r1, __atomic_end
        jgeu    r0, r1, .Lboot
.Lclear:
        release r0, 0, nz, . + 1        // the next instruction, whether the bit was set or not
        add     r0, r0, 1
        jltu    r0, r1, .Lclear
.Lboot:
        jeq     id, NR_TASKLETS - 1, . + 2
        boot    id, 1
        ld      d22, id8, __stack_table // r22: address of the stack; r23: its size, not needed any more
        call    r23, main
.Lend:
        stop    true, .Lend             // whoever resumes it finds it stopped again
        .size   __bootstrap, . - __bootstrap

        .section .data.__wait_next,"aw",@progbits
        .globl  __wait_next
        .type   __wait_next,@object
__wait_next:
        .zero   24
        .size   __wait_next, 24
