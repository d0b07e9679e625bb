#include "pimento/trace/candidates.h"

#include <algorithm>
#include <unordered_map>

#include "pimento/base/diagnostics.h"

namespace pimento::trace {

namespace {

constexpr std::int64_t kNone = -1;
/// Bytes whose loads are remembered together.
constexpr int kChunkBits = 3;

/// An instruction in the window.
struct Node {
  const Instruction *in = nullptr;
  std::int64_t index = kNone;
  std::array<std::int64_t, 2> producers{kNone, kNone};  ///< of register operands
  /// Uses of its destination, and the last user; whether that one takes it as an operand, or stores it.
  int uses = 0;
  std::int64_t user = kNone;
  bool isOperand = false, isStored = false;
  bool isDead = false;           ///< the destination has been overwritten
  bool hasOtherUses = false;     ///< of what else it writes: flags
  std::int64_t spoiled = kNone;  ///< loads: the first store after it to any of its bytes
  std::uint64_t address = 0, value = 0;
  int bytes = 0, level = kNone;
  bool isSupported = false, isPlainLoad = false, hasFate = false;
  int usesInTrees = 0;      ///< loads: by candidates
  bool isRejected = false;  ///< loads: by a tree that is no candidate
};

std::uint64_t maskOf(int width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

}  // namespace

std::string_view name(Fate fate) {
  constexpr std::string_view kNames[kFates] = {"offloaded",     "width", "no_load", "register", "flags",  "conditional",
                                               "store_between", "level", "levels",  "bank",     "bitline"};
  return kNames[static_cast<std::size_t>(fate)];
}

std::string_view name(LoadFate fate) {
  constexpr std::string_view kNames[kLoadFates] = {"offloaded", "kept", "unused", "rejected"};
  return kNames[static_cast<std::size_t>(fate)];
}

struct Candidates::State {
  State(CimRules r, std::size_t w) : rules(std::move(r)), window(static_cast<std::int64_t>(w)), nodes(4 * w) {
    writers.fill(kNone);
    counts.treesAt.resize(rules.levels.size());
  }

  Node &at(std::int64_t index) { return nodes[static_cast<std::size_t>(index) & (nodes.size() - 1)]; }
  /// Null: before the window's memory.
  Node *known(std::int64_t index) {
    if (index == kNone) return nullptr;
    Node &n = at(index);
    return n.index == index ? &n : nullptr;
  }

  bool supports(const Instruction &in) const {
    return in.hasDestination && in.operandCount == 2 &&
           std::find(rules.operations.begin(), rules.operations.end(), in.operation) != rules.operations.end();
  }

  void use(Register r, std::int64_t user, bool isOperand, bool isStored);
  void spoil(const Access &a, std::int64_t by);
  void remember(Node &load);
  void retire(Node &n);
  void close(Node &n);
  void settle(Node &n, Fate fate);

  /// The trees below a node that nothing absorbs.
  struct Tree {
    std::vector<std::int64_t> operations, loads;
  };
  bool isAbsorbed(const Node &n);
  Fate grow(Node &n, Tree &tree);
  void judge(Node &root);
  Fate examine(const Node &root, const Tree &tree, int &level);
  std::uint64_t compute(std::int64_t operation);
  void prove(const Node &root);

