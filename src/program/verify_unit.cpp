#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "pimento/program/verify.h"

namespace pimento::program {

namespace {

using Kind = Instruction::Kind;
using Space = Array::Space;

constexpr std::int64_t kMaxTrip = std::int64_t{1} << 40, kMaxElements = std::int64_t{1} << 40;

class UnitVerifier {
 public:
  UnitVerifier(const UnitLoops &loops, const std::string &process, const machine::Machine &machine, Mistakes &mistakes)
      : loops_(loops), process_(process), machine_(machine), mistakes_(mistakes), types_(kMaxRegisters) {}

  void run() {
    checkUnit(loops_.unit);
    if (!mistakes_.isFull() && isSound_) visit(loops_.nodes);
  }

 private:
  void report(std::string code, std::string message, std::string hint, DiagnosticKind kind = DiagnosticKind::kInput) {
    mistakes_.report(std::move(code), std::move(message), std::move(hint), kind);
  }

  void checkUnit(const Unit &unit) {
    const std::int64_t threads = machine_.compute->threads;
    if (unit.threads < 1 || unit.threads > threads)
      report("threads", fmt::format("process '{}' uses {} threads, but a unit has {}", process_, unit.threads, threads),
             "use at most the number a unit has");
    std::set<std::string> names;
    std::int64_t bank = 0, scratchpad = 0;
    for (const Array &a : unit.arrays) {
      if (a.elements < 1 || a.elements > kMaxElements || !names.insert(a.name).second) {
        report("array", fmt::format("array '{}' has {} elements, or a duplicate name", a.name, a.elements),
               "give each array a unique name and 1 to 2^40 elements");
        isSound_ = false;
        continue;
      }
      std::int64_t &taken = a.space == Space::kBank ? bank : scratchpad;
      taken = addSaturated(taken, multiplySaturated(a.elements * sizeOf(a.type).value, a.isShared ? 1 : unit.threads));
    }
    capacity("bank", bank, machine_.unitMemory->size.value);
    capacity("scratchpad", scratchpad, machine_.unitMemory->scratchpad.value);
    names.clear();
    for (const Parameter &p : unit.parameters)
      if (p.limit < 1 || p.limit > kMaxElements || !names.insert(p.name).second) {
        report("parameter", fmt::format("parameter '{}' has limit {}, or a duplicate name", p.name, p.limit),
               "give each parameter a unique name and a limit of 1 to 2^40");
        isSound_ = false;
      }
  }

  void capacity(const char *memory, std::int64_t taken, std::int64_t there) {
    if (taken > there)
      report("capacity",
             fmt::format("process '{}' takes {} bytes of {}, but a unit has {}: {} too many", process_, taken, memory,
                         there, taken - there),
             "use smaller arrays, or fewer threads", DiagnosticKind::kCapacity);
  }

  void visit(const std::vector<InstructionNode> &nodes) {
    for (const InstructionNode &n : nodes) visit(n);
  }

  void visit(const InstructionNode &n) {
    if (mistakes_.isFull()) return;
    if (!n.isLoop) {
      mistakes_.enterStatement();
      ++instructions_;
      return check(n.statement);
    }
    if (trips_.size() >= kMaxDepth)
      return report("depth", fmt::format("loops nest deeper than {}", kMaxDepth), "merge loops");
    if (n.trip < 1 || n.trip > kMaxTrip)
      return report("trip", fmt::format("loop '{}' has trip count {}", n.label, n.trip), "use 1 to 2^40");
    trips_.push_back(n.trip);
    visit(n.children);
    trips_.pop_back();
  }

  const Unit &unit() const { return loops_.unit; }

  const Array *array(int index) {
    if (index >= 0 && static_cast<std::size_t>(index) < unit().arrays.size())
      return &unit().arrays[static_cast<std::size_t>(index)];
    report("array", fmt::format("instruction {} names an unknown array", instructions_),
           "declare it first: array NAME bank TYPE[N]");
    return nullptr;
  }

