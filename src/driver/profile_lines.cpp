#include "pimento/driver/profile_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "pimento/driver/profile_verdict.h"
#include "pimento/driver/program_run.h"
#include "pimento/driver/source_files.h"

namespace pimento::driver {

namespace {

using evaluate::Attributed;

constexpr std::uint64_t kMostGap = 64;       ///< bytes between instructions of one range
constexpr double kLeastShare = 0.001;        ///< of cycles: functions whose text is kept
constexpr std::uint32_t kAround = 2;         ///< lines before and after what ran
constexpr std::uint32_t kMostLines = 20000;  ///< of a chunk

/// Names of what stands for functions, by address.
class FunctionNames {
 public:
  FunctionNames(const trace::Program &program, const std::map<std::uint64_t, Attributed> &at) : program_(program) {
    for (const auto &[address, own] : at) {
      if (isElsewhere(address) || program.functionAt(address) != nullptr) continue;
      const std::uint64_t inFile = address - program.loadedAt;
      if (ranges_.empty() || inFile - ranges_.back().second > kMostGap) ranges_.emplace_back(inFile, inFile);
      ranges_.back().second = inFile;
    }
  }

  std::string of(std::uint64_t address) const {
    if (isElsewhere(address)) return "(elsewhere)";
    if (const trace::Function *f = program_.functionAt(address)) return f->name;
    const auto after = std::ranges::upper_bound(ranges_, address - program_.loadedAt, {},
                                                &std::pair<std::uint64_t, std::uint64_t>::first);
    return fmt::format("{:#x}-{:#x}", std::prev(after)->first, std::prev(after)->second);
  }

 private:
  /// Of traces that do not say where the code ends, all that is in no function.
  bool isElsewhere(std::uint64_t address) const {
    if (program_.codeEnd == 0) return program_.functionAt(address) == nullptr;
    return address < program_.loadedAt || address - program_.loadedAt >= program_.codeEnd;
  }

  const trace::Program &program_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  ///< first and last instruction
};

/// Calls as a tree; children by function and line of the call.
struct Node {
  std::string function, file;
  std::uint32_t line = 0;
  Attributed own, all;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Node> inlined;
};

template <typename Share>
void sortBySlowest(std::vector<Share> &shares, Attributed Share::*what) {
  std::ranges::stable_sort(shares, std::ranges::greater(), [what](const Share &s) { return (s.*what).cycles; });
}

CallShare shareOf(const Node &n) {
  CallShare out{n.function, n.file, n.line, n.own, n.all, {}};
  for (const auto &[key, child] : n.inlined) out.inlined.push_back(shareOf(child));
  sortBySlowest(out.inlined, &CallShare::all);
  return out;
}

/// Everything by frames of the source map.
class Gatherer {
 public:
  Gatherer(const trace::SourceMap &map, std::uint64_t loadedAt) : map_(map), loadedAt_(loadedAt) {}

  void add(std::uint64_t address, const std::string &function, bool isElsewhere, const Attributed &own) {
    const std::int32_t frame = isElsewhere ? -1 : map_.frameAt(address - loadedAt_);
    if (frame < 0) {
      lines_[{std::string(), 0, function}].add(own);
      return;
    }
    const trace::Frame &f = frameOf(frame);
    lines_[{map_.files[f.file].name, f.line, map_.functions[f.function].name}].add(own);
    addCalls(frame, own);
    if (f.line == 0) return;
    Extent &extent = extents_[{f.file, f.function}];
    extent.first = std::min(extent.first, f.line);
    extent.last = std::max(extent.last, f.line);
    extent.cycles += own.cycles;
  }

  std::vector<LineShare> lines() const {
    std::vector<LineShare> out;
    for (const auto &[key, own] : lines_) out.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), own});
    sortBySlowest(out, &LineShare::own);
    return out;
  }

  std::vector<CallShare> calls() const {
    std::vector<CallShare> out;
    for (const auto &[function, node] : roots_) out.push_back(shareOf(node));
    sortBySlowest(out, &CallShare::all);
    return out;
  }

  std::vector<SourceShare> sources(const SourceFinder &finder, std::int64_t allCycles) const;

 private:
  struct Extent {
    std::uint32_t first = ~std::uint32_t{0}, last = 0;
    std::int64_t cycles = 0;
  };

  const trace::Frame &frameOf(std::int32_t frame) const { return map_.frames[static_cast<std::size_t>(frame)]; }

  void addCalls(std::int32_t innermost, const Attributed &own) {
    std::vector<std::int32_t> chain;
    for (std::int32_t f = innermost; f >= 0; f = frameOf(f).caller) chain.push_back(f);
    const trace::Frame &outer = frameOf(chain.back());
    Node *node = &roots_[outer.function];
    fill(*node, outer.function, outer.file, map_.functions[outer.function].line);
    node->all.add(own);
    for (std::size_t i = chain.size() - 1; i > 0; --i) {
      const trace::Frame &caller = frameOf(chain[i]), &callee = frameOf(chain[i - 1]);
      node = &node->inlined[{callee.function, caller.file, caller.line}];
      fill(*node, callee.function, caller.file, caller.line);
      node->all.add(own);
    }
    node->own.add(own);
  }

  void fill(Node &node, std::uint32_t function, std::uint32_t file, std::uint32_t line) const {
    node.function = map_.functions[function].name;
    node.file = map_.files[file].name;
    node.line = line;
  }

  const trace::SourceMap &map_;
  std::uint64_t loadedAt_;
  std::map<std::tuple<std::string, std::uint32_t, std::string>, Attributed> lines_;
  std::map<std::uint32_t, Node> roots_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Extent> extents_;  ///< by file and function
};

