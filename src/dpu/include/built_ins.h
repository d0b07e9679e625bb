// Instructions that C has no word for, as macros: the last letters say destination (r: 32 bits) and sources.
#ifndef PIMENTO_DPU_BUILT_INS_H
#define PIMENTO_DPU_BUILT_INS_H

#include <stdint.h>

#define __PIMENTO_RR(instruction, rc, ra) __asm__(instruction " %0, %1" : "=r"(rc) : "r"(ra))
#define __PIMENTO_RRR(instruction, rc, ra, rb) __asm__(instruction " %0, %1, %2" : "=r"(rc) : "r"(ra), "r"(rb))
#define __PIMENTO_RRRI(instruction, rc, ra, rb, imm) \
  __asm__(instruction " %0, %1, %2, %3" : "=r"(rc) : "r"(ra), "r"(rb), "i"(imm))

// Counts of bits: all ones, leading ones, leading bits like the first, leading zeros.
#define __builtin_cao_rr(rc, ra) __PIMENTO_RR("cao", rc, ra)
#define __builtin_clo_rr(rc, ra) __PIMENTO_RR("clo", rc, ra)
#define __builtin_cls_rr(rc, ra) __PIMENTO_RR("cls", rc, ra)
#define __builtin_clz_rr(rc, ra) __PIMENTO_RR("clz", rc, ra)
// Extension of the lowest byte or half-word.
#define __builtin_extsb_rr(rc, ra) __PIMENTO_RR("extsb", rc, ra)
#define __builtin_extsh_rr(rc, ra) __PIMENTO_RR("extsh", rc, ra)
#define __builtin_extub_rr(rc, ra) __PIMENTO_RR("extub", rc, ra)
#define __builtin_extuh_rr(rc, ra) __PIMENTO_RR("extuh", rc, ra)
// Per byte: 1 where the two are equal, else 0.
#define __builtin_cmpb4_rrr(rc, ra, rb) __PIMENTO_RRR("cmpb4", rc, ra, rb)
// Rotations.
#define __builtin_rol_rrr(rc, ra, rb) __PIMENTO_RRR("rol", rc, ra, rb)
#define __builtin_rol_rri(rc, ra, imm) __asm__("rol %0, %1, %2" : "=r"(rc) : "r"(ra), "i"(imm))
#define __builtin_ror_rrr(rc, ra, rb) __PIMENTO_RRR("ror", rc, ra, rb)
#define __builtin_ror_rri(rc, ra, imm) __asm__("ror %0, %1, %2" : "=r"(rc) : "r"(ra), "i"(imm))
// ra shifted by imm, added to or subtracted from rb: rc = rb + (ra << imm).
#define __builtin_lsl_add_rrri(rc, rb, ra, imm) __PIMENTO_RRRI("lsl_add", rc, rb, ra, imm)
#define __builtin_lsl_sub_rrri(rc, rb, ra, imm) __PIMENTO_RRRI("lsl_sub", rc, rb, ra, imm)
#define __builtin_lsr_add_rrri(rc, rb, ra, imm) __PIMENTO_RRRI("lsr_add", rc, rb, ra, imm)
#define __builtin_rol_add_rrri(rc, rb, ra, imm) __PIMENTO_RRRI("rol_add", rc, rb, ra, imm)
// 8-bit products: of the low (l) or second (h) byte, signed (s) or not (u), of each source.
#define __builtin_mul_sh_sh_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sh_sh", rc, ra, rb)
#define __builtin_mul_sh_sl_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sh_sl", rc, ra, rb)
#define __builtin_mul_sh_uh_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sh_uh", rc, ra, rb)
#define __builtin_mul_sh_ul_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sh_ul", rc, ra, rb)
#define __builtin_mul_sl_sh_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sl_sh", rc, ra, rb)
#define __builtin_mul_sl_sl_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sl_sl", rc, ra, rb)
#define __builtin_mul_sl_uh_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sl_uh", rc, ra, rb)
#define __builtin_mul_sl_ul_rrr(rc, ra, rb) __PIMENTO_RRR("mul_sl_ul", rc, ra, rb)
#define __builtin_mul_uh_uh_rrr(rc, ra, rb) __PIMENTO_RRR("mul_uh_uh", rc, ra, rb)
#define __builtin_mul_uh_ul_rrr(rc, ra, rb) __PIMENTO_RRR("mul_uh_ul", rc, ra, rb)
#define __builtin_mul_ul_uh_rrr(rc, ra, rb) __PIMENTO_RRR("mul_ul_uh", rc, ra, rb)
#define __builtin_mul_ul_ul_rrr(rc, ra, rb) __PIMENTO_RRR("mul_ul_ul", rc, ra, rb)
// Transfers of (imm + 1) * 8 bytes, to which bits 31:24 of the WRAM operand add.
#define __builtin_ldma_rri(wram, mram, imm) \
  __asm__ volatile("ldma %0, %1, %2" : : "r"(wram), "r"((uint32_t)(mram)), "i"(imm) : "memory")
#define __builtin_sdma_rri(wram, mram, imm) \
  __asm__ volatile("sdma %0, %1, %2" : : "r"(wram), "r"((uint32_t)(mram)), "i"(imm) : "memory")

#endif
