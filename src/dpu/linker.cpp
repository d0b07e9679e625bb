#include "pimento/dpu/linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "pimento/base/suggest.h"
#include "pimento/dpu/field.h"
#include "pimento/dpu/link_set.h"

namespace pimento::dpu {

namespace {

using program::kAtomicBase;
using program::kIramBase;
using program::kMramBase;

constexpr std::uint32_t kFirstAtomicBit = 200, kAtomicBits = 256;

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// What instructions and data see of a link address.
std::int64_t seen(std::uint32_t address) {
  if (address >= kAtomicBase) return address & 0x0fffffff;
  if (address & kIramBase) return ((address >> 3) & 0x0fffffff) + (address & 7);
  if (address & kMramBase) return address & ~kMramBase;
  return address;
}

class Linker {
 public:
  Linker(std::vector<Object> objects, const LinkOptions &options, const std::vector<Object> *library)
      : set_(std::move(objects), options, library), objects_(set_.objects()), options_(options), library_(library) {}

  Result<program::Code> run() {
    if (options_.tasklets < 1 || options_.tasklets > kMostTasklets) {
      return error("dpu-link-tasklets", {}, fmt::format("a program for {} tasklets", options_.tasklets),
                   fmt::format("1 to {} tasklets", kMostTasklets));
    }
    set_.settle(diagnostics_);
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    place();
    defineOwn();
    if (diagnostics_.empty()) relocate();
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    return finish();
  }

  std::vector<std::string> missing() {
    set_.settle(diagnostics_);
    defineOwn();
    std::vector<std::string> names;
    for (const std::string &name : set_.undefined())
      if (!own_.contains(name)) names.push_back(name);
    return names;
  }

 private:
  using Definition = LinkSet::Definition;
  /// Where a symbol ended up.
  struct Place {
    bool isKnown = false, isAbsolute = false;
    std::uint32_t value = 0;
  };

  void place();
  std::uint64_t placeGroup(Memory memory, int group, std::uint64_t at);
  void placeCommon(std::uint64_t &at);
  std::uint64_t placeStacks(std::uint64_t at);
  std::string largest(Memory memory) const;
  void checkSize(std::string code, std::string_view what, std::uint64_t needed, std::int64_t limit, std::string hint);
  void defineOwn();
  Place find(std::size_t object, std::size_t symbol) const;
  void relocate();
  void relocate(std::size_t object, Section &section, const Relocation &relocation);
  void reportUndefined(const Location &where, const std::string &name);
  Location placeOf(const Object &object, const Section &section, const Relocation &relocation) const;
  program::Code finish();
  void finishCode(program::Code &code);
  void finishSymbols(program::Code &code);
  void sizeFunctions(program::Code &code) const;