/// The text of functions that matter, from where they begin.
std::vector<SourceShare> Gatherer::sources(const SourceFinder &finder, std::int64_t allCycles) const {
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> wanted;
  std::map<std::uint32_t, std::int64_t> cycles;
  for (const auto &[key, e] : extents_) {
    cycles[key.first] += e.cycles;
    const std::uint32_t begins = map_.functions[key.second].line,
                        first = begins > 0 && begins < e.first && e.first - begins < kMostLines ? begins : e.first;
    if (static_cast<double>(e.cycles) >= kLeastShare * static_cast<double>(allCycles))
      wanted[key.first].emplace_back(first > kAround ? first - kAround : 1, e.last + kAround);
  }
  std::vector<SourceShare> out;
  for (auto &[file, pieces] : wanted) {
    FoundSource text = finder.find(map_.files[file]);
    SourceShare &share = out.emplace_back(SourceShare{text.file, text.path, text.state, {}});
    std::ranges::sort(pieces);
    std::uint32_t next = 1;
    for (const auto &[first, last] : pieces) {
      const std::uint32_t begin = std::max(first, next),
                          end = std::min(last + 1, static_cast<std::uint32_t>(text.lines.size()) + 1);
      if (begin >= end) continue;
      // Pieces that touch are one.
      if (begin > next || share.chunks.empty()) share.chunks.push_back({begin, {}});
      for (std::uint32_t l = begin; l < end; ++l) share.chunks.back().text.push_back(text.lines[l - 1]);
      next = end;
    }
  }
  std::ranges::stable_sort(out, std::ranges::greater(), [&](const SourceShare &s) {
    const auto file = std::ranges::find(map_.files, s.file, &trace::SourceFile::name);
    return cycles.at(static_cast<std::uint32_t>(file - map_.files.begin()));
  });
  return out;
}

/// What is to be known of sources before they are read.
void warnOfSources(ProfileLines &out) {
  for (const SourceShare &s : out.sources) {
    if (s.state == SourceState::kChanged)
      out.warnings.push_back(fmt::format(
          "'{}' is not what the program was built from (its checksum differs): lines may show another text", s.path));
    if (s.state == SourceState::kNewer)
      out.warnings.push_back(
          fmt::format("'{}' was changed after the program was built: lines may show another text", s.path));
  }
  std::vector<std::string> missing;
  for (const SourceShare &s : out.sources)
    if (s.state == SourceState::kMissing) missing.push_back(s.file);
  if (!missing.empty())
    out.warnings.push_back(
        fmt::format("{} source files were not found, the first is '{}': say where they are with "
                    "--sources FOLDER or --source-map OLD=NEW",
                    missing.size(), missing.front()));
}

}  // namespace

std::string_view mainReason(const Attributed &own) {
  std::string most;
  std::int64_t count = 0;
  for (const bool isLoad : {false, true}) {
    for (const auto &[reason, n] : lost(own))
      if (reason.starts_with("load_") == isLoad && n > count) {
        most = reason;
        count = n;
      }
    if (count > 0) break;
  }
  return most.empty() ? std::string_view() : reasonInWords(most);
}

Result<ProfileLines> profileLines(const trace::Program &program, const evaluate::Profile &profile,
                                  const Options &options) {
  const Result<SourceFinder> finder = SourceFinder::make(options);
  if (!finder) return finder.diagnostics();
  ProfileLines out;
  std::vector<std::uint64_t> addresses;
  for (const auto &[address, own] : profile.at)
    if (address >= program.loadedAt) addresses.push_back(address - program.loadedAt);
  const trace::SourceMap map = sourcesOf(options, program, addresses, out.warnings);
  const FunctionNames names(program, profile.at);
  Gatherer gatherer(map, program.loadedAt);
  std::map<std::string, Attributed> functions;
  for (const auto &[address, own] : profile.at) {
    const std::string function = names.of(address);
    out.total.add(own);
    functions[function].add(own);
    gatherer.add(address, function, function == "(elsewhere)", own);
  }
  for (auto &[name, own] : functions) out.functions.push_back({name, std::move(own)});
  sortBySlowest(out.functions, &FunctionShare::own);
  out.lines = gatherer.lines();
  out.calls = gatherer.calls();
  out.sources = gatherer.sources(*finder, profile.cycles);
  if (map.places.empty() && out.warnings.empty())
    out.warnings.push_back(program.functions.empty()
                               ? "the program has neither debug information nor symbols: addresses stand for its lines "
                                 "and functions (build it with -g)"
                               : "the program has no debug information: there are functions, but no lines (build it "
                                 "with -g)");
  warnOfSources(out);
  return out;
}

}  // namespace pimento::driver
