// Instructions, programs and their ends as bytes.
#include "pimento/trace/file/table.h"

namespace pimento::trace::file {

namespace {

/// Bits of an instruction's properties, in order.
constexpr bool Instruction::*kMarks[] = {
    &Instruction::loads,       &Instruction::stores,        &Instruction::isSigned,   &Instruction::isConditional,
    &Instruction::writesFlags, &Instruction::readsFlags,    &Instruction::writesBack, &Instruction::isExclusive,
    &Instruction::isVector,    &Instruction::hasDestination};
constexpr std::uint64_t kMostRegisters = 41, kMostOperands = 3;
constexpr std::uint64_t kMostCimSteps = 4096;
constexpr std::uint64_t kMostText = 4096, kMostFunctions = std::uint64_t{1} << 24;

constexpr std::uint32_t kWithSources = 3;  ///< the first version whose programs have a source map

void putSources(std::string &to, const SourceMap &map) {
  putNumber(to, map.files.size());
  for (const SourceFile &f : map.files) {
    putText(to, f.name);
    putText(to, f.md5);
  }
  putNumber(to, map.functions.size());
  for (const SourceFunction &f : map.functions) {
    putText(to, f.name);
    putNumber(to, f.line);
  }
  putNumber(to, map.frames.size());
  for (const Frame &f : map.frames)
    for (const std::uint64_t n : {std::uint64_t{f.function}, std::uint64_t{f.file}, std::uint64_t{f.line},
                                  std::uint64_t{f.column}, static_cast<std::uint64_t>(f.caller + 1)})
      putNumber(to, n);
  putNumber(to, map.places.size());
  std::uint64_t last = 0;
  for (const SourceMap::Place &p : map.places) {
    putNumber(to, p.address - last);
    putNumber(to, static_cast<std::uint64_t>(p.frame + 1));
    last = p.address;
  }
}

/// How many follow: each takes a byte at least.
std::uint64_t takeSize(ByteReader &from) {
  return from.number(from.size() + 1);
}

bool takeSources(ByteReader &from, SourceMap &out) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const auto word = [&](std::uint64_t limit) { return static_cast<std::uint32_t>(from.number(limit)); };
  for (std::uint64_t n = takeSize(from); n > 0 && from.isGood(); --n) {
    std::string name = from.text(), md5 = from.text();
    out.files.push_back({std::move(name), std::move(md5)});
  }
  for (std::uint64_t n = takeSize(from); n > 0 && from.isGood(); --n) {
    std::string name = from.text();
    out.functions.push_back({std::move(name), word(kMost)});
  }
  for (std::uint64_t n = takeSize(from); n > 0 && from.isGood(); --n) {
    Frame f;
    f.function = word(out.functions.size());
    f.file = word(out.files.size());
    f.line = word(kMost);
    f.column = word(kMost);
    // Callers come first, so that there is an end to them.
    f.caller = static_cast<std::int32_t>(word(out.frames.size() + 1)) - 1;
    out.frames.push_back(f);
  }
  std::uint64_t address = 0;
  for (std::uint64_t n = takeSize(from); n > 0 && from.isGood(); --n) {
    const std::uint64_t next = address + from.number();
    if (next < address) return false;
    address = next;
    out.places.push_back({address, static_cast<std::int32_t>(word(out.frames.size() + 1)) - 1});
  }
  return from.isGood();
}

void putRegisters(std::string &to, const RegisterSet &set) {
  putNumber(to, static_cast<std::uint64_t>(set.size()));
  for (const Register r : set) to += static_cast<char>(r);
}

Register takeRegister(ByteReader &from) {
  const std::uint8_t r = from.byte();
  if (r < kRegisters) return r;
  from.fail();
  return 0;
}

void takeRegisters(ByteReader &from, RegisterSet &out) {
  const std::uint64_t n = from.number(kMostRegisters);
  for (std::uint64_t i = 0; i < n; ++i) out.add(takeRegister(from));
}

}  // namespace

void putInstruction(std::string &to, const Instruction &in, std::uint64_t after) {
  putSigned(to, static_cast<std::int64_t>(in.address - after));
  to += static_cast<char>(in.bytes);
  to += static_cast<char>(in.isa);
  to += static_cast<char>(in.operation);
  to += static_cast<char>(in.width);
  std::uint64_t marks = 0;
  for (std::size_t i = 0; i < std::size(kMarks); ++i) marks |= in.*kMarks[i] ? std::uint64_t{1} << i : 0;
  putNumber(to, marks);
  putRegisters(to, in.reads);
  putRegisters(to, in.writes);
  putRegisters(to, in.addressRegisters);
  putNumber(to, in.operandCount);
  for (const Operand &o : std::span(in.operands).first(in.operandCount)) {
    to += static_cast<char>((o.isImmediate ? 1 : 0) | (o.isShifted ? 2 : 0));
    to += static_cast<char>(o.reg);
    putSigned(to, o.immediate);
  }
  to += static_cast<char>(in.destination);
  putText(to, in.text);
  if (in.operation != Operation::kCim) return;
  to += static_cast<char>(in.cim.level);
  putNumber(to, in.cim.steps.size());
  for (const CimStep &s : in.cim.steps) {
    to += static_cast<char>(s.kind);
    to += static_cast<char>(s.operation);
    putNumber(to, s.operand);
    putSigned(to, s.constant);
  }
}

