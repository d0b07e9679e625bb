#include "pimento/tdfg/egraph/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::tdfg::egraph {

namespace {

/// Terms may nest so deep; a limit for hostile texts.
constexpr int kDeepest = 200;
/// What a rule set has registers for.
constexpr std::size_t kMostParts = 250;

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Reads one line.
class Reader {
 public:
  Reader(std::string_view line, Language &language, Location where)
      : line_(line), language_(language), where_(std::move(where)) {}

  Result<std::vector<Rule>> rule() {
    const std::size_t colon = line_.find(':');
    if (colon == std::string_view::npos) return wrong("expected 'NAME: LEFT -> RIGHT'");
    Rule rule;
    rule.name = trimmed(line_.substr(0, colon));
    if (rule.name.empty()) return wrong("the rule has no name");
    at_ = colon + 1;
    if (!pattern(rule.left, rule.variables, 0)) return problem();
    rule.leftVariables = static_cast<int>(rule.variables.size());
    const bool isTwoWay = take("<->");
    if (!isTwoWay && !take("->")) return wrong("expected '->' or '<->'");
    if (!pattern(rule.right, rule.variables, 0)) return problem();
    if (skipped() < line_.size()) return wrong("expected the end of the line");
    if (rule.left.parts.size() + rule.right.parts.size() > kMostParts)
      return wrong(fmt::format("the rule has more than {} operators and variables", kMostParts));
    std::vector<Rule> rules{rule};
    if (isTwoWay) {
      if (rule.leftVariables != static_cast<int>(rule.variables.size()) || !hasAll(rule.right, rule.leftVariables))
        return wrong("a rule of two ways has the same variables on both sides");
      std::swap(rule.left, rule.right);
      rule.name += ", backward";
      rules.push_back(std::move(rule));
    }
    return rules;
  }

  Result<Pattern> term() {
    Pattern pattern;
    std::vector<std::string> variables;
    if (!this->pattern(pattern, variables, 0)) return problem();
    if (skipped() < line_.size()) return wrong("expected the end of the term");
    if (!variables.empty()) return wrong("a term has no variables");
    return pattern;
  }

 private:
  static std::string trimmed(std::string_view text) {
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
    return std::string(text);
  }
  static bool hasAll(const Pattern &pattern, int variables) {
    for (int v = 0; v < variables; ++v)
      if (std::ranges::none_of(pattern.parts, [&](const Pattern::Part &p) { return p.variable == v; })) return false;
    return true;
  }
  std::size_t skipped() {
    while (at_ < line_.size() && isBlank(line_[at_])) ++at_;
    return at_;
  }
  bool take(std::string_view what) {
    if (!line_.substr(skipped()).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  std::string_view word() {
    const std::size_t from = skipped();
    while (at_ < line_.size() && !isBlank(line_[at_]) && line_[at_] != '(' && line_[at_] != ')') ++at_;
    return line_.substr(from, at_ - from);
  }

  /// Its parts are appended, the whole last.
  bool pattern(Pattern &into, std::vector<std::string> &variables, int depth) {
    if (depth > kDeepest) return fails("terms nest too deep");
    if (!take("(")) {
      const std::string_view name = word();
      if (name.empty() || name == "->" || name == "<->") return fails("expected a term");
      if (name.front() != '?') {
        into.parts.push_back({-1, language_.intern(name, 0)});
        return true;
      }
      const auto known = std::ranges::find(variables, name);
      into.parts.push_back({static_cast<int>(known - variables.begin())});
      if (known == variables.end()) variables.emplace_back(name);
      return true;
    }
    const std::string name(word());
    if (name.empty() || name.front() == '?') return fails("expected an operator");
    Pattern::Part whole;
    while (!take(")")) {
      if (at_ >= line_.size()) return fails("expected ')'");
      if (whole.arguments.size() == Language::kMostArguments)
        return fails(fmt::format("'{}' has more than {} arguments", name, Language::kMostArguments));
      if (!pattern(into, variables, depth + 1)) return false;
      whole.arguments.push_back(static_cast<int>(into.parts.size()) - 1);
    }
    whole.op = language_.intern(name, static_cast<int>(whole.arguments.size()));
    into.parts.push_back(std::move(whole));
    return true;
  }

  bool fails(std::string message) {
    message_ = std::move(message);
    return false;
  }
  Diagnostic problem() { return wrong(message_); }
  Diagnostic wrong(const std::string &message) {
    where_.column = static_cast<int>(at_) + 1;
    return error("rule-invalid", where_, message, "as in 'commute: (+ ?a ?b) -> (+ ?b ?a)'");
  }

  std::string_view line_;
  Language &language_;
  Location where_;
  std::size_t at_ = 0;
  std::string message_;
};

}  // namespace

int Rule::variable(std::string_view name) const {
  const auto at = std::ranges::find(variables, name);
  PIMENTO_CHECK(at != variables.end());
  return static_cast<int>(at - variables.begin());
}

Result<std::vector<Rule>> readRules(std::string_view text, Language &language, const std::string &file) {
  std::vector<Rule> rules;
  Diagnostics found;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, std::min(line.find('#'), line.size()));
    if (std::ranges::all_of(line, isBlank)) continue;
    Result<std::vector<Rule>> some = Reader(line, language, {file, number, 1}).rule();
    if (some && static_cast<int>(some->front().variables.size()) != some->front().leftVariables)
      some = error("rule-invalid", {file, number, 1},
                   fmt::format("'{}' stands on the right side alone", some->front().variables.back()),
                   "variables stand for what the left side finds");
    if (!some)
      found.insert(found.end(), some.diagnostics().begin(), some.diagnostics().end());
    else
      rules.insert(rules.end(), some->begin(), some->end());
  }
  if (!found.empty()) return found;
  return rules;
}

Rule makeRule(std::string_view text, Language &language, Computation computation) {
  Result<std::vector<Rule>> rule = Reader(text, language, {}).rule();
  PIMENTO_CHECK(rule && rule->size() == 1);
  rule->front().computation = std::move(computation);
  return std::move(rule->front());
}

Result<ClassId> addText(EGraph &graph, std::string_view text) {
  const Result<Pattern> pattern = Reader(text, graph.language(), {}).term();
  if (!pattern) return pattern.diagnostics();
  std::vector<ClassId> classes;
  for (const Pattern::Part &part : pattern->parts) {
    std::vector<ClassId> arguments;
    for (const int a : part.arguments) arguments.push_back(classes[static_cast<std::size_t>(a)]);
    classes.push_back(graph.add(part.op, arguments));
  }
  return classes.back();
}

}  // namespace pimento::tdfg::egraph
