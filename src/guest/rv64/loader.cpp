#include "pimento/guest/rv64/loader.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "pimento/guest/elf_image.h"

namespace pimento::guest::rv64 {

namespace {

constexpr std::uint64_t kPage = Memory::kPage;

constexpr std::uint64_t pageDown(std::uint64_t a) {
  return a / kPage * kPage;
}
constexpr std::uint64_t pageUp(std::uint64_t a) {
  return pageDown(a + kPage - 1);
}

template <typename T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Diagnostic badElf(const std::string &file, std::string_view what) {
  return error("bad-elf", {file}, fmt::format("'{}' is damaged: {}", file, what), "copy or build it again");
}

Diagnostic refused(const std::string &file, std::string_view what) {
  return unsupported("unsupported-program", {file}, fmt::format("'{}' is {}", file, what),
                     "the interpreter runs static programs for RISC-V 64; --engine qemu runs others");
}

Diagnostic noRoom(const std::string &file) {
  return capacityError("guest-memory", {file}, fmt::format("there is no memory for '{}'", file),
                       "free some memory, or build a program with less data");
}

std::uint8_t permissionsOf(const Elf64_Phdr &s) {
  return static_cast<std::uint8_t>(((s.p_flags & PF_R) != 0 ? kRead : 0) | ((s.p_flags & PF_W) != 0 ? kWrite : 0) |
                                   ((s.p_flags & PF_X) != 0 ? kExecute : 0));
}

/// Segments that are loaded, with the addresses that they get.
Result<std::vector<Elf64_Phdr>> readSegments(std::string_view bytes, const Elf64_Ehdr &header, const std::string &file,
                                             std::uint64_t loadedAt) {
  std::vector<Elf64_Phdr> out;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    auto s = at<Elf64_Phdr>(bytes, header.e_phoff + std::uint64_t{i} * header.e_phentsize);
    if (!s) return badElf(file, "its table of segments lies outside it");
    if (s->p_type == PT_INTERP) return refused(file, "dynamic");
    if (s->p_type != PT_LOAD || s->p_memsz == 0) continue;
    if (s->p_offset > bytes.size() || bytes.size() - s->p_offset < s->p_filesz)
      return badElf(file, "a segment lies outside it");
    if (s->p_filesz > s->p_memsz) return badElf(file, "a segment has more bytes than memory");
    s->p_vaddr += loadedAt;
    if (s->p_vaddr < kPage || s->p_vaddr >= kMappingsTop || s->p_memsz >= kMappingsTop - s->p_vaddr)
      return refused(file, fmt::format("at addresses that a guest here does not have (from {:#x} on)", s->p_vaddr));
    if (!out.empty() && s->p_vaddr < out.back().p_vaddr + out.back().p_memsz)
      return badElf(file, "its segments overlap, or do not ascend");
    out.push_back(*s);
  }
  if (out.empty()) return badElf(file, "it has nothing to load");
  return out;
}

bool loadSegments(std::string_view bytes, const std::vector<Elf64_Phdr> &segments, Memory &memory) {
  std::uint64_t mapped = 0;
  for (const Elf64_Phdr &s : segments) {
    const std::uint64_t from = std::max(pageDown(s.p_vaddr), mapped), to = pageUp(s.p_vaddr + s.p_memsz);
    if (from < to && !memory.map(from, to - from, kRead | kWrite)) return false;
    mapped = std::max(mapped, to);
    if (s.p_filesz == 0) continue;
    std::memcpy(memory.at(s.p_vaddr, s.p_filesz, kWrite), bytes.data() + s.p_offset, s.p_filesz);
  }
  // A page of two segments has the permissions of both.
  std::uint64_t done = 0;
  for (const Elf64_Phdr &s : segments) {
    const std::uint64_t from = pageDown(s.p_vaddr), to = pageUp(s.p_vaddr + s.p_memsz);
    const std::uint8_t shared = from < done ? memory.permissions(from) : std::uint8_t{0};
    memory.protect(from, to - from, permissionsOf(s));
    if (from < done) memory.protect(from, kPage, shared | permissionsOf(s));
    done = to;
  }
  return true;
}

/// Where the table of segments lies in memory; 0: in no segment.
std::uint64_t addressOf(std::uint64_t offset, const std::vector<Elf64_Phdr> &segments) {
  for (const Elf64_Phdr &s : segments)
    if (offset >= s.p_offset && offset - s.p_offset < s.p_filesz) return s.p_vaddr + (offset - s.p_offset);
  return 0;
}

}  // namespace

