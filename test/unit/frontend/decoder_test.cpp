// Registers that instructions read and write, by the architectures' manuals: not by what the decoder or LLVM says.
// Rounding modes and exception flags of floating-point arithmetic are left out.
#include "pimento/frontend/decoder/decoder.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace pimento::frontend {
namespace {

using trace::Instruction;
using trace::Isa;

struct Row {
  Isa isa;
  const char *bytes;  ///< in memory, hexadecimal
  const char *text;   ///< for people
  const char *reads, *writes;
  const char *marks;  ///< c conditional, b writes its base, l loads, s stores
};

// clang-format off
constexpr Row kRows[] = {
    {Isa::kA64, "2000020b", "add w0, w1, w2", "x1 x2", "x0", ""},
    {Isa::kA64, "20144091", "add x0, x1, #5, lsl #12", "x1", "x0", ""},
    {Isa::kA64, "200c02ab", "adds x0, x1, x2, lsl #3", "x1 x2", "x0 flags", ""},
    {Isa::kA64, "2000026b", "subs w0, w1, w2", "x1 x2", "x0 flags", ""},
    {Isa::kA64, "3f00026b", "cmp w1, w2", "x1 x2", "flags", ""},
    {Isa::kA64, "3f1000b1", "cmn x1, #4", "x1", "flags", ""},
    {Isa::kA64, "7f1c40f2", "tst x3, #0xff", "x3", "flags", ""},
    {Isa::kA64, "2000029a", "adc x0, x1, x2", "x1 x2 flags", "x0", ""},
    {Isa::kA64, "2000027a", "sbcs w0, w1, w2", "x1 x2 flags", "x0 flags", ""},
    {Isa::kA64, "e00301cb", "neg x0, x1", "x1", "x0", ""},
    {Isa::kA64, "201c1812", "and w0, w1, #0xff00", "x1", "x0", ""},
    {Isa::kA64, "200002aa", "orr x0, x1, x2", "x1 x2", "x0", ""},
    {Isa::kA64, "e00301aa", "mov x0, x1", "x1", "x0", ""},
    {Isa::kA64, "3f000091", "mov sp, x1", "x1", "sp", ""},
    {Isa::kA64, "23028052", "mov w3, #17", "", "x3", ""},
    {Isa::kA64, "2300a0f2", "movk x3, #1, lsl #16", "x3", "x3", ""},
    {Isa::kA64, "e103222a", "mvn w1, w2", "x2", "x1", ""},
    {Isa::kA64, "4100238a", "bic x1, x2, x3", "x2 x3", "x1", ""},
    {Isa::kA64, "0010c14a", "eor w0, w0, w1, ror #4", "x0 x1", "x0", ""},
    {Isa::kA64, "20741e53", "lsl w0, w1, #2", "x1", "x0", ""},
    {Isa::kA64, "2024c29a", "lsr x0, x1, x2", "x1 x2", "x0", ""},
    {Isa::kA64, "200c7db3", "bfi x0, x1, #3, #4", "x0 x1", "x0", ""},
    {Isa::kA64, "201c4093", "sxtb x0, w1", "x1", "x0", ""},
    {Isa::kA64, "200c029b", "madd x0, x1, x2, x3", "x1 x2 x3", "x0", ""},
    {Isa::kA64, "207cc29b", "umulh x0, x1, x2", "x1 x2", "x0", ""},
    {Isa::kA64, "2008c29a", "udiv x0, x1, x2", "x1 x2", "x0", ""},
    {Isa::kA64, "2000829a", "csel x0, x1, x2, eq", "x1 x2 flags", "x0", ""},
    {Isa::kA64, "e0079f1a", "cset w0, ne", "flags", "x0", ""},
    {Isa::kA64, "200843fa", "ccmp x1, #3, #0, eq", "x1 flags", "flags", ""},
    {Isa::kA64, "000000b0", "adrp x0, #4096", "", "x0", ""},
    {Isa::kA64, "204440b8", "ldr w0, [x1], #4", "x1", "x0 x1", "bl"},
    {Isa::kA64, "208c40f8", "ldr x0, [x1, #8]!", "x1", "x0 x1", "bl"},
    {Isa::kA64, "2068a238", "ldrsb x0, [x1, x2]", "x1 x2", "x0", "l"},
    {Isa::kA64, "205862f8", "ldr x0, [x1, w2, uxtw #3]", "x1 x2", "x0", "l"},
    {Isa::kA64, "e10bc1a8", "ldp x1, x2, [sp], #16", "sp", "x1 x2 sp", "bl"},
    {Isa::kA64, "61084069", "ldpsw x1, x2, [x3]", "x3", "x1 x2", "l"},
    {Isa::kA64, "40000058", "ldr x0, #8", "", "x0", "l"},
    {Isa::kA64, "200400b9", "str w0, [x1, #4]", "x0 x1", "", "s"},
    {Isa::kA64, "3f0000f9", "str xzr, [x1]", "x1", "", "s"},
    {Isa::kA64, "e10bbfa9", "stp x1, x2, [sp, #-16]!", "x1 x2 sp", "sp", "bs"},
    {Isa::kA64, "207c5fc8", "ldxr x0, [x1]", "x1", "x0", "l"},
    {Isa::kA64, "417c00c8", "stxr w0, x1, [x2]", "x1 x2", "x0", "s"},
    {Isa::kA64, "410020b8", "ldadd w0, w1, [x2]", "x0 x2", "x1", "ls"},
    {Isa::kA64, "417ca0c8", "cas x0, x1, [x2]", "x0 x1 x2", "x0", "ls"},
    {Isa::kA64, "20fcdfc8", "ldar x0, [x1]", "x1", "x0", "l"},
    {Isa::kA64, "02000014", "b #8", "", "", ""},
    {Isa::kA64, "40000054", "b.eq #8", "flags", "", "c"},
    {Isa::kA64, "410000b4", "cbz x1, #8", "x1", "", "c"},
    {Isa::kA64, "41001837", "tbnz x1, #3, #8", "x1", "", "c"},
    {Isa::kA64, "02000094", "bl #8", "", "x30", ""},
    {Isa::kA64, "20001fd6", "br x1", "x1", "", ""},
    {Isa::kA64, "40003fd6", "blr x2", "x2", "x30", ""},
    {Isa::kA64, "c0035fd6", "ret", "x30", "", ""},
    {Isa::kA64, "010000d4", "svc #0", "", "", ""},
    {Isa::kA64, "40d03bd5", "mrs x0, TPIDR_EL0", "", "x0", ""},
    {Isa::kA64, "bf3b03d5", "dmb ish", "", "", ""},
    {Isa::kA64, "2028621e", "fadd d0, d1, d2", "v1 v2", "v0", ""},
    {Isa::kA64, "200c021f", "fmadd s0, s1, s2, s3", "v1 v2 v3", "v0", ""},
    {Isa::kA64, "0020611e", "fcmp d0, d1", "v0 v1", "flags", ""},
    {Isa::kA64, "2000781e", "fcvtzs w0, d1", "v1", "x0", ""},
    {Isa::kA64, "2000679e", "fmov d0, x1", "x1", "v0", ""},
    {Isa::kA64, "2084a24e", "add v0.4s, v1.4s, v2.4s", "v1 v2", "v0", ""},
    {Isa::kA64, "2094a24e", "mla v0.4s, v1.4s, v2.4s", "v0 v1 v2", "v0", ""},
    {Isa::kA64, "2000c03d", "ldr q0, [x1]", "x1", "v0", "l"},
    {Isa::kA64, "40a0df4c", "ld1 {v0.16b, v1.16b}, [x2], #32", "x2", "v0 v1 x2", "bl"},
    {Isa::kA64, "2078004c", "st1 {v0.4s}, [x1]", "v0 x1", "", "s"},
    {Isa::kA64, "200c044e", "dup v0.4s, w1", "x1", "v0", ""},
    {Isa::kA64, "203c0c0e", "umov w0, v1.s[1]", "v1", "x0", ""},
    {Isa::kA32, "ff0c81e2", "add r0, r1, #0xff00", "r1", "r0", ""},
    {Isa::kA32, "020091e0", "adds r0, r1, r2", "r1 r2", "r0 flags", ""},
    {Isa::kA32, "82018100", "addeq r0, r1, r2, lsl #3", "r0 r1 r2 flags", "r0", "c"},
    {Isa::kA32, "120381e0", "add r0, r1, r2, lsl r3", "r1 r2 r3", "r0", ""},
    {Isa::kA32, "000061e2", "rsb r0, r1, #0", "r1", "r0", ""},
    {Isa::kA32, "0200a1e0", "adc r0, r1, r2", "r1 r2 flags", "r0", ""},
    {Isa::kA32, "0200d1e0", "sbcs r0, r1, r2", "r1 r2 flags", "r0 flags", ""},
    {Isa::kA32, "040050e3", "cmp r0, #4", "r0", "flags", ""},
    {Isa::kA32, "010010e1", "tst r0, r1", "r0 r1", "flags", ""},
    {Isa::kA32, "01003011", "teqne r0, r1", "r0 r1 flags", "flags", "c"},
    {Isa::kA32, "0100a0e1", "mov r0, r1", "r1", "r0", ""},
    {Isa::kA32, "0100a013", "movne r0, #1", "r0 flags", "r0", "c"},
    {Isa::kA32, "d20400e3", "movw r0, #1234", "", "r0", ""},
    {Isa::kA32, "0c0040e3", "movt r0, #12", "r0", "r0", ""},
    {Isa::kA32, "0400e0e1", "mvn r0, r4", "r4", "r0", ""},
    {Isa::kA32, "3102a0e1", "mov r0, r1, lsr r2", "r1 r2", "r0", ""},
    {Isa::kA32, "0101b0e1", "lsls r0, r1, #2", "r1", "r0 flags", ""},
    {Isa::kA32, "0100c0e3", "bic r0, r0, #1", "r0", "r0", ""},
    {Isa::kA32, "7100efe6", "uxtb r0, r1", "r1", "r0", ""},
    {Isa::kA32, "1101c4e7", "bfi r0, r1, #2, #3", "r0 r1", "r0", ""},
    {Isa::kA32, "910200e0", "mul r0, r1, r2", "r1 r2", "r0", ""},
    {Isa::kA32, "913220e0", "mla r0, r1, r2, r3", "r1 r2 r3", "r0", ""},
    {Isa::kA32, "920381e0", "umull r0, r1, r2, r3", "r2 r3", "r0 r1", ""},
    {Isa::kA32, "9203a1e0", "umlal r0, r1, r2, r3", "r0 r1 r2 r3", "r0 r1", ""},
    {Isa::kA32, "11f230e7", "udiv r0, r1, r2", "r1 r2", "r0", ""},
    {Isa::kA32, "0400b1e5", "ldr r0, [r1, #4]!", "r1", "r0 r1", "bl"},
    {Isa::kA32, "040091e4", "ldr r0, [r1], #4", "r1", "r0 r1", "bl"},
    {Isa::kA32, "0200d1e7", "ldrb r0, [r1, r2]", "r1 r2", "r0", "l"},
    {Isa::kA32, "f200d1e1", "ldrsh r0, [r1, #2]", "r1", "r0", "l"},
    {Isa::kA32, "d800c2e1", "ldrd r0, r1, [r2, #8]", "r2", "r0 r1", "l"},
    {Isa::kA32, "00009105", "ldreq r0, [r1]", "r0 r1 flags", "r0", "cl"},
    {Isa::kA32, "0e00b0e8", "ldm r0!, {r1, r2, r3}", "r0", "r0 r1 r2 r3", "bl"},
    {Isa::kA32, "060090e8", "ldm r0, {r1, r2}", "r0", "r1 r2", "l"},
    {Isa::kA32, "1080bde8", "pop {r4, pc}", "r13", "r4 r13", "bl"},
    {Isa::kA32, "10402de9", "push {r4, lr}", "r4 r13 r14", "r13", "bs"},
    {Isa::kA32, "0400a1e5", "str r0, [r1, #4]!", "r0 r1", "r1", "bs"},
    {Isa::kA32, "0201c1e7", "strb r0, [r1, r2, lsl #2]", "r0 r1 r2", "", "s"},
    {Isa::kA32, "f000c2e1", "strd r0, r1, [r2]", "r0 r1 r2", "", "s"},
    {Isa::kA32, "060080e8", "stm r0, {r1, r2}", "r0 r1 r2", "", "s"},
    {Isa::kA32, "9f0f91e1", "ldrex r0, [r1]", "r1", "r0", "l"},
    {Isa::kA32, "910f82e1", "strex r0, r1, [r2]", "r1 r2", "r0", "s"},
    {Isa::kA32, "020000ea", "b #8", "", "", ""},
    {Isa::kA32, "0200001a", "bne #8", "flags", "", "c"},
    {Isa::kA32, "020000eb", "bl #8", "", "r14", ""},
    {Isa::kA32, "1eff2fe1", "bx lr", "r14", "", ""},
    {Isa::kA32, "13ff2fe1", "bx r3", "r3", "", ""},
    {Isa::kA32, "33ff2fe1", "blx r3", "r3", "r14", ""},
    {Isa::kA32, "0ef0a0e1", "mov pc, lr", "r14", "", ""},
    {Isa::kA32, "00f091e5", "ldr pc, [r1]", "r1", "", "l"},
    {Isa::kA32, "000000ef", "svc #0", "", "", ""},
    {Isa::kA32, "00f0d1f5", "pld [r1]", "r1", "", ""},
    {Isa::kA32, "5bf07ff5", "dmb ish", "", "", ""},
    {Isa::kA32, "020a31ee", "vadd.f32 s0, s2, s4", "d1 d2", "d0", ""},
    {Isa::kA32, "020b31ee", "vadd.f64 d0, d1, d2", "d1 d2", "d0", ""},
    {Isa::kA32, "020b01ee", "vmla.f64 d0, d1, d2", "d0 d1 d2", "d0", ""},
    {Isa::kA32, "410bb4ee", "vcmp.f64 d0, d1", "d0 d1", "fpstatus", ""},
    {Isa::kA32, "10faf1ee", "vmrs APSR_nzcv, fpscr", "fpstatus", "flags", ""},
    {Isa::kA32, "440822f2", "vadd.i32 q0, q1, q2", "d2 d3 d4 d5", "d0 d1", ""},
    {Isa::kA32, "000b91ed", "vldr d0, [r1]", "r1", "d0", "l"},
    {Isa::kA32, "042bb1ec", "vldmia r1!, {d2, d3}", "r1", "r1 d2 d3", "bl"},
    {Isa::kA32, "042b81ec", "vstmia r1, {d2, d3}", "r1 d2 d3", "", "s"},
    {Isa::kA32, "100a11ee", "vmov r0, s2", "d1", "r0", ""},
    {Isa::kT32, "481c", "adds r0, r1, #1", "r1", "r0 flags", ""},
    {Isa::kT32, "02a8", "add r0, sp, #8", "r13", "r0", ""},
    {Isa::kT32, "01eb8200", "add.w r0, r1, r2, lsl #2", "r1 r2", "r0", ""},
    {Isa::kT32, "881a", "subs r0, r1, r2", "r1 r2", "r0 flags", ""},
    {Isa::kT32, "0428", "cmp r0, #4", "r0", "flags", ""},
    {Isa::kT32, "0120", "movs r0, #1", "", "r0 flags", ""},
    {Isa::kT32, "4046", "mov r0, r8", "r8", "r0", ""},
    {Isa::kT32, "c843", "mvns r0, r1", "r1", "r0 flags", ""},
    {Isa::kT32, "0840", "ands r0, r1", "r0 r1", "r0 flags", ""},
    {Isa::kT32, "41ea0200", "orr.w r0, r1, r2", "r1 r2", "r0", ""},
    {Isa::kT32, "8800", "lsls r0, r1, #2", "r1", "r0 flags", ""},
    {Isa::kT32, "4868", "ldr r0, [r1, #4]", "r1", "r0", "l"},
    {Isa::kT32, "0198", "ldr r0, [sp, #4]", "r13", "r0", "l"},
    {Isa::kT32, "51f8040b", "ldr.w r0, [r1], #4", "r1", "r0 r1", "bl"},
    {Isa::kT32, "d2e90001", "ldrd r0, r1, [r2]", "r2", "r0 r1", "l"},
    {Isa::kT32, "4860", "str r0, [r1, #4]", "r0 r1", "", "s"},
    {Isa::kT32, "01f8010f", "strb.w r0, [r1, #1]!", "r0 r1", "r1", "bs"},
    {Isa::kT32, "10b5", "push {r4, lr}", "r4 r13 r14", "r13", "bs"},
    {Isa::kT32, "10bd", "pop {r4, pc}", "r13", "r4 r13", "bl"},
    {Isa::kT32, "06c8", "ldmia r0!, {r1, r2}", "r0", "r0 r1 r2", "bl"},
    {Isa::kT32, "04e0", "b #8", "", "", ""},
    {Isa::kT32, "04d1", "bne #8", "flags", "", "c"},
    {Isa::kT32, "20b1", "cbz r0, #8", "r0", "", "c"},
    {Isa::kT32, "00f004f8", "bl #8", "", "r14", ""},
    {Isa::kT32, "7047", "bx lr", "r14", "", ""},
    {Isa::kT32, "9847", "blx r3", "r3", "r14", ""},
    {Isa::kT32, "40f2d240", "movw r0, #1234", "", "r0", ""},
    {Isa::kT32, "b1fbf2f0", "udiv r0, r1, r2", "r1 r2", "r0", ""},
    {Isa::kT32, "48b2", "sxtb r0, r1", "r1", "r0", ""},
    {Isa::kT32, "dfe800f0", "tbb [pc, r0]", "r0", "", "l"},
    {Isa::kRv64, "3385c500", "add a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "13855500", "addi a0, a1, 5", "x11", "x10", ""},
    {Isa::kRv64, "3b85c500", "addw a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "3385c540", "sub a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "33f5c500", "and a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "13e53500", "ori a0, a1, 3", "x11", "x10", ""},
    {Isa::kRv64, "33c5c500", "xor a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "3395c500", "sll a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "13d54540", "srai a0, a1, 4", "x11", "x10", ""},
    {Isa::kRv64, "33b5c500", "sltu a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "4165", "lui a0, 16", "", "x10", ""},
    {Isa::kRv64, "17050100", "auipc a0, 16", "", "x10", ""},
    {Isa::kRv64, "3385c502", "mul a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "33d5c502", "divu a0, a1, a2", "x11 x12", "x10", ""},
    {Isa::kRv64, "8865", "ld a0, 8(a1)", "x11", "x10", "l"},
    {Isa::kRv64, "03c51500", "lbu a0, 1(a1)", "x11", "x10", "l"},
    {Isa::kRv64, "2ae4", "sd a0, 8(sp)", "x10 x2", "", "s"},
    {Isa::kRv64, "23800500", "sb zero, 0(a1)", "x11", "", "s"},
    {Isa::kRv64, "6304b500", "beq a0, a1, 8", "x10 x11", "", "c"},
    {Isa::kRv64, "01e5", "bnez a0, 8", "x10", "", "c"},
    {Isa::kRv64, "ef008000", "jal ra, 8", "", "x1", ""},
    {Isa::kRv64, "21a0", "j 8", "", "", ""},
    {Isa::kRv64, "0295", "jalr a0", "x10", "x1", ""},
    {Isa::kRv64, "0285", "jr a0", "x10", "", ""},
    {Isa::kRv64, "8280", "ret", "x1", "", ""},
    {Isa::kRv64, "73000000", "ecall", "", "", ""},
    {Isa::kRv64, "0f00f00f", "fence", "", "", ""},
    {Isa::kRv64, "2fb50510", "lr.d a0, (a1)", "x11", "x10", "l"},
    {Isa::kRv64, "2f35b618", "sc.d a0, a1, (a2)", "x11 x12", "x10", "s"},
    {Isa::kRv64, "2f25b600", "amoadd.w a0, a1, (a2)", "x11 x12", "x10", "ls"},
    {Isa::kRv64, "53f5c502", "fadd.d fa0, fa1, fa2", "f11 f12", "f10", ""},
    {Isa::kRv64, "8821", "fld fa0, 0(a1)", "x11", "f10", "l"},
    {Isa::kRv64, "88a1", "fsd fa0, 0(a1)", "f10 x11", "", "s"},
    {Isa::kRv64, "539505c2", "fcvt.w.d a0, fa1, rtz", "f11", "x10", ""},
    {Isa::kRv64, "732500c0", "csrr a0, cycle", "", "x10", ""},
    {Isa::kRv64, "2e95", "c.add a0, a1", "x10 x11", "x10", ""},
    {Isa::kRv64, "0d05", "c.addi a0, 3", "x10", "x10", ""},
    {Isa::kRv64, "2e85", "c.mv a0, a1", "x11", "x10", ""},
    {Isa::kRv64, "0d45", "c.li a0, 3", "", "x10", ""},
    {Isa::kRv64, "1245", "c.lwsp a0, 4(sp)", "x2", "x10", "l"},
    {Isa::kRv64, "2ae4", "c.sdsp a0, 8(sp)", "x10 x2", "", "s"},
    {Isa::kRv64, "8280", "c.jr ra", "x1", "", ""},
    {Isa::kRv64, "01c5", "c.beqz a0, 8", "x10", "", "c"},
};
// clang-format on

std::string bytesOf(const std::string &hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

Instruction decoded(const Row &row) {
  const EncodedInstruction e{0x1000, bytesOf(row.bytes), row.isa == Isa::kA32 ? std::string(row.text) : ""};
  // Four bytes of T32 are told from A32 by a neighbour of two.
  std::vector<EncodedInstruction> code = {e};
  if (row.isa == Isa::kT32) code.push_back({0x1004, bytesOf("00bf"), "nop"});
  const auto out = decodeInstructions(row.isa, code);
  if (!out) {
    ADD_FAILURE() << out.diagnostics().front().str();
    return {};
  }
  return out->front();
}

std::set<std::string> setOf(const trace::RegisterSet &registers, Isa isa) {
  std::set<std::string> out;
  for (const trace::Register r : registers) out.insert(registerName(isa, r));
  return out;
}

std::set<std::string> setOf(const char *words) {
  std::istringstream in(words);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(Decoder, ReadsAndWritesWhatTheManualsSay) {
  for (const Row &row : kRows) {
    const Instruction in = decoded(row);
    SCOPED_TRACE(std::string(row.text) + " (" + in.text + ")");
    EXPECT_EQ(in.isa, row.isa);
    EXPECT_EQ(setOf(in.reads, row.isa), setOf(row.reads));
    EXPECT_EQ(setOf(in.writes, row.isa), setOf(row.writes));
    const std::string marks = row.marks;
    EXPECT_EQ(in.isConditional, marks.find('c') != std::string::npos);
    EXPECT_EQ(in.writesBack, marks.find('b') != std::string::npos);
    EXPECT_EQ(in.loads, marks.find('l') != std::string::npos);
    EXPECT_EQ(in.stores, marks.find('s') != std::string::npos);
  }
}

Instruction of(Isa isa, const char *bytes, const char *text) {
  return decoded({isa, bytes, text, "", "", ""});
}

TEST(Decoder, KnowsConstants) {
  EXPECT_EQ(of(Isa::kA64, "201c1812", "and w0, w1, #0xff00").operands[1].immediate, 0xff00);
  EXPECT_EQ(of(Isa::kA64, "20144091", "add x0, x1, #5, lsl #12").operands[1].immediate, 5 << 12);
  EXPECT_EQ(of(Isa::kA32, "ff0c81e2", "add r0, r1, #0xff00").operands[1].immediate, 0xff00);
  EXPECT_EQ(of(Isa::kA32, "00008fe0", "add r0, pc, r0").operands[0].immediate, 0x1008) << "the program counter";
}

TEST(Decoder, KnowsWhatIsNoInstruction) {
  const Instruction in = of(Isa::kA64, "ffffffff", "");
  EXPECT_TRUE(in.text.starts_with(".inst"));
  EXPECT_EQ(in.reads.size(), 0);
}

TEST(Decoder, TellsJumpsApart) {
  using enum trace::Operation;
  EXPECT_EQ(of(Isa::kA32, "1080bde8", "pop {r4, pc}").operation, kReturn);
  EXPECT_EQ(of(Isa::kA32, "00f091e5", "ldr pc, [r1]").operation, kIndirect);
  EXPECT_EQ(of(Isa::kA32, "1eff2fe1", "bx lr").operation, kReturn);
  EXPECT_EQ(of(Isa::kA64, "c0035fd6", "ret").operation, kReturn);
  EXPECT_EQ(of(Isa::kRv64, "8280", "ret").operation, kReturn);
  EXPECT_EQ(of(Isa::kRv64, "ef008000", "jal ra, 8").operation, kCall);
}

}  // namespace
}  // namespace pimento::frontend
