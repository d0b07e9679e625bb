// Every tasklet, `rounds` times: adds to a counter under a mutex; passes a semaphore that lets in three at a time; takes
// its turn in a chain of handshakes; meets the others at a barrier. Faults where something is out of order.

        .section .text.main,"ax",@progbits
        .globl  main
main:
        sd      r22, 0, d22
        add     r22, r22, 8
        lw      r14, zero, rounds
.Lround:
        move    r0, counter_lock
        call    r23, mutex_lock
        lw      r1, zero, counter
        add     r1, r1, 1
        sw      zero, counter, r1
        move    r0, counter_lock
        call    r23, mutex_unlock

.Ltry:
        move    r0, counter_lock
        call    r23, mutex_trylock
        jeq     r0, 0, .Ltry
        lw      r1, zero, counter
        add     r1, r1, 1
        sw      zero, counter, r1
        move    r0, counter_lock
        call    r23, mutex_unlock

        move    r0, places
        call    r23, sem_take
        move    r0, inside_lock
        call    r23, mutex_lock
        lw      r1, zero, inside
        add     r1, r1, 1
        sw      zero, inside, r1
        jleu    r1, 3, . + 2
        fault   90                      // too many
        move    r0, inside_lock
        call    r23, mutex_unlock
        move    r0, inside_lock
        call    r23, mutex_lock
        lw      r1, zero, inside
        add     r1, r1, -1
        sw      zero, inside, r1
        move    r0, inside_lock
        call    r23, mutex_unlock
        move    r0, places
        call    r23, sem_give

        jeq     id, 0, .LmyTurn
        add     r0, id, -1
        call    r23, handshake_wait_for
        jeq     r0, 0, . + 2
        fault   91                      // somebody else waits for it
.LmyTurn:
        lw      r1, zero, turn
        jeq     id, r1, . + 2
        fault   92                      // out of turn
        add     r1, r1, 1
        sw      zero, turn, r1
        jeq     id, NR_TASKLETS - 1, .Lmeet
        call    r23, handshake_notify
.Lmeet:
        move    r0, all
        call    r23, barrier_wait
        lw      r1, zero, turn
        jeq     r1, NR_TASKLETS, . + 2
        fault   93                      // somebody has not come
        move    r0, all
        call    r23, barrier_wait
        jneq    id, 0, .Lnext
        move    r1, 0
        sw      zero, turn, r1
.Lnext:
        move    r0, all
        call    r23, barrier_wait
        add     r14, r14, -1, nz, .Lround
        ld      d22, r22, -8
        jump    r23

        .section .dpu_host,"aw",@progbits
        .p2align 3
        .globl  rounds
rounds:
        .long   1
        .globl  counter
counter:
        .long   0

        .section .data.shared,"aw",@progbits
        .p2align 2
inside:
        .long   0
turn:
        .long   0
all:
        .byte   255, NR_TASKLETS, NR_TASKLETS, all_lock
places:
        .byte   255, 3, 3, places_lock

        .section .atomic,"aw",@nobits
counter_lock:
        .zero   1
inside_lock:
        .zero   1
all_lock:
        .zero   1
places_lock:
        .zero   1
