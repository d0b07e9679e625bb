#include <algorithm>
#include <array>
#include <limits>

#include "pimento/base/suggest.h"
#include "pimento/mapping/cnm.h"
#include "pimento/mapping/cnm_kernel.h"
#include "pimento/mapping/cnm_text.h"
#include "pimento/mapping/cnm_words.h"

namespace pimento::mapping {

namespace {

constexpr const char *kOperandForm = "an operand is: operand A f16[64,32] input";

/// Recursive descent. A mistake in a statement costs its line; one in a line that opens a block ends the parse, because
/// what follows would be read at the wrong nesting.
class CnmParser {
 public:
  CnmParser(std::string_view text, std::string file, const kernel::Sizes &given)
      : text_(text, std::move(file)), given_(given) {}

  Result<CnmModule> run() {
    if (header())
      for (next(); !text_.scan.isAtEnd() && !text_.isFull() && statement();) {
      }
    if (text_.found.empty() && !open_.empty())
      text_.report("cnm-unclosed", loop().where, "loop " + spellName(loop().name) + " is not closed",
                   "add a line with '}'");
    if (text_.found.empty()) checkSizesAreUsed();
    if (!text_.found.empty()) return std::move(text_.found);
    module_.sizes = std::move(text_.sizes);
    return std::move(module_);
  }

 private:
  void next() {
    text_.scan.nextLine();
    text_.scan.skipEmptyLines();
  }

  bool header() {
    text_.scan.skipEmptyLines();
    if (!text_.scan.takeWord("cnm")) return text_.expected("'cnm'", "start with: cnm NAME");
    return text_.name(module_.graph.name, "the name of the graph") && text_.lineEnd();
  }

  /// False: what follows cannot be read.
  bool statement() {
    enum Word : std::size_t { kTarget, kSize, kOperand, kKernel, kFor, kSwap };
    const std::vector<std::string> words = {"target", "size", "operand", "kernel", "for", "swap"};
    const Location where = text_.scan.where();
    if (!open_.empty() && text_.scan.takePunctuation('}')) {
      if (!closeLoop()) return false;
      next();
      return true;
    }
    std::size_t word = 0;
    if (!text_.word(word, "'target', 'size', 'operand', 'kernel' or 'for'", words)) return false;
    if (word == kKernel) {
      const bool isClosed = kernel(where);
      text_.scan.skipEmptyLines();
      return isClosed;
    }
    if (word == kFor && !openLoop(where)) return false;
    if (word == kTarget) target(where);
    if (word == kSize) size();
    if (word == kOperand) operand();
    if (word == kSwap) swap(where);
    next();
    return true;
  }

  kernel::Loop &loop() { return module_.graph.loops[open_.back()]; }

  bool openLoop(const Location &where) {
    kernel::Loop opened;
    opened.where = where;
    opened.first = opened.end = static_cast<int>(module_.graph.kernels.size());
    if (open_.size() == kMaxCnmDims)
      return text_.report("cnm-too-large", where, "more than " + std::to_string(kMaxCnmDims) + " nested loops",
                          "split the graph");
    if (!text_.name(opened.name, "the loop's counter") ||
        !text_.extent(opened.extent, "the number of rounds", 1, std::numeric_limits<std::int64_t>::max()) ||
        !text_.punctuation('{', "a loop is: for k 256 {") || !text_.lineEnd())
      return false;
    open_.push_back(module_.graph.loops.size());
    module_.graph.loops.push_back(std::move(opened));
    module_.places.loops.push_back(where);
    return true;
  }

  bool closeLoop() {
    loop().end = static_cast<int>(module_.graph.kernels.size());
    open_.pop_back();
    return text_.lineEnd();
  }

  bool swap(const Location &where) {
    if (open_.empty())
      return text_.report("cnm-misplaced", where, "a swap must be inside a loop", "put it before the loop's '}'");
    std::array<int, 2> pair{};
    for (int &operand : pair) {
      std::string name;
      const Location at = text_.scan.where();
      if (!text_.identifier(name, "an operand")) return false;
      const auto known = operands_.find(name);
      if (known == operands_.end())
        return text_.report("cnm-unknown-operand", at, "unknown operand " + spellWord(name), "a swap is: swap A B");
      operand = known->second;
    }
    loop().swaps.push_back(pair);
    return text_.lineEnd();
  }

  bool target(const Location &where) {
    if (!module_.target.empty())
      return text_.duplicate(where, "a target is already named",
                             "first in line " + std::to_string(module_.targetWhere.line) + "; remove one");
    if (!module_.graph.kernels.empty())
      return text_.report("cnm-misplaced", where, "the target is named too late", "name it before the first kernel");
    module_.targetWhere = text_.scan.where();
    if (!text_.name(module_.target, "the name of a machine")) return false;
    if (module_.target.empty())
      return text_.report("cnm-syntax", module_.targetWhere, "the target's name is empty",
                          "name a machine, or remove 'target'");
    while (!text_.scan.isAtLineEnd())
      if (!level()) return false;
    return true;
  }

