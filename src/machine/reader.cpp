#include "pimento/machine/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/machine/expression.h"
#include "pimento/machine/places.h"
#include "pimento/machine/quantity.h"

namespace pimento::machine {

namespace {

/// Begins a unit that names a clock: "4 cycle@noc".
constexpr std::string_view kCycleAt = "cycle@";

/// Keys that a number in mapping form may have besides those of the schema.
const std::vector<std::string> kNumberKeys{"value", "range", "note"};

bool isName(std::string_view s, bool isWord) {
  return !s.empty() && std::isdigit(static_cast<unsigned char>(s.front())) == 0 && s.front() != '-' &&
         std::all_of(s.begin(), s.end(), [&](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (isWord && c == '-');
         });
}

std::string joined(const std::string &path, const std::string &key) {
  return path.empty() ? key : path + "." + key;
}

class Reader {
 public:
  Reader(const Place &places, std::string help) : places_(places), help_(std::move(help)) {}

  Result<Values> run(const Node &root, const std::string &start) {
    root_ = &root;
    visitKeys(root, places_, "", false);
    reportMissing(start);
    finishNumbers();
    for (const Pending &p : formulas_) finishFormula(p);
    out_.numbers.merge(derived_);
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    return std::move(out_);
  }

 private:
  /// A number whose canonical value needs the clock, or a formula that needs all numbers.
  struct Pending {
    std::string path;
    const SchemaRow *row;
    const Node *node;
  };

  /// A required key that a mapping lacks.
  struct Missing {
    std::string path;
    const SchemaRow *row;
    Location where;               ///< of the mapping
    std::size_t diagnostics = 0;  ///< found before
  };

  /// One message for all keys: whoever starts a file lacks many of them.
  void reportMissing(const std::string &start) {
    if (missing_.empty()) return;
    std::ranges::stable_sort(missing_, {}, [](const Missing &m) { return m.row; });  // as the schema has them
    constexpr std::size_t kMostNames = 12;
    const std::size_t shown = missing_.size() > kMostNames + 1 ? kMostNames : missing_.size();
    std::string names;
    for (std::size_t i = 0; i < shown; ++i)
      names += (i == 0 ? "'" : i + 1 == missing_.size() ? " and '" : ", '") + missing_[i].path + "'";
    if (shown < missing_.size()) names += " and " + std::to_string(missing_.size() - shown) + " more keys";
    const auto depth = [](const Missing &m) { return std::ranges::count(m.path, '.'); };
    const Missing &outermost = *std::ranges::min_element(missing_, {}, depth);
    const bool isOne = missing_.size() == 1;
    const std::string hint = isOne ? "add it: " + missing_[0].row->meaning
                             : start.empty() || depth(outermost) > 0
                                 ? "add them; " + help_
                                 : "start from an existing machine: " + start + "; or add them; " + help_;
    diagnostics_.insert(diagnostics_.begin() + static_cast<std::ptrdiff_t>(isOne ? missing_[0].diagnostics : 0),
                        error("missing-key", outermost.where, names + (isOne ? " is missing" : " are missing"), hint));
  }

  void report(std::string code, const Location &where, std::string message, std::string hint) {
    append({error(std::move(code), where, std::move(message), std::move(hint))});
  }

  void visit(const Node &n, const Place &place, const std::string &path) {
    const SchemaRow &row = *place.row;
    switch (row.kind) {
      case ValueKind::kSection:
        if (!n.isMapping()) return wrongType(n, path, "a mapping", "put its keys below it, indented");
        return visitKeys(n, place, path, false);
      case ValueKind::kNumber:
      case ValueKind::kFormula:
        return visitNumber(n, place, path);
      case ValueKind::kTextList:
        return visitList(n, row, path);
      case ValueKind::kNumbers:
        return visitNumbers(n, row, path);
      default:
        return visitWord(n, row, path);
    }
  }

