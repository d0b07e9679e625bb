#include "pimento/tdfg/egraph/egraph.h"

#include <algorithm>
#include <array>
#include <bit>

#include "pimento/base/diagnostics.h"

namespace pimento::tdfg::egraph {

namespace {

constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;

/// Lists are cleared once one in so many of their nodes is dead.
constexpr std::uint32_t kCrowd = 4;
/// Memory is asked for so many nodes ahead.
constexpr std::size_t kAhead = 16;
constexpr std::size_t kLeastSlots = 1024;
/// Records are moved together once gaps are such a part of what is live.
constexpr NodeId kGaps = 2;

std::uint64_t mixed(std::uint64_t hash, std::uint32_t word) {
  hash = (hash ^ word) * kMix;
  return hash ^ (hash >> 32);
}

}  // namespace

EGraph::EGraph(Language &language, const Options &options)
    : language_(language), analysis_(options.analysis), pool_(4), table_(kLeastSlots), tableMask_(table_.size() - 1) {
  if (!options.keepsProofs) return;
  proofs_ = std::make_unique<Proofs>();
  nodeTerms_.push_back(kNoTerm);
}

EGraph::~EGraph() = default;

std::size_t EGraph::bytes() const {
  return pool_.capacity() * sizeof(pool_[0]) + table_.capacity() * sizeof(Slot) +
         leaders_.capacity() * sizeof(ClassId) + heads_.capacity() * sizeof(Heads) + facts_.capacity() * sizeof(Fact);
}

// ---- The table of nodes: open addressing, linear probing, deletion by moving back ----

std::uint32_t EGraph::hashOf(Op op, std::span<const ClassId> arguments) {
  std::uint64_t hash = mixed(kMix, op);
  for (const ClassId a : arguments) hash = mixed(hash, a);
  return static_cast<std::uint32_t>(hash);
}

std::uint32_t EGraph::hashOf(NodeId n) const {
  std::uint64_t hash = mixed(kMix, op(n));
  for (int k = 0, count = arity(n); k < count; ++k) hash = mixed(hash, argument(n, k));
  return static_cast<std::uint32_t>(hash);
}

bool EGraph::is(NodeId n, Op op, std::span<const ClassId> arguments) const {
  if (this->op(n) != op) return false;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (argument(n, static_cast<int>(k)) != arguments[k]) return false;
  return true;
}

NodeId EGraph::inTable(std::uint32_t hash, Op op, std::span<const ClassId> arguments) const {
  for (std::size_t at = hash & tableMask_; table_[at].node != kNone; at = (at + 1) & tableMask_)
    if (table_[at].hash == hash && is(table_[at].node, op, arguments)) return table_[at].node;
  return kNone;
}

NodeId EGraph::twinOf(std::uint32_t hash, NodeId n) const {
  const int count = arity(n);
  for (std::size_t at = hash & tableMask_; table_[at].node != kNone; at = (at + 1) & tableMask_) {
    const NodeId other = table_[at].node;
    if (table_[at].hash != hash || op(other) != op(n)) continue;
    int k = 0;
    while (k < count && argument(other, k) == argument(n, k)) ++k;
    if (k == count) return other;
  }
  return kNone;
}

void EGraph::putInTable(std::uint32_t hash, NodeId n) {
  if (inTable_ * 2 >= table_.size()) growTable();
  place({hash, n});
  ++inTable_;
}

void EGraph::place(Slot slot) {
  std::size_t at = slot.hash & tableMask_;
  while (table_[at].node != kNone) at = (at + 1) & tableMask_;
  table_[at] = slot;
}

void EGraph::growTable() {
  std::vector<Slot> old(table_.size() * 2);
  old.swap(table_);
  tableMask_ = table_.size() - 1;
  for (const Slot &slot : old)
    if (slot.node != kNone) place(slot);
}

void EGraph::takeFromTable(NodeId n) {
  std::size_t hole = hashOf(n) & tableMask_;
  while (table_[hole].node != n) hole = (hole + 1) & tableMask_;
  for (std::size_t at = (hole + 1) & tableMask_; table_[at].node != kNone; at = (at + 1) & tableMask_) {
    // What would not be found beyond the hole moves into it.
    if (((at - table_[at].hash) & tableMask_) < ((at - hole) & tableMask_)) continue;
    table_[hole] = table_[at];
    hole = at;
  }
  table_[hole] = {};
  --inTable_;
}

// ---- Nodes ----

ClassId EGraph::newClass() {
  const auto c = static_cast<ClassId>(leaders_.size());
  leaders_.push_back(c);
  heads_.push_back({});
  ++classes_;
  return c;
}

NodeId EGraph::newNode(ClassId c, std::uint32_t hash, Op op, std::span<const ClassId> arguments) {
  const int arity = static_cast<int>(arguments.size());
  NodeId n = end_;
  bool isListed = false;
  if (std::vector<NodeId> &free = free_[quads(arity)]; !free.empty()) {
    n = free.back();
    free.pop_back();
    isListed = (word(n, kStamp) & kDied) == (now_ << kDiedAt & kDied);
  } else {
    end_ += quads(arity);
    pool_.resize(std::size_t{end_} * 4);
    PIMENTO_CHECK(end_ < 1U << (32 - kPlaceBits));
  }
  unlinked_.push_back(n);
  word(n, kOp) = op;
  word(n, kClass) = c;
  word(n, kStamp) = now_;
  for (int k = 0; k < arity; ++k) word(n, kArguments + 2 * k) = arguments[static_cast<std::size_t>(k)];
  putInTable(hash, n);
  if (!isListed) changed_.push_back(n);
  ++liveNodes_;
  liveQuads_ += quads(arity);
  return n;
}

void EGraph::link(NodeId n) {
  Heads &own = heads_[classOf(n)];
  word(n, kNext) = own.nodes;
  if (own.nodes == kNone) own.lastNode = n;
  own.nodes = n;
  ++own.weight;
  for (int k = 0, count = arity(n); k < count; ++k) {
    Heads &heads = heads_[argument(n, k)];
    const std::uint32_t link = (n << kPlaceBits) | static_cast<std::uint32_t>(k);
    word(n, kArguments + 1 + 2 * k) = heads.parents;
    if (heads.parents == kNone) heads.lastParent = link;
    heads.parents = link;
    ++heads.weight;
  }
}

Fact EGraph::factOf(Op op, std::span<const ClassId> arguments) {
  scratch_.clear();
  for (const ClassId a : arguments) scratch_.push_back(facts_[a]);
  return analysis_->of(op, scratch_);
}

Fact EGraph::factOf(NodeId n) {
  scratch_.clear();
  for (int k = 0, count = arity(n); k < count; ++k) scratch_.push_back(facts_[argument(n, k)]);
  return analysis_->of(op(n), scratch_);
}

ClassId EGraph::add(Op op, std::span<const ClassId> arguments) {
  PIMENTO_SLOW_CHECK(static_cast<int>(arguments.size()) == language_.arity(op));
  if (proofs_) {
    std::array<Term, Language::kMostArguments> terms{};
    std::ranges::transform(arguments, terms.begin(), [&](ClassId a) { return termOf(find(a)); });
    return classOfTerm(addTerm(op, {terms.data(), arguments.size()}));
  }
  std::array<ClassId, Language::kMostArguments> leaders{};
  for (std::size_t k = 0; k < arguments.size(); ++k) leaders[k] = find(arguments[k]);
  const std::span<const ClassId> found(leaders.data(), arguments.size());
  return addHashed(hashOf(op, found), op, found);
}

ClassId EGraph::addHashed(std::uint32_t hash, Op op, std::span<const ClassId> arguments, ClassId into) {
  if (const NodeId n = inTable(hash, op, arguments); n != kNone) return classOf(n);
  ClassId c = into;
  if (c == kNewClass) {
    c = newClass();
    if (analysis_ != nullptr) facts_.push_back(factOf(op, arguments));
  } else if (analysis_ != nullptr) {
    moreFacts_.emplace_back(c, factOf(op, arguments));
  }
  newNode(c, hash, op, arguments);
  return c;
}

void EGraph::change(NodeId n) {
  std::uint32_t &stamp = word(n, kStamp);
  if ((stamp & ~kLoose) == now_) return;
  stamp = (stamp & kLoose) | now_;
  changed_.push_back(n);
}

std::vector<NodeId> EGraph::takeChanged() {
  std::vector<NodeId> changed = std::move(changed_);
  changed_ = {};
  std::erase_if(changed, [&](NodeId n) { return !isLive(n); });
  ++now_;
  return changed;
}

// ---- Classes ----

void EGraph::join(ClassId a, ClassId b) {
  if (proofs_)
    join(termOf(find(a)), termOf(find(b)), kGiven);
  else if (find(a) != find(b))
    pairs_.push_back({a, b, kNoTerm, kNoTerm, kGiven});
}

void EGraph::joinNow(const Pair &pair) {
  ClassId keeps = find(pair.a), goes = find(pair.b);
  if (keeps == goes) return;
  if (proofs_) proofs_->connect(pair.termA, pair.termB, pair.rule);
  const auto lives = [&](ClassId c) { return heads_[c].weight - heads_[c].dead; };
  if (lives(keeps) < lives(goes)) std::swap(keeps, goes);
  Heads &into = heads_[keeps], from = heads_[goes];
  leaders_[goes] = keeps;
  --classes_;
  for (NodeId n = from.nodes; n != kNone; n = nextNode(n)) {
    word(n, kClass) = keeps;
    if ((word(n, kStamp) & kDead) == 0) change(n);
  }
  for (std::uint32_t link = from.parents; link != kNone; link = nextParent(link)) {
    const NodeId n = nodeOf(link);
    if ((word(n, kStamp) & kDead) != 0) continue;
    if ((word(n, kStamp) & kLoose) == 0) {
      takeFromTable(n);
      word(n, kStamp) |= kLoose;
      loose_.push_back(n);
    }
    word(n, kArguments + 2 * placeOf(link)) = keeps;
  }
  if (from.nodes != kNone) {
    word(from.lastNode, kNext) = into.nodes;
    if (into.nodes == kNone) into.lastNode = from.lastNode;
    into.nodes = from.nodes;
  }
  if (from.parents != kNone) {
    word(nodeOf(from.lastParent), kArguments + 1 + 2 * placeOf(from.lastParent)) = into.parents;
    if (into.parents == kNone) into.lastParent = from.lastParent;
    into.parents = from.parents;
  }
  into.weight += from.weight;
  into.dead += from.dead;
  heads_[goes] = {};
  if (analysis_ == nullptr) return;
  const Fact a = facts_[keeps], b = facts_[goes];
  const Fact both = a == b ? a : analysis_->merge(a, b);
  if (both != a || both != b) changeFact(keeps, both);
}

void EGraph::changeFact(ClassId c, Fact fact) {
  facts_[c] = fact;
  unsettled_.push_back(c);
}

void EGraph::restoreCongruence() {
  while (!pairs_.empty() || !loose_.empty()) {
    for (std::size_t k = 0; k < pairs_.size(); ++k) joinNow(pairs_[k]);
    pairs_.clear();
    std::vector<NodeId> loose = std::move(loose_);
    loose_ = {};
    hashes_.resize(loose.size());
    for (std::size_t k = 0; k < loose.size(); ++k) {
      if (k + kAhead < loose.size()) __builtin_prefetch(&word(loose[k + kAhead], 0));
      hashes_[k] = hashOf(loose[k]);
    }
    for (std::size_t k = 0; k < loose.size(); ++k) {
      if (k + kAhead < loose.size()) {
        fetch(hashes_[k + kAhead]);
        fetchNode(hashes_[k + kAhead / 2]);
      }
      const NodeId n = loose[k];
      const std::uint32_t hash = hashes_[k];
      const NodeId twin = twinOf(hash, n);
      word(n, kStamp) &= ~kLoose;
      if (twin == kNone) {
        putInTable(hash, n);
        change(n);
        continue;
      }
      if (classOf(n) != classOf(twin)) {
        const Term a = proofs_ ? termOfNode(n) : kNoTerm, b = proofs_ ? termOfNode(twin) : kNoTerm;
        pairs_.push_back({classOf(n), classOf(twin), a, b, kCongruent});
      }
      bury(n);
    }
  }
  for (const ClassId c : crowded_)
    if (isLeader(c)) clear(c);
  crowded_.clear();
}

/// Dead nodes stay in lists until there are many.
void EGraph::bury(NodeId n) {
  word(n, kStamp) = kDead | (stamp(n) << kDiedAt & kDied) | static_cast<std::uint32_t>(1 + arity(n));
  --liveNodes_;
  liveQuads_ -= quads(arity(n));
  const auto count = [&](ClassId c) {
    Heads &heads = heads_[c];
    ++heads.dead;
    if (heads.dead * kCrowd > heads.weight) crowded_.push_back(c);
  };
  count(classOf(n));
  for (int k = 0, arguments = arity(n); k < arguments; ++k) count(argument(n, k));
}

/// One list fewer has it.
void EGraph::release(NodeId n) {
  if ((--word(n, kStamp) & kLists) == 0) free_[quads(arity(n))].push_back(n);
}

void EGraph::clear(ClassId c) {
  Heads &heads = heads_[c];
  if (heads.dead * kCrowd <= heads.weight) return;
  Heads kept{};
  for (NodeId n = heads.nodes, next = kNone; n != kNone; n = next) {
    next = nextNode(n);
    if ((word(n, kStamp) & kDead) != 0) {
      release(n);
      continue;
    }
    (kept.nodes == kNone ? kept.nodes : word(kept.lastNode, kNext)) = n;
    kept.lastNode = n;
    ++kept.weight;
  }
  if (kept.nodes != kNone) word(kept.lastNode, kNext) = kNone;
  const auto nextOf = [&](std::uint32_t link) -> std::uint32_t & {
    return word(nodeOf(link), kArguments + 1 + 2 * placeOf(link));
  };
  for (std::uint32_t link = heads.parents, next = kNone; link != kNone; link = next) {
    next = nextParent(link);
    if ((word(nodeOf(link), kStamp) & kDead) != 0) {
      release(nodeOf(link));
      continue;
    }
    (kept.parents == kNone ? kept.parents : nextOf(kept.lastParent)) = link;
    kept.lastParent = link;
    ++kept.weight;
  }
  if (kept.parents != kNone) nextOf(kept.lastParent) = kNone;
  heads = kept;
}

/// Nodes one after the other as their classes have them, without gaps: whoever reads a class reads on.
void EGraph::compact() {
  std::vector<std::uint32_t> old(std::size_t{liveQuads_} * 4 + 4);
  old.reserve(old.size() + old.size() / 2);
  old.swap(pool_);
  const auto was = [&](NodeId n, int k) -> std::uint32_t & {
    return old[std::size_t{n} * 4 + static_cast<std::size_t>(k)];
  };
  std::vector<Term> terms(proofs_ ? std::size_t{liveQuads_} + 1 : 0, kNoTerm);
  NodeId end = kFirst;
  for (ClassId c = 0; c < endOfClasses(); ++c) {
    if (!isLeader(c)) continue;
    NodeId from = heads_[c].nodes;
    heads_[c] = {};
    while (from != kNone) {
      const NodeId next = was(from, kNext);
      if ((was(from, kStamp) & kDead) == 0) {
        const NodeId n = end;
        const int count = language_.arity(was(from, kOp));
        end += quads(count);
        word(n, kOp) = was(from, kOp);
        word(n, kClass) = c;
        word(n, kStamp) = was(from, kStamp);
        for (int k = 0; k < count; ++k) word(n, kArguments + 2 * k) = was(from, kArguments + 2 * k);
        if (proofs_) terms[n] = nodeTerms_[from];
        was(from, kNext) = n;
      }
      from = next;
    }
  }
  std::erase_if(changed_, [&](NodeId n) { return (was(n, kStamp) & kDead) != 0; });
  for (NodeId &n : changed_) n = was(n, kNext);
  const std::vector<Slot> slots = std::move(table_);
  table_.assign(std::bit_ceil(liveNodes_ * 2 + kLeastSlots), {});
  tableMask_ = table_.size() - 1;
  for (const Slot &slot : slots)
    if (slot.node != kNone) place({slot.hash, was(slot.node, kNext)});
  end_ = end;
  for (NodeId n = kFirst; n < end_; n += quads(arity(n))) link(n);
  if (proofs_) nodeTerms_ = std::move(terms);
  for (std::vector<NodeId> &free : free_) free.clear();
}

void EGraph::restoreFacts() {
  for (const auto &[c, fact] : moreFacts_) {
    const ClassId leader = find(c);
    const Fact both = facts_[leader] == fact ? fact : analysis_->merge(facts_[leader], fact);
    if (both != facts_[leader]) changeFact(leader, both);
  }
  moreFacts_.clear();
  while (!unsettled_.empty()) {
    const ClassId c = find(unsettled_.back());
    unsettled_.pop_back();
    forEachNode(c, [&](NodeId n) { change(n); });
    for (std::uint32_t link = firstParent(c); link != kNone; link = nextParent(link)) {
      const NodeId n = nodeOf(link);
      if (!isLive(n)) continue;
      change(n);
      const ClassId above = classOf(n);
      const Fact fact = factOf(n);
      const Fact both = facts_[above] == fact ? fact : analysis_->merge(facts_[above], fact);
      if (both != facts_[above]) changeFact(above, both);
    }
  }
}

void EGraph::rebuild() {
  for (const NodeId n : unlinked_) link(n);
  unlinked_.clear();
  restoreCongruence();
  if (analysis_ != nullptr) restoreFacts();
  if (end_ > liveQuads_ + liveQuads_ / kGaps + kLeastSlots) compact();
}

// ---- With proofs ----

void EGraph::keepTerm(Term t, ClassId c) {
  PIMENTO_CHECK(t == termClasses_.size());
  termClasses_.push_back(c);
  if (classTerms_.size() < leaders_.size()) classTerms_.resize(leaders_.size(), t);
}

Term EGraph::addTerm(Op op, std::span<const Term> arguments) {
  const auto [t, isNew] = proofs_->terms().add(op, arguments);
  if (!isNew) return t;
  std::array<ClassId, Language::kMostArguments> classes{};
  std::ranges::transform(arguments, classes.begin(), [&](Term a) { return classOfTerm(a); });
  const std::span<const ClassId> found(classes.data(), arguments.size());
  const std::uint32_t hash = hashOf(op, found);
  if (const NodeId n = inTable(hash, op, found); n != kNone) {
    keepTerm(t, classOf(n));
    proofs_->connect(t, termOfNode(n), kCongruent);
    return t;
  }
  const ClassId c = newClass();
  if (analysis_ != nullptr) facts_.push_back(factOf(op, found));
  const NodeId n = newNode(c, hash, op, found);
  nodeTerms_.resize(end_, kNoTerm);
  nodeTerms_[n] = t;
  keepTerm(t, c);
  return t;
}

Term EGraph::addTermEqualTo(Term from, int rule, Op op, std::span<const Term> arguments) {
  std::array<ClassId, Language::kMostArguments> classes{};
  std::ranges::transform(arguments, classes.begin(), [&](Term a) { return classOfTerm(a); });
  const std::span<const ClassId> found(classes.data(), arguments.size());
  const std::uint32_t hash = hashOf(op, found);
  if (inTable(hash, op, found) != kNone) return addTerm(op, arguments);
  const auto [t, isNew] = proofs_->terms().add(op, arguments);
  if (!isNew) return t;
  const ClassId c = classOfTerm(from);
  if (analysis_ != nullptr) moreFacts_.emplace_back(c, factOf(op, found));
  const NodeId n = newNode(c, hash, op, found);
  nodeTerms_.resize(end_, kNoTerm);
  nodeTerms_[n] = t;
  keepTerm(t, c);
  proofs_->connect(from, t, rule);
  return t;
}

void EGraph::join(Term a, Term b, int rule) {
  if (classOfTerm(a) != classOfTerm(b)) pairs_.push_back({classOfTerm(a), classOfTerm(b), a, b, rule});
}

}  // namespace pimento::tdfg::egraph