namespace {

/// Whether steps leave one result.
bool isSound(const CimWork &work) {
  std::int64_t results = 0;
  for (const CimStep &s : work.steps) {
    if (s.kind == CimStep::Kind::kOperation && results < 2) return false;
    results += s.kind == CimStep::Kind::kOperation ? -1 : 1;
  }
  return results == 1;
}

bool takeWork(ByteReader &from, CimWork &out) {
  constexpr std::uint8_t kMostLevels = 8;
  out.level = from.byte();
  const std::uint64_t steps = from.number(kMostCimSteps + 1);
  if (out.level >= kMostLevels || steps > from.size()) return false;
  for (std::uint64_t i = 0; i < steps && from.isGood(); ++i) {
    const std::uint8_t kind = from.byte(), operation = from.byte();
    if (kind > static_cast<std::uint8_t>(CimStep::Kind::kOperation) || operation >= kOperations) return false;
    CimStep &s = out.steps.emplace_back();
    s.kind = static_cast<CimStep::Kind>(kind);
    s.operation = static_cast<Operation>(operation);
    s.operand = static_cast<std::uint16_t>(from.number(kMostCimSteps));
    s.constant = from.signedNumber();
  }
  return from.isGood() && isSound(out);
}

}  // namespace

bool takeInstruction(ByteReader &from, std::uint64_t after, Instruction &out) {
  out.address = after + static_cast<std::uint64_t>(from.signedNumber());
  out.bytes = from.byte();
  const std::uint8_t isa = from.byte(), operation = from.byte();
  if (isa > static_cast<std::uint8_t>(Isa::kRv64) || operation >= kOperations ||
      (out.bytes == 0 && static_cast<Operation>(operation) != Operation::kAdd))
    return false;
  out.isa = static_cast<Isa>(isa);
  out.operation = static_cast<Operation>(operation);
  out.width = from.byte();
  const std::uint64_t marks = from.number(std::uint64_t{1} << std::size(kMarks));
  for (std::size_t i = 0; i < std::size(kMarks); ++i) out.*kMarks[i] = (marks >> i & 1) != 0;
  takeRegisters(from, out.reads);
  takeRegisters(from, out.writes);
  takeRegisters(from, out.addressRegisters);
  out.operandCount = static_cast<std::uint8_t>(from.number(kMostOperands));
  for (Operand &o : std::span(out.operands).first(out.operandCount)) {
    const std::uint8_t kind = from.byte();
    o.isImmediate = (kind & 1) != 0;
    o.isShifted = (kind & 2) != 0;
    o.reg = takeRegister(from);
    o.immediate = from.signedNumber();
  }
  out.destination = takeRegister(from);
  out.text = from.text();
  if (out.operation == Operation::kCim && !takeWork(from, out.cim)) return false;
  return from.isGood() && out.text.size() < kMostText;
}

void putProgram(std::string &to, const Program &program) {
  putText(to, program.name);
  to += static_cast<char>(program.isa);
  putNumber(to, static_cast<std::uint64_t>(program.arguments));
  putNumber(to, program.loadedAt);
  putNumber(to, program.functions.size());
  std::uint64_t last = 0;
  for (const Function &f : program.functions) {
    putText(to, f.name);
    putNumber(to, f.address - last);
    putNumber(to, f.size);
    last = f.address;
  }
  putNumber(to, program.codeEnd);
  putSources(to, program.sources);
}

bool takeProgram(ByteReader &from, Program &out, std::uint32_t version) {
  out.name = from.text();
  const std::uint8_t isa = from.byte();
  if (isa > static_cast<std::uint8_t>(Isa::kRv64)) return false;
  out.isa = static_cast<Isa>(isa);
  out.arguments = static_cast<std::int64_t>(from.number(std::uint64_t{1} << 32));
  out.loadedAt = from.number();
  const std::uint64_t functions = from.number(kMostFunctions);
  if (functions > from.size()) return false;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < functions && from.isGood(); ++i) {
    Function f;
    f.name = from.text();
    f.address = last + from.number();
    f.size = from.number();
    if (f.address < last) return false;
    last = f.address;
    out.functions.push_back(std::move(f));
  }
  if (version < kWithSources) return from.isGood();
  out.codeEnd = from.number();
  return takeSources(from, out.sources);
}

void putEnd(std::string &to, const ProgramEnd &end) {
  putSigned(to, end.exitStatus);
  putSigned(to, end.signal);
  to += static_cast<char>(end.wasReplaced ? 1 : 0);
  for (const std::int64_t n :
       {end.instructions, end.leftOut, end.otherThreads, end.otherProcesses, end.otherInstructions, end.undecodable})
    putNumber(to, static_cast<std::uint64_t>(n));
}

bool takeEnd(ByteReader &from, ProgramEnd &out) {
  constexpr std::int64_t kMostStatus = 256;
  const std::int64_t status = from.signedNumber(), signal = from.signedNumber();
  if (status < 0 || status >= kMostStatus || signal < 0 || signal >= kMostStatus) return false;
  out.exitStatus = static_cast<int>(status);
  out.signal = static_cast<int>(signal);
  out.wasReplaced = from.byte() != 0;
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 56;
  for (std::int64_t *n : {&out.instructions, &out.leftOut, &out.otherThreads, &out.otherProcesses,
                          &out.otherInstructions, &out.undecodable})
    *n = static_cast<std::int64_t>(from.number(kMostCount));
  return from.isGood();
}

}  // namespace pimento::trace::file
