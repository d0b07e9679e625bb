// An e-graph: equivalence classes of terms. An e-node is an operator on classes; equal e-nodes are one (hash-consing),
// and e-nodes with equal arguments are in one class (congruence). Willsey et al., "egg", POPL 2021; matching by what
// changed is semi-naive evaluation, as in Zhang et al., "egglog", PLDI 2023.
//
// A node is one record of 16 bytes and 8 more per argument (rounded up to 16): operator, class, the next node of the
// class, when it last changed, and for each argument its class and the next parent of that class. So whoever visits a
// node reads one cache line, and joining two classes links lists. Classes in records are always the representatives:
// joining rewrites those of the lighter class, and takes its parents out of the table of nodes until they are put back,
// where equal ones meet. New nodes are in the table at once, and in the lists after rebuild().
//
// Not here: what operators mean (users have analyses), patterns and rules (rules.h), when to stop (runner.h), which
// term to take (extract.h). Proofs, if asked for, are kept by proofs.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pimento/tdfg/egraph/language.h"
#include "pimento/tdfg/egraph/proofs.h"

namespace pimento::tdfg::egraph {

using ClassId = std::uint32_t;
using NodeId = std::uint32_t;
/// A fact about a class, as a number that an analysis gave it.
using Fact = std::uint32_t;

/// Facts about all terms of a class. Pure: what it says of a term hangs on the term alone.
class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual Fact of(Op op, std::span<const Fact> arguments) = 0;
  /// Of a class whose terms have `a` and `b`. Going up a lattice of finite height.
  virtual Fact merge(Fact a, Fact b) = 0;
};

class EGraph {
 public:
  struct Options {
    Analysis *analysis = nullptr;  ///< null: no facts
    bool keepsProofs = false;      ///< takes about five times the time and memory
  };

  explicit EGraph(Language &language) : EGraph(language, Options()) {}
  EGraph(Language &language, const Options &options);
  EGraph(const EGraph &) = delete;
  EGraph &operator=(const EGraph &) = delete;
  ~EGraph();

  Language &language() const { return language_; }

  /// The class of the node, which is made if it is new. `arguments`: as many as the operator has.
  ClassId add(Op op, std::span<const ClassId> arguments);
  ClassId add(Op op, std::initializer_list<ClassId> arguments) {
    return add(op, std::span<const ClassId>(arguments.begin(), arguments.size()));
  }
  /// The representative.
  ClassId find(ClassId c) const {
    while (leaders_[c] != c) {
      leaders_[c] = leaders_[leaders_[c]];
      c = leaders_[c];
    }
    return c;
  }
  /// Says that two classes are one. Equal arguments make equal nodes only after rebuild(). With proofs: justified by
  /// "given".
  void join(ClassId a, ClassId b);
  /// Restores congruence and facts. Nodes may get other numbers.
  void rebuild();

  /// After rebuild(): distinct nodes, and classes.
  std::size_t nodes() const { return liveNodes_; }
  std::size_t classes() const { return classes_; }
  /// Bytes of all records and tables.
  std::size_t bytes() const;

  /// ---- Nodes and classes, one by one, after rebuild() ----
  static constexpr NodeId kNone = 0;
  bool isLeader(ClassId c) const { return leaders_[c] == c; }
  ClassId endOfClasses() const { return static_cast<ClassId>(leaders_.size()); }
  NodeId firstNode(ClassId c) const { return heads_[c].nodes; }
  NodeId nextNode(NodeId n) const { return word(n, kNext); }
  bool isLive(NodeId n) const { return word(n, kStamp) < kGone; }
  Op op(NodeId n) const { return word(n, kOp); }
  ClassId classOf(NodeId n) const { return word(n, kClass); }
  int arity(NodeId n) const { return language_.arity(op(n)); }
  ClassId argument(NodeId n, int k) const { return word(n, kArguments + 2 * k); }
  Fact fact(ClassId c) const { return facts_[c]; }
  /// Calls `f` with every node.
  template <typename F>
  void forEachNode(F f) const {
    for (NodeId n = kFirst; n < end_; n += quads(arity(n)))
      if (isLive(n)) f(n);
  }
  template <typename F>
  void forEachNode(ClassId c, F f) const {
    for (NodeId n = firstNode(c); n != kNone; n = nextNode(n))
      if (isLive(n)) f(n);
  }

