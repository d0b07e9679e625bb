// printf of C: numbers become text on the host.
//
//   printf(r0: format, r8: arguments)      as C calls a function with variable arguments: they lie one after another
//                                          in memory, 4 bytes each, 8 aligned ones where the type has 64 bits
//   vprintf(r0: format, r1: arguments)
//   puts(r0: text)                         the text and a new line
//   putchar(r0: character)                 r0 = the character
// The first three give r0 = bytes written to the log. Change r0 to r13 alone, and no stack.
//
// The log (log.s) takes plain text as it is. A conversion is written as a zero byte, its own text from '%' to its
// letter, then its arguments as they lie in memory: 4 bytes for every '*', then 4 or 8 bytes of a number, or the bytes
// of a string and a zero byte. dpu/log_text.h is the reader. So a program that prints needs neither divisions nor
// floating point, and what it prints is as exact as the host's printf.

        .section .text.vprintf,"ax",@progbits
        .globl  printf
        .type   printf,@function
        .globl  vprintf
        .type   vprintf,@function
printf:
        move    r1, r8
vprintf:
        move    r13, r23
        move    r7, r0                  // next character
        move    r8, r1                  // next argument
        lbu     r10, zero, __log_owner
        jeq     id, r10, .Lmine
        call    r23, log_begin
.Lmine:
        lw      r12, zero, __log_used
.Ltext:
        move    r9, r7                  // first character that is not written yet
.Lcharacter:
        lbu     r0, r7, 0
        jeq     r0, 0, .Lend
        jeq     r0, 37, .Lpercent
        add     r7, r7, 1, true, .Lcharacter
.Lend:
        move    r0, r9
        move    r1, r7
        call    r23, .Lappend
        lw      r0, zero, __log_used
        sub     r0, r0, r12
        jeq     id, r10, .Lkept
        call    r23, log_end
.Lkept:
        jump    r13

.Lpercent:
        lbu     r0, r7, 1
        jneq    r0, 37, .Lconversion
        move    r0, r9                  // "%%": up to the first of them
        add     r1, r7, 1
        add     r7, r7, 2
        call    r23, .Lappend
        jump    .Ltext

.Lconversion:
        add     r2, r7, 1
        move    r11, 0                  // bytes of arguments for '*'
        move    r3, 0                   // 2 and more: 64 bits
.Lmodifier:
        lbu     r0, r2, 0
        add     r2, r2, 1
        add     r1, r0, -43             // + , - . / 0 to 9
        jltu    r1, 15, .Lmodifier
        jeq     r0, 32, .Lmodifier
        jeq     r0, 35, .Lmodifier      // #
        jeq     r0, 42, .Lstar
        jeq     r0, 108, .Llong         // l
        jeq     r0, 106, .Llongest      // j
        jeq     r0, 104, .Lmodifier     // h
        jeq     r0, 122, .Lmodifier     // z
        jeq     r0, 116, .Lmodifier     // t
        jeq     r0, 76, .Lmodifier      // L
        jeq     r0, 100, .Linteger      // d
        jeq     r0, 117, .Linteger      // u
        jeq     r0, 120, .Linteger      // x
        jeq     r0, 105, .Linteger      // i
        jeq     r0, 88, .Linteger       // X
        jeq     r0, 111, .Linteger      // o
        move    r3, 0
        jeq     r0, 115, .Lknown        // s
        move    r3, 1024                // 4 bytes, as .Lknown has it
        jeq     r0, 99, .Lknown         // c
        jeq     r0, 112, .Lknown        // p
        move    r3, 2048
        or      r1, r0, 32              // small and capital letters
        add     r1, r1, -101
        jltu    r1, 3, .Lknown          // e f g
        jeq     r1, -4, .Lknown         // a
        jneq    r0, 0, .Lunknown
        add     r2, r2, -1
.Lunknown:
        move    r7, r2                  // text like any other
        jump    .Lcharacter
.Lstar:
        add     r11, r11, 4, true, .Lmodifier
.Llongest:
        add     r3, r3, 1
.Llong:
        add     r3, r3, 1, true, .Lmodifier
