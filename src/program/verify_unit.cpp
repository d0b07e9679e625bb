#include "pimento/program/verify_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/program/virtual.h"

namespace pimento::program {

namespace {

using Kind = Instruction::Kind;
using Space = Array::Space;

constexpr std::int64_t kMaxTrip = std::int64_t{1} << 40, kMaxElements = std::int64_t{1} << 40;
constexpr std::size_t kMaxFound = 20;

class UnitVerifier {
 public:
  UnitVerifier(const Program &program, const machine::Machine &machine, const Places *places)
      : program_(program), machine_(machine), places_(places) {}

  Status run() {
    if (!machine_.compute)
      return error("no-compute", {},
                   fmt::format("machine '{}' does not say what virtual instructions cost", machine_.name),
                   "choose a machine with a section 'compute', or device commands in place of virtual instructions");
    for (const Process &p : program_.processes) {
      where_ = placeOf(&Places::processes, processes_++);
      if (!p.unit) {
        report("mixed", fmt::format("process '{}' has commands beside a process of virtual instructions", p.name),
               "give all processes 'threads N', or none");
        continue;
      }
      process_ = &p;
      checkUnit(*p.unit);
      if (found_.size() < kMaxFound && isSound_) checkBody(p);
    }
    if (!found_.empty()) return found_;
    return okStatus();
  }

 private:
  Location placeOf(std::vector<Location> Places::*list, std::size_t i) const {
    return places_ != nullptr && i < (places_->*list).size() ? (places_->*list)[i] : Location{};
  }
  void report(std::string code, std::string message, std::string hint) {
    if (found_.size() < kMaxFound)
      found_.push_back(error("program-" + code, where_, std::move(message), std::move(hint)));
  }

