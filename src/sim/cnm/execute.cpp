#include "pimento/sim/cnm/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "pimento/base/diagnostics.h"
#include "pimento/kernel/lanes.h"
#include "pimento/kernel/scalar.h"

namespace pimento::sim::cnm {

using kernel::kBlock;
using kernel::LaneClass;
using kernel::Lanes;
using program::Address;
using program::Array;
using program::Instruction;
using program::InstructionNode;
using Kind = program::Instruction::Kind;

UnitMemory::UnitMemory(const program::Unit &unit) {
  for (const Array &a : unit.arrays) {
    const std::int64_t copies = a.isShared ? 1 : unit.threads;
    arrays_.emplace_back(static_cast<std::size_t>(a.elements * sizeOf(a.type).value * copies));
  }
}

namespace {

/// Up to kBlock threads, from number `first` on.
class Executor {
 public:
  Executor(const program::UnitLoops &loops, UnitMemory &memory,
           const std::vector<std::vector<std::int64_t>> &parameters, std::int64_t first, int count)
      : unit_(loops.unit),
        memory_(memory),
        parameters_(parameters),
        types_(program::registerTypes(loops)),
        registers_(types_.size()),
        first_(first),
        count_(count) {}

  /// As far as indices from data lie in their arrays.
  void run(const std::vector<InstructionNode> &nodes) {
    for (const InstructionNode &n : nodes) {
      if (failure_) return;
      if (!n.isLoop) {
        execute(n.statement);
        continue;
      }
      counters_.push_back(0);
      for (; counters_.back() < n.trip && !failure_; ++counters_.back()) run(n.children);
      counters_.pop_back();
    }
  }

  const std::optional<Diagnostic> &failure() const { return failure_; }

 private:
  DType typeOf(int r) const { return types_[static_cast<std::size_t>(r)]; }
  Lanes &lanes(int r) { return registers_[static_cast<std::size_t>(r)]; }

  /// The part that is the same for all threads.
  std::int64_t common(const Address &a) const {
    std::int64_t x = a.loops.base;
    for (std::size_t d = 0; d < counters_.size(); ++d) x += a.loops.stride[d] * counters_[d];
    return x;
  }
  /// The part of thread number `l` of this block.
  std::int64_t own(const Address &a, int l) const {
    std::int64_t x = 0;
    for (std::size_t p = 0; p < a.parameters.size(); ++p)
      if (a.parameters[p] != 0) x += a.parameters[p] * parameters_[p][static_cast<std::size_t>(first_ + l)];
    return x;
  }
  static bool isSame(const Address &a) {
    return std::all_of(a.parameters.begin(), a.parameters.end(), [](std::int64_t c) { return c == 0; });
  }
  /// Element of the array's bytes that thread `l` means.
  std::int64_t element(const Array &a, const Address &at, int l) const {
    return common(at) + own(at, l) + (a.isShared ? 0 : (first_ + l) * a.elements);
  }

  bool isOn(const Instruction &i, int l) { return i.condition < 0 || lanes(i.condition).i[l] != 0; }

  /// What data add to the address in thread `l`; nothing where the index has no element.
  std::optional<std::int64_t> moved(const Instruction &i, int l) {
    if (i.data.from < 0) return 0;
    const std::int64_t index = lanes(i.data.from).i[l];
    if (index >= 0 && index < i.data.limit) return index * i.data.stride;
    const Array &a = unit_.arrays[static_cast<std::size_t>(i.array)];
    failure_ = error(DiagnosticKind::kFault, "index-out-of-range", {},
                     fmt::format("thread {} uses index {} into array '{}', which has {} there", first_ + l, index,
                                 a.name, i.data.limit),
                     fmt::format("use data with indices in 0..{}", i.data.limit - 1));
    return std::nullopt;
  }

  void execute(const Instruction &i) {
    switch (i.kind) {
      case Kind::kSet: {
        kernel::Value v;
        v.type = i.type;
        v.constant = i.constant;
        v.integer = i.integer;
        return kernel::setLanes(i.type, lanes(i.result), 0, count_, kernel::constantOf(v));
      }
      case Kind::kIndex:
        return index(i);
      case Kind::kTest: {
        const std::int64_t x = common(i.at);
        for (int l = 0; l < count_; ++l) lanes(i.result).i[l] = x + own(i.at, l) >= 0 ? 1 : 0;
        return;
      }
      case Kind::kLoad:
        return load(i);
      case Kind::kStore:
        return store(i);
      case Kind::kMove:
        return move(i);
      case Kind::kOperation:
        return operation(i);
    }
  }

