// 32-bit multiplication: r0 = r0 * r1, low 32 bits, signed or not.
//
// The hardware multiplies one bit of the multiplier per mul_step and says when no bit is left. So the smaller factor
// (unsigned) is the multiplier, and a call takes 8 + k slots, its own included, where k is the index of the highest set
// bit of the smaller factor; 8 where that is zero. Measured on hardware: 88.3 cycles for 1, 11 more for every bit.
//
// Changes r0 and r2 to r4 alone.

        .section .text.__mulsi3,"ax",@progbits
        .globl  __mulsi3
        .type   __mulsi3,@function
__mulsi3:
        jgtu    r1, r0, .LfirstIsSmaller
        move    r4, r0
        move    r2, r1, true, .Lmultiply
.LfirstIsSmaller:
        move    r4, r1
        move    r2, r0
.Lmultiply:                             // d2: r2 multiplier, r3 sum
        move    r3, 0
        mul_step d2, r4, d2, 0, z, .Ldone
        mul_step d2, r4, d2, 1, z, .Ldone
        mul_step d2, r4, d2, 2, z, .Ldone
        mul_step d2, r4, d2, 3, z, .Ldone
        mul_step d2, r4, d2, 4, z, .Ldone
        mul_step d2, r4, d2, 5, z, .Ldone
        mul_step d2, r4, d2, 6, z, .Ldone
        mul_step d2, r4, d2, 7, z, .Ldone
        mul_step d2, r4, d2, 8, z, .Ldone
        mul_step d2, r4, d2, 9, z, .Ldone
        mul_step d2, r4, d2, 10, z, .Ldone
        mul_step d2, r4, d2, 11, z, .Ldone
        mul_step d2, r4, d2, 12, z, .Ldone
        mul_step d2, r4, d2, 13, z, .Ldone
        mul_step d2, r4, d2, 14, z, .Ldone
        mul_step d2, r4, d2, 15, z, .Ldone
        mul_step d2, r4, d2, 16, z, .Ldone
        mul_step d2, r4, d2, 17, z, .Ldone
        mul_step d2, r4, d2, 18, z, .Ldone
        mul_step d2, r4, d2, 19, z, .Ldone
        mul_step d2, r4, d2, 20, z, .Ldone
        mul_step d2, r4, d2, 21, z, .Ldone
        mul_step d2, r4, d2, 22, z, .Ldone
        mul_step d2, r4, d2, 23, z, .Ldone
        mul_step d2, r4, d2, 24, z, .Ldone
        mul_step d2, r4, d2, 25, z, .Ldone
        mul_step d2, r4, d2, 26, z, .Ldone
        mul_step d2, r4, d2, 27, z, .Ldone
        mul_step d2, r4, d2, 28, z, .Ldone
        mul_step d2, r4, d2, 29, z, .Ldone
        mul_step d2, r4, d2, 30, z, .Ldone
        mul_step d2, r4, d2, 31
.Ldone:
        move    r0, r3
        jump    r23
        .size   __mulsi3, . - __mulsi3
