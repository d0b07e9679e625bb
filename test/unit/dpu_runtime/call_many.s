// Calls one function of the run-time library on many operands.
//
//   args    0 which function: index into `functions`; 4 cases, at least 1; 8 bytes per case, 32 to 2048
//   MRAM    one case after another: d0, d2 before; d0, d2 behind; the rest is brought to `area` and back
// Faults 90 to 98 where the function did not keep r14 to r22.

        .section .text.main,"ax",@progbits
        .globl  main
main:
        sd      r22, 24, d22
        add     r22, r22, 32
        sw      zero, stack, r22
        lw      r0, zero, args
        lsl     r0, r0, 2
        lw      r0, r0, functions
        sw      zero, function, r0
        lw      r0, zero, args + 4
        sw      zero, left, r0
        lw      r0, zero, args + 8
        lsl     r0, r0, 21
        add     r0, r0, -0x1000000
        add     r0, r0, case
        sw      zero, transfer, r0
        move    r0, __sys_used_mram_end
        sw      zero, next, r0
.Lcase:
        lw      r0, zero, transfer
        lw      r1, zero, next
        ldma    r0, r1, 0
        ld      d0, zero, case
        ld      d2, zero, case + 8
        lw      r12, zero, function
        move    r14, 114
        move    r15, 115
        move    r16, 116
        move    r17, 117
        move    r18, 118
        move    r19, 119
        move    r20, 120
        move    r21, 121
        call    r23, r12
        sd      zero, case + 16, d0
        sd      zero, case + 24, d2
        jeq     r14, 114, . + 2
        fault   90
        jeq     r15, 115, . + 2
        fault   91
        jeq     r16, 116, . + 2
        fault   92
        jeq     r17, 117, . + 2
        fault   93
        jeq     r18, 118, . + 2
        fault   94
        jeq     r19, 119, . + 2
        fault   95
        jeq     r20, 120, . + 2
        fault   96
        jeq     r21, 121, . + 2
        fault   97
        lw      r0, zero, stack
        jeq     r0, r22, . + 2
        fault   98
        lw      r0, zero, transfer
        lw      r1, zero, next
        sdma    r0, r1, 0
        lw      r0, zero, args + 8
        add     r1, r1, r0
        sw      zero, next, r1
        lw      r0, zero, left
        add     r0, r0, -1
        sw      zero, left, r0
        jneq    r0, 0, .Lcase
        ld      d22, r22, -8
        jump    r23

        .section .text.nothing,"ax",@progbits
nothing:
        jump    r23

        .section .dpu_host,"aw",@progbits
        .p2align 3
        .globl  args
args:
        .zero   16

        .section .bss.case,"aw",@nobits
        .p2align 3
case:
        .zero   32
        .globl  area
area:
        .zero   2016

        .section .data.state,"aw",@progbits
        .p2align 2
stack:
        .long   0
function:
        .long   0
left:
        .long   0
transfer:
        .long   0
next:
        .long   0
functions:
        .long   nothing
