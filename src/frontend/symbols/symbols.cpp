#include "pimento/frontend/symbols/symbols.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFCompileUnit.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugLine.h>
#include <llvm/Object/Decompressor.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <map>
#include <memory>
#include <set>
#include <tuple>

namespace pimento::frontend {

namespace {

constexpr std::size_t kMostWarnings = 3, kMostFrames = 256;
using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;

/// Gathers what addresses are made of; equal things are there once.
class MapBuilder {
 public:
  explicit MapBuilder(trace::SourceMap &map) : map_(map) {}

  /// Frames come innermost first.
  void add(std::uint64_t address, const llvm::DIInliningInfo &frames) {
    std::int32_t at = -1;
    if (frames.getNumberOfFrames() <= kMostFrames)
      for (std::uint32_t i = frames.getNumberOfFrames(); i > 0; --i) at = frame(frames.getFrame(i - 1), at);
    if (map_.places.empty() || map_.places.back().frame != at) map_.places.push_back({address, at});
  }

 private:
  static std::string known(const std::string &text) {
    return text == llvm::DILineInfo::BadString ? std::string() : text;
  }

  std::int32_t frame(const llvm::DILineInfo &line, std::int32_t caller) {
    const std::string file = known(line.FileName), function = known(line.FunctionName);
    // A frame of nothing says nothing.
    if (file.empty() && function.empty()) return caller;
    trace::Frame f;
    f.function = indexOf(functions_, std::pair(function, line.StartLine), map_.functions,
                         [&] { return trace::SourceFunction{function, line.StartLine}; });
    f.file = indexOf(files_, file, map_.files, [&] { return trace::SourceFile{file, {}}; });
    f.line = line.Line;
    f.column = line.Column;
    f.caller = caller;
    return static_cast<std::int32_t>(
        indexOf(frames_, std::tuple(f.function, f.file, f.line, f.column, caller), map_.frames, [&] { return f; }));
  }

  template <typename Key, typename Item, typename Make>
  static std::uint32_t indexOf(std::map<Key, std::uint32_t> &known, const Key &key, std::vector<Item> &items,
                               Make make) {
    const auto [at, isNew] = known.try_emplace(key, static_cast<std::uint32_t>(items.size()));
    if (isNew) items.push_back(make());
    return at->second;
  }

  trace::SourceMap &map_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> functions_;
  std::map<std::string, std::uint32_t> files_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>, std::uint32_t> frames_;
};

/// The checksums of files that line tables have (DWARF 5).
void addChecksums(llvm::DWARFContext &context, const std::map<std::uint64_t, llvm::DWARFUnit *> &units,
                  trace::SourceMap &map) {
  std::map<std::string, std::string> known;
  for (const auto &[offset, unit] : units) {
    const llvm::DWARFDebugLine::LineTable *table = context.getLineTableForUnit(unit);
    if (table == nullptr || !table->Prologue.ContentTypes.HasMD5) continue;
    const char *folder = unit->getCompilationDir();
    for (std::size_t i = 0; i < table->Prologue.FileNames.size(); ++i) {
      std::string name;
      if (table->getFileNameByIndex(i, folder != nullptr ? folder : "", Kind::AbsoluteFilePath, name))
        known.try_emplace(name, table->Prologue.FileNames[i].Checksum.digest().str().str());
    }
  }
  for (trace::SourceFile &f : map.files)
    if (const auto found = known.find(f.name); found != known.end()) f.md5 = found->second;
}

/// Whether a compressed section says that it is larger than its bytes can make it: LLVM would ask for the memory.
bool hasBadCompression(const llvm::object::ObjectFile &object) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30, kMostGrowth = 2000;
  for (const llvm::object::SectionRef &section : object.sections()) {
    if (!section.isCompressed()) continue;
    llvm::Expected<llvm::StringRef> bytes = section.getContents();
    llvm::Expected<llvm::object::Decompressor> made =
        bytes ? llvm::object::Decompressor::create("", *bytes, object.isLittleEndian(), object.getBytesInAddress() == 8)
              : bytes.takeError();
    if (!made) {
      llvm::consumeError(made.takeError());
      return true;
    }
    const std::uint64_t size = made->getDecompressedSize();
    if (size > kMostBytes || size / kMostGrowth > bytes->size()) return true;
  }
  return false;
}

/// Messages of LLVM, each once.
class Warnings {
 public:
  explicit Warnings(std::vector<std::string> &out) : out_(out) {}
  void add(llvm::Error error) {
    llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &e) {
      std::string text = e.message();
      for (char &c : text)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
      if (out_.size() < kMostWarnings && seen_.insert(text).second)
        out_.push_back(fmt::format("a part of the debug information cannot be read: {}", text));
    });
  }

 private:
  std::vector<std::string> &out_;
  std::set<std::string> seen_;
};

}  // namespace

Result<Symbols> readSymbols(std::string_view program, const std::string &file,
                            std::span<const std::uint64_t> addresses) {
  Symbols out;
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(program.data(), program.size()), file));
  if (!object) {
    llvm::consumeError(object.takeError());
    return error("bad-elf", {file}, fmt::format("'{}' is no ELF file that can be read", file),
                 "copy or build it again");
  }
  if (hasBadCompression(**object)) {
    out.warnings.emplace_back("the debug information cannot be read: a compressed section of it is broken");
    return out;
  }
  Warnings warnings(out.warnings);
  const auto warn = [&](llvm::Error e) { warnings.add(std::move(e)); };
  const std::unique_ptr<llvm::DWARFContext> context = llvm::DWARFContext::create(
      **object, llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "", warn, warn);
  if (context->getNumCompileUnits() == 0) return out;
  MapBuilder builder(out.map);
  std::map<std::uint64_t, llvm::DWARFUnit *> units;  // by their place
  const llvm::DILineInfoSpecifier specifier(Kind::AbsoluteFilePath, llvm::DINameKind::ShortName);
  for (const std::uint64_t address : addresses) {
    const llvm::object::SectionedAddress at{address, llvm::object::SectionedAddress::UndefSection};
    builder.add(address, context->getInliningInfoForAddress(at, specifier));
    if (llvm::DWARFCompileUnit *unit = context->getCompileUnitForCodeAddress(address)) units[unit->getOffset()] = unit;
  }
  addChecksums(*context, units, out.map);
  if (out.map.frames.empty()) out.map = {};
  return out;
}

}  // namespace pimento::frontend
