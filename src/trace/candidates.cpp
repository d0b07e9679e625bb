#include "pimento/trace/candidates.h"

#include <algorithm>
#include <deque>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/arithmetic.h"
#include "pimento/trace/spoils.h"

namespace pimento::trace {

namespace {

constexpr std::int64_t kNone = -1;

/// An instruction that may be part of a tree: a load, an operation that is supported, a store. Others are in no tree;
/// who reads what they wrote has a register as its operand.
struct Node {
  const Candidates::Step *step = nullptr;
  std::int64_t index = kNone;  ///< in the stream
  std::uint64_t place = 0;     ///< loads: physical address
  std::uint64_t value = 0;     ///< loads and stores
  /// Operations: how many nodes before it the producers of its operands are, 0: none. Loads: what Spoils knows them by.
  Spoils::Key links{};
  std::uint32_t user = 0;  ///< the last user of its destination: how many nodes after it; 0: no node
  std::uint32_t uses = 0, usesInTrees = 0;
  std::uint16_t bytes = 0;
  std::int8_t level = kNone;
  bool isOperand = false, isStored = false;  ///< how that user takes it
  bool isDead = false;                       ///< the destination has been overwritten
  bool hasOtherUses = false;                 ///< of what else it writes: flags
  bool hasFate = false;
  bool isRejected = false;  ///< loads: by a tree that is no candidate
  bool isSplit = false;     ///< its bytes lie in two lines
};

std::uint64_t maskOf(int width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

bool isOperandOf(const Operand &o, Register r) {
  return !o.isImmediate && !o.isShifted && o.reg == r;
}

Candidates::Step::Read readOf(const Instruction &in, bool isSupported, Register r) {
  Candidates::Step::Read out{r};
  out.isOperand = isSupported && (isOperandOf(in.operands[0], r) || isOperandOf(in.operands[1], r));
  out.isStored = in.operation == Operation::kStore && in.operandCount == 1 && isOperandOf(in.operands[0], r) &&
                 !in.addressRegisters.has(r) && !in.isConditional;
  return out;
}

/// A call of the system takes and gives what the first argument's register has; other instructions of its kind do not.
bool isCallOfSystem(const Instruction &in) {
  constexpr Register kFirstOfRv64 = 10;
  const Register first = in.isa == Isa::kRv64 ? kFirstOfRv64 : Register{0};
  return in.operation == Operation::kSystem && in.reads.has(first) && in.writes.has(first);
}

Candidates::Step::Write writeOf(const Instruction &in, Register r) {
  return {r, in.hasDestination && in.destination == r};
}

}  // namespace

std::string_view name(Fate fate) {
  constexpr std::string_view kNames[kFates] = {"offloaded", "width",       "no_load",       "register",
                                               "flags",     "conditional", "store_between", "level",
                                               "levels",    "bank",        "bitline",       "cost"};
  return kNames[static_cast<std::size_t>(fate)];
}

std::string_view name(LoadFate fate) {
  constexpr std::string_view kNames[kLoadFates] = {"offloaded", "kept", "unused", "rejected"};
  return kNames[static_cast<std::size_t>(fate)];
}

struct Candidates::State {
  State(CimRules r, std::size_t w)
      : rules(std::move(r)),
        window(static_cast<std::int64_t>(w)),
        memory(static_cast<std::int64_t>(kWindows * w)),
        nodes(kWindows * w),
        spoils(kWindows * w) {
    writers.fill({});
    counts = none();
    for (const int width : rules.widths) leafSizes |= 1U << width / 8;
    for (const CimRules::Geometry &g : rules.geometry) line = std::min(line, g.line);
  }

  CandidateCounts none() const {
    CandidateCounts out;
    out.at.resize(rules.levels.size());
    for (CandidatesAt &at : out.at) at.operations.resize(rules.operations.size());
    return out;
  }
  /// Whether a load of so many bytes may be a leaf.
  bool isLeafSize(std::uint64_t bytes) const { return bytes <= Spoils::kMostBytes && (leafSizes >> bytes & 1U) != 0; }