  void visitKeys(const Node &n, const Place &place, const std::string &path, bool isNumber) {
    for (const Entry &e : n.entries) {
      if (isNumber && std::find(kNumberKeys.begin(), kNumberKeys.end(), e.key) != kNumberKeys.end()) continue;
      const Place *child = e.key == "*" || e.key == "**" ? nullptr : place.child(e.key);
      if (child == nullptr) {
        unknownKey(e, place, path, isNumber);
      } else if (!place.children.contains(e.key) && !isName(e.key, child->row->isWord)) {
        report("bad-name", e.where, "'" + e.key + "' cannot be a name", "names have letters, digits and '_'");
      } else {
        visit(e.value, *child, joined(path, e.key));
      }
    }
    for (const auto &[key, child] : place.children) {
      if (key == "**" || key == "*" || !child.row->isRequired || n.find(key) != nullptr) continue;
      missing_.push_back({joined(path, key), child.row, n.where, diagnostics_.size()});
    }
  }

  void unknownKey(const Entry &e, const Place &place, const std::string &path, bool isNumber) {
    std::vector<std::string> choices;
    if (isNumber) choices = kNumberKeys;
    for (const auto &[key, child] : place.children) {
      if (key != "*" && key != "**") choices.push_back(key);
    }
    choices.insert(choices.end(), {"source", "confidence"});
    report("unknown-key", e.where, "unknown key '" + joined(path, e.key) + "'", suggest(e.key, choices));
  }

  void wrongType(const Node &n, const std::string &path, const std::string &what, std::string hint) {
    report("wrong-type", n.where, "'" + path + "' must be " + what, std::move(hint));
  }

  void visitWord(const Node &n, const SchemaRow &row, const std::string &path) {
    if (!n.isScalar() || n.text.empty()) return wrongType(n, path, "one word or text", "it is " + row.meaning);
    Value v;
    v.where = n.where;
    v.text = n.text;
    v.flag = n.text == "true";
    if (row.kind == ValueKind::kFlag && n.text != "true" && n.text != "false") {
      return report("unknown-choice", n.where, "'" + path + "' is '" + n.text + "'",
                    suggest(n.text, {"true", "false"}));
    }
    if (row.kind == ValueKind::kChoice &&
        std::find(row.choices.begin(), row.choices.end(), n.text) == row.choices.end()) {
      return report("unknown-choice", n.where, "'" + path + "' is '" + n.text + "'", suggest(n.text, row.choices));
    }
    if (row.kind == ValueKind::kDType && !parseDType(n.text)) {
      return report("unknown-choice", n.where, "'" + path + "' is '" + n.text + "', which is not an element type",
                    "types: " + dtypeNames());
    }
    if (row.kind != ValueKind::kText) out_.words[path] = n.text;
    out_.byPath[path] = std::move(v);
  }

  void visitList(const Node &n, const SchemaRow &row, const std::string &path) {
    if (n.kind != Node::Kind::kSequence) return wrongType(n, path, "a list", "write [a, b, c]");
    Value v;
    v.where = n.where;
    for (const Node &item : n.items) {
      if (!item.isScalar() || item.text.empty()) return wrongType(item, path, "a list of words", "write [a, b, c]");
      if (!row.choices.empty() && std::find(row.choices.begin(), row.choices.end(), item.text) == row.choices.end())
        report("unknown-choice", item.where, "'" + path + "' names '" + item.text + "'",
               suggest(item.text, row.choices));
      v.list.push_back(item.text);
    }
    if (v.list.empty() && row.isRequired) return wrongType(n, path, "a list with entries", "write [a, b, c]");
    if (!row.choices.empty()) out_.words[path] = fmt::format("{}", fmt::join(v.list, " "));
    out_.byPath[path] = std::move(v);
  }

