#include "system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "pimento/base/suggest.h"
#include "pimento/base/thread_pool.h"
#include "pimento/tdfg/execute.h"
#include "pimento/tdfg/in_order.h"

namespace pimento::capi {

using kernel::Role;

std::int64_t UserArray::rows() const {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return rows;
}

std::int64_t UserArray::extentBytes() const {
  return ((rows() - 1) * pitch + rowElements()) * sizeOf(type).value;
}

bool UserArray::overlaps(const UserArray &other) const {
  return data < other.data + other.extentBytes() && other.data < data + extentBytes();
}

Status InfSystem::add(UserArray array) {
  if (arrays_.contains(array.data))
    return usageError("inf-array", "", "an array is declared at this address already", "release it first");
  if (static_cast<std::int64_t>(arrays_.size()) >= machine_.sram->regions)
    return capacityError("too-many-arrays", {},
                         fmt::format("{} keeps {} arrays at a time", machine_.name, machine_.sram->regions),
                         "release one that no program uses");
  arrays_.emplace(array.data, std::move(array));
  return okStatus();
}

const UserArray *InfSystem::find(const void *data) const {
  const auto at = arrays_.find(data);
  return at == arrays_.end() ? nullptr : &at->second;
}

Status InfSystem::release(const void *data) {
  if (configured != nullptr && configured->uses(data))
    return usageError("inf-array", "", "the configured program uses the array", "call inf_end first");
  if (arrays_.erase(data) == 0)
    return usageError("inf-array", "", "no array is declared at this address", "pass the address that inf_array got");
  return okStatus();
}

InfProgram::~InfProgram() {
  if (system_.configured == this) system_.configured = nullptr;
}

bool InfProgram::uses(const void *data) const {
  return std::ranges::any_of(arrays_, [data](const UserArray &a) { return a.data == data; });
}

std::optional<std::int64_t> InfProgram::count(const std::string &name) const {
  const auto at = counts_.find(name);
  if (at == counts_.end()) return std::nullopt;
  return at->second;
}

Status InfProgram::checkOperand(std::size_t array, const std::vector<std::int64_t> &shape, void *data) {
  const tdfg::Array &wanted = binary_.program.arrays[array];
  const UserArray *given = system_.find(data);
  const auto wrong = [&](const std::string &what, const std::string &hint) {
    return usageError("inf-operand", "", fmt::format("{}: array '{}' {}", file_, wanted.name, what), hint);
  };
  if (given == nullptr) return wrong("is at an address that no array is declared at", "call inf_array for it");
  if (given->type != wanted.type)
    return wrong(fmt::format("holds {}, not {}", name(wanted.type), name(given->type)), "declare it with that type");
  if (given->shape != shape)
    return wrong(
        fmt::format("is of {} at these sizes, not {}", fmt::join(shape, " x "), fmt::join(given->shape, " x ")),
        "declare it with that shape, outermost dimension first");
  arrays_[array] = *given;
  return okStatus();
}

Status InfProgram::configure(const std::map<std::string, std::int64_t> &sizes,
                             const std::map<std::string, void *> &operands) {
  PIMENTO_CHECK(system_.configured == nullptr);
  const tdfg::Program &program = binary_.program;
  const auto values = tdfg::bindSizes(program, sizes);
  if (!values) return values.diagnostics();
  const auto shapes = tdfg::shapesOf(program, *values);
  if (!shapes) return shapes.diagnostics();
  std::vector<std::string> names;
  for (const tdfg::Array &a : program.arrays) names.push_back(a.name);
  for (const auto &[name, data] : operands)
    if (program.arrayNamed(name) < 0)
      return usageError("inf-operand", "", fmt::format("{} has no array '{}'", file_, name), suggest(name, names));
  arrays_.assign(program.arrays.size(), {});
  targets::l3_sram::RuntimeOptions options;
  options.jobs = jobCount(0);
  options.isForeign.assign(program.arrays.size(), false);
  for (std::size_t a = 0; a < program.arrays.size(); ++a) {
    const auto given = operands.find(program.arrays[a].name);
    if (given == operands.end()) {
      if (program.arrays[a].role == Role::kTemporary) continue;
      return usageError("inf-operand", "", fmt::format("{}: array '{}' is not given", file_, program.arrays[a].name),
                        "give every input and output");
    }
    if (Status s = checkOperand(a, (*shapes)[a], given->second); !s) return s;
    const UserArray &array = arrays_[a];
    const std::int64_t line = system_.machine().sram->line.value;
    options.isForeign[a] = array.rows() > 1 && array.pitch * sizeOf(array.type).value % line != 0;
  }
  warnings_.clear();
  hasOverlap_ = false;
  for (std::size_t a = 0; a < arrays_.size(); ++a)
    for (std::size_t b = a + 1; b < arrays_.size(); ++b) {
      const bool isWritten = program.arrays[a].role != Role::kInput || program.arrays[b].role != Role::kInput;
      if (arrays_[a].data == nullptr || arrays_[b].data == nullptr || !isWritten || !arrays_[a].overlaps(arrays_[b]))
        continue;
      hasOverlap_ = true;
      warnings_.push_back(fmt::format("arrays '{}' and '{}' overlap: the core runs the program, element by element",
                                      program.arrays[a].name, program.arrays[b].name));
    }
  options.isOnCore = hasOverlap_;
  auto runtime = targets::l3_sram::Runtime::make(binary_, sizes, system_.machine(), options);
  if (!runtime) return runtime.diagnostics();
  runtime_.emplace(std::move(*runtime));
  system_.configured = this;
  return okStatus();
}

Status InfProgram::run() {
  PIMENTO_CHECK(system_.configured == this);
  const Status status = hasOverlap_ ? runOnCore() : runInArrays();
  system_.configured = nullptr;
  return status;
}

Status InfProgram::runInArrays() {
  const tdfg::Program &program = binary_.program;
  kernel::DataSet data(program.arrays.size());
  const auto forEachRow = [&](std::size_t a, kernel::TensorData &tensor, const auto &copy) {
    const UserArray &array = arrays_[a];
    const std::int64_t bytes = array.rowElements() * sizeOf(array.type).value;
    for (std::int64_t row = 0; row < array.rows(); ++row)
      copy(array.data + row * array.pitch * sizeOf(array.type).value, tensor.bytes.data() + row * bytes,
           static_cast<std::size_t>(bytes));
  };
  for (std::size_t a = 0; a < data.size(); ++a) {
    if (arrays_[a].data == nullptr || program.arrays[a].role == Role::kOutput) continue;
    data[a] = kernel::TensorData(arrays_[a].type, arrays_[a].shape);
    forEachRow(a, data[a],
               [](const std::byte *user, std::byte *own, std::size_t bytes) { std::memcpy(own, user, bytes); });
  }
  auto prepared = tdfg::prepare(program, runtime_->values(), std::move(data));
  if (!prepared) return prepared.diagnostics();
  const auto report = runtime_->run(*prepared);
  if (!report) return report.diagnostics();
  for (std::size_t a = 0; a < prepared->size(); ++a) {
    if (arrays_[a].data == nullptr || program.arrays[a].role == Role::kInput) continue;
    forEachRow(a, (*prepared)[a],
               [](std::byte *user, const std::byte *own, std::size_t bytes) { std::memcpy(user, own, bytes); });
  }
  finish(*report);
  return okStatus();
}

Status InfProgram::runOnCore() {
  std::vector<tdfg::Memory> memory;
  for (const UserArray &a : arrays_) memory.push_back({a.data, a.pitch});
  if (Status s = tdfg::executeInOrder(binary_.program, runtime_->values(), memory); !s) return s;
  finish({});
  return okStatus();
}

void InfProgram::finish(const targets::l3_sram::RuntimeReport &report) {
  counts_.clear();
  const auto row = report.counts.row();
  for (std::size_t i = 0; i < row.size(); ++i)
    counts_[std::string(targets::l3_sram::countTable().rows[i].name)] = row[i];
  counts_["cycles"] = report.counts.time.total.value;
  counts_["layouts"] = report.residency.layouts;
  counts_["elements_laid_out"] = report.residency.laidOut;
  counts_["elements_taken_out"] = report.residency.takenOut;
  nanoseconds_ = system_.machine().toTime(report.counts.time.total).value / 1000;
  for (const std::string &left : report.left) warnings_.push_back("left to streams: " + left);
  if (report.counts.hasStreams && !hasOverlap_)
    warnings_.emplace_back("a part of the work ran on streams and cores, outside the cycles of the arrays");
  nlohmann::ordered_json json{{"program", file_}, {"machine", system_.machine().name}, {"time_ns", *nanoseconds_}};
  for (const auto &[name, value] : counts_) json["counts"][name] = value;
  json["warnings"] = warnings_;
  report_ = json.dump(2);
}

}  // namespace pimento::capi
