// A counting semaphore with a queue: who came first goes on first.
//
//   sem_take(r0: semaphore)    takes one; waits while there is none
//   sem_give(r0: semaphore)    gives one, to the first who waits if anyone does
//
// A semaphore is 4 bytes of WRAM:
//      0  tail of the queue of waiting tasklets; 255: nobody waits
//      1  signed: how many can be taken; negative: how many wait
//      2  how many there were at first
//      3  number of its atomic bit
// as in     slots:  .byte 255, 3, 3, slots_lock
//
// The queue is a ring through __wait_next, as in barrier_wait. Change r1 to r5 alone.

        .section .text.sem_take,"ax",@progbits
        .globl  sem_take
        .type   sem_take,@function
sem_take:
        lbu     r1, r0, 3
        acquire r1, 0, nz, .
        lbs     r2, r0, 1
        add     r2, r2, -1
        sb      r0, 1, r2
        jlts    r2, 0, .Lwait
        release r1, 0, nz, . + 1
        jump    r23
.Lwait:
        lbu     r3, r0, 0
        sb_id   r0, 0                   // the tail is this tasklet
        jeq     r3, 255, .Lalone
        lbu     r4, r3, __wait_next     // head
        sb_id   r3, __wait_next
        sb      id, __wait_next, r4
        jump    .Lstop
.Lalone:
        sb_id   id, __wait_next
.Lstop:
        release r1, 0, nz, . + 1
        stop
        jump    r23
        .size   sem_take, . - sem_take

        .section .text.sem_give,"ax",@progbits
        .globl  sem_give
        .type   sem_give,@function
sem_give:
        lbu     r1, r0, 3
        acquire r1, 0, nz, .
        lbs     r2, r0, 1
        add     r2, r2, 1
        sb      r0, 1, r2
        jgts    r2, 0, .Lgiven          // nobody waited
        lbu     r3, r0, 0               // tail
        lbu     r4, r3, __wait_next     // head: it goes on
        jeq     r3, r4, .Lempty
        lbu     r5, r4, __wait_next
        sb      r3, __wait_next, r5
        jump    .Lresume
.Lempty:
        sb      r0, 0, 255
.Lresume:
        resume  r4, 0, nz, .            // it may not have stopped yet
.Lgiven:
        release r1, 0, nz, . + 1
        jump    r23
        .size   sem_give, . - sem_give
