// A barrier: no tasklet passes before all have come.
//
//   barrier_wait(r0: barrier)        changes r1 to r4 alone
//
// A barrier is 4 bytes of WRAM:
//      0  tail of the queue of waiting tasklets; 255: nobody waits
//      1  how many are still to come
//      2  how many there are
//      3  number of its atomic bit
// as in     barrier:  .byte 255, NR_TASKLETS, NR_TASKLETS, barrier_lock
// where barrier_lock is a byte of section .atomic.
//
// Who waits links itself into a ring, the tail pointing at the head: __wait_next[t] is the tasklet behind t. The last
// to come walks the ring and resumes all in the order in which they came. A tasklet releases the lock before it stops,
// so it may not have stopped yet when the last one tries to resume it: then resume fails and is tried again.

        .section .text.barrier_wait,"ax",@progbits
        .globl  barrier_wait
        .type   barrier_wait,@function
barrier_wait:
        lbu     r1, r0, 3
        acquire r1, 0, nz, .
        lbu     r2, r0, 1
        lbu     r3, r0, 0
        jeq     r2, 1, .LlastToCome
        jeq     r3, 255, .LfirstToCome
        lbu     r4, r3, __wait_next     // head
        sb_id   r3, __wait_next         // behind the old tail: me
        sb      id, __wait_next, r4     // behind me: the head
.Lappended:
        sb_id   r0, 0
        add     r2, r2, -1
        sb      r0, 1, r2
        release r1, 0, nz, . + 1
        stop
        jump    r23

.LfirstToCome:
        sb_id   id, __wait_next, 0
        jump    .Lappended

.LlastToCome:
        jeq     r3, 255, .Lopen         // a barrier of one
        lbu     r2, r3, __wait_next     // head
.LresumeNext:
        lbu     r4, r2, __wait_next     // before it runs: it may wait in another queue soon
        resume  r2, 0, nz, .
        jeq     r2, r3, .LallResumed
        move    r2, r4, true, .LresumeNext
.LallResumed:
        lbu     r2, r0, 2
        sb      r0, 1, r2
        sb      r0, 0, 255
.Lopen:
        release r1, 0, nz, . + 1
        jump    r23
        .size   barrier_wait, . - barrier_wait
