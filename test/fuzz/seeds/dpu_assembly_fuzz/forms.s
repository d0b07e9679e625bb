        addc.s d8, r12, -2858225, false
        addc.u d8, r19, 6, xnz
        addc r8, r15, 8388607, false
        addc zero, r20, -2147483648
        addc zero, r7, r1
        adds r9, r7, r20
        add.u d12, r5, r13, mi, 1355
        andn.s d6, r10, -122, mi, 1821
        andn.s d14, r16, r19, nz, 338
        andn r13, id, 127, sz, 3460
        andn r0, r19, r3, snz, 907
        andn zero, id, r19
        and.s d10, r6, -2147483648
        asr.s d14, r23, 0, z
        asr.s d0, r10, r12, snz, 151
        asr r6, r19, 0, nz, 2097
        asr zero, r17, 31
        asr zero, r22, r9, xnz
        boot r5, -128, false, 2640
        call r16, r15, r1
        cao.s d2, r0, z
        cao r9, zero, xnz
        cao zero, r13, nmax, 2636
        cls.s d2, r10
        clz.s d18, r9, z
        cmpb4 r15, id8, r17
        cmpb4 zero, r15, r11, nz
        extsb.s d4, r8
        extsb zero, r3, z, 3945
        extub.u d22, r20
        extuh zero, r12
        hash.s d4, r18, r13, z
        hash zero, mneg, -61474139, xz
        jges r10, r15, 212
        jgts r23, r21, 1358
        jles r11, r7, 2011
        jlts one, r5, 3556
        jneq r5, r12, 1291
        jump r1, 754
        lbs.s d10, zero, 0xb
        lbu.u !little, d14, r0, 0x2
        ldma r11, r20, 0x0
        lhss r7, id4, 8388607
        lhs r23, zero, -8388608
        lhu r12, r21, 8388607
        lsl1.s d16, r20, 0x1f
        lslx.s d20, r3, r17
        lsl_add.s d0, r13, lneg, 0x1f, true, 894
        lsl_add zero, r7, r6, 6, true, 3191
        lsl.s d12, id, 20
        lsr1x.s d4, r19, 0x1f, nz
        lsr1.u d0, id, 16, xnz, 493
        lsrx.s d18, id, 0, z
        lsr.s d14, r1, 31
        lw.s !big, d12, r17, -1852220
        move.s d12, -2147483648
        move.u d10, 4294967295
        move r11, r10, spl, 3775
        mul_sh_sh r23, r14, r8
        mul_sh_sh zero, r9, r15, xnz
        mul_sh_uh.s d10, id, r20
        mul_sl_sh.s d6, id, r4
        mul_sl_uh.s d20, r3, r16
        mul_sl_ul r18, r13, r18, nz
        mul_uh_uh.u d6, r11, r10, z
        mul_ul_uh.u d10, r3, r21
        mul_ul_ul r9, r12, r4, nz, 3092
        neg r18, r13
        nor.s d0, r9, -16, spl, 2130
        not r18, r13
        nxor.u d4, r21, 0x51, snz, 1170
        orn.s d14, r20, -17, xnz, 3892
        or r4, r8, r11, xz
        release lneg, 11, nz, 1551
        rol_add.s d0, r3, r3, 0, spl, 3574
        rol.u d8, r2, 31
        ror.s d20, r4, 0
        rsubc.s d22, id4, r11, xnz
        rsubc r8, id4, r6, ov, 473
        rsub.s d20, r22, r11, xz
        sats.u d10, r17, z
        sb_id r16, 15
        sb !little, s4, -8388608, r9
        sds r14, 0xf, -32768
        sd !big, id, 2047, 19332
        shs r9, 5, r9
        sh !little, r0, -20, r23
        stop nz, 3383
        subc.s d2, r20, 0x4ca10, xgtu
        subc.u d4, r8, 0x10, nc
        subc r21, 12, r12, lts, 2472
        subc r4, mneg, r1, xnz
        subc zero, -9, r13, false
        subs r14, r1, -11
        sub.s d2, one, 0x6, false
        swapd d14, d8, false, 2403
        sw_id r6, -9
        tell r19, 11
        time_cfg r10, r2
        time.s d16
        time r8, true, 2051
        xor.s d22, r12, -10, mi, 1527
