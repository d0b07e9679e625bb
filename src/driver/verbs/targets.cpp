#include "pimento/driver/verbs/targets.h"

#include <nlohmann/json.hpp>

#include "pimento/driver/machine_option.h"
#include "pimento/driver/schema.h"
#include "pimento/emit/columns.h"

namespace pimento::driver {

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const machine::Machine &m) {
  Json numbers = Json::object();
  for (const auto &[path, n] : m.numbers) {
    Json row = {{"value", n.value},
                {"unit", n.unit},
                {"source", n.source},
                {"confidence", std::string(machine::name(n.confidence))}};
    if (n.low && n.high) row["range"] = {*n.low, *n.high};
    numbers[path] = row;
  }
  return {{"name", m.name},   {"family", m.family}, {"native_dtype", std::string(pimento::name(m.nativeType))},
          {"about", m.about}, {"notes", m.notes},   {"numbers", numbers}};
}

Json toJson(const std::vector<machine::Machine> &machines) {
  Json list = Json::array();
  for (const machine::Machine &m : machines)
    list.push_back({{"name", m.name},
                    {"family", m.family},
                    {"native_dtype", std::string(pimento::name(m.nativeType))},
                    {"about", m.about}});
  return {{"targets", list}};
}

std::string toTable(const std::vector<machine::Machine> &machines) {
  emit::Columns table("ll");
  for (const machine::Machine &m : machines) table.row({m.name, m.about});
  return table.str();
}

}  // namespace

Result<MachineAnswer> targets(const Options &options) {
  using Kind = MachineAnswer::Kind;
  if (options.isSchema) return MachineAnswer{Kind::kSchema, {}};
  if (!options.input.empty()) {
    Result<machine::Machine> m = loadTarget(options, options.input);
    if (!m) return m.diagnostics();
    return MachineAnswer{Kind::kOne, {std::move(*m)}};
  }
  const std::vector<std::string> folders = machineFolders(options);
  std::vector<machine::Machine> all;
  for (const std::string &name : machine::listMachines(folders)) {
    Result<machine::Machine> m = machine::loadMachine(name, folders);
    if (!m) return m.diagnostics();
    all.push_back(std::move(*m));
  }
  return MachineAnswer{Kind::kList, std::move(all)};
}

Outcome show(const MachineAnswer &answer, const Options &options) {
  const auto text = [&](const auto &json, const auto &table) {
    return options.isJson ? json().dump(2) + "\n" : table();
  };
  switch (answer.kind) {
    case MachineAnswer::Kind::kSchema:
      return {text(schemaJson, schemaTable), {}, 0};
    case MachineAnswer::Kind::kOne:
      return {text([&] { return toJson(answer.machines.front()); },
                   [&] { return machine::printMachine(answer.machines.front()); }),
              {},
              0};
    case MachineAnswer::Kind::kList:
      break;
  }
  return {text([&] { return toJson(answer.machines); }, [&] { return toTable(answer.machines); }), {}, 0};
}

}  // namespace pimento::driver