  void index(const Instruction &i) {
    const std::int64_t x = common(i.at);
    Lanes &out = lanes(i.result);
    for (int l = 0; l < count_; ++l) number_.i[l] = x + own(i.at, l);
    kernel::convert(DType::kI64, i.type, number_, out, 0, count_);
  }

  void load(const Instruction &i) {
    const Array &a = unit_.arrays[static_cast<std::size_t>(i.array)];
    const std::byte *bytes = memory_.array(i.array).data();
    Lanes &out = lanes(i.result);
    if (i.data.from >= 0 || i.condition >= 0) return loadEach(i, a, bytes, out);
    if (isSame(i.at) && a.isShared)
      return kernel::setLanes(a.type, out, 0, count_, kernel::load(a.type, bytes, common(i.at)));
    if (isSame(i.at)) return kernel::gather(a.type, bytes, element(a, i.at, 0), a.elements, out, 0, count_);
    for (int l = 0; l < count_; ++l)
      kernel::setLanes(a.type, out, l, l + 1, kernel::load(a.type, bytes, element(a, i.at, l)));
  }

  void loadEach(const Instruction &i, const Array &a, const std::byte *bytes, Lanes &out) {
    for (int l = 0; l < count_; ++l) {
      if (!isOn(i, l)) {
        kernel::setLanes(a.type, out, l, l + 1, {});
        continue;
      }
      const std::optional<std::int64_t> by = moved(i, l);
      if (!by) return;
      kernel::setLanes(a.type, out, l, l + 1, kernel::load(a.type, bytes, element(a, i.at, l) + *by));
    }
  }

  void store(const Instruction &i) {
    const Array &a = unit_.arrays[static_cast<std::size_t>(i.array)];
    std::byte *bytes = memory_.array(i.array).data();
    const Lanes &in = lanes(i.arguments[0]);
    if (i.condition < 0 && i.data.from < 0 && isSame(i.at))
      return kernel::scatter(a.type, bytes, element(a, i.at, 0), a.elements, in, 0, count_);
    for (int l = 0; l < count_; ++l) {
      if (!isOn(i, l)) continue;
      const std::optional<std::int64_t> by = moved(i, l);
      if (!by) return;
      kernel::store(a.type, bytes, element(a, i.at, l) + *by, kernel::laneOf(a.type, in, l));
    }
  }

  void move(const Instruction &i) {
    const Array &to = unit_.arrays[static_cast<std::size_t>(i.array)],
                &from = unit_.arrays[static_cast<std::size_t>(i.from)];
    const auto size = static_cast<std::size_t>(sizeOf(to.type).value);
    for (int l = 0; l < count_; ++l)
      std::memcpy(memory_.array(i.array).data() + static_cast<std::size_t>(element(to, i.at, l)) * size,
                  memory_.array(i.from).data() + static_cast<std::size_t>(element(from, i.fromAt, l)) * size,
                  static_cast<std::size_t>(i.count) * size);
  }

  void operation(const Instruction &i) {
    kernel::Value v;
    v.op = i.op;
    v.type = i.type;
    const int arguments = kernel::argumentCount(i.op);
    const auto argument = [&](int a) -> const Lanes & { return lanes(i.arguments[static_cast<std::size_t>(a)]); };
    const Lanes &a = argument(0), &b = arguments > 1 ? argument(1) : a, &c = arguments > 2 ? argument(2) : b;
    // The result may be an argument as well.
    kernel::evaluate(v, typeOf(i.arguments[static_cast<std::size_t>(arguments - 1)]), number_, a, b, c, count_);
    const kernel::LaneClass kind = kernel::laneClass(i.type);
    Lanes &out = lanes(i.result);
    if (kind == LaneClass::kFloat)
      std::copy(number_.f, number_.f + count_, out.f);
    else
      std::copy(number_.i, number_.i + count_, out.i);
  }

  const program::Unit &unit_;
  UnitMemory &memory_;
  const std::vector<std::vector<std::int64_t>> &parameters_;
  std::vector<DType> types_;
  std::vector<Lanes> registers_;
  Lanes number_;
  std::vector<std::int64_t> counters_;
  std::int64_t first_;
  int count_;
  std::optional<Diagnostic> failure_;
};

}  // namespace

Status execute(const program::UnitLoops &loops, UnitMemory &memory,
               const std::vector<std::vector<std::int64_t>> &parameters) {
  const std::int64_t threads = loops.unit.threads;
  for (std::int64_t first = 0; first < threads; first += kBlock) {
    const auto count = static_cast<int>(std::min<std::int64_t>(kBlock, threads - first));
    Executor block(loops, memory, parameters, first, count);
    block.run(loops.nodes);
    if (block.failure()) return *block.failure();
  }
  return okStatus();
}

}  // namespace pimento::sim::cnm