  static constexpr std::size_t kWindows = 4;  ///< trees reach back

  Node &at(std::int64_t node) { return nodes[static_cast<std::size_t>(node) & (nodes.size() - 1)]; }
  std::int64_t numberOf(const Node &n) const {
    // Of the nodes that are there, the one at this place.
    const auto place = static_cast<std::int64_t>(&n - nodes.data()), size = static_cast<std::int64_t>(nodes.size());
    return made - 1 - ((made - 1 - place) & (size - 1));
  }
  /// The node so many before `n`; null: none, or before what is remembered.
  Node *before(const Node &n, std::uint32_t distance) {
    const std::int64_t number = numberOf(n) - static_cast<std::int64_t>(distance);
    return distance == 0 || number < closed ? nullptr : &at(number);
  }
  Node *userOf(const Node &n) { return n.user == 0 ? nullptr : &at(numberOf(n) + n.user); }

  void use(const Step::Read &r, std::int64_t user);
  void overwrite(const Step::Write &w, std::int64_t by);
  std::uint64_t add(const Step &step, std::span<const Access> accesses, Served served);
  void retire(Node &n);
  void close(Node &n);
  void settle(Node &n, Fate fate);

  bool isAbsorbed(const Node &n);
  /// A cache writes no more than it computes, and that into one line.
  bool isStoredAlone(const Node &root) {
    if (!root.isStored || root.uses != 1 || !root.isDead) return false;
    const Node &store = *userOf(root);
    return !store.isSplit && store.bytes * 8 <= root.step->in->width;
  }
  bool isCallBetween(std::int64_t from, std::int64_t to) const {
    const auto after = std::ranges::upper_bound(calls, from);
    return after != calls.end() && *after < to;
  }
  Fate grow(Node &n);
  void judge(Node &root);
  Fate examine(const Node &root, std::span<const std::int64_t> leaves, int &level);
  int computingLevel(int served) const;
  std::int64_t copiesOf(std::span<const std::int64_t> leaves, int level);
  bool isWorthIt(const Node &root, std::span<const std::int64_t> operations, std::span<const std::int64_t> leaves,
                 int level);
  int write(const Node &n);
  void accept(const Node &root, std::span<const std::int64_t> operations, std::span<const std::int64_t> leaves,
              int level);
  void tell(const Node &root, Fate fate, std::span<const std::int64_t> operations, std::span<const std::int64_t> leaves,
            int level);
  void remove(const Node &n);
  /// What is counted of an instruction.
  template <typename Add>
  void count(const Node &n, Add add) {
    add(counts);
    if (n.step->own != nullptr) add(*n.step->own);
  }
  std::uint64_t compute(const Node &n);
  void prove(const Node &root);