  /// The type of a register that is read; nothing after a mistake.
  std::optional<DType> read(int r) {
    if (r >= 0 && r < kMaxRegisters && types_[static_cast<std::size_t>(r)]) return types_[static_cast<std::size_t>(r)];
    report("register", fmt::format("instruction {} reads register %{} before it is written", instructions_, r),
           "write it first, for example with SET or LOAD");
    return std::nullopt;
  }
  void write(int r, DType type) {
    if (r < 0 || r >= kMaxRegisters)
      return report("register", fmt::format("instruction {} writes register %{}", instructions_, r),
                    fmt::format("registers are %0 to %{}", kMaxRegisters - 1));
    std::optional<DType> &known = types_[static_cast<std::size_t>(r)];
    if (known && *known != type)
      return report("type",
                    fmt::format("instruction {} writes {} to register %{}, which holds {}", instructions_, name(type),
                                r, name(*known)),
                    "a register has one type; use another register");
    known = type;
  }
  void expect(std::optional<DType> found, DType wanted, const char *what) {
    if (found && *found != wanted)
      report("type", fmt::format("instruction {}: {} is {}, not {}", instructions_, what, name(*found), name(wanted)),
             "cast it first: CAST TYPE %result %argument");
  }

  /// Lowest and highest value of an address; false where they run far out of any range.
  bool range(const Address &a, double &low, double &high) const {
    low = high = static_cast<double>(a.loops.base);
    double reach = 0;
    const auto add = [&](std::int64_t stride, std::int64_t last) {
      const double by = static_cast<double>(stride) * static_cast<double>(last);
      (by < 0 ? low : high) += by;
      reach += std::abs(by);
    };
    for (std::size_t d = 0; d < trips_.size(); ++d) add(a.loops.stride[d], trips_[d] - 1);
    for (std::size_t p = 0; p < unit().parameters.size(); ++p) add(a.of(p), unit().parameters[p].limit - 1);
    for (std::size_t d = trips_.size(); d < a.loops.stride.size(); ++d)
      if (a.loops.stride[d] != 0) return false;
    return a.parameters.size() <= unit().parameters.size() && reach < 1e15 && std::abs(low) < 1e15;
  }

  void bounds(const Address &at, std::int64_t count, const Array &a, const DataIndex &data = {}) {
    double low = 0, high = 0;
    const bool isSane = range(at, low, high);
    high += static_cast<double>(data.limit - 1) * static_cast<double>(data.stride);
    if (isSane && low >= 0 && high + static_cast<double>(count - 1) < static_cast<double>(a.elements)) return;
    report("bounds",
           isSane ? fmt::format("instruction {}: elements {:.0f} to {:.0f} of array '{}', which has {}", instructions_,
                                low, high + static_cast<double>(count - 1), a.name, a.elements)
                  : fmt::format("instruction {}: the address is far out of range", instructions_),
           "use 0 to the number of elements less one, over all iterations and threads");
  }

  void checkCost(const Instruction &i, DType type) {
    const std::string_view operation = operationName(i);
    const bool isAccess = i.kind == Kind::kLoad || i.kind == Kind::kStore || i.kind == Kind::kMove;
    if (isAccess || machine_.compute->costOf(operation, type) != nullptr) return;
    report("operation",
           fmt::format("instruction {}: machine '{}' has no '{}' on {}", instructions_, machine_.name, operation,
                       name(type)),
           "compute.operations in its file lists the available operations", DiagnosticKind::kUnsupported);
  }

  void check(const Instruction &i) {
    DType cost = i.type;
    switch (i.kind) {
      case Kind::kSet:
        write(i.result, i.type);
        break;
      case Kind::kIndex:
      case Kind::kTest: {
        double low = 0, high = 0;
        if (!range(i.at, low, high))
          report("bounds", fmt::format("instruction {}: the number is far out of range", instructions_),
                 "keep it below 10^15");
        if (i.kind == Kind::kTest) cost = DType::kI32;
        write(i.result, i.kind == Kind::kTest ? DType::kU8 : i.type);
        break;
      }
      case Kind::kLoad:
      case Kind::kStore:
        return checkAccess(i);
      case Kind::kMove:
        return checkMove(i);
      case Kind::kOperation:
        cost = checkOperation(i);
    }
    checkCost(i, cost);
  }