.Linteger:
        jgtu    r3, 1, .Linteger64
        move    r3, 1024
        jump    .Lknown
.Linteger64:
        move    r3, 2048
.Lknown:
        add     r11, r11, r3            // bytes of its value in bits 8 and up
        move    r0, r9
        move    r1, r7
        move    r9, r7
        move    r7, r2
        call    r23, .Lappend           // the text before it
        move    r0, .Lzero
        add     r1, r0, 1
        call    r23, __log_append
        move    r0, r9
        move    r1, r7
        call    r23, __log_append
        move    r0, r8
        and     r1, r11, 255
        add     r8, r8, r1
        move    r1, r8
        call    r23, .Lappend           // widths and precisions
        lsr     r11, r11, 8, z, .Lstring
        add     r0, r11, -1             // aligned as it is long
        add     r0, r0, r8
        neg     r1, r11
        and     r0, r0, r1
        add     r1, r0, r11
        move    r8, r1
        call    r23, __log_append
        jump    .Ltext

.Lstring:
        lw      r0, r8, 0
        add     r8, r8, 4
        jneq    r0, 0, .Lprecision
        move    r0, .Lnull
.Lprecision:                            // r3: at most so many characters
        lbu     r1, r9, 0
        add     r9, r9, 1
        jeq     r1, 46, .Ldot
        jneq    r9, r7, .Lprecision
        move    r3, -1, true, .Lcount
.Ldot:
        lbu     r1, r9, 0
        move    r3, 0
        jneq    r1, 42, .Ldigit
        lw      r3, r8, -8              // the last '*'; a negative one is large
        jump    .Lcount
.Ldigit:
        add     r1, r1, -48
        jgeu    r1, 10, .Lcount
        lsl_add r3, r3, r3, 2
        lsl_add r3, r1, r3, 1
        add     r9, r9, 1
        lbu     r1, r9, 0
        jump    .Ldigit
.Lcount:
        move    r1, r0
.Lcounted:
        jeq     r3, 0, .Lcopy
        lbu     r2, r1, 0
        jeq     r2, 0, .Lcopy
        add     r1, r1, 1
        add     r3, r3, -1, true, .Lcounted
.Lcopy:
        call    r23, .Lappend
        move    r0, .Lzero
        add     r1, r0, 1
        call    r23, __log_append
        jump    .Ltext

.Lappend:                               // as __log_append; nothing costs no transfer
        jneq    r0, r1, __log_append
        jump    r23
        .size   printf, . - printf
        .size   vprintf, . - vprintf

        .section .text.puts,"ax",@progbits
        .globl  puts
        .type   puts,@function
puts:
        move    r13, r23
        move    r7, r0
        lbu     r10, zero, __log_owner
        jeq     id, r10, .LputsMine
        call    r23, log_begin
.LputsMine:
        lw      r12, zero, __log_used
        move    r0, r7
        call    r23, log_text
        move    r0, .Lnewline
        add     r1, r0, 1
        call    r23, __log_append
        lw      r0, zero, __log_used
        sub     r0, r0, r12
        jeq     id, r10, .LputsKept
        call    r23, log_end
.LputsKept:
        jump    r13
        .size   puts, . - puts

        .section .text.putchar,"ax",@progbits
        .globl  putchar
        .type   putchar,@function
putchar:
        move    r13, r23
        extub   r7, r0
        move    r0, .LnoCharacter
        move    r1, .LbehindNoCharacter
        jeq     r7, 0, .LputNone
        sb      r22, 0, r7              // above the stack: nothing interrupts a tasklet
        move    r0, r22
        add     r1, r22, 1
.LputNone:
        call    r23, __log_append
        move    r0, r7
        jump    r13
        .size   putchar, . - putchar

        .section .rodata.__printf,"a",@progbits
.LnoCharacter:
        .byte   0
        .ascii  "%c"
        .byte   0, 0, 0, 0
.LbehindNoCharacter:
.Lnull: .ascii  "(null)"
.Lzero: .byte   0
.Lnewline:
        .byte   10
