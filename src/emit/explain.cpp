#include "pimento/emit/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"
#include "pimento/evaluate/explain.h"

namespace pimento::emit {

namespace {

using evaluate::Derivation;
using evaluate::DerivationPtr;
using Json = nlohmann::ordered_json;

constexpr std::size_t kIndent = 2, kNameWidth = 56, kValueWidth = 16, kShortNote = 20;

std::string shownValue(const Derivation &d) {
  if (d.isInteger()) return grouped(d.integer());
  const double x = d.real();
  if (std::fabs(x) < 9e15 && (std::fabs(x) >= 1e6 || x == std::floor(x))) return grouped(std::llround(x));
  return fmt::format("{:.6g}", x);
}

/// Prints one tree.
class TextTree {
 public:
  explicit TextTree(int depth) : depth_(depth) {}

  std::string print(const Derivation &root) {
    add(root, root.name, 0, nullptr);
    return out_;
  }
  bool isCut() const { return isCut_; }

 private:
  void add(const Derivation &number, const std::string &label, int level, const Derivation *whole) {
    const bool isKnown = !shown_.insert(&number).second;
    head(number, label, level, whole, isKnown);
    if (isKnown) return;
    const Derivation *d = &number;
    for (; isOfOne(*d); d = d->parts.front().node.get())
      if (!isBrief(*d) && !d->note.empty()) lines(d->note, level + 1);
    if (d != &number && !shown_.insert(d).second) return lines("as " + d->name + " above", level + 1);
    explain(*d, level);
    if (d->isLeaf() && d->beside.empty()) return;
    if (level >= depth_) {
      isCut_ = true;
      return;
    }
    addParts(*d, level);
    for (const DerivationPtr &b : d->beside) add(*b, "beside: " + b->name, level + 1, nullptr);
  }

  /// A sum of one part is that part.
  static bool isOfOne(const Derivation &d) {
    return d.formula == Derivation::kSum && d.parts.size() == 1 && d.beside.empty();
  }
  /// Its note has room beside the number.
  static bool isBrief(const Derivation &d) { return d.isLeaf() && d.source.empty() && d.note.size() <= kShortNote; }

  void addParts(const Derivation &d, int level) {
    const bool isSum = d.formula == Derivation::kSum;
    std::vector<const Derivation::Part *> parts;
    for (const Derivation::Part &p : d.parts) parts.push_back(&p);
    if (isSum)
      std::stable_sort(parts.begin(), parts.end(),
                       [](const auto *a, const auto *b) { return a->node->real() > b->node->real(); });
    std::vector<std::string> zeros;
    for (const Derivation::Part *p : parts) {
      if (isSum && parts.size() > 1 && p->node->real() == 0) {
        zeros.push_back(p->node->name);
        continue;
      }
      add(*p->node, labelOf(*p), level + 1, isSum && parts.size() > 1 ? &d : nullptr);
    }
    if (zeros.empty()) return;
    std::string text = "0: ";
    for (std::size_t i = 0; i < zeros.size(); ++i) text += (i == 0 ? "" : ", ") + zeros[i];
    lines(text, level + 1);
  }

  /// "blocks (pim.blocks)": the name in the formula, and the number's own where that says more.
  static std::string labelOf(const Derivation::Part &p) {
    if (p.symbol.empty() || p.symbol == p.node->name) return p.node->name;
    if (p.node->name.empty()) return p.symbol;
    return p.symbol + ": " + p.node->name;
  }

  void head(const Derivation &d, const std::string &label, int level, const Derivation *whole, bool isKnown) {
    std::string name = std::string(kIndent * static_cast<std::size_t>(level), ' ') + label;
    if (name.size() > kNameWidth) {
      out_ += name + "\n";
      name.clear();
    }
    std::string line = fmt::format("{:<{}} {:>{}} {}", name, kNameWidth, shownValue(d), kValueWidth, d.unit);
    if (whole != nullptr && whole->real() != 0)
      line = fmt::format("{:<{}} {:>8}", line, kNameWidth + kValueWidth + 7, percentText(d.real(), whole->real()));
    if (isKnown && !d.isLeaf()) line += "  (above)";
    if (isBrief(d) && !d.note.empty()) line += "  " + d.note;
    if (!d.source.empty() && sources_.contains(d.source)) line += fmt::format("  [{}]", d.confidence);
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + "\n";
  }

