// Who waits behind whom: one byte per tasklet, shared by everything that makes tasklets wait. A tasklet waits in one
// queue at a time, so one table serves all queues.
//
// Sections .data.__low* come first in WRAM, where the short offsets of sb_id reach.

        .section .data.__low.wait_next,"aw",@progbits
        .globl  __wait_next
        .type   __wait_next,@object
__wait_next:
        .zero   24
        .size   __wait_next, 24
