#include "pimento/mapping/cnm_spaces.h"

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/mapping/passes.h"

namespace pimento::mapping {

namespace {

constexpr const char *kLoopForm = "a loop is: loop i channel 64 block 8 range 8";
constexpr std::int64_t kMaxIndex = 1000000;

}  // namespace

const std::vector<std::string> &CnmSpaces::words() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words = {"mapping", "space", "order", "cyclic", "merge", "program", "tail"};
    words.insert(words.end(), parameterNames().begin(), parameterNames().end());
    return words;
  }();
  return kWords;
}

std::optional<bool> CnmSpaces::statement(const std::string &word, const Location &where) {
  if (!isAny_) firstWhere_ = where;
  isAny_ = true;
  if (word == "space") return space(where);
  if (word == "cyclic") return cyclic(where);
  if (!remember(word, where)) return false;
  if (word == "mapping") return mappingStatement(where);
  if (word == "order") return order();
  if (word == "merge" || word == "program" || word == "tail") return choice(word);
  return text_.number(mapping_.parameters[word], word, leastOf(word), kMaxExtent) && text_.lineEnd();
}

bool CnmSpaces::remember(const std::string &key, const Location &where) {
  const auto [earlier, isNew] = mapping_.where.emplace(key, where);
  return isNew || text_.duplicate(where, key + " is given twice",
                                  "first in line " + std::to_string(earlier->second.line) + "; remove one");
}

bool CnmSpaces::mappingStatement(const Location &where) {
  const Location at = text_.scan.where();
  std::string spec;
  if (!text_.name(spec, "a mapping")) return false;
  Result<MapSpec> parsed = parseMapSpec(spec);
  if (!parsed || parsed->kind == MapSpec::Kind::kExplicit || print(*parsed) != spec) {
    const std::string word = spec.substr(0, 40);
    return text_.report("cnm-mapping", at, spellName(word) + " is not a mapping keyword",
                        suggest(word, {"reference", "auto", "host"}) + "; write other mappings as spaces");
  }
  stated_ = std::move(*parsed);
  statedWhere_ = where;
  return text_.lineEnd();
}

bool CnmSpaces::induction(std::size_t &into) {
  const Location at = text_.scan.where();
  std::string name;
  if (!text_.identifier(name, "an induction variable")) return false;
  const int d = kernel_.dimNamed(name);
  if (d >= 0) {
    into = static_cast<std::size_t>(d);
    return true;
  }
  std::vector<std::string> names;
  for (const kernel::Dim &dim : kernel_.dims) names.push_back(dim.name);
  return text_.report("cnm-unknown-induction", at, "the kernel has no induction variable " + spellWord(name),
                      suggest(name, names));
}

bool CnmSpaces::level(std::size_t &into) {
  const Location at = text_.scan.where();
  std::string name;
  if (!text_.name(name, "a level or 'range'")) return false;
  const auto known = std::find(module_.levels.begin(), module_.levels.end(), name);
  into = static_cast<std::size_t>(known - module_.levels.begin());
  if (known != module_.levels.end()) return true;
  return text_.report("cnm-unknown-level", at, "the target has no level " + spellName(name),
                      module_.levels.empty() ? "name its levels: target NAME LEVEL..." : suggest(name, module_.levels));
}

bool CnmSpaces::order() {
  while (!text_.scan.isAtLineEnd()) {
    const Location at = text_.scan.where();
    std::size_t d = 0;
    if (!induction(d)) return false;
    const std::string &name = kernel_.dims[d].name;
    if (std::find(mapping_.order.begin(), mapping_.order.end(), name) != mapping_.order.end())
      return text_.duplicate(at, spellWord(name) + " appears twice in the order",
                             "name every induction variable once, outermost first");
    mapping_.order.push_back(name);
  }
  return !mapping_.order.empty() || text_.expected("an induction variable", "name each once, outermost first");
}

