#include "pimento/driver/program_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <unordered_set>

#include "pimento/base/file.h"
#include "pimento/base/suggest.h"
#include "pimento/frontend/symbols/symbols.h"
#include "pimento/guest/guest.h"
#include "pimento/guest/rv64/interpreter.h"
#include "pimento/trace/file/reader.h"
#include "pimento/trace/file/writer.h"
#include "pimento/trace/selection.h"

namespace pimento::driver {

namespace {

/// Hands everything to a trace, too.
class Saver final : public trace::Consumer {
 public:
  Saver(trace::Consumer &to, trace::file::Writer &file) : to_(to), file_(file) {}
  void onStart(const trace::Program &program, bool hasValues) override {
    file_.onStart(program, hasValues);
    to_.onStart(program, hasValues);
  }
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override {
    if (blocks_.insert(&block).second)
      for (const trace::Instruction &in : block.instructions) addresses_.insert(in.address);
    file_.onBlock(block, count, accesses);
    to_.onBlock(block, count, accesses);
  }
  void onEnd() override { to_.onEnd(); }
  bool wantsMore() const override { return to_.wantsMore(); }

  /// Of all that ran, as the program's file has them.
  std::vector<std::uint64_t> addresses(std::uint64_t loadedAt) const {
    std::vector<std::uint64_t> out;
    for (const std::uint64_t address : addresses_) out.push_back(address - loadedAt);
    return out;
  }