  void checkUnit(const Unit &unit) {
    isSound_ = true;
    std::int64_t units = 1;
    for (std::size_t l = 0; l + 1 < machine_.levels.size(); ++l)
      units = multiplySaturated(units, machine_.levels[l].count);
    if (process_->instances < 1 || process_->instances > units)
      report("instances",
             fmt::format("process '{}' names {} units, the machine has {}", process_->name, process_->instances, units),
             "name at most as many as there are");
    const std::int64_t threads = machine_.compute->threads;
    if (unit.threads < 1 || unit.threads > threads)
      report("threads",
             fmt::format("process '{}' names {} threads, a unit has {}", process_->name, unit.threads, threads),
             "name at most as many as there are");
    std::set<std::string> names;
    std::int64_t bank = 0, scratchpad = 0;
    for (const Array &a : unit.arrays) {
      if (a.elements < 1 || a.elements > kMaxElements || !names.insert(a.name).second) {
        report("array", fmt::format("array '{}' has {} elements, or a name that another one has", a.name, a.elements),
               "give each array its own name and 1 to 2^40 elements");
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
        report("parameter", fmt::format("parameter '{}' has limit {}, or a name that another one has", p.name, p.limit),
               "give each parameter its own name and a limit of 1 to 2^40");
        isSound_ = false;
      }
  }

  void capacity(const char *memory, std::int64_t taken, std::int64_t there) {
    if (taken > there)
      report("capacity",
             fmt::format("process '{}' takes {} bytes of {}, a unit has {}: {} too many", process_->name, taken, memory,
                         there, taken - there),
             "use smaller arrays, or fewer threads");
  }

  void checkBody(const Process &p) {
    types_.assign(kMaxRegisters, std::nullopt);
    trips_.clear();
    instructions_ = 0;
    for (const Node &n : p.body) visit(n);
  }

  void visit(const Node &n) {
    if (found_.size() >= kMaxFound) return;
    if (!n.isLoop) {
      where_ = placeOf(&Places::commands, allInstructions_++);
      ++instructions_;
      if (n.instruction == nullptr)
        return report("mixed",
                      fmt::format("process '{}' has a device command among virtual instructions", process_->name),
                      "use LOAD, STORE and MOVE");
      return check(*n.instruction);
    }
    if (trips_.size() >= kMaxDepth)
      return report("depth", fmt::format("loops nest deeper than {}", kMaxDepth), "merge loops");
    if (n.trip < 1 || n.trip > kMaxTrip)
      return report("trip", fmt::format("loop '{}' has trip count {}", n.label, n.trip), "1 to 2^40 are possible");
    trips_.push_back(n.trip);
    for (const Node &c : n.children) visit(c);
    trips_.pop_back();
  }

  const Unit &unit() const { return *process_->unit; }

  const Array *array(int index) {
    if (index >= 0 && static_cast<std::size_t>(index) < unit().arrays.size())
      return &unit().arrays[static_cast<std::size_t>(index)];
    report("array", fmt::format("instruction {} names an array that does not exist", instructions_),
           "declare it first: array NAME bank TYPE[N]");
    return nullptr;
  }

  /// The type of a register that is read; nothing after a mistake.
  std::optional<DType> read(int r) {
    if (r >= 0 && r < kMaxRegisters && types_[static_cast<std::size_t>(r)]) return types_[static_cast<std::size_t>(r)];
    report("register",
           fmt::format("instruction {} reads register %{}, which nothing before it writes", instructions_, r),
           "write it first, with SET or LOAD say");
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
                    "a register has one type; use another one");
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

  void bounds(const Address &at, std::int64_t count, const Array &a) {
    double low = 0, high = 0;
    const bool isSane = range(at, low, high);
    if (isSane && low >= 0 && high + static_cast<double>(count - 1) < static_cast<double>(a.elements)) return;
    report("bounds",
           isSane ? fmt::format("instruction {}: elements {:.0f} to {:.0f} of array '{}', which has {}", instructions_,
                                low, high + static_cast<double>(count - 1), a.name, a.elements)
                  : fmt::format("instruction {}: the address runs far out of range", instructions_),
           "legal are 0 to the number of elements less one, over all iterations and threads");
  }

  void checkCost(const Instruction &i, DType type) {
    const std::string_view operation = operationName(i);
    const bool isAccess = i.kind == Kind::kLoad || i.kind == Kind::kStore || i.kind == Kind::kMove;
    if (isAccess || machine_.compute->costOf(operation, type) != nullptr) return;
    report("operation",
           fmt::format("instruction {}: machine '{}' has no '{}' on {}", instructions_, machine_.name, operation,
                       name(type)),
           "its file says in compute.operations what it has");
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
          report("bounds", fmt::format("instruction {}: the number runs far out of range", instructions_),
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
    bounds(i.at, 1, *a);
    if (i.kind == Kind::kLoad) return write(i.result, a->type);
    expect(read(i.arguments[0]), a->type, "what is stored");
    if (i.condition >= 0) expect(read(i.condition), DType::kU8, "the condition");
    if (a->isShared) shared(*a);
  }

  void shared(const Array &a) {
    report("shared", fmt::format("instruction {} writes to array '{}', which all threads share", instructions_, a.name),
           "threads write to arrays of their own; leave 'shared' out");
  }

  void checkMove(const Instruction &i) {
    const Array *to = array(i.array), *from = array(i.from);
    if (to == nullptr || from == nullptr) return;
    if (i.count < 1 || i.count > kMaxElements)
      return report("count", fmt::format("instruction {} moves {} elements", instructions_, i.count),
                    "at least one, at most 2^40");
    bounds(i.at, i.count, *to);
    bounds(i.fromAt, i.count, *from);
    expect(from->type, to->type, "what is moved");
    if (to->isShared) shared(*to);
    if (to->space == from->space)
      report("array",
             fmt::format("instruction {} moves from '{}' to '{}', which lie in one memory", instructions_, from->name,
                         to->name),
             "moves go between bank and scratchpad");
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
        report(
            "type",
            fmt::format("instruction {}: '{}' is no operation on {}", instructions_, kernel::name(i.op), name(i.type)),
            isOfFloats ? "it takes a floating type" : "it takes an integer type");
    }
    write(i.result, i.type);
    return cost;
  }

  const Program &program_;
  const machine::Machine &machine_;
  const Places *places_;
  const Process *process_ = nullptr;
  std::vector<std::optional<DType>> types_;  // of registers written so far
  std::vector<std::int64_t> trips_;
  std::size_t processes_ = 0, allInstructions_ = 0;
  std::int64_t instructions_ = 0;  // of the process
  bool isSound_ = true;            // arrays and parameters can be referred to
  Location where_;
  Diagnostics found_;
};

}  // namespace

Status verifyUnits(const Program &program, const machine::Machine &machine, const Places *places) {
  return UnitVerifier(program, machine, places).run();
}

}  // namespace pimento::program