  CimRules rules;
  std::int64_t window;
  std::vector<Node> nodes;  ///< a ring of four windows: trees reach back
  std::array<std::int64_t, kRegisters> writers{};
  std::int64_t next = 0, retired = 0;
  std::unordered_map<std::uint64_t, std::vector<std::int64_t>> pending;  ///< loads of a chunk that no store spoiled
  CandidateCounts counts;
  bool hasValues = true;
};

/// Instruction `user` reads a register.
void Candidates::State::use(Register r, std::int64_t user, bool isOperand, bool isStored) {
  Node *n = known(writers[r]);
  if (n == nullptr) return;
  if (!n->in->hasDestination || n->in->destination != r) {
    n->hasOtherUses = true;
    return;
  }
  ++n->uses;
  n->user = user;
  n->isOperand = isOperand;
  n->isStored = isStored;
}

void Candidates::State::remember(Node &load) {
  for (std::uint64_t c = load.address >> kChunkBits;
       c <= (load.address + static_cast<std::uint64_t>(load.bytes) - 1) >> kChunkBits; ++c)
    pending[c].push_back(load.index);
}

void Candidates::State::spoil(const Access &a, std::int64_t by) {
  for (std::uint64_t c = a.address >> kChunkBits; c <= (a.address + a.bytes - 1) >> kChunkBits; ++c) {
    const auto loads = pending.find(c);
    if (loads == pending.end()) continue;
    std::erase_if(loads->second, [&](std::int64_t index) {
      Node *n = known(index);
      if (n == nullptr) return true;
      if (a.address >= n->address + static_cast<std::uint64_t>(n->bytes) || n->address >= a.address + a.bytes)
        return false;
      if (n->spoiled == kNone) n->spoiled = by;
      return true;
    });
    if (loads->second.empty()) pending.erase(loads);
  }
}

/// Whether the value is part of the one operation that uses it.
bool Candidates::State::isAbsorbed(const Node &n) {
  if (!n.isSupported || n.hasFate || n.hasOtherUses || !n.isDead || n.uses != 1 || !n.isOperand) return false;
  const Node *user = known(n.user);
  return user != nullptr && user->isSupported;
}

/// Collects the tree below `n`; anything but kOffloaded: the node cannot be in one, and trees below it are judged by
/// themselves.
Fate Candidates::State::grow(Node &n, Tree &tree) {
  const Instruction &in = *n.in;
  Fate fate = Fate::kOffloaded;
  if (in.isConditional)
    fate = Fate::kConditional;
  else if (n.hasOtherUses)
    fate = Fate::kFlagsUsed;
  else if (std::find(rules.widths.begin(), rules.widths.end(), in.width) == rules.widths.end())
    fate = Fate::kWidth;
  std::array<Tree, 2> below;
  std::array<Node *, 2> children{};
  for (std::size_t i = 0; i < below.size(); ++i) {
    const Operand &o = in.operands[i];
    if (o.isImmediate) continue;
    Node *child = known(n.producers[i]);
    const bool isSame = i == 1 && !in.operands[0].isImmediate && n.producers[0] == n.producers[1];
    if (child == nullptr || o.isShifted) {
      if (fate == Fate::kOffloaded) fate = Fate::kRegister;
      continue;
    }
    if (child->isPlainLoad) {
      if (child->bytes * 8 != in.width) {
        if (fate == Fate::kOffloaded) fate = Fate::kRegister;
      } else if (!isSame) {
        below[i].loads.push_back(child->index);
      }
      continue;
    }
    if (!isAbsorbed(*child) || isSame) {
      if (fate == Fate::kOffloaded) fate = Fate::kRegister;
      continue;
    }
    const Fate theirs = grow(*child, below[i]);
    if (theirs == Fate::kOffloaded) {
      children[i] = child;
    } else {
      settle(*child, theirs);
      if (fate == Fate::kOffloaded) fate = Fate::kRegister;
    }
  }
  if (fate != Fate::kOffloaded) {
    // What is below stands alone: its roots go back to registers.
    for (Node *child : children)
      if (child != nullptr) judge(*child);
    for (const Tree &t : below)
      for (const std::int64_t l : t.loads) at(l).isRejected = true;
    return fate;
  }
  for (const Tree &t : below) {
    tree.operations.insert(tree.operations.end(), t.operations.begin(), t.operations.end());
    tree.loads.insert(tree.loads.end(), t.loads.begin(), t.loads.end());
  }
  tree.operations.push_back(n.index);
  return fate;
}

Fate Candidates::State::examine(const Node &root, const Tree &tree, int &level) {
  if (tree.loads.empty()) return Fate::kNoLoad;
  const bool isStored = root.isStored && root.uses == 1 && root.isDead;
  const std::int64_t runsAt = isStored ? root.user : root.index;
  const Node &first = at(tree.loads.front());
  level = first.level;
  for (const std::int64_t l : tree.loads) {
    const Node &n = at(l);
    if (n.spoiled != kNone && n.spoiled < runsAt) return Fate::kStoreBetween;
    if (n.level < 0 || n.level >= static_cast<int>(rules.levels.size()) ||
        !rules.levels[static_cast<std::size_t>(n.level)])
      return Fate::kLevel;
    if (n.level != level) return Fate::kLevels;
  }
  if (rules.locality == CimRules::Locality::kLevel) return Fate::kOffloaded;
  const CimRules::Geometry &g = rules.geometry[static_cast<std::size_t>(level)];
  const auto bank = [&](std::uint64_t address) { return address / g.line % g.banks; };
  for (const std::int64_t l : tree.loads)
    if (bank(at(l).address) != bank(first.address)) return Fate::kBank;
  if (rules.locality == CimRules::Locality::kBank) return Fate::kOffloaded;
  for (const std::int64_t l : tree.loads)
    if (at(l).address % g.line != first.address % g.line) return Fate::kBitline;
  return Fate::kOffloaded;
}

void Candidates::State::settle(Node &n, Fate fate) {
  PIMENTO_CHECK(!n.hasFate);
  n.hasFate = true;
  ++counts.operations[static_cast<std::size_t>(fate)];
}

void Candidates::State::judge(Node &root) {
  Tree tree;
  Fate fate = grow(root, tree);
  if (fate != Fate::kOffloaded) {
    settle(root, fate);
    return;
  }
  int level = 0;
  fate = examine(root, tree, level);
  for (const std::int64_t o : tree.operations) settle(at(o), fate);
  if (fate != Fate::kOffloaded) {
    for (const std::int64_t l : tree.loads) at(l).isRejected = true;
    return;
  }
  for (const std::int64_t l : tree.loads) ++at(l).usesInTrees;
  ++counts.trees;
  ++counts.treesAt[static_cast<std::size_t>(level)];
  const bool isStored = root.isStored && root.uses == 1 && root.isDead;
  if (isStored) {
    ++counts.stored;
    prove(root);
  }
}

std::uint64_t Candidates::State::compute(std::int64_t operation) {
  const Node &n = at(operation);
  std::array<std::uint64_t, 2> x{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Operand &o = n.in->operands[i];
    if (o.isImmediate) {
      x[i] = static_cast<std::uint64_t>(o.immediate);
      continue;
    }
    const Node &p = at(n.producers[i]);
    x[i] = p.isPlainLoad ? p.value : compute(p.index);
  }
  const auto of = [&]() -> std::uint64_t {
    switch (n.in->operation) {
      case Operation::kAdd:
        return x[0] + x[1];
      case Operation::kSub:
        return x[0] - x[1];
      case Operation::kReverseSub:
        return x[1] - x[0];
      case Operation::kAnd:
        return x[0] & x[1];
      case Operation::kOr:
        return x[0] | x[1];
      case Operation::kXor:
        return x[0] ^ x[1];
      case Operation::kAndNot:
        return x[0] & ~x[1];
      case Operation::kOrNot:
        return x[0] | ~x[1];
      default:
        return 0;
    }
  };
  return of() & maskOf(n.in->width);
}

/// Against what was stored.
void Candidates::State::prove(const Node &root) {
  const Node &store = at(root.user);
  if (store.bytes == 0 || !hasValues) return;
  const std::uint64_t mask = maskOf(std::min(store.bytes * 8, static_cast<int>(root.in->width)));
  ++counts.proved;
  if ((compute(root.index) & mask) != (store.value & mask)) ++counts.disproved;
}

/// A window later everything about the node is known.
void Candidates::State::retire(Node &n) {
  if (n.isSupported && !n.hasFate && !isAbsorbed(n)) judge(n);
}

/// Leaves the ring; loads have their fate.
void Candidates::State::close(Node &n) {
  if (n.index == kNone) return;
  // Part of a tree so deep that its root is out of sight.
  if (n.isSupported && !n.hasFate) judge(n);
  if (n.isPlainLoad) {
    const bool isGone = n.usesInTrees > 0 && n.usesInTrees == n.uses && n.isDead;
    const LoadFate fate = isGone              ? LoadFate::kOffloaded
                          : n.usesInTrees > 0 ? LoadFate::kKept
                          : n.isRejected      ? LoadFate::kRejected
                                              : LoadFate::kUnused;
    ++counts.loads[static_cast<std::size_t>(fate)];
  }
  n.index = kNone;
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

void Candidates::onInstruction(const Instruction &in, std::span<const Access> accesses, int level) {
  State &s = *state_;
  const std::int64_t index = s.next++;
  // A place in the ring is taken again after four windows: a load's fate is known by then.
  s.close(s.at(index));
  Node n;
  n.in = &in;
  n.index = index;
  n.isSupported = s.supports(in);
  n.level = level;
  n.isPlainLoad = in.operation == Operation::kLoad && !in.isExclusive;
  for (const Access &a : accesses) {
    if (a.isStore != in.stores) continue;
    if (n.bytes == 0) {
      n.address = a.address;
      n.value = a.value;
    }
    n.bytes += a.bytes;
  }
  // A load whose predicate is false loads nothing; several registers are no single value.
  const bool isValue = n.isPlainLoad && in.hasDestination && !in.isConditional && accesses.size() == 1;
  if (n.isSupported)
    for (std::size_t i = 0; i < n.producers.size(); ++i)
      if (!in.operands[i].isImmediate) n.producers[i] = s.writers[in.operands[i].reg];
  for (const Register r : in.reads) {
    const auto isOperand = [&](const Operand &o) { return !o.isImmediate && !o.isShifted && o.reg == r; };
    const bool isTaken = n.isSupported && std::any_of(in.operands.begin(), in.operands.end(), isOperand);
    const bool isStored = in.operation == Operation::kStore && in.operandCount == 1 && isOperand(in.operands[0]) &&
                          !in.addressRegisters.has(r) && !in.isConditional;
    s.use(r, index, isTaken, isStored);
  }
  for (const Register r : in.writes) {
    if (Node *before = s.known(s.writers[r]);
        before != nullptr && before->in->hasDestination && before->in->destination == r)
      before->isDead = true;
    s.writers[r] = index;
  }
  for (const Access &a : accesses)
    if (a.isStore) s.spoil(a, index);
  s.at(index) = n;
  if (n.isPlainLoad && n.bytes > 0 && isValue) s.remember(s.at(index));
  if (n.isPlainLoad && !isValue) s.at(index).bytes = 0;
  if (index >= s.window) s.retire(s.at(index - s.window));
}

void Candidates::finish() {
  State &s = *state_;
  for (std::int64_t i = std::max<std::int64_t>(0, s.next - s.window); i < s.next; ++i)
    if (Node *n = s.known(i)) s.retire(*n);
  for (std::int64_t i = std::max<std::int64_t>(0, s.next - static_cast<std::int64_t>(s.nodes.size())); i < s.next; ++i)
    s.close(s.at(i));
}

}  // namespace pimento::trace