  void explain(const Derivation &d, int level) {
    if (!d.formula.empty() && d.formula != Derivation::kSum) {
      lines("= " + d.formula, level + 1);
      const std::string numbers = d.substituted();
      if (numbers != d.formula && numbers != evaluate::valueText(d)) lines("= " + numbers, level + 1);
    }
    if (!d.note.empty() && !isBrief(d)) lines(d.note, level + 1);
    if (!d.source.empty() && sources_.insert(d.source).second)
      lines(fmt::format("[{}] {}", d.confidence, d.source), level + 1);
  }

  void lines(const std::string &text, int level) {
    const std::size_t indent = kIndent * static_cast<std::size_t>(level) + kIndent;
    const std::size_t width = indent + 30 < kWidth ? kWidth - indent : 30;
    for (const std::string &line : wrapped(text, width)) out_ += std::string(indent, ' ') + line + "\n";
  }

  int depth_;
  bool isCut_ = false;
  std::string out_;
  std::set<const Derivation *> shown_;
  std::set<std::string> sources_;  ///< written out once
};

Json valueOf(const Derivation &d) {
  if (d.isInteger()) return d.integer();
  return d.real();
}

// NOLINTNEXTLINE(misc-no-recursion): a tree
Json treeOf(const Derivation &d, int depth) {
  Json j = {{"name", d.name}, {"value", valueOf(d)}, {"unit", d.unit}};
  if (!d.formula.empty()) {
    j["formula"] = d.formula;
    if (const std::string numbers = d.substituted(); !numbers.empty()) j["numbers"] = numbers;
    j["arithmetic"] = d.arithmetic == Derivation::Arithmetic::kInteger ? "integer" : "real";
  }
  if (!d.source.empty()) {
    j["source"] = d.source;
    j["confidence"] = d.confidence;
  }
  if (!d.note.empty()) j["note"] = d.note;
  if (depth == 0) {
    if (!d.parts.empty() || !d.beside.empty()) j["more"] = true;
    return j;
  }
  if (!d.parts.empty()) {
    j["parts"] = Json::array();
    for (const Derivation::Part &p : d.parts) {
      Json part = treeOf(*p.node, depth - 1);
      if (!p.symbol.empty()) part["symbol"] = p.symbol;
      j["parts"].push_back(std::move(part));
    }
  }
  if (!d.beside.empty()) {
    j["beside"] = Json::array();
    for (const DerivationPtr &b : d.beside) j["beside"].push_back(treeOf(*b, depth - 1));
  }
  return j;
}

Json headOf(const evaluate::Report &r, const std::string &what) {
  Json j = {{"explain", what}, {"kernel", r.kernel}, {"sizes", Json::object()}};
  for (const auto &[name, extent] : r.sizes) j["sizes"][name] = extent;
  j["dtype"] = r.dtype;
  j["target"] = r.target;
  j["mapping"] = r.mapping;
  return j;
}

std::string print(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const Derivation &numberOf(const evaluate::Explanation &explanation, const char *key) {
  const Result<DerivationPtr> d = explanation.find(key);
  PIMENTO_CHECK(d.ok());
  return **d;
}

}  // namespace

std::string toText(const Derivation &number, int depth) {
  TextTree tree(depth);
  std::string text = tree.print(number);
  if (tree.isCut()) text += fmt::format("\ndeeper: --depth {}\n", depth + 1);
  return text;
}

Json treeJson(const Derivation &number, int depth) {
  return treeOf(number, depth);
}

std::string overviewText(const evaluate::Report &r, const evaluate::Explanation &explanation, int depth) {
  std::string text = r.kernel;
  for (const auto &[name, extent] : r.sizes) text += fmt::format(" {}={}", name, extent);
  text += fmt::format(" {} on {}\n\n", r.dtype, r.target);
  TextTree time(depth), energy(depth);
  text += time.print(numberOf(explanation, "time_ns")) + "\n" + energy.print(numberOf(explanation, "energy_pj"));
  text += fmt::format(
      "\nselect a number: --number cycles, breakdown.transfer_in, energy_breakdown.mac, ...; expand more: --depth {}\n",
      depth + 1);
  return text;
}

std::string explainJson(const evaluate::Report &report, const Derivation &number, int depth) {
  Json j = headOf(report, number.name);
  j["tree"] = treeOf(number, depth);
  return print(j);
}

std::string overviewJson(const evaluate::Report &report, const evaluate::Explanation &explanation, int depth) {
  Json j = headOf(report, "overview");
  j["time"] = treeOf(numberOf(explanation, "time_ns"), depth);
  j["energy"] = treeOf(numberOf(explanation, "energy_pj"), depth);
  return print(j);
}

}  // namespace pimento::emit
