// Any text is read as rewrite rules, which then rewrite their own right sides; explanations replay.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pimento/tdfg/egraph/explain.h"
#include "pimento/tdfg/egraph/extract.h"
#include "pimento/tdfg/egraph/runner.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace pimento;
  using namespace pimento::tdfg::egraph;
  Language language;
  const auto rules = readRules({reinterpret_cast<const char *>(data), size}, language, "fuzz");
  if (!rules) {
    for (const Diagnostic &d : rules.diagnostics()) PIMENTO_CHECK(!d.code.empty() && !d.message.empty());
    return 0;
  }
  if (rules->size() > 20) return 0;
  for (const Rule &rule : *rules)
    if (rule.left.parts.size() + rule.right.parts.size() > 60) return 0;
  EGraph graph(language, {nullptr, true});
  std::vector<Term> terms;
  for (const Rule &rule : *rules)
    for (const Pattern *pattern : {&rule.left, &rule.right}) {
      std::vector<Term> parts;
      for (const Pattern::Part &part : pattern->parts) {
        std::vector<Term> arguments;
        for (const int a : part.arguments) arguments.push_back(parts[static_cast<std::size_t>(a)]);
        parts.push_back(graph.addTerm(part.variable >= 0 ? language.intern("x", 0) : part.op, arguments));
      }
      terms.push_back(parts.back());
    }
  (void)saturate(graph, RuleSet(*rules), {.nodes = 300, .rounds = 3});
  for (const Term t : terms) {
    const std::array roots{graph.classOfTerm(t)};
    const Extraction best = extractBest(graph, roots, [](NodeId) { return std::int64_t{1}; }, 200);
    PIMENTO_CHECK(best.cost != kNever);
    const Explanation why = explain(graph, t, termOf(graph, roots[0], best.nodes), 1000);
    PIMENTO_CHECK(!why.isWhole || replay(why, *rules, nullptr).ok());
  }
  return 0;
}
