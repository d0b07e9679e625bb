// One tasklet waits for another: a rendezvous.
//
//   handshake_notify()                         goes on when some tasklet waits, or has waited, for this one; r0 = 0
//   handshake_wait_for(r0: tasklet)            goes on when that tasklet notifies, or has notified; r0 = 0.
//                                              r0 = 1 at once if another tasklet waits for the same one already
//
// __handshake_state[t]: 255 nobody is there; 254 tasklet t has notified and waits for its partner; less: that tasklet
// waits for t. Change r0 and r1 alone.

        .section .text.handshake_notify,"ax",@progbits
        .globl  handshake_notify
        .type   handshake_notify,@function
handshake_notify:
        acquire zero, __handshake_lock, nz, .
        lbu     r1, id, __handshake_state
        jeq     r1, 255, .LnobodyYet
        move    r0, 255
        sb      id, __handshake_state, r0
        release zero, __handshake_lock, nz, . + 1
        resume  r1, 0, nz, .            // it may not have stopped yet
        move    r0, 0
        jump    r23
.LnobodyYet:
        move    r0, 254
        sb      id, __handshake_state, r0
        release zero, __handshake_lock, nz, . + 1
        stop
        move    r0, 0
        jump    r23
        .size   handshake_notify, . - handshake_notify

        .section .text.handshake_wait_for,"ax",@progbits
        .globl  handshake_wait_for
        .type   handshake_wait_for,@function
handshake_wait_for:
        acquire zero, __handshake_lock, nz, .
        lbu     r1, r0, __handshake_state
        jeq     r1, 255, .LnotNotified
        jneq    r1, 254, .Ltaken
        move    r1, 255
        sb      r0, __handshake_state, r1
        release zero, __handshake_lock, nz, . + 1
        resume  r0, 0, nz, .
        move    r0, 0
        jump    r23
.LnotNotified:
        move    r1, id
        sb      r0, __handshake_state, r1
        release zero, __handshake_lock, nz, . + 1
        stop
        move    r0, 0
        jump    r23
.Ltaken:
        release zero, __handshake_lock, nz, . + 1
        move    r0, 1
        jump    r23
        .size   handshake_wait_for, . - handshake_wait_for

        .section .data.__handshake_state,"aw",@progbits
__handshake_state:
        .byte   255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
        .byte   255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
        .size   __handshake_state, 24

        .section .atomic,"aw",@nobits
__handshake_lock:
        .zero   1
