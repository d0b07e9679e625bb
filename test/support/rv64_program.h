// Small programs of RV64, made of instructions: for tests of the interpreter.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::test::rv64 {

inline constexpr std::uint64_t kCodeAt = 0x10000, kDataAt = 0x400000;

// Formats of instructions, as the manual has them.
constexpr std::uint32_t makeR(unsigned opcode, unsigned f3, unsigned f7, unsigned rd, unsigned rs1, unsigned rs2) {
  return opcode | rd << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | f7 << 25;
}
constexpr std::uint32_t makeI(unsigned opcode, unsigned f3, unsigned rd, unsigned rs1, int imm) {
  return opcode | rd << 7 | f3 << 12 | rs1 << 15 | static_cast<unsigned>(imm) << 20;
}
constexpr std::uint32_t makeS(unsigned opcode, unsigned f3, unsigned rs1, unsigned rs2, int imm) {
  const auto i = static_cast<unsigned>(imm);
  return opcode | (i & 31) << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | (i >> 5 & 127) << 25;
}
constexpr std::uint32_t makeB(unsigned f3, unsigned rs1, unsigned rs2, int imm) {
  const auto i = static_cast<unsigned>(imm);
  return 0x63 | (i >> 11 & 1) << 7 | (i >> 1 & 15) << 8 | f3 << 12 | rs1 << 15 | rs2 << 20 | (i >> 5 & 63) << 25 |
         (i >> 12 & 1) << 31;
}
constexpr std::uint32_t makeJ(unsigned rd, int imm) {
  const auto i = static_cast<unsigned>(imm);
  return 0x6f | rd << 7 | (i >> 12 & 255) << 12 | (i >> 11 & 1) << 20 | (i >> 1 & 1023) << 21 | (i >> 20 & 1) << 31;
}

inline constexpr unsigned kZero = 0, kRa = 1, kSp = 2, kA0 = 10, kA1 = 11, kA2 = 12, kA3 = 13, kA4 = 14, kA5 = 15,
                          kA7 = 17;

constexpr std::uint32_t addi(unsigned rd, unsigned rs1, int imm) {
  return makeI(0x13, 0, rd, rs1, imm);
}
constexpr std::uint32_t ld(unsigned rd, unsigned rs1, int imm) {
  return makeI(0x03, 3, rd, rs1, imm);
}
constexpr std::uint32_t sd(unsigned rs2, unsigned rs1, int imm) {
  return makeS(0x23, 3, rs1, rs2, imm);
}
constexpr std::uint32_t lui(unsigned rd, std::uint32_t upper) {
  return 0x37 | rd << 7 | upper << 12;
}
inline constexpr std::uint32_t kEcall = 0x73, kFenceI = 0x100f;

/// Code with the few sequences that every program needs.
class Assembler {
 public:
  Assembler &add(std::uint32_t instruction) {
    code_.append(reinterpret_cast<const char *>(&instruction), sizeof instruction);
    return *this;
  }
  Assembler &addShort(std::uint16_t instruction) {
    code_.append(reinterpret_cast<const char *>(&instruction), sizeof instruction);
    return *this;
  }
  /// A constant below 2^31.
  Assembler &set(unsigned rd, std::uint32_t value) {
    const std::uint32_t upper = (value + 0x800) >> 12;
    add(lui(rd, upper));
    return add(makeI(0x1b, 0, rd, rd, static_cast<int>(value - (upper << 12))));  // addiw
  }
  Assembler &call(unsigned number) {
    add(addi(kA7, kZero, static_cast<int>(number)));
    return add(kEcall);
  }
  Assembler &exit(int status) {
    add(addi(kA0, kZero, status));
    return call(93);
  }
  std::uint64_t here() const { return kCodeAt + code_.size(); }
  const std::string &code() const { return code_; }

 private:
  std::string code_;
};

/// An executable: code at kCodeAt, and data at kDataAt that may be written.
inline std::string elfOf(std::string_view code, std::string_view data = "", std::uint32_t codeFlags = PF_R | PF_X) {
  Elf64_Ehdr h{};
  std::memcpy(h.e_ident, ELFMAG, SELFMAG);
  h.e_ident[EI_CLASS] = ELFCLASS64;
  h.e_ident[EI_DATA] = ELFDATA2LSB;
  h.e_ident[EI_VERSION] = EV_CURRENT;
  h.e_type = ET_EXEC;
  h.e_machine = EM_RISCV;
  h.e_version = EV_CURRENT;
  h.e_entry = kCodeAt;
  h.e_phoff = sizeof h;
  h.e_ehsize = sizeof h;
  h.e_phentsize = sizeof(Elf64_Phdr);
  h.e_phnum = data.empty() ? 1 : 2;
  constexpr std::uint64_t kPage = 4096;
  Elf64_Phdr segments[2] = {};
  segments[0] = {PT_LOAD, codeFlags, kPage, kCodeAt, kCodeAt, code.size(), code.size(), kPage};
  const std::uint64_t after = kPage + (code.size() + kPage - 1) / kPage * kPage;
  segments[1] = {PT_LOAD, PF_R | PF_W, after, kDataAt, kDataAt, data.size(), data.size(), kPage};
  std::string out(reinterpret_cast<const char *>(&h), sizeof h);
  out.append(reinterpret_cast<const char *>(segments), h.e_phnum * sizeof(Elf64_Phdr));
  out.resize(kPage);
  out += code;
  if (!data.empty()) {
    out.resize(after);
    out += data;
  }
  return out;
}

}  // namespace pimento::test::rv64
