// String helpers of C, on WRAM. A string ends with a zero byte.
//
//   strlen(r0)  strnlen(r0, r1: bytes)               r0 = length
//   strcpy(r0: to, r1: from)  strcat                 r0 as it was
//   strncpy(r0: to, r1: from, r2: bytes)             r0 as it was; pads with zeros, no end where it is full
//   strncat(r0: to, r1: from, r2: bytes)             r0 as it was; at most so many bytes, and the end
//   strcmp(r0, r1)  strncmp(r0, r1, r2: bytes)       r0 = difference of the first bytes that differ, as unsigned
//   strchr(r0, r1: byte)  strrchr                    r0 = address of the first, last such byte, or 0; the end too
//   strstr(r0, r1)                                   r0 = address of the first occurrence, or 0
// Change r0 to r7 alone.

        .section .text.strlen,"ax",@progbits
        .globl  strlen
        .type   strlen,@function
strlen:
        move    r1, r0
.LlengthByte:
        lbu     r2, r1, 0
        jeq     r2, 0, .Llength
        add     r1, r1, 1, true, .LlengthByte
.Llength:
        sub     r0, r1, r0
        jump    r23
        .size   strlen, . - strlen

        .section .text.strnlen,"ax",@progbits
        .globl  strnlen
        .type   strnlen,@function
strnlen:
        move    r2, r0
        add     r1, r0, r1              // end
.LlengthAtMost:
        jeq     r2, r1, .LlengthFound
        lbu     r3, r2, 0
        jeq     r3, 0, .LlengthFound
        add     r2, r2, 1, true, .LlengthAtMost
.LlengthFound:
        sub     r0, r2, r0
        jump    r23
        .size   strnlen, . - strnlen

        .section .text.strcpy,"ax",@progbits
        .globl  strcpy
        .type   strcpy,@function
strcpy:
        move    r2, r0
.LcopyByte:
        lbu     r3, r1, 0
        sb      r2, 0, r3
        add     r1, r1, 1
        add     r2, r2, 1
        jneq    r3, 0, .LcopyByte
        jump    r23
        .size   strcpy, . - strcpy

        .section .text.strcat,"ax",@progbits
        .globl  strcat
        .type   strcat,@function
strcat:
        move    r2, r0
.LcatEnd:
        lbu     r3, r2, 0
        jeq     r3, 0, .LcatByte
        add     r2, r2, 1, true, .LcatEnd
.LcatByte:
        lbu     r3, r1, 0
        sb      r2, 0, r3
        add     r1, r1, 1
        add     r2, r2, 1
        jneq    r3, 0, .LcatByte
        jump    r23
        .size   strcat, . - strcat

        .section .text.strncpy,"ax",@progbits
        .globl  strncpy
        .type   strncpy,@function
strncpy:
        move    r3, r0
        add     r2, r0, r2              // end
.LcopyAtMost:
        jeq     r3, r2, .Lcopied
        lbu     r4, r1, 0
        sb      r3, 0, r4
        add     r3, r3, 1
        jeq     r4, 0, .Lpad
        add     r1, r1, 1, true, .LcopyAtMost
.Lpad:
        jeq     r3, r2, .Lcopied
        sb      r3, 0, 0
        add     r3, r3, 1, true, .Lpad
.Lcopied:
        jump    r23
        .size   strncpy, . - strncpy

        .section .text.strncat,"ax",@progbits
        .globl  strncat
        .type   strncat,@function
strncat:
        move    r3, r0
.LcatAtMostEnd:
        lbu     r4, r3, 0
        jeq     r4, 0, .LcatAtMost
        add     r3, r3, 1, true, .LcatAtMostEnd
.LcatAtMost:
        jeq     r2, 0, .LcatFull
        lbu     r4, r1, 0
        sb      r3, 0, r4
        jeq     r4, 0, .LcatDone
        add     r1, r1, 1
        add     r3, r3, 1
        add     r2, r2, -1, true, .LcatAtMost
.LcatFull:
        sb      r3, 0, 0
.LcatDone:
        jump    r23
        .size   strncat, . - strncat

        .section .text.strcmp,"ax",@progbits
        .globl  strcmp
        .type   strcmp,@function
strcmp:
        lbu     r2, r0, 0
        lbu     r3, r1, 0
        sub     r4, r2, r3, nz, .LcompareDone
        jeq     r2, 0, .LcompareDone
        add     r0, r0, 1
        add     r1, r1, 1, true, strcmp
.LcompareDone:
        move    r0, r4
        jump    r23
        .size   strcmp, . - strcmp

        .section .text.strncmp,"ax",@progbits
        .globl  strncmp
        .type   strncmp,@function
strncmp:
        move    r4, 0
.LcompareAtMost:
        add     r2, r2, -1, nc, .LcompareAtMostDone     // none left
        lbu     r5, r0, 0
        lbu     r3, r1, 0
        sub     r4, r5, r3, nz, .LcompareAtMostDone
        jeq     r5, 0, .LcompareAtMostDone
        add     r0, r0, 1
        add     r1, r1, 1, true, .LcompareAtMost
.LcompareAtMostDone:
        move    r0, r4
        jump    r23
        .size   strncmp, . - strncmp

        .section .text.strchr,"ax",@progbits
        .globl  strchr
        .type   strchr,@function
strchr:
        extub   r1, r1
.LfirstByte:
        lbu     r2, r0, 0
        jeq     r2, r1, .LfirstFound
        jeq     r2, 0, .LfirstNone
        add     r0, r0, 1, true, .LfirstByte
.LfirstNone:
        move    r0, 0
.LfirstFound:
        jump    r23
        .size   strchr, . - strchr

        .section .text.strrchr,"ax",@progbits
        .globl  strrchr
        .type   strrchr,@function
strrchr:
        extub   r1, r1
        move    r3, 0
.LlastByte:
        lbu     r2, r0, 0
        jneq    r2, r1, .LlastOther
        move    r3, r0
.LlastOther:
        jeq     r2, 0, .LlastDone
        add     r0, r0, 1, true, .LlastByte
.LlastDone:
        move    r0, r3
        jump    r23
        .size   strrchr, . - strrchr

        .section .text.strstr,"ax",@progbits
        .globl  strstr
        .type   strstr,@function
strstr:
        move    r2, r0
        move    r3, r1
.LmatchByte:
        lbu     r4, r3, 0
        jeq     r4, 0, .Lmatch          // all of it was found
        lbu     r5, r2, 0
        jneq    r5, r4, .LnoMatch
        add     r2, r2, 1
        add     r3, r3, 1, true, .LmatchByte
.LnoMatch:
        jeq     r5, 0, .LmatchNone
        add     r0, r0, 1, true, strstr
.LmatchNone:
        move    r0, 0
.Lmatch:
        jump    r23
        .size   strstr, . - strstr
