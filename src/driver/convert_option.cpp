#include "pimento/driver/convert_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "pimento/base/text.h"
#include "pimento/driver/input.h"
#include "pimento/driver/job.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/numeric_error.h"
#include "pimento/kernel/interpreter.h"

namespace pimento::driver {

namespace {

constexpr const char *kOption = "--convert";

Diagnostic syntaxError(std::string_view text) {
  return usageError("convert-syntax", kOption, fmt::format("'{}' is not a conversion", text),
                    "write FROM=TO with two element types, for example --convert f32=f16");
}

std::string floatNames() {
  std::vector<std::string> names;
  for (const DType t : allDTypes())
    if (isFloat(t)) names.emplace_back(name(t));
  return join(names, ", ");
}

Result<DType> typeNamed(std::string_view text) {
  const std::optional<DType> type = parseDType(trim(text));
  if (!type)
    return usageError("unknown-dtype", kOption, fmt::format("'{}' is not an element type", text),
                      "use one of " + floatNames());
  return *type;
}

Result<kernel::TypeRule> parseRule(std::string_view text) {
  const std::size_t eq = text.find('=');
  if (eq == std::string_view::npos || eq == 0 || eq + 1 == text.size()) return syntaxError(text);
  const Result<DType> from = typeNamed(text.substr(0, eq)), to = typeNamed(text.substr(eq + 1));
  if (!from) return from.diagnostics();
  if (!to) return to.diagnostics();
  if (*from == *to)
    return usageError("convert-same", kOption, fmt::format("'{}' converts a type to itself", text),
                      "omit it, or name another type to convert to");
  for (const DType t : {*from, *to})
    if (!isFloat(t))
      return usageError("convert-type", kOption, fmt::format("{} is an integer type", name(t)),
                        "convert between floating types (" + floatNames() + "); integers and indices stay as they are");
  return kernel::TypeRule{*from, *to};
}

Result<std::vector<kernel::TypeRule>> parseRules(const std::vector<std::string> &texts) {
  std::vector<kernel::TypeRule> rules;
  for (const std::string &text : texts)
    for (const std::string_view part : split(text, ',')) {
      const Result<kernel::TypeRule> rule = parseRule(trim(part));
      if (!rule) return rule.diagnostics();
      if (std::ranges::find(rules, rule->from, &kernel::TypeRule::from) != rules.end())
        return usageError("convert-twice", kOption, fmt::format("{} is converted to two types", name(rule->from)),
                          "keep one of them");
      rules.push_back(*rule);
    }
  return rules;
}

/// The types of a graph's tensors and bodies, for hints.
std::string typesOf(const kernel::Graph &graph) {
  std::vector<std::string> names;
  for (const DType t : allDTypes())
    if (kernel::uses(graph, t)) names.emplace_back(name(t));
  return join(names, ", ");
}

Status checkSources(const std::vector<kernel::TypeRule> &rules, const Input &input) {
  for (const kernel::TypeRule &rule : rules)
    if (!kernel::uses(*input.graph, rule.from))
      return usageError("convert-absent", kOption, fmt::format("{} has no {}", input.name, name(rule.from)),
                        fmt::format("its types are {}", typesOf(*input.graph)));
  return okStatus();
}

/// What the original's operands are in the new types.
kernel::DataSet convertedOperands(const ConvertedInput &conversion, const kernel::DataSet &original) {
  return kernel::convertedData(conversion.to, original);
}

}  // namespace

Status convertInput(const Options &options, Input &input) {
  if (options.converts.empty() || !input.graph) return okStatus();
  const Result<std::vector<kernel::TypeRule>> rules = parseRules(options.converts);
  if (!rules) return rules.diagnostics();
  if (Status s = checkSources(*rules, input); !s) return s;
  auto conversion = std::make_shared<ConvertedInput>();
  conversion->original = std::move(*input.graph);
  conversion->to = kernel::converted(conversion->original, *rules);
  conversion->rules = join(options.converts, ",");
  input.graph = conversion->to.graph;
  const auto own = std::ranges::find(*rules, input.type, &kernel::TypeRule::from);
  if (own != rules->end()) input.type = own->to;
  for (const Diagnostic &d : conversion->to.warnings) input.warnings.push_back(d);
  locate(input.warnings, options);
  input.conversion = std::move(conversion);
  return okStatus();
}

Result<Operands> operandsOf(const Options &options, const Input &input, const kernel::Graph &graph) {
  const kernel::Graph &made = input.conversion ? input.conversion->original : graph;
  Result<std::optional<kernel::DataSet>> data = makeInputData(options, made, input.contents, defaultData(options));
  if (!data) return data.diagnostics();
  if (!input.conversion || !*data) return Operands{std::move(*data), {}};
  kernel::DataSet converted = convertedOperands(*input.conversion, **data);
  return Operands{std::move(converted), std::move(*data)};
}

Result<KnownData> knownOperands(const Options &options, const Input &input, const kernel::Graph &graph) {
  if (!input.conversion) return knownData(options, graph, input.contents, defaultData(options));
  Result<KnownData> known = knownData(options, input.conversion->original, input.contents, defaultData(options));
  if (!known || (!known->values && !known->contents)) return known;
  using Kind = kernel::DataSpec::Kind;
  const bool isSame = known->values && known->values->kind != Kind::kConst && known->values->kind != Kind::kUniform;
  // Such operands are the same whether made in the new type or rounded to it; of loops, rounds may make others.
  if (isSame && input.conversion->original.loops.empty()) return known;
  Result<Operands> operands = operandsOf(options, input, graph);
  if (!operands) return operands.diagnostics();
  known->contents = std::move(operands->data);
  return known;
}

Status reportConversion(evaluate::Report &report, const Input &input, Operands &operands) {
  if (!input.conversion) return okStatus();
  const ConvertedInput &conversion = *input.conversion;
  evaluate::Conversion &out = report.conversion.emplace();
  out.rules = conversion.rules;
  for (std::size_t t = 0; t < conversion.to.scales.size(); ++t)
    if (conversion.to.scales[t] != 1)
      out.scales.emplace_back(conversion.original.tensors[t].name, conversion.to.scales[t]);
  if (!operands.data || !operands.original) {
    out.whyNot = "there are no data: use simulate, or --data with estimate";
    return okStatus();
  }
  if (Status s = kernel::interpret(conversion.original, *operands.original); !s) return s;
  out.errors = evaluate::numericErrors(conversion.original, *operands.original, conversion.to, *operands.data);
  return okStatus();
}

Status reportConversion(evaluate::Evaluation &done, const Options &options, const Job &job, const std::string &spec) {
  if (!job.input.conversion) return okStatus();
  Operands operands;
  if (!spec.empty()) {
    Result<Operands> made = operandsOf(options, job.input, *job.graph());
    if (!made) return made.diagnostics();
    operands = std::move(*made);
  }
  if (operands.data) {
    const kernel::Graph &graph = *job.input.graph;
    std::vector<kernel::Order> orders;
    if (!job.rounds)
      for (const evaluate::PlannedPart &part : done.compiled)
        orders.insert(orders.end(), static_cast<std::size_t>(part.count),
                      part.compiled != nullptr ? part.compiled->order() : kernel::Order());
    if (Status s = kernel::interpret(graph, *operands.data, orders); !s) return s;
  }
  return reportConversion(done.report, job.input, operands);
}

}  // namespace pimento::driver