  void visitNumbers(const Node &n, const SchemaRow &row, const std::string &path) {
    const std::string hint = "write numbers and one unit, as in '0 1 8 " + row.unit + "'";
    if (!n.isScalar()) return wrongType(n, path, "numbers with a unit", hint);
    Value v;
    v.where = n.where;
    std::vector<std::string_view> words;
    for (const std::string_view w : split(n.text, ' ')) {
      if (!trim(w).empty()) words.push_back(trim(w));
    }
    if (words.size() < 2 || words.back() != row.unit) {
      const bool isBare = !words.empty() && parseInteger(words.back());
      return report(isBare ? "bare-number" : "wrong-unit", n.where, "'" + path + "' needs the unit '" + row.unit + "'",
                    hint);
    }
    words.pop_back();
    for (const std::string_view w : words) {
      const auto x = parseInteger(w);
      if (!x) return report("bad-number", n.where, "'" + std::string(w) + "' is not a whole number", hint);
      if (!checkBounds(static_cast<double>(*x), row, path, n.where)) return;
      v.numbers.push_back(*x);
    }
    if (!checkProvenance(n, path)) return;
    out_.byPath[path] = std::move(v);
  }

  void visitNumber(const Node &n, const Place &place, const std::string &path) {
    const Node *value = &n, *range = nullptr;
    if (n.isMapping()) {
      visitKeys(n, place, path, true);
      value = n.find("value");
      range = n.find("range");
      if (value == nullptr) {
        return report("missing-key", n.where, "'" + path + "' has no 'value'",
                      "add it, with unit: " + place.row->meaning + " (" + place.row->unit + ")");
      }
    } else if (place.hasRequiredKeys()) {
      return wrongType(n, path, "a mapping", "write {value: ..., " + join(keysOf(place), ": ..., ") + ": ...}");
    }
    const SchemaRow &row = *place.row;
    if (!value->isScalar() || value->text.empty()) {
      return wrongType(*value, path, "a number with a unit", "write '1 " + unitsOf(row.unit).front() + "'");
    }
    if (row.kind == ValueKind::kFormula && isFormula(value->text)) {
      formulas_.push_back({path, &row, value});
      return;
    }
    readNumber(*value, range, row, path);
  }

  static std::vector<std::string> keysOf(const Place &place) {
    std::vector<std::string> keys;
    for (const auto &[key, child] : place.children) keys.push_back(key);
    return keys;
  }

  /// Anything that does not read as a number and a unit-like word.
  static bool isFormula(std::string_view text) {
    const auto q = parseQuantity(text);
    return !q || (!q->unit.empty() && std::isalpha(static_cast<unsigned char>(q->unit.front())) == 0 && q->unit != "%");
  }

  void readNumber(const Node &n, const Node *range, const SchemaRow &row, const std::string &path) {
    const std::vector<std::string> units = unitsOf(row.unit);
    const auto q = parseQuantity(n.text);
    if (!q) {
      return report("bad-number", n.where, "'" + n.text + "' is not a number with a unit",
                    "write it like '14 " + units.front() + "'; units: " + join(units, ", "));
    }
    if (q->unit.empty()) {
      return report("bare-number", n.where, "'" + path + "' has no unit",
                    "write '" + n.text + " " + units.front() + "'; units: " + join(units, ", "));
    }
    const bool isOfAClock = units.front() == "cycle" && q->unit.starts_with(kCycleAt);
    if (!isOfAClock && std::find(units.begin(), units.end(), q->unit) == units.end()) {
      return report("wrong-unit", n.where, "'" + path + "' cannot be in '" + q->unit + "'", suggest(q->unit, units));
    }
    if (!checkProvenance(n, path)) return;
    Number number = provenance(n, path);
    number.value = q->value;
    number.unit = q->unit;
    if (range != nullptr && !readRange(*range, number)) return;
    if (isOfAClock) number.canonicalUnit = number.unit;
    for (const std::string &u : units) {
      const auto factor = unitFactor(number.unit, u);
      if (!factor) continue;
      // Thousandths by division: 350 MHz are 0.35 GHz, not a hair more.
      number.canonical = *factor < 1 ? number.value / std::round(1 / *factor) : number.value * *factor;
      number.canonicalUnit = u;
      break;
    }
    out_.numbers[path] = std::move(number);
    plain_.push_back({path, &row, &n});
  }

