#include "pimento/driver/convert_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "pimento/base/text.h"
#include "pimento/driver/input.h"
#include "pimento/driver/job.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/numeric_error.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/quantize.h"

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

/// What `--convert` says.
struct Rules {
  std::vector<kernel::TypeRule> types;
  std::optional<DType> quantised;  ///< becomes i8
  kernel::GivenScales scales;

  std::string text() const {
    std::vector<std::string> parts;
    for (const kernel::TypeRule &r : types) parts.push_back(fmt::format("{}={}", name(r.from), name(r.to)));
    if (quantised) parts.push_back(fmt::format("{}=i8", name(*quantised)));
    return join(parts, ",");
  }
};

/// "0.05", "A=0.02".
Status parseScale(std::string_view text, kernel::GivenScales &scales) {
  const std::size_t eq = text.find('=');
  const std::string_view number = eq == std::string_view::npos ? text : text.substr(eq + 1);
  const std::optional<double> scale = parseNumber(trim(number));
  if (!scale || !(*scale > 0) || !std::isfinite(*scale) || eq == 0)
    return usageError(
        "convert-scale", kOption, fmt::format("'{}' is not a scale", text),
        "a scale is what 1 stands for, a positive number: f32=i8:0.05, or f32=i8:A=0.02,x=0.1; without one "
        "it is the largest magnitude of the data / 127");
  if (eq == std::string_view::npos)
    scales.all = *scale;
  else
    scales.byTensor[std::string(trim(text.substr(0, eq)))] = *scale;
  return okStatus();
}

bool isRule(std::string_view part) {
  const std::size_t eq = part.find('=');
  return eq == std::string_view::npos || parseDType(trim(part.substr(0, eq))).has_value() ||
         !parseNumber(trim(part.substr(eq + 1)));
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
  const bool isQuantisation = *to == DType::kI8 && isFloat(*from);
  for (const DType t : {*from, *to})
    if (!isFloat(t) && !isQuantisation)
      return usageError(
          "convert-type", kOption, fmt::format("'{}': {} is an integer type", text, name(t)),
          fmt::format("convert between floating types ({}), or to i8; integers and indices stay as they are",
                      floatNames()));
  return kernel::TypeRule{*from, *to};
}

/// One part between commas: a rule, with a scale or not, or one more scale of the rule before.
Status addPart(std::string_view part, Rules &rules) {
  if (rules.quantised && !isRule(part)) return parseScale(part, rules.scales);
  const std::size_t colon = part.find(':');
  const Result<kernel::TypeRule> rule = parseRule(part.substr(0, colon));
  if (!rule) return rule.diagnostics();
  const bool isI8 = rule->to == DType::kI8;
  if (std::ranges::find(rules.types, rule->from, &kernel::TypeRule::from) != rules.types.end() ||
      rules.quantised == rule->from)
    return usageError("convert-twice", kOption, fmt::format("{} is converted to two types", name(rule->from)),
                      "keep one of them");
  if (isI8)
    rules.quantised = rule->from;
  else
    rules.types.push_back(*rule);
  if (rules.quantised && !rules.types.empty())
    return usageError("convert-type", kOption, "i8 goes with no other conversion",
                      "convert to i8 alone, or to floating types");
  if (colon == std::string_view::npos) return okStatus();
  if (!isI8)
    return usageError("convert-scale", kOption, fmt::format("{} takes no scale", name(rule->to)),
                      fmt::format("write {}={}: scales belong to i8", name(rule->from), name(rule->to)));
  return parseScale(part.substr(colon + 1), rules.scales);
}

Result<Rules> parseRules(const std::vector<std::string> &texts) {
  Rules rules;
  for (const std::string &text : texts)
    for (const std::string_view part : split(text, ','))
      if (Status s = addPart(trim(part), rules); !s) return s.diagnostics();
  return rules;
}

/// The types of a graph's tensors and bodies, for hints.
std::string typesOf(const kernel::Graph &graph) {
  std::vector<std::string> names;
  for (const DType t : allDTypes())
    if (kernel::uses(graph, t)) names.emplace_back(name(t));
  return join(names, ", ");
}

