// Who waits behind whom: one byte per tasklet, shared by everything that makes tasklets wait. A tasklet waits in one
// queue at a time, so one table serves all queues.

        .section .data.__wait_next,"aw",@progbits
        .globl  __wait_next
        .type   __wait_next,@object
__wait_next:
        .zero   24
        .size   __wait_next, 24
