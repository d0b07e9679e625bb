// Mutual exclusion by one atomic bit.
//
//   mutex_lock(r0: number of the bit)       waits until the bit is its own; the attempts are one slot each
//   mutex_trylock(r0: number of the bit)    r0 = 1 if it got the bit, 0 if another one has it
//   mutex_unlock(r0: number of the bit)
// A bit is a byte of section .atomic; its symbol is its number. Change r0 alone.

        .section .text.mutex_lock,"ax",@progbits
        .globl  mutex_lock
        .type   mutex_lock,@function
mutex_lock:
        acquire r0, 0, nz, .
        jump    r23
        .size   mutex_lock, . - mutex_lock

        .section .text.mutex_trylock,"ax",@progbits
        .globl  mutex_trylock
        .type   mutex_trylock,@function
mutex_trylock:
        acquire r0, 0, nz, .Ltaken
        move    r0, 1
        jump    r23
.Ltaken:
        move    r0, 0
        jump    r23
        .size   mutex_trylock, . - mutex_trylock

        .section .text.mutex_unlock,"ax",@progbits
        .globl  mutex_unlock
        .type   mutex_unlock,@function
mutex_unlock:
        release r0, 0, nz, . + 1
        jump    r23
        .size   mutex_unlock, . - mutex_unlock