Status checkSources(const Rules &rules, const Input &input) {
  std::vector<DType> sources;
  for (const kernel::TypeRule &rule : rules.types) sources.push_back(rule.from);
  if (rules.quantised) sources.push_back(*rules.quantised);
  for (const DType from : sources)
    if (!kernel::uses(*input.graph, from))
      return usageError("convert-absent", kOption, fmt::format("{} has no {}", input.name, name(from)),
                        fmt::format("its types are {}; --dtype {} gives it to notation and kernels of the zoo",
                                    typesOf(*input.graph), name(from)));
  return okStatus();
}

/// The scales that are not given come from a run of the original.
Result<kernel::Converted> quantise(const Options &options, const Input &input, const Rules &rules) {
  const kernel::Graph &graph = *input.graph;
  const Result<std::optional<kernel::DataSet>> operands =
      makeInputData(options, graph, input.contents, defaultData(options));
  if (!operands) return operands.diagnostics();
  if (!*operands) return kernel::quantized(graph, *rules.quantised, rules.scales, {});
  kernel::DataSet results = **operands;
  if (Status s = kernel::interpret(graph, results); !s) return s.diagnostics();
  return kernel::quantized(graph, *rules.quantised, rules.scales, {&**operands, &results});
}

/// What the original's operands are in the new types.
kernel::DataSet convertedOperands(const ConvertedInput &conversion, const kernel::DataSet &original) {
  return kernel::convertedData(conversion.to, original);
}

}  // namespace

Status convertInput(const Options &options, Input &input) {
  if (options.converts.empty() || !input.graph) return okStatus();
  const Result<Rules> rules = parseRules(options.converts);
  if (!rules) return rules.diagnostics();
  if (Status s = checkSources(*rules, input); !s) return s;
  Result<kernel::Converted> to = rules->quantised
                                     ? quantise(options, input, *rules)
                                     : Result<kernel::Converted>(kernel::converted(*input.graph, rules->types));
  if (!to) return to.diagnostics();
  auto conversion = std::make_shared<ConvertedInput>();
  conversion->original = std::move(*input.graph);
  conversion->to = std::move(*to);
  conversion->rules = rules->text();
  conversion->isQuantised = rules->quantised.has_value();
  input.graph = conversion->to.graph;
  const auto own = std::ranges::find(rules->types, input.type, &kernel::TypeRule::from);
  if (own != rules->types.end()) input.type = own->to;
  if (rules->quantised == input.type) input.type = DType::kI8;
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
  // Behind the tensors of the input are those between parts of kernels.
  converted.resize(std::max(converted.size(), graph.tensors.size()));
  return Operands{std::move(converted), std::move(*data)};
}

kernel::DataSet contentsOf(const Input &input) {
  const kernel::Graph &graph = input.conversion ? input.conversion->original : *input.graph;
  kernel::DataSet data(graph.tensors.size());
  for (const auto &[t, bytes] : input.contents) {
    const kernel::Tensor &tensor = graph.tensors[static_cast<std::size_t>(t)];
    data[static_cast<std::size_t>(t)].type = tensor.type;
    data[static_cast<std::size_t>(t)].shape = tensor.shape;
    data[static_cast<std::size_t>(t)].bytes = bytes;
  }
  return input.conversion ? convertedOperands(*input.conversion, data) : data;
}

Result<KnownData> knownOperands(const Options &options, const Input &input, const kernel::Graph &graph) {
  if (!input.conversion) return knownData(options, graph, input.contents, defaultData(options));
  Result<KnownData> known = knownData(options, input.conversion->original, input.contents, defaultData(options));
  if (!known || (!known->values && !known->contents)) return known;
  using Kind = kernel::DataSpec::Kind;
  const bool isSame = known->values && !input.conversion->isQuantised && known->values->kind != Kind::kConst &&
                      known->values->kind != Kind::kUniform;
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
    if (conversion.isQuantised && conversion.original.tensors[t].type != conversion.to.graph.tensors[t].type)
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
    const bool hasLoops = !job.input.graph->loops.empty();
    const kernel::Graph &graph = hasLoops ? *job.input.graph : *job.graph();
    std::vector<kernel::Order> orders;
    if (!hasLoops)
      for (const evaluate::PlannedPart &part : done.compiled)
        std::ranges::move(evaluate::ordersOf(part.compiled.get(), part.count), std::back_inserter(orders));
    if (Status s = kernel::interpret(graph, *operands.data, orders); !s) return s;
  }
  return reportConversion(done.report, job.input, operands);
}

}  // namespace pimento::driver