 private:
  trace::Consumer &to_;
  trace::file::Writer &file_;
  std::unordered_set<const trace::Block *> blocks_;  ///< seen; they may be gone when the producer is
  std::set<std::uint64_t> addresses_;
};

/// FUNCTION or ADDRESS, with :N or without.
Result<trace::Marker> markerOf(const std::string &text, const char *option, const trace::Program &program) {
  trace::Marker out;
  std::string place = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string::npos) {
    place = text.substr(0, colon);
    const char *end = text.data() + text.size();
    const auto [at, failed] = std::from_chars(text.data() + colon + 1, end, out.count);
    if (failed != std::errc{} || at != end || out.count < 1)
      return usageError("bad-marker", option, fmt::format("'{}' has no number behind its colon", text),
                        "write it as FUNCTION, FUNCTION:N, 0xADDRESS or 0xADDRESS:N, where N counts from 1");
  }
  if (place.starts_with("0x")) {
    constexpr int kHex = 16;
    const char *end = place.data() + place.size();
    const auto [at, failed] = std::from_chars(place.data() + 2, end, out.address, kHex);
    if (failed == std::errc{} && at == end) return out;
    return usageError("bad-marker", option, fmt::format("'{}' is no address", place),
                      "an address is a hexadecimal number, as in 0x400580");
  }
  for (const trace::Function &f : program.functions)
    if (f.name == place) {
      out.address = f.address;
      return out;
    }
  std::vector<std::string> names;
  for (const trace::Function &f : program.functions) names.push_back(f.name);
  const std::string near = nearest(place, names);
  return usageError("unknown-function", option, fmt::format("{} has no function '{}'", program.name, place),
                    names.empty()  ? "its symbols were stripped: name an address, as in 0x400580"
                    : near.empty() ? "name one of its functions, or an address, as in 0x400580"
                                   : fmt::format("did you mean '{}'?", near));
}

Result<trace::Part> partOf(const Options &options, const trace::Program &program) {
  trace::Part part;
  part.skip = options.skip;
  part.most = options.maxInstructions;
  const auto read = [&](const std::string &text, const char *option, std::optional<trace::Marker> &to) -> Status {
    if (text.empty()) return okStatus();
    const Result<trace::Marker> marker = markerOf(text, option, program);
    if (!marker) return marker.diagnostics();
    to = *marker;
    return okStatus();
  };
  if (Status s = read(options.start, "--start", part.start); !s) return s.diagnostics();
  if (Status s = read(options.stop, "--stop", part.stop); !s) return s.diagnostics();
  return part;
}

/// Were the markers there, and anything between them?
Status checkReached(const Options &options, const trace::Selection &part) {
  const auto missing = [&](const char *option, const std::string &text, const char *hint) {
    return error("marker-not-reached", {option}, fmt::format("the program never reached '{}'", text), hint);
  };
  if (!part.hasStarted())
    return missing("--start", options.start,
                   "it came less often than asked for, or not at all; without it all is taken");
  if (!part.hasStopped() && part.wantsMore())
    return missing("--stop", options.stop, "it did not come after the start; without it all up to the end is taken");
  if (part.passed() == 0)
    return error("no-instructions", {options.input}, "the part that was asked for has no instructions",
                 "lower --skip, or raise --max-instructions");
  return okStatus();
}

/// Whether the interpreter runs a program, rather than QEMU.
Result<bool> isInterpreted(const Options &options, const guest::ElfImage &image) {
  const bool canBe = guest::rv64::runs(image);
  if (options.engine == "qemu") return false;
  if (options.engine.empty() || options.engine == "auto") return canBe && !guest::isQemuInstalled(image.isa);
  if (options.engine != "interpreter")
    return usageError("unknown-engine", "--engine", fmt::format("unknown engine '{}'", options.engine),
                      suggest(options.engine, {"auto", "interpreter", "qemu"}));
  if (canBe) return true;
  return unsupported("interpreter-program", {options.input},
                     fmt::format("the interpreter does not run '{}': it is {}", options.input,
                                 image.isa == trace::Isa::kRv64 ? "dynamic" : "not for RISC-V 64"),
                     "link it with -static for RISC-V 64, or use --engine qemu");
}

/// A program or a trace, opened.
class Source {
 public:
  static Result<Source> open(const Options &options) {
    Source out;
    if (!isSavedTrace(options.input)) {
      Result<guest::ElfImage> image = guest::readElfImage(options.input);
      if (!image) return image.diagnostics();
      const Result<bool> interpreted = isInterpreted(options, *image);
      if (!interpreted) return interpreted.diagnostics();
      out.engine_ = *interpreted ? "interpreter" : "qemu";
      out.program_ = {std::filesystem::path(options.input).filename().string(),
                      image->isa,
                      static_cast<std::int64_t>(options.arguments.size()),
                      image->functions,
                      0,
                      image->codeEnd,
                      {}};
      out.image_ = std::move(*image);
      return out;
    }
    for (const auto &[isGiven, option] : {std::pair{!options.arguments.empty(), "--"},
                                          {!options.sysroot.empty(), "--sysroot"},
                                          {!options.engine.empty(), "--engine"},
                                          {!options.stdoutFile.empty(), "--stdout"}})
      if (isGiven)
        return usageError("trace-option", option,
                          fmt::format("'{}' is a saved trace, which runs nothing", options.input),
                          "omit it: arguments, --sysroot, --engine and --stdout are for programs");
    auto in = std::make_unique<std::ifstream>(options.input, std::ios::binary);
    if (!*in)
      return error("unreadable-file", {options.input},
                   fmt::format("cannot read '{}': {}", options.input, std::strerror(errno)), "check the path");
    Result<std::unique_ptr<trace::file::Reader>> reader = trace::file::Reader::open(std::move(in), options.input);
    if (!reader) return reader.diagnostics();
    out.program_ = (*reader)->program();
    out.reader_ = std::move(*reader);
    return out;
  }

  const trace::Program &program() const { return program_; }
  const std::string &engine() const { return engine_; }

  /// `instructions`: of the whole stream.
  Result<trace::ProgramEnd> run(const Options &options, trace::Consumer &consumer, guest::rv64::Witness *witness) {
    if (image_) {
      guest::GuestOptions o{options.input, options.arguments, options.sysroot, options.stdoutFile,
                            true,          options.isStopped, witness};
      return engine_ == "qemu" ? guest::runGuest(*image_, o, consumer) : guest::rv64::run(*image_, o, consumer);
    }
    if (Status s = reader_->run(consumer); !s) return s.diagnostics();
    return reader_->end();
  }