  CimRules rules;
  std::int64_t window, memory;
  std::uint32_t leafSizes = 0;             ///< a bit for each, in bytes
  std::uint64_t line = ~std::uint64_t{0};  ///< the shortest of a cache
  std::deque<std::int64_t> calls;  ///< of the system, in sight: they may write anywhere, and no stream says where
  std::vector<Node> nodes;         ///< a ring of all that are not older than the memory
  Spoils spoils;
  /// Who wrote a register last, if a node; and whether as its destination.
  struct Writer {
    std::int64_t node = kNone;
    bool isDestination = false;
  };
  std::array<Writer, kRegisters> writers{};
  std::int64_t next = 0;                           ///< instructions
  std::int64_t made = 0, retired = 0, closed = 0;  ///< nodes
  std::vector<std::int64_t> operations, leaves;    ///< stacks: of trees that are being grown
  CandidateCounts counts;
  /// Of the tree in hand.
  std::vector<CimStep> steps;
  std::vector<std::int64_t> operandsOf;
  int depth = 0;
  std::function<void(const JudgedTree &)> listener;
  std::function<void(std::int64_t, LoadFate)> loadListener;
  bool hasValues = true;
};

/// A node, or another instruction (kNone), reads a register.
void Candidates::State::use(const Step::Read &r, std::int64_t user) {
  const Writer &w = writers[r.reg];
  if (w.node < closed) return;
  Node &n = at(w.node);
  if (!w.isDestination) {
    n.hasOtherUses = true;
    return;
  }
  ++n.uses;
  n.user = user == kNone ? 0 : static_cast<std::uint32_t>(user - w.node);
  n.isOperand = r.isOperand;
  n.isStored = r.isStored;
}

void Candidates::State::overwrite(const Step::Write &w, std::int64_t by) {
  Writer &writer = writers[w.reg];
  if (writer.node >= closed && writer.isDestination) at(writer.node).isDead = true;
  writer = {by, w.isDestination};
}

/// Whether the value is part of the one operation that uses it.
bool Candidates::State::isAbsorbed(const Node &n) {
  if (!n.step->isSupported || n.hasFate || n.hasOtherUses || !n.isOperand) return false;
  if ((!n.isDead || n.uses != 1) && rules.unsound != CimRules::Unsound::kIgnoresUses) return false;
  Node *user = userOf(n);
  return user != nullptr && user->step->isSupported;
}

/// Puts the tree below `n` on the stacks; anything but kOffloaded: the node cannot be in one, the stacks are as before,
/// and trees below it are judged by themselves.
Fate Candidates::State::grow(Node &n) {
  const Instruction &in = *n.step->in;
  Fate fate = Fate::kOffloaded;
  if (in.isConditional)
    fate = Fate::kConditional;
  else if (n.hasOtherUses)
    fate = Fate::kFlagsUsed;
  else if (!n.step->hasWidth)
    fate = Fate::kWidth;
  const auto reject = [&] { fate = fate == Fate::kOffloaded ? Fate::kRegister : fate; };
  const std::size_t firstOperation = operations.size(), firstLeaf = leaves.size();
  std::array<Node *, 2> children{};
  const bool isSquare = !in.operands[0].isImmediate && !in.operands[1].isImmediate && n.links[0] == n.links[1];
  for (std::size_t i = 0; i < children.size(); ++i) {
    const Operand &o = in.operands[i];
    if (o.isImmediate) continue;
    Node *child = before(n, n.links[i]);
    const bool isSame = i == 1 && isSquare;
    if (child == nullptr || o.isShifted) {
      reject();
    } else if (child->step->isPlainLoad) {
      if (child->bytes * 8 != in.width)
        reject();
      else if (!isSame)
        leaves.push_back(numberOf(*child));
    } else if (!isAbsorbed(*child) || userOf(*child) != &n || isSame) {
      reject();
    } else if (const Fate theirs = grow(*child); theirs == Fate::kOffloaded) {
      children[i] = child;
    } else {
      settle(*child, theirs);
      reject();
    }
  }
  if (fate == Fate::kOffloaded) {
    operations.push_back(numberOf(n));
    return fate;
  }
  // What is below stands alone: its roots go back to registers.
  for (Node *child : children)
    if (child != nullptr) judge(*child);
  for (std::size_t l = firstLeaf; l < leaves.size(); ++l) at(leaves[l]).isRejected = true;
  operations.resize(firstOperation);
  leaves.resize(firstLeaf);
  return fate;
}

/// The nearest level that computes for an operand that is served there; kNone: none does.
int Candidates::State::computingLevel(int served) const {
  int out = kNone;
  for (int l = 0; l < static_cast<int>(rules.levels.size()); ++l)
    if (rules.levels[static_cast<std::size_t>(l)]) {
      out = l;
      if (l >= served) break;
    }
  return out;
}

/// Operands that do not lie where the first one does, as near as they must.
std::int64_t Candidates::State::copiesOf(std::span<const std::int64_t> loads, int level) {
  const CimRules::Geometry &g = rules.geometry[static_cast<std::size_t>(level)];
  const auto isNear = [&](std::uint64_t a, std::uint64_t b) {
    if (rules.locality == CimRules::Locality::kLevel) return true;
    if (a / g.line % g.banks != b / g.line % g.banks) return false;
    return rules.locality == CimRules::Locality::kBank || a % g.line == b % g.line;
  };
  return std::ranges::count_if(loads, [&](std::int64_t l) { return !isNear(at(l).place, at(loads.front()).place); });
}

Fate Candidates::State::examine(const Node &root, std::span<const std::int64_t> loads, int &level) {
  if (loads.empty()) return Fate::kNoLoad;
  const std::int64_t runsAt = isStoredAlone(root) ? userOf(root)->index : root.index;
  const Node &first = at(loads.front());
  int highest = first.level;
  for (const std::int64_t l : loads) {
    const Node &n = at(l);
    if ((spoils.first(n.links) < runsAt || isCallBetween(n.index, runsAt)) &&
        rules.unsound != CimRules::Unsound::kIgnoresStores)
      return Fate::kStoreBetween;
    if (n.isSplit) return Fate::kBitline;
    highest = std::max<int>(highest, n.level);
    if (rules.movesOperands) continue;
    if (n.level < 0 || n.level >= static_cast<int>(rules.levels.size()) ||
        !rules.levels[static_cast<std::size_t>(n.level)])
      return Fate::kLevel;
    if (n.level != first.level) return Fate::kLevels;
  }
  level = rules.movesOperands ? computingLevel(highest) : first.level;
  if (level == kNone) return Fate::kLevel;
  if (rules.movesOperands || rules.locality == CimRules::Locality::kLevel) return Fate::kOffloaded;
  const CimRules::Geometry &g = rules.geometry[static_cast<std::size_t>(level)];
  const auto bank = [&](std::uint64_t address) { return address / g.line % g.banks; };
  for (const std::int64_t l : loads)
    if (bank(at(l).place) != bank(first.place)) return Fate::kBank;
  if (rules.locality == CimRules::Locality::kBank) return Fate::kOffloaded;
  for (const std::int64_t l : loads)
    if (at(l).place % g.line != first.place % g.line) return Fate::kBitline;
  return Fate::kOffloaded;
}

/// Writes what a tree computes to `steps`, and its loads to `operandsOf`. Returns how many operations follow each
/// other.
int Candidates::State::write(const Node &n) {
  int depth = 0;
  for (std::size_t i = 0; i < n.links.size(); ++i) {
    const Operand &o = n.step->in->operands[i];
    if (o.isImmediate) {
      steps.push_back({.kind = CimStep::Kind::kConstant, .constant = o.immediate});
      continue;
    }
    const std::int64_t child = numberOf(n) - static_cast<std::int64_t>(n.links[i]);
    if (at(child).step->isPlainLoad) {
      const std::int64_t load = at(child).index;
      const auto place = std::ranges::find(operandsOf, load) - operandsOf.begin();
      if (place == std::ssize(operandsOf)) operandsOf.push_back(load);
      steps.push_back({.kind = CimStep::Kind::kOperand, .operand = static_cast<std::uint16_t>(place)});
    } else {
      depth = std::max(depth, write(at(child)));
    }
  }
  steps.push_back({.kind = CimStep::Kind::kOperation, .operation = n.step->in->operation});
  return depth + 1;
}

bool Candidates::State::isWorthIt(const Node &root, std::span<const std::int64_t> tree,
                                  std::span<const std::int64_t> loads, int level) {
  if (!rules.accepts) return true;
  CimRules::Tree t;
  std::vector<std::int64_t> kinds(rules.operations.size());
  const auto take = [&](const Instruction &in) {
    t.removed.registerReads += in.reads.size();
    t.removed.registerWrites += in.writes.size();
  };
  for (const std::int64_t o : tree) {
    ++kinds[at(o).step->kind];
    take(*at(o).step->in);
  }
  t.operations = kinds;
  t.depth = depth;
  t.loads = static_cast<std::int64_t>(loads.size());
  t.level = level;
  for (const std::int64_t l : loads) {
    const Node &n = at(l);
    t.highest = std::max<int>(t.highest, n.level);
    t.writtenBack += n.level < level ? 1 : 0;
    if (!n.isDead || n.uses != n.usesInTrees + 1) continue;
    ++t.goneLoads;
    take(*n.step->in);
  }
  t.copied = copiesOf(loads, level);
  t.isStored = isStoredAlone(root);
  if (t.isStored) take(*userOf(root)->step->in);
  t.removed.operations = static_cast<std::int64_t>(tree.size());
  t.removed.loads = t.goneLoads;
  t.removed.stores = t.isStored ? 1 : 0;
  return rules.accepts(t);
}

void Candidates::State::settle(Node &n, Fate fate) {
  PIMENTO_CHECK(!n.hasFate);
  n.hasFate = true;
  count(n, [&](CandidateCounts &c) { ++c.operations[static_cast<std::size_t>(fate)]; });
}

void Candidates::State::judge(Node &root) {
  const std::size_t firstOperation = operations.size(), firstLeaf = leaves.size();
  Fate fate = grow(root);
  if (fate != Fate::kOffloaded) {
    settle(root, fate);
    const std::int64_t alone = numberOf(root);
    if (listener) tell(root, fate, {&alone, 1}, {}, kNone);
    return;
  }
  const std::span<const std::int64_t> tree = std::span(operations).subspan(firstOperation),
                                      loads = std::span(leaves).subspan(firstLeaf);
  int level = kNone;
  fate = examine(root, loads, level);
  if (fate == Fate::kOffloaded && (listener || rules.accepts)) {
    steps.clear();
    operandsOf.clear();
    depth = write(root);
    if (!isWorthIt(root, tree, loads, level)) fate = Fate::kCost;
  }
  for (const std::int64_t o : tree) settle(at(o), fate);
  if (fate == Fate::kOffloaded)
    accept(root, tree, loads, level);
  else
    for (const std::int64_t l : loads) at(l).isRejected = true;
  if (listener) tell(root, fate, tree, loads, level);
  operations.resize(firstOperation);
  leaves.resize(firstLeaf);
}

void Candidates::State::accept(const Node &root, std::span<const std::int64_t> tree,
                               std::span<const std::int64_t> loads, int level) {
  const auto place = static_cast<std::size_t>(level);
  std::int64_t writtenBack = 0;
  for (const std::int64_t l : loads) {
    ++at(l).usesInTrees;
    writtenBack += at(l).level < level ? 1 : 0;
  }
  const std::int64_t copied = copiesOf(loads, level);
  for (const std::int64_t o : tree) {
    const Node &n = at(o);
    count(n, [&](CandidateCounts &c) {
      ++c.at[place].operations[n.step->kind];
      ++c.removed.operations;
    });
    remove(n);
  }
  const bool isStored = isStoredAlone(root);
  count(root, [&](CandidateCounts &c) {
    c.at[place].writtenBack += writtenBack;
    c.at[place].copied += copied;
    ++c.trees;
    ++c.at[place].trees;
    c.stored += isStored ? 1 : 0;
    c.at[place].stored += isStored ? 1 : 0;
  });
  if (!isStored) return;
  const Node &store = *userOf(root);
  count(store, [](CandidateCounts &c) { ++c.removed.stores; });
  remove(store);
  prove(root);
}

void Candidates::State::remove(const Node &n) {
  count(n, [&](CandidateCounts &c) {
    c.removed.registerReads += n.step->in->reads.size();
    c.removed.registerWrites += n.step->in->writes.size();
  });
}

void Candidates::State::tell(const Node &root, Fate fate, std::span<const std::int64_t> tree,
                             std::span<const std::int64_t> loads, int level) {
  const auto indices = [&](std::span<const std::int64_t> members) {
    std::vector<std::int64_t> out;
    for (const std::int64_t m : members) out.push_back(at(m).index);
    return out;
  };
  const std::vector<std::int64_t> operationsAt = indices(tree), loadsAt = indices(loads);
  const bool isCandidate = fate == Fate::kOffloaded;
  listener({fate, operationsAt, loadsAt, isStoredAlone(root) ? userOf(root)->index : kNone, level,
            isCandidate ? std::span<const CimStep>(steps) : std::span<const CimStep>(),
            isCandidate ? std::span<const std::int64_t>(operandsOf) : std::span<const std::int64_t>()});
}

std::uint64_t Candidates::State::compute(const Node &n) {
  std::array<std::uint64_t, 2> x{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Operand &o = n.step->in->operands[i];
    if (o.isImmediate) {
      x[i] = static_cast<std::uint64_t>(o.immediate);
      continue;
    }
    const Node &p = at(numberOf(n) - n.links[i]);
    x[i] = p.step->isPlainLoad ? p.value : compute(p);
  }
  return resultOf(n.step->in->operation, x[0], x[1]) & maskOf(n.step->in->width);
}

/// Against what was stored.
void Candidates::State::prove(const Node &root) {
  const Node &store = *userOf(root);
  if (store.bytes == 0 || !hasValues) return;
  const std::uint64_t mask = maskOf(std::min(store.bytes * 8, static_cast<int>(root.step->in->width)));
  const bool isOther = (compute(root) & mask) != (store.value & mask);
  count(root, [&](CandidateCounts &c) {
    ++c.proved;
    c.disproved += isOther ? 1 : 0;
  });
}

/// A window later everything about the node is known.
void Candidates::State::retire(Node &n) {
  if (n.step->isSupported && !n.hasFate && !isAbsorbed(n)) judge(n);
}

/// Leaves the ring; loads have their fate.
void Candidates::State::close(Node &n) {
  // Part of a tree so deep that its root is out of sight.
  if (n.step->isSupported && !n.hasFate) judge(n);
  if (!n.step->isPlainLoad) return;
  const bool isGone = n.usesInTrees > 0 && n.usesInTrees == n.uses && n.isDead;
  const LoadFate fate = isGone              ? LoadFate::kOffloaded
                        : n.usesInTrees > 0 ? LoadFate::kKept
                        : n.isRejected      ? LoadFate::kRejected
                                            : LoadFate::kUnused;
  count(n, [&](CandidateCounts &c) { ++c.loads[static_cast<std::size_t>(fate)]; });
  if (loadListener) loadListener(n.index, fate);
  if (!isGone) return;
  count(n, [&](CandidateCounts &c) {
    if (n.level >= 0 && n.level < static_cast<int>(c.at.size())) ++c.at[static_cast<std::size_t>(n.level)].loads;
    ++c.removed.loads;
  });
  remove(n);
}

/// Returns the address that it loads from.
std::uint64_t Candidates::State::add(const Step &step, std::span<const Access> accesses, Served served) {
  std::uint64_t address = 0;
  Node &n = at(made);
  n = Node{};
  n.step = &step;
  n.index = next;
  n.level = static_cast<std::int8_t>(served.level);
  n.place = served.place;
  // A load whose predicate is false loads nothing; several registers are no single value.
  if (!step.isPlainLoad || (step.isValue && accesses.size() == 1)) {
    for (const Access &a : accesses) {
      if (a.isStore != step.in->stores) continue;
      if (n.bytes == 0) {
        address = a.address;
        n.value = a.value;
      }
      n.bytes = static_cast<std::uint16_t>(n.bytes + a.bytes);
    }
  }
  n.isSplit = n.bytes > 0 && address / line != (address + n.bytes - 1) / line;
  if (step.isSupported)
    for (std::size_t i = 0; i < n.links.size(); ++i)
      if (const Operand &o = step.in->operands[i]; !o.isImmediate)
        // A base that a load has changed is not what it loaded.
        if (const Writer &w = writers[o.reg]; w.node >= closed && w.isDestination)
          n.links[i] = static_cast<std::uint32_t>(made - w.node);
  return address;
}

Candidates::Candidates(CimRules rules, std::size_t window)
    : state_(std::make_unique<State>(std::move(rules), window)) {}

Candidates::~Candidates() = default;

void Candidates::setHasValues(bool hasValues) {
  state_->hasValues = hasValues;
}

const CandidateCounts &Candidates::counts() const {
  return state_->counts;
}

CandidateCounts Candidates::none() const {
  return state_->none();
}

void Candidates::listen(std::function<void(const JudgedTree &)> listener) {
  state_->listener = std::move(listener);
}

void Candidates::listenToLoads(std::function<void(std::int64_t, LoadFate)> listener) {
  state_->loadListener = std::move(listener);
}

std::int64_t Candidates::settled() const {
  const State &s = *state_;
  return s.closed == s.made ? s.next : std::max<std::int64_t>(s.next - s.memory, 0);
}

Candidates::Step Candidates::prepare(const Instruction &in) const {
  const CimRules &rules = state_->rules;
  Step s;
  s.in = &in;
  const auto kind = std::find(rules.operations.begin(), rules.operations.end(), in.operation);
  s.isSupported = in.hasDestination && in.operandCount == 2 && kind != rules.operations.end();
  s.kind = static_cast<std::uint8_t>(kind - rules.operations.begin());
  s.hasWidth = std::find(rules.widths.begin(), rules.widths.end(), in.width) != rules.widths.end();
  s.isPlainLoad = in.operation == Operation::kLoad && !in.isExclusive;
  s.isValue = s.isPlainLoad && in.hasDestination && !in.isConditional;
  s.readCount = static_cast<std::uint8_t>(in.reads.size());
  s.writeCount = static_cast<std::uint8_t>(in.writes.size());
  s.isCall = isCallOfSystem(in);
  s.hasNode = s.isSupported || s.isPlainLoad;
  for (const Register r : in.reads) s.hasNode |= readOf(in, s.isSupported, r).isStored;
  if (s.readCount <= Step::kInline)
    std::transform(in.reads.begin(), in.reads.end(), s.reads.begin(),
                   [&](Register r) { return readOf(in, s.isSupported, r); });
  if (s.writeCount <= Step::kInline)
    std::transform(in.writes.begin(), in.writes.end(), s.writes.begin(), [&](Register r) { return writeOf(in, r); });
  return s;
}

void Candidates::onInstruction(const Step &step, std::span<const Access> accesses, Served served) {
  State &s = *state_;
  while (s.closed < s.made && s.at(s.closed).index <= s.next - s.memory) {
    s.close(s.at(s.closed));
    ++s.closed;
  }
  const std::int64_t node = step.hasNode ? s.made : kNone;
  const std::uint64_t address = step.hasNode ? s.add(step, accesses, served) : 0;
  if (step.readCount <= Step::kInline)
    for (std::size_t i = 0; i < step.readCount; ++i) s.use(step.reads[i], node);
  else
    for (const Register r : step.in->reads) s.use(readOf(*step.in, step.isSupported, r), node);
  if (step.writeCount <= Step::kInline)
    for (std::size_t i = 0; i < step.writeCount; ++i) s.overwrite(step.writes[i], node);
  else
    for (const Register r : step.in->writes) s.overwrite(writeOf(*step.in, r), node);
  for (const Access &a : accesses)
    if (a.isStore) s.spoils.store(a.address, a.bytes, s.next);
  if (step.isCall) s.calls.push_back(s.next);
  while (!s.calls.empty() && s.calls.front() <= s.next - s.memory) s.calls.pop_front();
  if (step.hasNode) {
    ++s.made;
    Node &n = s.at(node);
    if (step.isPlainLoad && s.isLeafSize(n.bytes)) n.links = s.spoils.remember(address, n.bytes);
  }
  for (; s.retired < s.made && s.at(s.retired).index <= s.next - s.window; ++s.retired) s.retire(s.at(s.retired));
  ++s.next;
}

void Candidates::finish() {
  State &s = *state_;
  for (; s.retired < s.made; ++s.retired) s.retire(s.at(s.retired));
  for (; s.closed < s.made; ++s.closed) s.close(s.at(s.closed));
}

}  // namespace pimento::trace