bool CnmSpaces::cyclic(const Location &where) {
  std::size_t l = 0;
  if (!level(l) || !remember("cyclic(" + module_.levels[l] + ")", where)) return false;
  return text_.number(mapping_.cyclic[module_.levels[l]], "a chunk", 1, kMaxExtent) && text_.lineEnd();
}

bool CnmSpaces::choice(const std::string &statement) {
  std::size_t n = 0;
  if (statement == "tail") {
    if (!text_.word(n, "how the tail is handled", {"pad", "truncate"})) return false;
    mapping_.tail = n == 0 ? Tail::kPad : Tail::kTruncate;
  } else if (statement == "program") {
    std::vector<std::string> words;
    for (const auto &[word, kind] : programKinds()) words.emplace_back(word);
    if (!text_.word(n, "a program", words)) return false;
    mapping_.program = programKinds()[static_cast<std::size_t>(n)].second;
  } else {
    if (!text_.word(n, "where partial results are merged", {"device", "host"})) return false;
    mapping_.mergeAt = n == 0 ? MergeAt::kDevice : MergeAt::kHost;
  }
  return text_.lineEnd();
}

// ---- Spaces ----

bool CnmSpaces::spaceHeader(Subspace &into) {
  Scanner &scan = text_.scan;
  into.where = scan.where();
  const std::string name(scan.takeWord());
  const std::string digits = name.empty() ? "" : name.substr(1);
  std::int64_t index = 0;
  for (const char c : digits)
    index = c < '0' || c > '9' ? kMaxIndex + 1 : std::min(kMaxIndex + 1, index * 10 + (c - '0'));
  if (name.empty() || name[0] != 'M' || index < 1 || index > kMaxIndex)
    return text_.report("cnm-syntax", into.where, "spaces are named M1 to M" + std::to_string(kMaxIndex),
                        "their numbers give the order of execution: space M1 {");
  into.index = static_cast<int>(index);
  for (const Subspace &other : mapping_.subspaces)
    if (other.index == into.index)
      text_.duplicate(
          into.where, "M" + std::to_string(into.index) + " is defined twice",
          "first in line " + std::to_string(other.where.line) + "; the numbers give the order of execution");
  return text_.punctuation('{', "'{' must end the line that opens a block") && text_.lineEnd();
}

std::optional<bool> CnmSpaces::space(const Location &where) {
  Subspace s;
  if (!spaceHeader(s)) return std::nullopt;
  if (module_.levels.empty())
    text_.report("cnm-unknown-level", where, "the levels are unknown without a target",
                 "name them: target NAME LEVEL...");
  if (mapping_.subspaces.size() == kMaxSubspaces || kernel_.dims.size() > kMaxDims) {
    text_.report("cnm-too-large", where,
                 "a mapping has at most " + std::to_string(kMaxSubspaces) + " spaces over " + std::to_string(kMaxDims) +
                     " induction variables",
                 "use larger spaces");
    return std::nullopt;
  }
  s.factors.assign(module_.levels.size() + 1, std::vector<std::int64_t>(kernel_.dims.size(), 1));
  s.rowsWhere.assign(s.factors.size(), Location{});
  std::vector<bool> hasLoop(kernel_.dims.size(), false);
  Scanner &scan = text_.scan;
  for (scan.nextLine(), scan.skipEmptyLines(); !scan.isAtEnd() && !text_.isFull();
       scan.nextLine(), scan.skipEmptyLines()) {
    if (scan.takePunctuation('}')) return text_.lineEnd() && finish(s, hasLoop);
    if (!scan.takeWord("loop"))
      text_.unknownWord("'loop' or '}'", {"loop", "}"});
    else
      loop(s, hasLoop);
  }
  if (!text_.isFull())
    text_.report("cnm-unclosed", where, "space M" + std::to_string(s.index) + " is not closed", "add a line with '}'");
  return std::nullopt;
}