  bool readRange(const Node &n, Number &number) {
    std::vector<double> ends;
    for (const Node &item : n.items) {
      const auto q = item.isScalar() ? parseQuantity(item.text) : std::nullopt;
      if (!q || (!q->unit.empty() && q->unit != number.unit)) break;
      ends.push_back(q->value);
    }
    if (n.items.size() != 2 || ends.size() != 2 || ends[0] > number.value || ends[1] < number.value) {
      report("bad-range", n.where,
             "the range of '" + number.path + "' must be two numbers around " + numberText(number.value) + " " +
                 number.unit,
             "write [lowest, highest] in the unit of the value");
      return false;
    }
    number.low = ends[0];
    number.high = ends[1];
    return true;
  }

  Number provenance(const Node &n, const std::string &path) {
    Number number;
    number.path = path;
    number.source = n.source;
    number.where = n.where;
    number.overridden = n.isOverridden;
    static constexpr Confidence kAll[] = {Confidence::kMeasured, Confidence::kDatasheet, Confidence::kPaper,
                                          Confidence::kAssumed};
    for (const Confidence c : kAll) {
      if (name(c) == n.confidence) number.confidence = c;
    }
    return number;
  }

  bool checkProvenance(const Node &n, const std::string &path) {
    const std::vector<std::string> &choices = places_.child("**")->child("confidence")->row->choices;
    if (n.source.empty()) {
      report("missing-source", n.where, "'" + path + "' has no source",
             "add 'source: ...' here or in a mapping around it");
    }
    if (n.confidence.empty()) {
      report("missing-confidence", n.where, "'" + path + "' has no confidence",
             "add 'confidence: ...' here or in a mapping around it: " + join(choices, ", "));
    } else if (std::find(choices.begin(), choices.end(), n.confidence) == choices.end()) {
      report("bad-confidence", n.confidenceWhere, "unknown confidence '" + n.confidence + "'",
             suggest(n.confidence, choices));
    } else {
      return !n.source.empty();
    }
    return false;
  }

  bool checkBounds(double x, const SchemaRow &row, const std::string &path, const Location &where) {
    const std::string unit = unitsOf(row.unit).front();
    if (row.isInteger && x != std::floor(x)) {
      report("impossible-value", where, "'" + path + "' must be a whole number of " + unit, "round it");
      return false;
    }
    if (x >= row.low && x <= row.high) return true;
    report("impossible-value", where, "'" + path + "' is " + numberText(x) + " " + unit,
           "allowed: from " + numberText(row.low) + " to " + numberText(row.high) + " " + unit);
    return false;
  }

  /// The frequency of a clock in GHz; 0 where there is none, which is reported.
  double gigahertzOf(const std::string &clock, const Location &where) {
    if (const auto it = out_.numbers.find("clock." + clock); it != out_.numbers.end()) return it->second.canonical;
    const Node *clocks = root_->find("clock");
    const std::vector<std::string> names = clocks != nullptr ? clocks->keys() : std::vector<std::string>();
    if (std::find(names.begin(), names.end(), clock) == names.end())
      report("unknown-clock", where, "unknown clock '" + clock + "'", suggest(clock, names));
    return 0;
  }

  /// Conversions that need the clock, then bounds.
  void finishNumbers() {
    const auto clock = out_.numbers.find("clock.device");
    const double gigahertz = clock == out_.numbers.end() ? 0 : clock->second.canonical;
    for (const Pending &p : plain_) {
      Number &n = out_.numbers.at(p.path);
      const std::string canonical = unitsOf(p.row->unit).front();
      if (n.canonicalUnit.starts_with(kCycleAt)) {
        const double other = gigahertzOf(n.canonicalUnit.substr(kCycleAt.size()), n.where);
        if (other == 0) continue;
        n.canonical = n.value / other;
        n.canonicalUnit = "ns";
      }
      if (canonical == "cycle" && n.canonicalUnit == "ns") {
        constexpr double kNoise = 1e-9;  // 14 ns at 1 GHz is 14 cycles, whatever the last bits of the product say
        n.canonical *= gigahertz;
        if (p.row->isInteger) n.canonical = std::ceil(n.canonical - kNoise);
        n.canonicalUnit = canonical;
      } else if (n.canonicalUnit == "B/cycle") {
        n.canonical *= gigahertz;
        n.canonicalUnit = canonical;
      }
      if (!checkBounds(n.canonical, *p.row, p.path, n.where)) continue;
      Value &v = out_.byPath[p.path];
      v.where = n.where;
      v.number = n.canonical;
      const double scale = n.value != 0 ? n.canonical / n.value : 1;
      if (n.low) v.low = *n.low * scale;
      if (n.high) v.high = *n.high * scale;
    }
  }