Result<LoadedProgram> loadProgram(std::string_view bytes, const std::string &file, Memory &memory) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (machineOf(bytes) < 0 || !header) return badElf(file, "it has no header");
  if (machineOf(bytes) != kMachineRiscv || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB)
    return refused(file, "not for RISC-V 64");
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN) return refused(file, "no executable");
  LoadedProgram out;
  out.loadedAt = header->e_type == ET_DYN ? kPositionIndependent : 0;
  if (header->e_phentsize != sizeof(Elf64_Phdr)) return badElf(file, "its table of segments has a wrong size");
  const Result<std::vector<Elf64_Phdr>> segments = readSegments(bytes, *header, file, out.loadedAt);
  if (!segments) return segments.diagnostics();
  if (!loadSegments(bytes, *segments, memory)) return noRoom(file);
  out.entry = header->e_entry + out.loadedAt;
  out.breakAt = pageUp(segments->back().p_vaddr + segments->back().p_memsz);
  out.headers = addressOf(header->e_phoff, *segments);
  out.headerBytes = header->e_phentsize;
  out.headerCount = header->e_phnum;
  return out;
}

Result<std::uint64_t> makeStack(const LoadedProgram &program, const std::string &file,
                                const std::vector<std::string> &arguments, Memory &memory) {
  constexpr std::uint64_t kHardware =
      1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('F' - 'A') | 1 << ('D' - 'A') | 1 << ('C' - 'A');
  constexpr std::uint64_t kTicks = 100, kAlignment = 16;
  if (!memory.map(kStackTop - kStackBytes, kStackBytes, kRead | kWrite)) return noRoom(file);
  std::uint64_t bytes = file.size() + 1;
  for (const std::string &a : arguments) bytes += a.size() + 1 + sizeof(std::uint64_t);
  if (bytes > kStackBytes / 2)
    return error("guest-arguments", {file}, fmt::format("the arguments take {} bytes", bytes),
                 fmt::format("a program can have {} bytes of them", kStackBytes / 2));
  std::uint64_t top = kStackTop - sizeof(std::uint64_t);
  const auto put = [&](const void *from, std::size_t n) {
    top -= n;
    std::memcpy(memory.at(top, n, kWrite), from, n);
    return top;
  };
  const std::uint64_t name = put(file.c_str(), file.size() + 1);
  // As on Linux the first one lies lowest; zeros end arguments and environment.
  std::vector<std::uint64_t> words(arguments.size() + 3);
  words[0] = arguments.size();
  for (std::size_t i = arguments.size(); i > 0; --i)
    words[i] = put(arguments[i - 1].c_str(), arguments[i - 1].size() + 1);
  top = top / kAlignment * kAlignment;
  constexpr std::uint64_t kRandom[2] = {0x91b7584a2265b1f5, 0xcd613e30d8f16adf};  // as QEMU has with -seed 1
  const std::uint64_t random = put(kRandom, sizeof kRandom);
  const std::pair<std::uint64_t, std::uint64_t> auxiliary[] = {{AT_PHDR, program.headers},
                                                               {AT_PHENT, program.headerBytes},
                                                               {AT_PHNUM, program.headerCount},
                                                               {AT_PAGESZ, kPage},
                                                               {AT_BASE, 0},
                                                               {AT_FLAGS, 0},
                                                               {AT_ENTRY, program.entry},
                                                               {AT_UID, kUser},
                                                               {AT_EUID, kUser},
                                                               {AT_GID, kUser},
                                                               {AT_EGID, kUser},
                                                               {AT_HWCAP, kHardware},
                                                               {AT_CLKTCK, kTicks},
                                                               {AT_RANDOM, random},
                                                               {AT_SECURE, 0},
                                                               {AT_EXECFN, name},
                                                               {AT_NULL, 0}};
  for (const auto &[key, value] : auxiliary) {
    words.push_back(key);
    words.push_back(value);
  }
  top = (top - words.size() * sizeof(std::uint64_t)) / kAlignment * kAlignment;
  std::memcpy(memory.at(top, words.size() * sizeof(std::uint64_t), kWrite), words.data(),
              words.size() * sizeof(std::uint64_t));
  return top;
}

}  // namespace pimento::guest::rv64