  void checkAccess(const Instruction &i) {
    const Array *a = array(i.array);
    if (a == nullptr) return;
    if (!checkIndex(i.data)) return;
    bounds(i.at, 1, *a, i.data);
    if (i.condition >= 0) expect(read(i.condition), DType::kU8, "the condition");
    if (i.kind == Kind::kLoad) return write(i.result, a->type);
    expect(read(i.arguments[0]), a->type, "what is stored");
    if (a->isShared) shared(*a);
  }

  bool checkIndex(const DataIndex &data) {
    if (data.limit < 1 || data.limit > kMaxElements || data.stride < 1 || data.stride > kMaxElements) {
      report("bounds",
             fmt::format("instruction {}: an index from data has {} values, {} elements apart", instructions_,
                         data.limit, data.stride),
             "use at least one and at most 2^40");
      return false;
    }
    if (data.from < 0) return true;
    const std::optional<DType> type = read(data.from);
    if (type && isFloat(*type))
      report("type",
             fmt::format("instruction {}: an index from data is {}, not an integer", instructions_, name(*type)),
             "cast it first: CAST i32 %result %argument");
    return true;
  }

  void shared(const Array &a) {
    report("shared", fmt::format("instruction {} writes to array '{}', which all threads share", instructions_, a.name),
           "threads write only to their own arrays; remove 'shared'");
  }

  void checkMove(const Instruction &i) {
    const Array *to = array(i.array), *from = array(i.from);
    if (to == nullptr || from == nullptr) return;
    if (i.count < 1 || i.count > kMaxElements)
      return report("count", fmt::format("instruction {} moves {} elements", instructions_, i.count),
                    "use at least one and at most 2^40");
    bounds(i.at, i.count, *to);
    bounds(i.fromAt, i.count, *from);
    expect(from->type, to->type, "what is moved");
    if (to->isShared) shared(*to);
    if (to->space == from->space)
      report("array",
             fmt::format("instruction {} moves from '{}' to '{}', which are in the same memory", instructions_,
                         from->name, to->name),
             "move between bank and scratchpad");
  }

  /// The type that the cost goes by.
  DType checkOperation(const Instruction &i) {
    using kernel::Op;
    const int arguments = kernel::argumentCount(i.op);
    std::array<std::optional<DType>, 3> types;
    for (int a = 0; a < arguments; ++a)
      types[static_cast<std::size_t>(a)] = read(i.arguments[static_cast<std::size_t>(a)]);
    const bool isComparison = i.op >= Op::kCmpEq && i.op <= Op::kCmpGe;
    DType cost = i.type;
    if (i.op == Op::kCast) {
      cost = types[0].value_or(i.type);
    } else if (isComparison) {
      cost = types[0].value_or(i.type);
      expect(types[1], cost, "the second argument");
      expect(i.type, DType::kU8, "the result of a comparison");
    } else if (i.op == Op::kSelect) {
      if (types[0] && isFloat(*types[0])) expect(types[0], DType::kU8, "the condition");
      expect(types[1], i.type, "the second argument");
      expect(types[2], i.type, "the third argument");
    } else {
      expect(types[0], i.type, "the first argument");
      if (arguments > 1) expect(types[1], i.type, "the second argument");
      const bool isOfIntegers = i.op >= Op::kAnd && i.op <= Op::kShr;
      const bool isOfFloats = i.op >= Op::kExp && i.op <= Op::kTanh;
      if ((isOfIntegers && isFloat(i.type)) || (isOfFloats && !isFloat(i.type)))
        report("type",
               fmt::format("instruction {}: '{}' is not an operation on {}", instructions_, kernel::name(i.op),
                           name(i.type)),
               isOfFloats ? "use a floating type" : "use an integer type");
    }
    write(i.result, i.type);
    return cost;
  }

  const UnitLoops &loops_;
  const std::string &process_;
  const machine::Machine &machine_;
  Mistakes &mistakes_;
  std::vector<std::optional<DType>> types_;  // of registers written so far
  std::vector<std::int64_t> trips_;
  std::int64_t instructions_ = 0;
  bool isSound_ = true;  // arrays and parameters can be referred to
};

}  // namespace

void verifyUnit(const UnitLoops &loops, const std::string &process, const machine::Machine &machine,
                Mistakes &mistakes) {
  UnitVerifier(loops, process, machine, mistakes).run();
}

}  // namespace pimento::program