  bool level() {
    const Location where = text_.scan.where();
    std::string name;
    if (!text_.name(name, "the name of a level")) return false;
    std::vector<std::string> &levels = module_.levels;
    if (name == "range" || std::find(levels.begin(), levels.end(), name) != levels.end())
      return text_.duplicate(where,
                             name == "range" ? "'range' is what an innermost unit iterates over, not a level"
                                             : "level " + spellName(name) + " is named twice",
                             "name every level once, outermost first");
    if (levels.size() + 1 == kMaxRows)
      return text_.report("cnm-too-large", where, "more than " + std::to_string(kMaxRows - 1) + " levels",
                          "name those that mappings split");
    levels.push_back(std::move(name));
    return true;
  }

  /// What is given for it, or else its own number.
  bool size() {
    const Location where = text_.scan.where();
    std::string name;
    if (!text_.identifier(name, "the name of a size")) return false;
    std::int64_t value = 0;
    const bool hasNumber = !text_.scan.isAtLineEnd();
    if (hasNumber && (!text_.number(value, "a size", 1, std::numeric_limits<std::int64_t>::max()) || !text_.lineEnd()))
      return false;
    const auto given = given_.find(name);
    if (given != given_.end()) value = given->second;
    if (!text_.sizes.emplace(name, std::max<std::int64_t>(value, 1)).second)
      return text_.duplicate(where, "size " + spellWord(name) + " already exists", "remove one");
    return value > 0 || text_.report("unknown-extent", where, "the size of " + spellWord(name) + " is unknown",
                                     "set it: --size " + name + "=N, or a number here");
  }

  void checkSizesAreUsed() {
    std::vector<std::string> names;
    for (const auto &[name, value] : text_.sizes) names.push_back(name);
    for (const auto &[name, value] : given_)
      if (!text_.sizes.contains(name))
        text_.found.push_back(usageError(
            "unknown-size", "--size", "unknown size '" + name + "'",
            names.empty() ? "the text declares no sizes: all its extents are numbers" : suggest(name, names)));
  }

  bool operand() {
    kernel::Tensor t;
    const Location where = text_.scan.where();
    if (!text_.identifier(t.name, "the operand's name")) return false;
    const auto [earlier, isNew] = operands_.emplace(t.name, static_cast<int>(module_.graph.tensors.size()));
    if (!isNew) return text_.duplicate(where, "operand " + spellWord(t.name) + " already exists", "rename one");
    std::size_t role = 0;
    const bool isRead = text_.type(t.type) && shape(t.shape) && text_.word(role, "a role", roleWords());
    t.role = static_cast<kernel::Role>(role);
    t.isConstant = isRead && text_.scan.takeWord("constant");
    module_.places.tensors.push_back(where);
    module_.graph.tensors.push_back(std::move(t));  // with a mistake it is known all the same
    return isRead && text_.lineEnd();
  }

  bool shape(std::vector<std::int64_t> &into) {
    if (!text_.punctuation('[', kOperandForm)) return false;
    while (!text_.scan.takePunctuation(']')) {
      if (!into.empty() && !text_.punctuation(',', kOperandForm)) return false;
      if (into.size() == kMaxCnmRank)
        return text_.report("cnm-too-large", text_.scan.where(),
                            "more than " + std::to_string(kMaxCnmRank) + " dimensions", "merge some");
      into.push_back(1);
      if (!text_.extent(into.back(), "an extent", 1, std::numeric_limits<std::int64_t>::max())) return false;
    }
    return true;
  }

  bool kernel(const Location &where) {
    CnmKernel kernel(text_, module_, operands_, coefficients_);
    const bool isClosed = kernel.parse(where);
    module_.mappings.push_back(kernel.takeMapping());
    module_.graph.kernels.push_back(kernel.take());
    module_.places.kernels.push_back(kernel.takePlaces());
    return isClosed;
  }

  CnmText text_;
  const kernel::Sizes &given_;
  CnmModule module_;
  std::unordered_map<std::string, int> operands_;
  std::vector<std::size_t> open_;  ///< loops around what comes next
  std::size_t coefficients_ = 0;
};

}  // namespace

Result<CnmModule> parseCnm(std::string_view text, std::string file, const kernel::Sizes &sizes) {
  if (text.size() > kMaxCnmBytes)
    return error("cnm-too-large", {std::move(file), 1, 1},
                 "the text has " + std::to_string(text.size()) + " bytes, more than " + std::to_string(kMaxCnmBytes),
                 "split the graph");
  return CnmParser(text, std::move(file), sizes).run();
}

std::string cnmTarget(std::string_view text, Location *where) {
  Scanner scan(text, {});
  for (scan.skipEmptyLines(); !scan.isAtEnd(); scan.nextLine(), scan.skipEmptyLines()) {
    if (scan.takeWord("target")) {
      if (where != nullptr) *where = scan.where();
      return scan.takeName().value_or("");
    }
    if (scan.peekWord() == "kernel") break;
  }
  return {};
}

}  // namespace pimento::mapping