  void finishFormula(const Pending &p) {
    const auto parsed = Expression::parse(p.node->text, p.node->where);
    if (!parsed) return append(parsed.diagnostics());
    const std::vector<std::string> names = parsed->names();
    if (names.empty()) {
      return report("bare-number", p.node->where, "'" + p.path + "' is a constant, not a formula",
                    "write a number with its unit '" + unitsOf(p.row->unit).front() + "', or use names of 'timing'");
    }
    if (std::any_of(names.begin(), names.end(), [this](const std::string &n) { return isReported(n); })) return;
    const auto value = parsed->evaluate([this](std::string_view n) { return lookup(n); }, choicesFor(names));
    if (!value) return append(value.diagnostics());
    if (!checkBounds(static_cast<double>(*value), *p.row, p.path, p.node->where)) return;
    Number number = provenance(*p.node, p.path);
    if (names.size() == 1 && p.node->source.empty()) {  // "organization.channels": nothing of its own to prove
      const Number &origin = *numberNamed(names.front());
      number.source = origin.source;
      number.confidence = origin.confidence;
    } else if (!checkProvenance(*p.node, p.path)) {
      return;
    }
    number.value = number.canonical = static_cast<double>(*value);
    number.unit = number.canonicalUnit = unitsOf(p.row->unit).front();
    number.formula = p.node->text;
    Value &v = out_.byPath[p.path];
    v.where = p.node->where;
    v.text = p.node->text;
    v.number = number.value;
    derived_[p.path] = std::move(number);  // kept apart: formulas see plain numbers only, whatever their order
  }

  const Number *numberNamed(std::string_view n) const {
    auto it = out_.numbers.find(std::string(n));
    if (it == out_.numbers.end()) it = out_.numbers.find("timing." + std::string(n));
    return it == out_.numbers.end() ? nullptr : &it->second;
  }

  /// Whether the file gives number `n` and something is wrong with it: formulas that use it need no message of their
  /// own.
  bool isReported(const std::string &n) const {
    return !diagnostics_.empty() && numberNamed(n) == nullptr &&
           (root_->at(n) != nullptr || root_->at("timing." + n) != nullptr);
  }

  std::optional<std::int64_t> lookup(std::string_view n) const {
    const Number *number = numberNamed(n);
    constexpr double kLargest = 9e15;  // exact in a double
    if (number == nullptr || number->canonical != std::floor(number->canonical) ||
        std::fabs(number->canonical) > kLargest) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number->canonical);
  }

  std::vector<std::string> choicesFor(const std::vector<std::string> &names) const {
    const bool isPath =
        std::any_of(names.begin(), names.end(), [](const std::string &n) { return n.find('.') != n.npos; });
    std::vector<std::string> choices;
    for (const auto &[path, number] : out_.numbers) {
      if (path.starts_with("timing.")) {
        choices.push_back(path.substr(std::string_view("timing.").size()));
      } else if (isPath && lookup(path)) {
        choices.push_back(path);
      }
    }
    return choices;
  }

  void append(const Diagnostics &more) {
    for (const Diagnostic &d : more)
      if (seen_.insert(d.code + d.where.str() + d.message).second) diagnostics_.push_back(d);
  }

  const Place &places_;
  std::string help_;
  const Node *root_ = nullptr;
  Values out_;
  std::map<std::string, Number> derived_;
  std::vector<Pending> plain_, formulas_;
  Diagnostics diagnostics_;
  std::vector<Missing> missing_;
  std::set<std::string> seen_;
};

}  // namespace

Result<Values> readValues(const Node &root, const std::string &start) {
  return Reader(places(), "'pimento targets --schema' explains every key").run(root, start);
}

Result<Values> readValues(const Node &root, const Place &places, const std::string &help) {
  return Reader(places, help).run(root, {});
}

}  // namespace pimento::machine