  LinkSet set_;
  std::vector<Object> &objects_;  ///< of set_
  const LinkOptions &options_;
  const std::vector<Object> *library_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> addresses_;  ///< of needed sections, by object and index
  std::map<Definition, std::uint32_t> commons_;
  std::map<std::string, Place, std::less<>> own_;
  std::vector<std::uint8_t> stackTable_;
  std::uint32_t stackTableAddress_ = 0, heapStart_ = 0, mramEnd_ = 0, atomicEnd_ = kFirstAtomicBit;
  std::uint64_t codeEnd_ = 0;
  std::set<std::string, std::less<>> undefined_;
  Diagnostics diagnostics_;
};

/// "main (120), f (80)": what takes most of a memory, in instructions or bytes.
std::string Linker::largest(Memory memory) const {
  constexpr std::size_t kMost = 5;
  std::map<std::string, std::uint64_t> sizes;
  for (std::size_t o = 0; o < objects_.size(); ++o) {
    for (const Symbol &symbol : objects_[o].symbols) {
      if (symbol.section < 0 || symbol.size == 0 || symbol.name.empty()) continue;
      const auto section = static_cast<std::size_t>(symbol.section);
      if (objects_[o].sections[section].memory == memory && set_.isNeeded(o, section))
        sizes[symbol.name] += symbol.size;
    }
  }
  std::vector<std::pair<std::string, std::uint64_t>> all(sizes.begin(), sizes.end());
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < kMost; ++i)
    text +=
        fmt::format("{}{} ({})", i == 0 ? "" : ", ", all[i].first, all[i].second / (memory == Memory::kIram ? 8 : 1));
  return text.empty() ? "" : "; the largest: " + text;
}

void Linker::checkSize(std::string code, std::string_view what, std::uint64_t needed, std::int64_t limit,
                       std::string hint) {
  if (needed <= static_cast<std::uint64_t>(limit)) return;
  diagnostics_.push_back(capacityError(std::move(code), {},
                                       fmt::format("the program takes {} {}, {} more than the {} available", needed,
                                                   what, needed - static_cast<std::uint64_t>(limit), limit),
                                       std::move(hint)));
}

namespace {

/// The order of sections in their memory.
int groupOf(const Section &section) {
  if (section.memory == Memory::kIram) return section.name == ".text.__bootstrap" ? 0 : 1;
  if (section.memory == Memory::kMram && section.name.starts_with(".mram.noinit_keep")) return 0;
  if (section.memory != Memory::kWram) return section.isNoBits ? 2 : 1;
  if (section.name.starts_with(".data.__low")) return 0;
  if (section.name.starts_with(".dpu_host")) return 2;
  return section.isNoBits ? 3 : 1;
}

std::uint32_t baseOf(Memory memory) {
  return memory == Memory::kIram     ? kIramBase
         : memory == Memory::kMram   ? kMramBase
         : memory == Memory::kAtomic ? kAtomicBase
                                     : 0;
}

}  // namespace

std::uint64_t Linker::placeGroup(Memory memory, int group, std::uint64_t at) {
  for (std::size_t o = 0; o < objects_.size(); ++o) {
    for (std::size_t s = 0; s < objects_[o].sections.size(); ++s) {
      const Section &section = objects_[o].sections[s];
      if (section.memory != memory || groupOf(section) != group || !set_.isNeeded(o, s)) continue;
      const bool isHostVisible = section.name.starts_with(".dpu_host");
      const std::uint32_t least = memory == Memory::kIram || memory == Memory::kMram || isHostVisible ? 8 : 1;
      at = aligned(at, memory == Memory::kAtomic ? 1 : std::max(section.alignment, least));
      addresses_[{o, s}] = baseOf(memory) + static_cast<std::uint32_t>(at);
      at += section.length();
    }
  }
  return at;
}

void Linker::placeCommon(std::uint64_t &at) {
  const auto give = [&](const Definition &common) {
    const Symbol &symbol = set_.symbolOf(common);
    if (symbol.section != Symbol::kCommon || !set_.isNeeded(common)) return;
    at = aligned(at, std::max(1u, symbol.value));
    commons_[common] = static_cast<std::uint32_t>(at);
    at += symbol.size;
  };
  for (const auto &[name, definition] : set_.globals()) give(definition);
  // Common symbols of one file alone.
  for (std::size_t o = 0; o < objects_.size(); ++o) {
    for (std::size_t i = 0; i < objects_[o].symbols.size(); ++i)
      if (objects_[o].symbols[i].binding == Binding::kLocal) give({o, i});
  }
}

std::uint64_t Linker::placeStacks(std::uint64_t at) {
  at = aligned(at, 8);
  stackTableAddress_ = static_cast<std::uint32_t>(at);
  const auto tasklets = static_cast<std::size_t>(options_.tasklets);
  at += 8 * tasklets;
  for (std::size_t t = 0; t < tasklets; ++t) {
    const std::uint64_t size =
        aligned(t < options_.stackBytesOf.size() ? options_.stackBytesOf[t] : options_.stackBytes, 8);
    for (const std::uint64_t word : {size, at}) {
      for (int byte = 0; byte < 4; ++byte) stackTable_.push_back(static_cast<std::uint8_t>(word >> (8 * byte)));
    }
    own_[fmt::format("STACK_SIZE_TASKLET_{}", t)] = {true, true, static_cast<std::uint32_t>(size)};
    at += size;
  }
  return at;
}

void Linker::place() {
  codeEnd_ = placeGroup(Memory::kIram, 1, placeGroup(Memory::kIram, 0, 0));
  std::uint64_t wram = 0;
  for (int group = 0; group < 4; ++group) wram = placeGroup(Memory::kWram, group, wram);
  placeCommon(wram);
  const std::uint64_t data = wram;
  wram = aligned(placeStacks(wram), 8);
  std::uint64_t mram = 0;
  for (int group = 0; group < 3; ++group) mram = placeGroup(Memory::kMram, group, mram);
  mram = aligned(mram, 8);
  const std::uint64_t atomic = placeGroup(Memory::kAtomic, 2, placeGroup(Memory::kAtomic, 1, kFirstAtomicBit));
  if (codeEnd_ == 0) {
    diagnostics_.push_back(error("dpu-link-empty", objects_.empty() ? Location{} : Location{objects_.front().file},
                                 "the program has no instructions", "put code in sections .text*"));
  }
  // Where the caller names no size, that of the address space.
  auto limit = [](std::int64_t given, std::int64_t addressable) {
    return given > 0 ? std::min(given, addressable) : addressable;
  };
  constexpr std::int64_t kTargets = 1 << 16;
  checkSize("dpu-link-iram", "instructions", codeEnd_ / 8, limit(options_.instructions, kTargets),
            "shorten or split the program" + largest(Memory::kIram));
  checkSize("dpu-link-wram", "bytes of WRAM", wram, limit(options_.wramBytes, kMramBase),
            fmt::format(
                "{} bytes are data and {} are stacks of {} tasklets; use less data, smaller stacks or fewer tasklets{}",
                data, wram - data, options_.tasklets, largest(Memory::kWram)));
  checkSize("dpu-link-mram", "bytes of MRAM", mram, limit(options_.mramBytes, kIramBase - kMramBase),
            "reserve less in .mram sections" + largest(Memory::kMram));
  checkSize("dpu-link-atomic", "atomic bits", atomic - kFirstAtomicBit, kAtomicBits - kFirstAtomicBit,
            "share locks between objects");
  heapStart_ = static_cast<std::uint32_t>(wram);
  mramEnd_ = static_cast<std::uint32_t>(mram);
  atomicEnd_ = static_cast<std::uint32_t>(atomic);
}

void Linker::defineOwn() {
  for (std::int64_t t = options_.tasklets; t < kMostTasklets; ++t) {
    own_[fmt::format("STACK_SIZE_TASKLET_{}", t)] = {true, true, 0};
  }
  own_["NR_TASKLETS"] = {true, true, static_cast<std::uint32_t>(options_.tasklets)};
  own_["__stack_table"] = {true, false, stackTableAddress_};
  own_["__heap_start"] = own_["__sys_heap_pointer_reset"] = {true, false, heapStart_};
  own_["__sys_used_mram_end"] = {true, false, kMramBase + mramEnd_};
  own_["__atomic_start"] = {true, true, kFirstAtomicBit};
  own_["__atomic_end"] = {true, true, atomicEnd_};
}

Linker::Place Linker::find(std::size_t object, std::size_t index) const {
  const Symbol &symbol = objects_[object].symbols[index];
  Definition own;
  const Definition *at = set_.definitionOf(object, index, own);
  if (!at) {
    const auto linkers = own_.find(symbol.name);
    if (linkers != own_.end()) return linkers->second;
    return {symbol.binding == Binding::kWeak, true, 0};
  }
  const Symbol &found = set_.symbolOf(*at);
  if (found.section == Symbol::kAbsolute) return {true, true, found.value};
  if (found.section == Symbol::kCommon) {
    const auto common = commons_.find(*at);
    return common == commons_.end() ? Place{} : Place{true, false, common->second};
  }
  const auto address = addresses_.find({at->object, static_cast<std::size_t>(found.section)});
  if (address == addresses_.end()) return {};  // of a section that is not loaded
  return {true, false, address->second + found.value};
}

Location Linker::placeOf(const Object &object, const Section &section, const Relocation &relocation) const {
  if (relocation.line > 0) return {object.file, relocation.line, 0};
  return placeIn(object, section, relocation.offset);
}

void Linker::reportUndefined(const Location &where, const std::string &name) {
  if (!undefined_.insert(name).second) return;
  if (name == "main") {
    diagnostics_.push_back(error("dpu-link-undefined", {objects_.front().file}, "the program has no function 'main'",
                                 "define int main(void): every tasklet begins there"));
    return;
  }
  std::vector<std::string> names;
  for (const auto &[defined, definition] : set_.globals()) names.push_back(defined);
  for (const auto &[defined, value] : own_) names.push_back(defined);
  if (library_) {
    for (const Object &object : *library_) {
      for (const Symbol &symbol : object.symbols) {
        if (symbol.section != Symbol::kUndefined && symbol.binding != Binding::kLocal) names.push_back(symbol.name);
      }
    }
  }
  const std::string near = nearest(name, names);
  diagnostics_.push_back(error(
      "dpu-link-undefined", where, fmt::format("'{}' is not defined", name),
      near.empty() ? "define it, or link the object or library that does" : fmt::format("did you mean '{}'?", near)));
}

void Linker::relocate() {
  for (std::size_t o = 0; o < objects_.size(); ++o) {
    for (std::size_t s = 0; s < objects_[o].sections.size(); ++s) {
      Section &section = objects_[o].sections[s];
      if (section.isNoBits || !addresses_.contains({o, s})) continue;
      for (const Relocation &relocation : section.relocations) relocate(o, section, relocation);
    }
  }
}

void Linker::relocate(std::size_t object, Section &section, const Relocation &relocation) {
  const Field *field = fieldOfType(relocation.type);
  const Location where = placeOf(objects_[object], section, relocation);
  const std::uint32_t bytes =
      !field || field->kind == FieldKind::kInstruction ? 8u : static_cast<std::uint32_t>(field->width / 8);
  const bool isInside = std::uint64_t{relocation.offset} + bytes <= section.bytes.size();
  if (!field || relocation.symbol >= objects_[object].symbols.size() || !isInside) {
    diagnostics_.push_back(error("dpu-link-relocation", where,
                                 fmt::format("invalid relocation of type {} at offset {} of {}", relocation.type,
                                             relocation.offset, section.name),
                                 "types are R_DPU_NONE to R_DPU_IMM32_DUS_RB; use offsets and symbols of the file"));
    return;
  }
  if (field->kind == FieldKind::kNone) return;
  const std::string &name = objects_[object].symbols[relocation.symbol].name;
  const Place at = find(object, relocation.symbol);
  if (!at.isKnown) {
    reportUndefined(where, name);
    return;
  }
  const std::int64_t value = at.isAbsolute ? static_cast<std::int32_t>(at.value) + relocation.addend
                                           : seen(static_cast<std::uint32_t>(at.value + relocation.addend));
  if (!fits(*field, value)) {
    diagnostics_.push_back(
        error("dpu-link-range", where,
              fmt::format("'{}' is {} here, which does not fit in {} bits", name, value, int{field->width}),
              "load it into a register with move first"));
    return;
  }
  std::uint64_t word = 0;
  for (std::uint32_t i = bytes; i-- > 0;) word = word << 8 | section.bytes[relocation.offset + i];
  word = field->kind == FieldKind::kData ? static_cast<std::uint64_t>(value)
                                         : scatter(word, field->ranges, static_cast<std::uint32_t>(value));
  for (std::uint32_t i = 0; i < bytes; ++i) {
    section.bytes[relocation.offset + i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
}

program::Code Linker::finish() {
  program::Code code;
  code.tasklets = options_.tasklets;
  code.wramUsed = heapStart_;
  code.mramUsed = mramEnd_;
  finishCode(code);
  program::Code::Segment wram, mram{kMramBase, {}};
  for (const auto &[key, address] : addresses_) {
    const Section &section = objects_[key.first].sections[key.second];
    if (section.isNoBits || section.bytes.empty()) continue;
    if (section.memory != Memory::kWram && section.memory != Memory::kMram) continue;
    program::Code::Segment &into = section.memory == Memory::kWram ? wram : mram;
    const std::size_t begin = address - into.address;
    into.bytes.resize(std::max(into.bytes.size(), begin + section.bytes.size()));
    std::copy(section.bytes.begin(), section.bytes.end(), into.bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  wram.bytes.resize(std::max<std::size_t>(wram.bytes.size(), stackTableAddress_ + stackTable_.size()));
  std::copy(stackTable_.begin(), stackTable_.end(), wram.bytes.begin() + stackTableAddress_);
  code.segments.push_back(std::move(wram));
  if (!mram.bytes.empty()) code.segments.push_back(std::move(mram));
  finishSymbols(code);
  return code;
}

void Linker::finishCode(program::Code &code) {
  code.instructions.resize(codeEnd_ / 8);
  code.lines.resize(codeEnd_ / 8);
  std::map<std::string, std::int32_t> fileNumbers;
  for (const auto &[key, address] : addresses_) {
    const Object &object = objects_[key.first];
    const Section &section = object.sections[key.second];
    if (section.memory != Memory::kIram) continue;
    const std::size_t begin = (address - kIramBase) / 8, count = section.bytes.size() / 8;
    std::size_t next = 0;
    program::Code::Line line;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t word = 0;
      for (std::size_t byte = 8; byte-- > 0;) word = word << 8 | section.bytes[8 * i + byte];
      code.instructions[begin + i] = word;
      for (; next < section.lines.size() && section.lines[next].offset <= 8 * i; ++next) {
        const SectionLine &from = section.lines[next];
        const bool isKnown = from.file >= 0 && static_cast<std::size_t>(from.file) < object.files.size();
        line = {};
        if (!isKnown) continue;
        const std::string &file = object.files[static_cast<std::size_t>(from.file)];
        const auto [at, isNew] = fileNumbers.try_emplace(file, static_cast<std::int32_t>(code.files.size()));
        if (isNew) code.files.push_back(file);
        line = {at->second, from.line};
      }
      code.lines[begin + i] = line;
    }
  }
  if (code.files.empty()) code.lines.clear();
}

/// A function without a size reaches to the next function or the end of its section.
void Linker::sizeFunctions(program::Code &code) const {
  std::set<std::uint32_t> ends;
  for (const auto &[key, address] : addresses_) {
    const Section &section = objects_[key.first].sections[key.second];
    if (section.memory == Memory::kIram) ends.insert(address + section.length());
  }
  for (const program::Code::Symbol &symbol : code.symbols) {
    if (symbol.isFunction) ends.insert(symbol.address);
  }
  for (program::Code::Symbol &symbol : code.symbols) {
    const auto end = ends.upper_bound(symbol.address);
    if (symbol.isFunction && symbol.size == 0 && end != ends.end()) symbol.size = *end - symbol.address;
  }
}

void Linker::finishSymbols(program::Code &code) {
  for (std::size_t o = 0; o < objects_.size(); ++o) {
    for (std::size_t s = 0; s < objects_[o].symbols.size(); ++s) {
      const Symbol &symbol = objects_[o].symbols[s];
      if (symbol.section == Symbol::kUndefined || symbol.name.empty() || symbol.name.starts_with(".L")) continue;
      if (symbol.binding != Binding::kLocal) {
        Definition own;
        if (*set_.definitionOf(o, s, own) != Definition{o, s}) continue;  // another definition was taken
      }
      const Place at = find(o, s);
      if (!at.isKnown) continue;
      const bool isCode = !at.isAbsolute && at.value >= kIramBase && at.value < kAtomicBase;
      // What others can call is a function even where nobody says so.
      const bool isFunction = symbol.kind == SymbolKind::kFunction ||
                              (isCode && symbol.kind == SymbolKind::kNone && symbol.binding != Binding::kLocal);
      code.symbols.push_back({symbol.name, at.value, symbol.size, isFunction, at.isAbsolute});
    }
  }
  for (const auto &[name, at] : own_) {
    if (!set_.globals().contains(name)) code.symbols.push_back({name, at.value, 0, false, at.isAbsolute});
  }
  sizeFunctions(code);
  std::stable_sort(code.symbols.begin(), code.symbols.end(),
                   [](const auto &a, const auto &b) { return a.name < b.name; });
}

}  // namespace

Result<program::Code> link(std::vector<Object> objects, const LinkOptions &options,
                           const std::vector<Object> *library) {
  return Linker(std::move(objects), options, library).run();
}

std::vector<std::string> missingSymbols(std::vector<Object> objects, const std::vector<Object> *library,
                                        const LinkOptions &options) {
  return Linker(std::move(objects), options, library).missing();
}

}  // namespace pimento::dpu
