// CLOCKS_PER_SEC: what the performance counter counts in a second. The host writes its machine's where it knows better.

        .section .dpu_host.CLOCKS_PER_SEC,"aw",@progbits
        .p2align 3
        .globl  CLOCKS_PER_SEC
        .type   CLOCKS_PER_SEC,@object
CLOCKS_PER_SEC:
        .long   350000000
        .size   CLOCKS_PER_SEC, 4