 private:
  trace::Program program_;
  std::string engine_ = "trace";
  std::optional<guest::ElfImage> image_;
  std::unique_ptr<trace::file::Reader> reader_;
};

/// Where a run is saved; nothing where it is not.
struct Save {
  std::ofstream out;
  std::optional<trace::file::Writer> writer;
};

Diagnostic unwritable(const std::string &file) {
  return error("unwritable-file", {file}, fmt::format("cannot write '{}': {}", file, std::strerror(errno)),
               "check that the folder exists, is writable and has room");
}

}  // namespace

bool isSavedTrace(const std::string &file) {
  if (file.ends_with(".ptrace")) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::ifstream in(file, std::ios::binary);
  std::string head(trace::file::kMagic.size(), '\0');
  return in.read(head.data(), static_cast<std::streamsize>(head.size())) && trace::file::isTrace(head);
}

Result<std::string> engineOfProgram(const Options &options) {
  if (isSavedTrace(options.input)) return std::string("trace");
  const Result<guest::ElfImage> image = guest::readElfImage(options.input);
  if (!image) return image.diagnostics();
  const Result<bool> interpreted = isInterpreted(options, *image);
  if (!interpreted) return interpreted.diagnostics();
  return std::string(*interpreted ? "interpreter" : "qemu");
}

trace::SourceMap sourcesOf(const Options &options, const trace::Program &program,
                           std::span<const std::uint64_t> addresses, std::vector<std::string> &warnings) {
  if (isSavedTrace(options.input)) return program.sources;
  const Result<std::string> bytes = readFile(options.input);
  const std::span inFile = addresses.first(
      static_cast<std::size_t>(std::ranges::lower_bound(addresses, program.codeEnd) - addresses.begin()));
  Result<frontend::Symbols> symbols =
      bytes ? frontend::readSymbols(*bytes, options.input, inFile) : Result<frontend::Symbols>(bytes.diagnostics());
  if (!symbols) {
    for (const Diagnostic &d : symbols.diagnostics())
      warnings.push_back(fmt::format("the lines of the program are not known: {}", d.message));
    return {};
  }
  for (std::string &w : symbols->warnings) warnings.push_back(std::move(w));
  return std::move(symbols->map);
}

Result<ProgramRun> runProgram(const Options &options, trace::Consumer &consumer, guest::rv64::Witness *witness) {
  Result<Source> source = Source::open(options);
  if (!source) return source.diagnostics();
  const Result<trace::Part> part = partOf(options, source->program());
  if (!part) return part.diagnostics();
  Save save;
  std::optional<Saver> both;
  if (!options.save.empty()) {
    save.out.open(options.save, std::ios::binary | std::ios::trunc);
    if (!save.out) return unwritable(options.save);
    save.writer.emplace(save.out, options.savesValues);
    both.emplace(consumer, *save.writer);
  }
  trace::Selection selection(*part, both ? static_cast<trace::Consumer &>(*both) : consumer);
  Result<trace::ProgramEnd> end = source->run(options, selection, witness);
  if (!end) return end.diagnostics();
  if (Status s = checkReached(options, selection); !s) return s.diagnostics();
  end->leftOut += end->instructions - selection.passed();
  end->instructions = selection.passed();
  if (save.writer) {
    // Why there are no lines is said where lines are asked for.
    std::vector<std::string> ignored;
    save.writer->setSources(sourcesOf(options, source->program(), both->addresses(selection.loadedAt()), ignored));
    if (!save.writer->finish(*end)) return unwritable(options.save);
  }
  ProgramRun run{source->program(), *end, source->engine()};
  run.program.loadedAt = selection.loadedAt();
  return run;
}

}  // namespace pimento::driver
