#include "pimento/frontend/native/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <utility>

namespace pimento::frontend {

using kernel::Role;
using kernel::Tensor;

namespace {

constexpr const char *kReport = "this is a bug in Pimento: please report it with the command you ran";

const char *wordOf(Undefined what) {
  switch (what) {
    case Undefined::kDivision:
      return "it divides by 0";
    case Undefined::kShift:
      return "it shifts by the width of the type or more";
    case Undefined::kConversion:
      return "it converts a number to an integer type that cannot hold it";
    case Undefined::kIndex:
      return "an index is outside its array";
  }
  return "";
}

bool isSelected(const kernel::Graph &graph, int tensor) {
  return std::any_of(graph.kernels.begin(), graph.kernels.end(), [&](const kernel::Kernel &k) {
    return k.form == kernel::Form::kSelect &&
           std::any_of(k.stores.begin(), k.stores.end(), [&](const auto &s) { return s.target.tensor == tensor; });
  });
}

/// What an output holds before anything is written to it.
kernel::TensorData noAnswer(const Tensor &tensor) {
  kernel::TensorData data(tensor.type, tensor.shape);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) data.setInteger(i, 3 + i % 7);
  return data;
}

}  // namespace

NativeOperands::NativeOperands(const kernel::Graph &graph, const kernel::DataSet &data, std::string file)
    : graph_(graph), data_(data), file_(std::move(file)) {}

std::byte *NativeOperands::addTensor(std::string name, int tensor, bool isDeclared, Location where, bool isResult) {
  const Tensor &t = graph_.tensors[static_cast<std::size_t>(tensor)];
  const auto bytes = static_cast<std::size_t>(t.elements()) * static_cast<std::size_t>(sizeOf(t.type).value);
  // A graph ends where values matter; a text may read on and drop what it read.
  constexpr std::size_t kBehind = 4096;
  auto memory = GuardedArray::make(bytes, isDeclared ? 0 : kBehind);
  if (!memory) return nullptr;
  operands_.push_back({std::move(name), tensor, isDeclared, isResult, std::move(where), std::move(*memory)});
  std::byte *const to = operands_.back().memory.data();
  const kernel::TensorData &given = data_[static_cast<std::size_t>(tensor)];
  if (t.role == Role::kOutput || isResult) {
    if (!isSelected(graph_, tensor)) std::ranges::copy(noAnswer(t).bytes, to);
  } else if (given.bytes.size() == bytes) {
    std::ranges::copy(given.bytes, to);
  }
  return to;
}

std::byte *NativeOperands::addOther(std::string name, std::size_t bytes, Location where) {
  auto memory = GuardedArray::make(bytes);
  if (!memory) return nullptr;
  operands_.push_back({std::move(name), -1, false, false, std::move(where), std::move(*memory)});
  return operands_.back().memory.data();
}

Diagnostic NativeOperands::outside(const NativeOperand &o, std::ptrdiff_t offset) const {
  if (o.tensor < 0)
    return error(DiagnosticKind::kOurs, "wrong-reading", o.where,
                 fmt::format("the source uses '{}', the imported kernel does not", o.name), kReport);
  const Tensor &t = graph_.tensors[static_cast<std::size_t>(o.tensor)];
  const std::int64_t size = sizeOf(t.type).value;
  const std::int64_t element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  const std::string message = fmt::format("the source, run on this machine, accesses element {} of '{}', which has {}",
                                          element, o.name, t.elements());
  if (o.isDeclared)
    return error(DiagnosticKind::kFault, "text-bounds", o.where, message,
                 "declare the array larger, or guard the access by if");
  return error(DiagnosticKind::kOurs, "wrong-reading", o.where, message + " in the imported kernel", kReport);
}

Diagnostic NativeOperands::fault(const void *address) const {
  for (const NativeOperand &o : operands_)
    if (const auto offset = o.memory.offsetOf(address)) return outside(o, *offset);
  return error(DiagnosticKind::kFault, "text-crash", Location{file_},
               "the source, run on this machine, accesses memory outside all of its arrays",
               "look for an index far out of range or a failed allocation");
}

Result<NativeAnswer> NativeOperands::ended(const ChildEnd &end, const NativeLimits &limits) const {
  using How = ChildEnd::How;
  const Location file{file_};
  switch (end.how) {
    case How::kDone:
      return collect();
    case How::kFault:
      return fault(end.address);
    case How::kUndefined:
      return NativeAnswer{{},
                          fmt::format("on these data {}, so the result is undefined", wordOf(end.undefined)),
                          Location{file_, end.line, end.column}};
    case How::kStack:
      return error(DiagnosticKind::kFault, "text-crash", file,
                   fmt::format("the source, run on this machine, needs more than {} MiB for local arrays",
                               limits.stackBytes >> 20),
                   "pass large arrays as parameters");
    case How::kTime:
      return error(
          DiagnosticKind::kFault, "text-endless", file,
          fmt::format("the source, run on this machine, did not finish within {} s of processor time", limits.seconds),
          "look for an endless loop; --check interpreter skips this run");
    case How::kSignal:
      if (end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGKILL)
        return NativeAnswer{{}, "its run was stopped from outside", {}};
      return error(DiagnosticKind::kFault, "text-crash", file,
                   fmt::format("the source, run on this machine, ended with signal {}", end.signal),
                   "--check interpreter skips this run");
    case How::kNotStarted:
      break;
  }
  return NativeAnswer{{}, "the system is out of processes or memory", {}};
}

Result<NativeAnswer> NativeOperands::collect() const {
  NativeAnswer answer;
  answer.outputs.resize(graph_.tensors.size());
  for (const NativeOperand &o : operands_) {
    if (const auto written = o.memory.writtenOutside()) return outside(o, *written);
    if (o.tensor < 0) continue;
    const auto t = static_cast<std::size_t>(o.tensor);
    const Tensor &tensor = graph_.tensors[t];
    const std::span<const std::byte> now = o.memory.bytes();
    const bool isWritten = tensor.role == Role::kOutput || tensor.role == Role::kInOut;
    const bool isElsewhere = !o.isResult && std::ranges::any_of(operands_, [&](const NativeOperand &other) {
      return other.isResult && other.tensor == o.tensor;
    });
    if (isWritten && !isElsewhere) {
      answer.outputs[t] = kernel::TensorData(tensor.type, tensor.shape);
      std::copy_n(now.begin(), answer.outputs[t].bytes.size(), answer.outputs[t].bytes.begin());
    } else if (const kernel::TensorData &given = data_[t];
               !std::ranges::equal(given.bytes, now.first(given.bytes.size()))) {
      return error(DiagnosticKind::kOurs, "wrong-reading", o.where,
                   fmt::format("the source writes to '{}', the imported kernel does not", o.name), kReport);
    }
  }
  return answer;
}

Result<NativeAnswer> NativeOperands::run(void (*entry)(void **), std::vector<void *> &arguments,
                                         const NativeLimits &limits) const {
  return ended(runInChild(entry, arguments.data(), limits), limits);
}

}  // namespace pimento::frontend
