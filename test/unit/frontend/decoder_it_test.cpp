// IT blocks of T32: what each of their instructions reads and writes, and those after them, by the manual.
#include <gtest/gtest.h>

#include <vector>

#include "decoder_row.h"
#include "pimento/frontend/decoder/decoder.h"

namespace pimento::frontend {
namespace {

std::vector<trace::Instruction> decoded(const std::vector<Row> &rows) {
  std::vector<EncodedInstruction> code;
  std::uint64_t address = 0x1000;
  for (const Row &row : rows) {
    code.push_back({address, bytesOf(row.bytes), row.text});
    address += code.back().bytes.size();
  }
  const auto out = decodeInstructions(Isa::kT32, code);
  if (!out) {
    ADD_FAILURE() << out.diagnostics().front().str();
    return std::vector<trace::Instruction>(rows.size());
  }
  return *out;
}

// clang-format off
const std::vector<Row> kSequences[] = {
    // One instruction; flags are written again after the block.
    {
        {Isa::kT32, "08bf", "it eq", "", "", ""},
        {Isa::kT32, "0844", "addeq r0, r1", "r0 r1 flags", "r0", "c"},
        {Isa::kT32, "401c", "adds r0, r0, #1", "r0", "r0 flags", ""},
    },
    // Either of two.
    {
        {Isa::kT32, "14bf", "ite ne", "", "", ""},
        {Isa::kT32, "0120", "movne r0, #1", "r0 flags", "r0", "c"},
        {Isa::kT32, "4046", "moveq r0, r8", "r0 r8 flags", "r0", "c"},
        {Isa::kT32, "4046", "mov r0, r8", "r8", "r0", ""},
    },
    // A load and a store.
    {
        {Isa::kT32, "a4bf", "itt ge", "", "", ""},
        {Isa::kT32, "4868", "ldrge r0, [r1, #4]", "r0 r1 flags", "r0", "cl"},
        {Isa::kT32, "1060", "strge r0, [r2]", "r0 r2 flags", "", "cs"},
        {Isa::kT32, "1060", "str r0, [r2]", "r0 r2", "", "s"},
    },
    // Four, short forms without flags.
    {
        {Isa::kT32, "0bbf", "itete eq", "", "", ""},
        {Isa::kT32, "481c", "addeq r0, r1, #1", "r0 r1 flags", "r0", "c"},
        {Isa::kT32, "0238", "subne r0, #2", "r0 flags", "r0", "c"},
        {Isa::kT32, "8800", "lsleq r0, r1, #2", "r0 r1 flags", "r0", "c"},
        {Isa::kT32, "4843", "mulne r0, r1, r0", "r0 r1 flags", "r0", "c"},
        {Isa::kT32, "4843", "muls r0, r1, r0", "r0 r1", "r0 flags", ""},
    },
    // Three, with the carry flag and the other condition.
    {
        {Isa::kT32, "26bf", "itte cs", "", "", ""},
        {Isa::kT32, "4841", "adccs r0, r1", "r0 r1 flags", "r0", "c"},
        {Isa::kT32, "9a41", "sbccs r2, r3", "r2 r3 flags", "r2", "c"},
        {Isa::kT32, "c843", "mvncc r0, r1", "r0 r1 flags", "r0", "c"},
    },
    // Write-back and lists, a return at the end.
    {
        {Isa::kT32, "3fbf", "itttt lo", "", "", ""},
        {Isa::kT32, "11f8010b", "ldrblo r0, [r1], #1", "r0 r1 flags", "r0 r1", "cbl"},
        {Isa::kT32, "e4e90223", "strdlo r2, r3, [r4, #8]!", "r2 r3 r4 flags", "r4", "cbs"},
        {Isa::kT32, "c0cd", "ldmialo r5!, {r6, r7}", "r5 r6 r7 flags", "r5 r6 r7", "cbl"},
        {Isa::kT32, "10bd", "poplo {r4, pc}", "r4 r13 flags", "r4 r13", "cbl"},
        {Isa::kT32, "10bd", "pop {r4, pc}", "r13", "r4 r13", "bl"},
    },
    // Push and pop.
    {
        {Isa::kT32, "0cbf", "ite eq", "", "", ""},
        {Isa::kT32, "01b5", "pusheq {r0, lr}", "r0 r13 r14 flags", "r13", "cbs"},
        {Isa::kT32, "01bc", "popne {r0}", "r0 r13 flags", "r0 r13", "cbl"},
    },
    // Branches at the end.
    {
        {Isa::kT32, "c8bf", "it gt", "", "", ""},
        {Isa::kT32, "04e0", "bgt #8", "flags", "", "c"},
        {Isa::kT32, "04e0", "b #8", "", "", ""},
    },
    {
        {Isa::kT32, "18bf", "it ne", "", "", ""},
        {Isa::kT32, "7047", "bxne lr", "r14 flags", "", "c"},
    },
    {
        {Isa::kT32, "1cbf", "itt ne", "", "", ""},
        {Isa::kT32, "0120", "movne r0, #1", "r0 flags", "r0", "c"},
        {Isa::kT32, "9847", "blxne r3", "r3 r14 flags", "r14", "c"},
        {Isa::kT32, "9847", "blx r3", "r3", "r14", ""},
    },
    {
        {Isa::kT32, "18bf", "it ne", "", "", ""},
        {Isa::kT32, "00f004f8", "blne #8", "r14 flags", "r14", "c"},
    },
    {
        {Isa::kT32, "88bf", "it hi", "", "", ""},
        {Isa::kT32, "f746", "movhi pc, lr", "r14 flags", "", "c"},
    },
    {
        {Isa::kT32, "88bf", "it hi", "", "", ""},
        {Isa::kT32, "d1f800f0", "ldrhi.w pc, [r1]", "r1 flags", "", "cl"},
    },
    {
        {Isa::kT32, "08bf", "it eq", "", "", ""},
        {Isa::kT32, "dfe800f0", "tbbeq [pc, r0]", "r0 flags", "", "cl"},
    },
    // Comparisons within.
    {
        {Isa::kT32, "04bf", "itt eq", "", "", ""},
        {Isa::kT32, "0128", "cmpeq r0, #1", "r0 flags", "flags", "c"},
        {Isa::kT32, "04e0", "beq #8", "flags", "", "c"},
    },
    {
        {Isa::kT32, "1ebf", "ittt ne", "", "", ""},
        {Isa::kT32, "0842", "tstne r0, r1", "r0 r1 flags", "flags", "c"},
        {Isa::kT32, "c845", "cmpne r8, r9", "r8 r9 flags", "flags", "c"},
        {Isa::kT32, "90ea010f", "teqne.w r0, r1", "r0 r1 flags", "flags", "c"},
        {Isa::kT32, "c845", "cmp r8, r9", "r8 r9", "flags", ""},
    },
    // Flags written within, by long forms.
    {
        {Isa::kT32, "04bf", "itt eq", "", "", ""},
        {Isa::kT32, "11eb0200", "addseq.w r0, r1, r2", "r0 r1 r2 flags", "r0 flags", "c"},
        {Isa::kT32, "4841", "adceq r0, r1", "r0 r1 flags", "r0", "c"},
    },
    // Two destinations, and part of one.
    {
        {Isa::kT32, "2cbf", "ite cs", "", "", ""},
        {Isa::kT32, "a2fb0301", "umullcs r0, r1, r2, r3", "r0 r1 r2 r3 flags", "r0 r1", "c"},
        {Isa::kT32, "c0f20100", "movtcc r0, #1", "r0 flags", "r0", "c"},
    },
    // Exclusives.
    {
        {Isa::kT32, "9cbf", "itt ls", "", "", ""},
        {Isa::kT32, "51e8000f", "ldrexls r0, [r1]", "r0 r1 flags", "r0", "cl"},
        {Isa::kT32, "41e80020", "strexls r0, r2, [r1]", "r0 r1 r2 flags", "r0", "cs"},
    },
    // Floating point and vectors.
    {
        {Isa::kT32, "41bf", "itttt mi", "", "", ""},
        {Isa::kT32, "31ee020b", "vaddmi.f64 d0, d1, d2", "d0 d1 d2 flags", "d0", "c"},
        {Isa::kT32, "91ed003b", "vldrmi d3, [r1]", "d3 r1 flags", "d3", "cl"},
        {Isa::kT32, "81ed000b", "vstrmi d0, [r1]", "d0 r1 flags", "", "cs"},
        {Isa::kT32, "11ee100a", "vmovmi r0, s2", "d1 r0 flags", "r0", "c"},
        {Isa::kT32, "31ee020b", "vadd.f64 d0, d1, d2", "d1 d2", "d0", ""},
    },
    {
        {Isa::kT32, "42bf", "ittt mi", "", "", ""},
        {Isa::kT32, "b4ee410b", "vcmpmi.f64 d0, d1", "d0 d1 fpstatus flags", "fpstatus", "c"},
        {Isa::kT32, "f1ee10fa", "vmrsmi APSR_nzcv, fpscr", "fpstatus flags", "flags", "c"},
        {Isa::kT32, "b1ec042b", "vldmiami r1!, {d2, d3}", "d2 d3 r1 flags", "d2 d3 r1", "cbl"},
    },
    // System calls and hints.
    {
        {Isa::kT32, "64bf", "itt vs", "", "", ""},
        {Isa::kT32, "00df", "svcvs #0", "flags r0 r1 r2 r3 r4 r5 r6 r7", "r0", "c"},
        {Isa::kT32, "00bf", "nopvs", "flags", "", "c"},
        {Isa::kT32, "00bf", "nop", "", "", ""},
    },
    // A break is not predicated, but takes its place in the block.
    {
        {Isa::kT32, "04bf", "itt eq", "", "", ""},
        {Isa::kT32, "00be", "bkpt #0", "", "", ""},
        {Isa::kT32, "0844", "addeq r0, r1", "r0 r1 flags", "r0", "c"},
        {Isa::kT32, "0844", "add r0, r1", "r0 r1", "r0", ""},
    },
    // Always.
    {
        {Isa::kT32, "e8bf", "it al", "", "", ""},
        {Isa::kT32, "0844", "addal r0, r1", "r0 r1", "r0", ""},
    },
    // A block after a block.
    {
        {Isa::kT32, "08bf", "it eq", "", "", ""},
        {Isa::kT32, "0844", "addeq r0, r1", "r0 r1 flags", "r0", "c"},
        {Isa::kT32, "b8bf", "it lt", "", "", ""},
        {Isa::kT32, "401e", "sublt r0, r0, #1", "r0 flags", "r0", "c"},
        {Isa::kT32, "401e", "subs r0, r0, #1", "r0", "r0 flags", ""},
    },
};
// clang-format on

TEST(DecoderIt, MakesInstructionsConditional) {
  for (const std::vector<Row> &rows : kSequences) {
    SCOPED_TRACE(rows.front().text);
    const auto out = decoded(rows);
    ASSERT_EQ(out.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) expectAs(rows[i], out[i]);
  }
}

TEST(DecoderIt, ForgetsItsBlockAtTheNextCall) {
  decoded({{Isa::kT32, "08bf", "it eq", "", "", ""}});
  const Row add = {Isa::kT32, "0844", "add r0, r1", "r0 r1", "r0", ""};
  expectAs(add, decoded({add}).front());
}

}  // namespace
}  // namespace pimento::frontend
