// What a program prints: a log in MRAM that the host reads after the run.
//
//   log_text(r0: address of a text that ends with a zero byte)
//   log_integer(r0: signed number)           in decimal
//   log_hex(r0: number)                      eight hexadecimal digits
//   log_begin(), log_end()                   what one tasklet prints between them stays together
// A new line is the character 10. Change r0 to r6 alone, and the 16 bytes of stack above r22.
//
// One atomic bit keeps tasklets apart: every call is one piece. log_begin takes that bit until log_end; calls of the
// same tasklet in between know from __log_owner that it is theirs.
//
// The log is __log_buffer, 64 KiB of MRAM; __log_used counts the bytes printed, those included that found no room. Text
// collects in __log_block, the WRAM copy of the 64 bytes that are being filled, which goes to MRAM at the end of every
// call (so that a program that faults leaves what it printed before) and whenever it is full. The host sets __log_used
// to 0 once it has read the log.

        .section .text.log_text,"ax",@progbits
        .globl  log_text
        .type   log_text,@function
log_text:
        move    r1, r0
.Lend:
        lbu     r2, r1, 0
        jeq     r2, 0, __log_append
        add     r1, r1, 1, true, .Lend
        .size   log_text, . - log_text

        .section .text.log_integer,"ax",@progbits
        .globl  log_integer
        .type   log_integer,@function
        .set    stack_size.log_integer, 16
log_integer:
        move    r1, r22                 // digits go above the stack: nothing interrupts a tasklet
        jges    r0, 0, .Lmagnitude
        sb      r1, 0, 45              // -
        add     r1, r1, 1
        neg     r0, r0
.Lmagnitude:
        move    r2, __log_powers
        move    r5, 0                   // 1: a digit stands there, zeros count from now on
.Lpower:
        lw      r3, r2, 0
        move    r4, 48                  // 0
.Lsubtract:
        jltu    r0, r3, .Ldigit
        sub     r0, r0, r3
        add     r4, r4, 1, true, .Lsubtract
.Ldigit:
        jneq    r4, 48, .Lwrite
        jeq     r5, 0, .Lnext
.Lwrite:
        move    r5, 1
        sb      r1, 0, r4
        add     r1, r1, 1
.Lnext:
        add     r2, r2, 4
        jneq    r3, 10, .Lpower
        add     r4, r0, 48              // the last digit, whatever it is
        sb      r1, 0, r4
        add     r1, r1, 1
        move    r0, r22
        jump    __log_append
        .size   log_integer, . - log_integer

        .section .text.log_hex,"ax",@progbits
        .globl  log_hex
        .type   log_hex,@function
        .set    stack_size.log_hex, 8
log_hex:
        move    r1, r22
        add     r2, r22, 8
.Lnibble:
        lsr     r3, r0, 28
        lsl     r0, r0, 4
        add     r4, r3, 48              // 0 to 9
        jltu    r3, 10, .Lstore
        add     r4, r3, 87              // a to f
.Lstore:
        sb      r1, 0, r4
        add     r1, r1, 1
        jneq    r1, r2, .Lnibble
        move    r0, r22
        jump    __log_append
        .size   log_hex, . - log_hex

        .section .text.log_begin,"ax",@progbits
        .globl  log_begin
        .type   log_begin,@function
log_begin:
        acquire zero, __log_lock, nz, .
        move    r0, __log_owner
        sb_id   r0, 0
        jump    r23
        .size   log_begin, . - log_begin

        .section .text.log_end,"ax",@progbits
        .globl  log_end
        .type   log_end,@function
log_end:
        sb      zero, __log_owner, 255
        release zero, __log_lock, nz, . + 1
        jump    r23
        .size   log_end, . - log_end

// __log_append(r0: first byte, r1: behind the last), in WRAM.
        .section .text.__log_append,"ax",@progbits
        .globl  __log_append
        .type   __log_append,@function
__log_append:
        lbu     r2, zero, __log_owner
        jeq     id, r2, .Lmine
        acquire zero, __log_lock, nz, .
.Lmine:
        lw      r3, zero, __log_used
.Lbyte:
        jeq     r0, r1, .Lflush
        lbu     r4, r0, 0
        and     r5, r3, 63
        sb      r5, __log_block, r4
        add     r0, r0, 1
        add     r3, r3, 1
        and     zero, r3, 63, nz, .Lbyte
.Lflush:
        add     r5, r3, -1
        lsr     r6, r5, 16, nz, .Lwritten       // beyond the buffer, or nothing printed yet
        and     r5, r5, -64
        move    r6, __log_buffer
        add     r5, r5, r6
        move    r6, __log_block
        sdma    r6, r5, 7                       // 64 bytes
.Lwritten:
        jneq    r0, r1, .Lbyte
        sw      zero, __log_used, r3
        jeq     id, r2, .Lkept
        release zero, __log_lock, nz, . + 1
.Lkept:
        jump    r23
        .size   __log_append, . - __log_append

        .section .data.__log_powers,"aw",@progbits
        .p2align 2
__log_powers:
        .long   1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10
        .size   __log_powers, . - __log_powers

        .section .data.__low.log_owner,"aw",@progbits
        .globl  __log_owner
        .type   __log_owner,@object
__log_owner:
        .byte   255
        .size   __log_owner, 1

        .section .data.__log_used,"aw",@progbits
        .p2align 2
        .globl  __log_used
        .type   __log_used,@object
__log_used:
        .long   0
        .size   __log_used, 4

        .section .bss.__log_block,"aw",@nobits
        .p2align 3
        .globl  __log_block
        .type   __log_block,@object
__log_block:
        .zero   64
        .size   __log_block, 64

        .section .mram.__log_buffer,"aw",@nobits
        .p2align 3
        .globl  __log_buffer
        .type   __log_buffer,@object
__log_buffer:
        .zero   65536
        .size   __log_buffer, 65536

        .section .atomic,"aw",@nobits
__log_lock:
        .zero   1