  /// ---- For rules (runner.h) ----
  /// Nodes that are new, or whose arguments, class or facts are others, since the last call; from then on new nodes
  /// are of the next round, and invisible in this one.
  std::vector<NodeId> takeChanged();
  std::uint32_t round() const { return now_; }
  /// When the node last changed, a round; beyond all rounds once it is gone.
  std::uint32_t stamp(NodeId n) const { return word(n, kStamp); }
  /// A class's parents, as links: node and the number of an argument that is the class.
  std::uint32_t firstParent(ClassId c) const { return heads_[c].parents; }
  static NodeId nodeOf(std::uint32_t link) { return link >> kPlaceBits; }
  static int placeOf(std::uint32_t link) { return static_cast<int>(link & ((1U << kPlaceBits) - 1)); }
  std::uint32_t nextParent(std::uint32_t link) const { return word(nodeOf(link), kArguments + 1 + 2 * placeOf(link)); }
  /// The node; kNone: there is none. Arguments are representatives, here and below.
  NodeId nodeIn(Op op, std::span<const ClassId> arguments) const {
    return inTable(hashOf(op, arguments), op, arguments);
  }
  /// Without proofs, for many nodes at a time: their hashes, then fetch() and fetchNode() of all, which bring memory
  /// near, then addHashed(): add(), but what is new goes into class `into`, if it is not kNewClass. Returns the class
  /// that the node is in; not `into`: it is to be joined with it.
  static std::uint32_t hashOf(Op op, std::span<const ClassId> arguments);
  void fetch(std::uint32_t hash) const { __builtin_prefetch(&table_[hash & tableMask_]); }
  void fetchNode(std::uint32_t hash) const {
    std::size_t at = hash & tableMask_;
    while (table_[at].node != kNone && table_[at].hash != hash) at = (at + 1) & tableMask_;
    __builtin_prefetch(&pool_[std::size_t{table_[at].node} * 4]);
  }
  static constexpr ClassId kNewClass = ~ClassId{0};
  ClassId addHashed(std::uint32_t hash, Op op, std::span<const ClassId> arguments, ClassId into = kNewClass);
  /// With proofs: the same on terms. `from`: a term of the class that rule `rule` rewrote.
  Term addTerm(Op op, std::span<const Term> arguments);
  Term addTermEqualTo(Term from, int rule, Op op, std::span<const Term> arguments);
  /// Joins since rebuild().
  std::size_t pending() const { return pairs_.size(); }
  void joinLater(ClassId a, ClassId b) { pairs_.push_back({a, b, kNoTerm, kNoTerm, kGiven}); }
  void join(Term a, Term b, int rule);
  Term termOfNode(NodeId n) const { return nodeTerms_[n]; }
  ClassId classOfTerm(Term t) const { return find(termClasses_[t]); }
  /// A term of the class, the same until it is joined.
  Term termOf(ClassId c) const { return classTerms_[c]; }
  const Proofs *proofs() const { return proofs_.get(); }

 private:
  enum Word : int { kOp, kClass, kNext, kStamp, kArguments };
  static constexpr int kPlaceBits = 4;
  static constexpr NodeId kFirst = 1;
  static constexpr std::size_t kSizes = 2 + (Language::kMostArguments + 1) / 2;
  /// Stamps: those out of the table have the bit kLoose as well. Dead nodes have the highest bit, the number of lists
  /// that they are in, and when they last changed, from kDiedAt on: then they are among the changed ones still.
  static constexpr std::uint32_t kGone = 1U << 30, kDead = 1U << 31, kLoose = 1U << 30;
  static constexpr std::uint32_t kLists = 0xff, kDied = 0x3fffff00;
  static constexpr int kDiedAt = 8;

  struct Heads {
    NodeId nodes, lastNode;
    std::uint32_t parents, lastParent;
    std::uint32_t weight;  ///< nodes and parents, dead ones too
    std::uint32_t dead;    ///< of those
  };
  struct Slot {
    std::uint32_t hash;
    NodeId node;
  };
  struct Pair {
    ClassId a, b;
    Term termA, termB;
    int rule;
  };

  static NodeId quads(int arity) { return static_cast<NodeId>(1 + (arity + 1) / 2); }
  std::uint32_t word(NodeId n, int k) const { return pool_[std::size_t{n} * 4 + static_cast<std::size_t>(k)]; }
  std::uint32_t &word(NodeId n, int k) { return pool_[std::size_t{n} * 4 + static_cast<std::size_t>(k)]; }
  std::uint32_t hashOf(NodeId n) const;
  bool is(NodeId n, Op op, std::span<const ClassId> arguments) const;
  NodeId inTable(std::uint32_t hash, Op op, std::span<const ClassId> arguments) const;
  NodeId twinOf(std::uint32_t hash, NodeId n) const;
  void putInTable(std::uint32_t hash, NodeId n);
  void takeFromTable(NodeId n);
  void growTable();
  void place(Slot slot);
  void compact();
  ClassId newClass();
  NodeId newNode(ClassId c, std::uint32_t hash, Op op, std::span<const ClassId> arguments);
  void link(NodeId n);
  void change(NodeId n);
  void joinNow(const Pair &pair);
  void bury(NodeId n);
  void clear(ClassId c);
  void release(NodeId n);
  void changeFact(ClassId c, Fact fact);
  Fact factOf(Op op, std::span<const ClassId> arguments);
  Fact factOf(NodeId n);
  void restoreCongruence();
  void restoreFacts();
  void keepTerm(Term t, ClassId c);

  Language &language_;
  Analysis *analysis_;
  std::vector<std::uint32_t> pool_;
  NodeId end_ = kFirst, liveQuads_ = 0;
  std::vector<NodeId> unlinked_;                  ///< new, not in lists yet
  std::array<std::vector<NodeId>, kSizes> free_;  ///< records of dead nodes that no list has any more, by size
  std::vector<Slot> table_;
  std::size_t tableMask_ = 0, inTable_ = 0;
  mutable std::vector<ClassId> leaders_;
  std::vector<Heads> heads_;
  std::vector<Fact> facts_;
  std::size_t liveNodes_ = 0, classes_ = 0;
  std::uint32_t now_ = 1;
  std::vector<NodeId> changed_, loose_;
  std::vector<std::uint32_t> hashes_;                ///< of those
  std::vector<Pair> pairs_;                          ///< to be joined
  std::vector<std::pair<ClassId, Fact>> moreFacts_;  ///< of nodes that went into classes
  std::vector<ClassId> unsettled_;                   ///< classes whose facts changed
  std::vector<ClassId> crowded_;                     ///< classes with many dead nodes in their lists
  std::vector<Fact> scratch_;
  // With proofs.
  std::unique_ptr<Proofs> proofs_;
  std::vector<ClassId> termClasses_;
  std::vector<Term> classTerms_, nodeTerms_;
};

}  // namespace pimento::tdfg::egraph
