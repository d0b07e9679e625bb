#include "pimento/guest/elf_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "pimento/base/file.h"

namespace pimento::guest {

namespace {

/// A structure of the file's bytes; nothing where they end before it does.
template <typename T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::optional<std::string_view> textAt(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return std::nullopt;
  const std::size_t end = bytes.find('\0', offset);
  if (end == std::string_view::npos) return std::nullopt;
  return bytes.substr(offset, end - offset);
}

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
  using Symbol = Elf32_Sym;
  using Dynamic = Elf32_Dyn;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
  using Symbol = Elf64_Sym;
  using Dynamic = Elf64_Dyn;
};

/// Names of libraries, from a section; false: the file is cut.
template <typename Elf>
bool readLibraries(std::string_view bytes, const typename Elf::Section &section, std::uint64_t names, ElfImage &out) {
  for (std::uint64_t d = 0; d + sizeof(typename Elf::Dynamic) <= section.sh_size; d += sizeof(typename Elf::Dynamic)) {
    const auto entry = at<typename Elf::Dynamic>(bytes, section.sh_offset + d);
    if (!entry) return false;
    if (entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_RPATH || entry->d_tag == DT_RUNPATH) {
      out.libraries.clear();
      break;
    }
    if (entry->d_tag != DT_NEEDED) continue;
    const auto name = textAt(bytes, names + entry->d_un.d_val);
    if (!name) return false;
    out.libraries.emplace_back(*name);
  }
  return true;
}

/// Reads what follows the identification; false: the file is cut.
template <typename Elf>
bool readParts(std::string_view bytes, ElfImage &out) {
  const auto header = at<typename Elf::Header>(bytes, 0);
  if (!header) return false;
  out.isPositionIndependent = header->e_type == ET_DYN;
  out.codeAddress = ~std::uint64_t{0};
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto segment = at<typename Elf::Segment>(bytes, header->e_phoff + std::uint64_t{i} * header->e_phentsize);
    if (!segment) return false;
    if (segment->p_type == PT_LOAD &&
        (segment->p_offset > bytes.size() || bytes.size() - segment->p_offset < segment->p_filesz))
      return false;
    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0) {
      out.codeAddress = std::min<std::uint64_t>(out.codeAddress, segment->p_vaddr);
      out.codeEnd = std::max<std::uint64_t>(out.codeEnd, segment->p_vaddr + std::uint64_t{segment->p_memsz});
    }
    if (segment->p_type != PT_INTERP) continue;
    const auto loader = textAt(bytes, segment->p_offset);
    if (!loader) return false;
    out.loader = *loader;
  }
  const auto sectionAt = [&](unsigned i) {
    return at<typename Elf::Section>(bytes, header->e_shoff + std::uint64_t{i} * header->e_shentsize);
  };
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto table = sectionAt(i);
    if (!table) return false;
    if (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM && table->sh_type != SHT_DYNAMIC) continue;
    const auto names = sectionAt(table->sh_link);
    if (!names) return false;
    if (table->sh_type == SHT_DYNAMIC) {
      if (!readLibraries<Elf>(bytes, *table, names->sh_offset, out)) return false;
      continue;
    }
    for (std::uint64_t s = 0; s + sizeof(typename Elf::Symbol) <= table->sh_size; s += sizeof(typename Elf::Symbol)) {
      const auto symbol = at<typename Elf::Symbol>(bytes, table->sh_offset + s);
      if (!symbol) return false;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_value == 0) continue;
      const auto name = textAt(bytes, names->sh_offset + symbol->st_name);
      if (!name) return false;
      std::uint64_t address = symbol->st_value;
      if (out.isa == trace::Isa::kA32) address &= ~std::uint64_t{1};  // the lowest bit says Thumb
      out.functions.push_back({std::string(*name), address, symbol->st_size});
    }
  }
  const auto before = [](const Function &a, const Function &b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  };
  std::sort(out.functions.begin(), out.functions.end(), before);
  const auto isSame = [](const Function &a, const Function &b) { return a.address == b.address && a.name == b.name; };
  out.functions.erase(std::unique(out.functions.begin(), out.functions.end(), isSame), out.functions.end());
  return true;
}

constexpr const char *kPrograms = "give it a Linux program for Arm, AArch64 or RISC-V 64";

}  // namespace

int machineOf(std::string_view bytes) {
  constexpr std::uint64_t kMachineAt = 18;
  if (!bytes.starts_with("\x7f"
                         "ELF") ||
      bytes.size() < kMachineAt + 2)
    return -1;
  const bool isBig = bytes[EI_DATA] == ELFDATA2MSB;
  const auto low = static_cast<std::uint8_t>(bytes[kMachineAt + (isBig ? 1 : 0)]),
             high = static_cast<std::uint8_t>(bytes[kMachineAt + (isBig ? 0 : 1)]);
  return low | high << 8;
}

bool isGuestMachine(int machine) {
  return machine == kMachineArm || machine == kMachineAarch64 || machine == kMachineRiscv;
}

const Function *ElfImage::functionAt(std::uint64_t address) const {
  return trace::functionAt(functions, address);
}

Result<ElfImage> readElfImage(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return error("not-a-program", {path}, fmt::format("'{}' is a folder", path), "name a program in it");
  const Result<std::string> bytes = readFile(path);
  if (!bytes) return bytes.diagnostics();
  return elfImageOf(*bytes, path);
}

Result<ElfImage> elfImageOf(std::string_view bytes, const std::string &path) {
  if (bytes.starts_with("#!"))
    return error("not-a-program", {path}, fmt::format("'{}' is a script", path),
                 "profile its interpreter, with the script as an argument");
  const int machine = machineOf(bytes);
  if (machine < 0) return error("not-a-program", {path}, fmt::format("'{}' is no ELF file", path), kPrograms);
  const auto refuse = [&](std::string_view what) {
    return unsupported("unsupported-program", {path}, fmt::format("'{}' is {}", path, what), kPrograms);
  };
  const bool is64 = bytes[EI_CLASS] == ELFCLASS64;
  if (bytes[EI_DATA] == ELFDATA2MSB) return refuse("big-endian");
  if (!isGuestMachine(machine)) return refuse(fmt::format("for another machine (ELF machine {})", machine));
  if (machine == kMachineRiscv && !is64) return refuse("for 32-bit RISC-V");
  if (is64 == (machine == kMachineArm)) return refuse("of a word size that its machine does not have");
  ElfImage out;
  out.file = path;
  out.isa = machine == kMachineArm       ? trace::Isa::kA32
            : machine == kMachineAarch64 ? trace::Isa::kA64
                                         : trace::Isa::kRv64;
  if (!(is64 ? readParts<Elf64>(bytes, out) : readParts<Elf32>(bytes, out)))
    return error("bad-elf", {path}, fmt::format("'{}' is cut, or its tables point outside it", path),
                 "copy or build it again");
  constexpr std::uint64_t kTypeAt = 16;
  const auto type = at<std::uint16_t>(bytes, kTypeAt);
  if (!type || (*type != ET_EXEC && *type != ET_DYN)) return refuse("no executable (an object file or a core dump)");
  return out;
}

}  // namespace pimento::guest
