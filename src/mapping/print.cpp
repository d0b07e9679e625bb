#include <array>
#include <string>

#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

namespace {

template <typename List, typename Text>
std::string joined(const List &list, Text text) {
  std::string s;
  for (const auto &item : list) s += (s.empty() ? "" : ",") + text(item);
  return s;
}

std::string subspaceText(const Subspace &subspace) {
  auto number = [](std::int64_t n) { return std::to_string(n); };
  auto tuple = [&](const std::vector<std::int64_t> &row) { return "(" + joined(row, number) + ")"; };
  return "M" + std::to_string(subspace.index) + ":{" + joined(subspace.factors, tuple) + "}";
}

std::string extensionsText(const Mapping &mapping) {
  std::string s;
  for (const auto &[level, chunk] : mapping.cyclic) s += ";cyclic(" + level + "," + std::to_string(chunk) + ")";
  for (const auto &[dim, b] : mapping.by)
    s += ";by(" + dim + ": " + b.tensor + "[" + std::to_string(b.axis) + "]=" + spell(b.function, dim) + ")";
  if (!mapping.order.empty()) {
    s += ";order(" + joined(mapping.order, [](const std::string &dim) { return dim; }) + ")";
  }
  for (const auto &[name, value] : mapping.parameters) s += ";" + name + "=" + std::to_string(value);
  if (mapping.mergeAt != MergeAt::kCheapest) s += mapping.mergeAt == MergeAt::kDevice ? ";merge=device" : ";merge=host";
  if (mapping.program != ProgramKind::kAny) s += ";program=" + std::string(name(mapping.program));
  if (mapping.mode != StreamMode::kAny) s += mapping.mode == StreamMode::kKernel ? ";mode=kernel" : ";mode=inference";
  if (mapping.part != StreamPart::kWhole)
    s += mapping.part == StreamPart::kCompute ? ";part=compute" : ";part=movement";
  if (mapping.tail == Tail::kTruncate) s += ";tail=truncate";
  return s;
}

}  // namespace

std::string_view name(ProgramKind kind) {
  for (const auto &[word, k] : programKinds())
    if (k == kind) return word;
  return "any";
}

const std::vector<std::pair<std::string_view, ProgramKind>> &programKinds() {
  static const std::vector<std::pair<std::string_view, ProgramKind>> kKinds = {
      {"reference", ProgramKind::kReference},
      {"compiled", ProgramKind::kCompiled},
      {"published", ProgramKind::kPublished},
      {"published-evaluated", ProgramKind::kPublishedEvaluated},
      {"attacc-own", ProgramKind::kAttaccOwn}};
  return kKinds;
}

std::string print(const Mapping &mapping) {
  return joined(mapping.subspaces, subspaceText) + extensionsText(mapping);
}

std::string_view keyword(MapSpec::Kind kind) {
  switch (kind) {
    case MapSpec::Kind::kReference:
      return "reference";
    case MapSpec::Kind::kAuto:
      return "auto";
    case MapSpec::Kind::kHost:
      return "host";
    case MapSpec::Kind::kExplicit:
      break;
  }
  PIMENTO_CHECK(false && "a mapping that is written out has no keyword");
}

std::string print(const MapSpec &spec) {
  if (spec.kind == MapSpec::Kind::kExplicit) return print(spec.mapping);
  return std::string(keyword(spec.kind)) + extensionsText(spec.mapping);
}

}  // namespace pimento::mapping