bool CnmSpaces::loop(Subspace &into, std::vector<bool> &hasLoop) {
  const Location at = text_.scan.where();
  std::size_t d = 0;
  if (!induction(d)) return false;
  if (hasLoop[d])
    return text_.duplicate(at, spellWord(kernel_.dims[d].name) + " already has a loop",
                           "a space has one loop per induction variable");
  hasLoop[d] = true;
  return loopLevels(into, d) && text_.lineEnd();
}

bool CnmSpaces::loopLevels(Subspace &into, std::size_t d) {
  std::vector<bool> isGiven(module_.levels.size(), false);
  while (text_.scan.peekWord() != "range") {
    if (text_.scan.isAtLineEnd()) return text_.expected("'range'", kLoopForm);
    const Location at = text_.scan.where();
    std::size_t l = 0;
    if (!level(l)) return false;
    if (isGiven[l]) return text_.duplicate(at, "level " + module_.levels[l] + " is given twice", kLoopForm);
    isGiven[l] = true;
    if (into.rowsWhere[l].line == 0) into.rowsWhere[l] = at;
    if (!factor(into, l, d, "a factor")) return false;
  }
  if (into.rowsWhere.back().line == 0) into.rowsWhere.back() = text_.scan.where();
  text_.scan.takeWord();
  return factor(into, module_.levels.size(), d, "the range");
}

bool CnmSpaces::factor(Subspace &into, std::size_t row, std::size_t d, std::string_view what) {
  const Location at = text_.scan.where();
  if (!text_.number(into.factors[row][d], what, 1, kMaxExtent)) return false;
  if (into.extent(static_cast<int>(d)) <= kMaxExtent) return true;
  return text_.report(
      "cnm-number", at,
      "the factors of " + spellWord(kernel_.dims[d].name) + " multiply to more than " + std::to_string(kMaxExtent),
      "their product is the padded extent");
}

bool CnmSpaces::finish(const Subspace &space, const std::vector<bool> &hasLoop) {
  Subspace s = space;
  for (std::size_t d = 0; d < hasLoop.size(); ++d)
    if (!hasLoop[d])
      text_.report("cnm-loops", space.where,
                   "M" + std::to_string(space.index) + " has no loop over " + spellWord(kernel_.dims[d].name),
                   "a space has one loop per induction variable: loop " + spellWord(kernel_.dims[d].name) + " range N");
  for (Location &row : s.rowsWhere)
    if (row.line == 0) row = space.where;
  mapping_.subspaces.push_back(std::move(s));
  return true;
}

std::optional<MapSpec> CnmSpaces::take() {
  if (!isAny_) return std::nullopt;
  MapSpec spec;
  spec.mapping = std::move(mapping_);
  const bool isSpelt = !spec.mapping.subspaces.empty();
  if (!stated_ && !isSpelt) {
    text_.report("cnm-mapping", firstWhere_, "this belongs to a mapping, but the kernel has none",
                 "write its spaces, or 'mapping reference' or 'mapping auto'");
    return std::nullopt;
  }
  if (isSpelt && stated_ && stated_->kind != MapSpec::Kind::kReference) {
    text_.report("cnm-mapping", statedWhere_,
                 "'mapping " + std::string(keyword(stated_->kind)) + "' cannot be combined with spaces",
                 "remove one of them; 'mapping reference' may name what the spaces define");
    return std::nullopt;
  }
  if (!isSpelt && stated_->mapping.text != keyword(stated_->kind)) {
    text_.report("cnm-mapping", statedWhere_,
                 "write extensions of " + std::string(keyword(stated_->kind)) + " as statements",
                 "write, for example: dpus 64");
    return std::nullopt;
  }
  spec.kind = isSpelt ? MapSpec::Kind::kExplicit : stated_->kind;
  spec.mapping.text = isSpelt && stated_ ? stated_->mapping.text : print(spec);
  return spec;
}

}  // namespace pimento::mapping
