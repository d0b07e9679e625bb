#include "pimento/tdfg/schedule.h"

#include <algorithm>
#include <optional>

#include "pimento/base/element_bits.h"

namespace pimento::tdfg {

const std::vector<ArraySize> &commonArraySizes() {
  static const std::vector<ArraySize> kSizes{{256, 256}, {512, 512}};
  return kSizes;
}

namespace {

class Scheduler {
 public:
  /// `hasHomes`: arrays have one place in the whole program.
  /// `homes`: null: those of the program itself.
  Scheduler(const Program &program, const Region &region, const ArraySize &size, bool hasHomes,
            const Homes *homes = nullptr, bool leavesOthers = false)
      : program_(program),
        region_(region),
        hasHomes_(hasHomes),
        homes_(homes),
        isUsed_(static_cast<std::size_t>(size.wordlines), false) {
    schedule_.size = size;
    schedule_.residents.assign(program.arrays.size(), -1);
    if (!leavesOthers) return;
    for (const Homes::Lines &lines : homes->others)
      for (int w = lines.first; w < lines.first + lines.count; ++w) isUsed_[static_cast<std::size_t>(w)] = true;
  }

  Result<Schedule> run() {
    if (region_.nodes.empty()) return std::move(schedule_);
    placeArrays();
    findUses();
    at_.assign(region_.nodes.size(), -1);
    isSpilled_.assign(region_.nodes.size(), false);
    for (int n = 0; n < count() && hasRoom_; ++n) node(n);
    storeAll();
    if (!hasRoom_) return noRoom();
    return std::move(schedule_);
  }

 private:
  int count() const { return static_cast<int>(region_.nodes.size()); }
  const Node &node_(int n) const { return region_.nodes[static_cast<std::size_t>(n)]; }

  Diagnostic noRoom() const {
    return capacityError("no-wordlines", region_.where,
                         "region '" + region_.name + "' needs more than the " +
                             std::to_string(schedule_.size.wordlines) + " wordlines of an array",
                         "use fewer arrays in one loop nest, or narrower types");
  }

  // ---- Wordlines ----

  std::optional<int> find(int bits) const {
    int free = 0;
    for (int w = 0; w < schedule_.size.wordlines; ++w) {
      free = isUsed_[static_cast<std::size_t>(w)] ? 0 : free + 1;
      if (free == bits) return w - bits + 1;
    }
    return std::nullopt;
  }

  void mark(int first, int bits, bool isUsed) {
    std::fill_n(isUsed_.begin() + first, bits, isUsed);
    const auto inUse = static_cast<int>(std::count(isUsed_.begin(), isUsed_.end(), true));
    schedule_.peak = std::max(schedule_.peak, inUse);
  }

  /// Arrays whose elements a region has in wordlines.
  std::vector<bool> arraysOf(const Region &region) const {
    std::vector<bool> isUsed(program_.arrays.size(), false);
    for (const Node &node : region.nodes)
      if (node.kind == NodeKind::kTensor) isUsed[static_cast<std::size_t>(node.array)] = true;
    for (const Output &output : region.outputs)
      if (!output.isStream) isUsed[static_cast<std::size_t>(output.array)] = true;
    return isUsed;
  }

  /// Regions that follow each other find what they share where it is if every array has one place in the program.
  void placeArrays() {
    std::vector<bool> isEver(program_.arrays.size(), false);
    for (const Region &region : program_.regions) {
      const std::vector<bool> isUsed = arraysOf(region);
      for (std::size_t a = 0; a < isUsed.size(); ++a) isEver[a] = isEver[a] || isUsed[a];
    }
    std::vector<int> home(isEver.size(), -1);
    int next = 0;
    for (std::size_t a = 0; a < isEver.size(); ++a)
      if (isEver[a]) next = (home[a] = next) + bitsOf(program_.arrays[a].type);
    if (homes_ != nullptr) home = homes_->byArray;
    const bool isShared = hasHomes_ && (homes_ != nullptr || next <= schedule_.size.wordlines);
    const std::vector<bool> isUsed = arraysOf(region_);
    for (std::size_t a = 0; a < isUsed.size(); ++a) {
      if (!isUsed[a]) continue;
      const int bits = bitsOf(program_.arrays[a].type);
      const auto at = isShared ? std::optional<int>(home[a]) : find(bits);
      if (!at) return void(hasRoom_ = false);
      mark(schedule_.residents[a] = *at, bits, true);
    }
  }

  // ---- Uses ----

  /// The node whose wordlines hold a node's value.
  int rootOf(int n) const {
    while (node_(n).kind == NodeKind::kShrink) n = node_(n).args[0];
    return n;
  }

  void findUses() {
    uses_.assign(region_.nodes.size(), {});
    for (int n = 0; n < count(); ++n) {
      for (const int a : operandsOf(n)) uses_[static_cast<std::size_t>(rootOf(a))].push_back(n);
    }
    for (const Output &output : region_.outputs) {
      uses_[static_cast<std::size_t>(rootOf(output.node))].push_back(count());
      if (output.pattern.indirect >= 0)
        uses_[static_cast<std::size_t>(rootOf(output.pattern.indirect))].push_back(count());
    }
  }

  /// Nodes that a step reads.
  std::vector<int> operandsOf(int n) const {
    if (node_(n).kind == NodeKind::kShrink) return {};
    std::vector<int> operands = node_(n).args;
    if (node_(n).pattern.indirect >= 0) operands.push_back(node_(n).pattern.indirect);
    return operands;
  }

  bool takesWordlines(int n) const {
    const NodeKind kind = node_(n).kind;
    return kind != NodeKind::kTensor && kind != NodeKind::kConst && kind != NodeKind::kShrink;
  }

  int nextUse(int n, int after) const {
    for (const int use : uses_[static_cast<std::size_t>(n)])
      if (use >= after) return use;
    return INT32_MAX;
  }

  // ---- Steps ----

  int wordlineOf(int n) const {
    const int root = rootOf(n);
    const Node &node = node_(root);
    if (node.kind == NodeKind::kConst) return -1;
    return node.kind == NodeKind::kTensor ? schedule_.residents[static_cast<std::size_t>(node.array)]
                                          : at_[static_cast<std::size_t>(root)];
  }

  /// Wordlines for a value while step `now` runs, spilling what is needed last.
  int take(int bits, int now, const std::vector<int> &kept) {
    while (true) {
      if (const auto at = find(bits)) {
        mark(*at, bits, true);
        return *at;
      }
      int victim = -1;
      for (int n = 0; n < count(); ++n) {
        const bool isHeld = takesWordlines(n) && at_[static_cast<std::size_t>(n)] >= 0 && !inPlace(n);
        const bool isKept = std::any_of(kept.begin(), kept.end(), [&](int k) { return rootOf(k) == n; });
        if (isHeld && !isKept && (victim < 0 || nextUse(n, now) > nextUse(victim, now))) victim = n;
      }
      if (victim < 0) {
        hasRoom_ = false;
        return 0;
      }
      spill(victim);
    }
  }

  void spill(int n) {
    const auto at = static_cast<std::size_t>(n);
    Step step;
    step.kind = StepKind::kSpill;
    step.node = n;
    step.wordline = at_[at];
    // Once is enough: values do not change.
    if (!isSpilled_[at]) {
      schedule_.steps.push_back(step);
      ++schedule_.spills;
    }
    isSpilled_[at] = true;
    release(n);
  }

  void release(int n) {
    int &at = at_[static_cast<std::size_t>(n)];
    if (at >= 0 && !inPlace(n)) mark(at, bitsOf(node_(n).type), false);
    at = -1;
  }

  void ensureHere(const std::vector<int> &nodes, int now) {
    for (const int operand : nodes) {
      const int n = rootOf(operand);
      if (!takesWordlines(n) || at_[static_cast<std::size_t>(n)] >= 0 || !hasRoom_) continue;
      Step step;
      step.kind = StepKind::kRefill;
      step.node = n;
      step.wordline = take(bitsOf(node_(n).type), now, nodes);
      at_[static_cast<std::size_t>(n)] = step.wordline;
      schedule_.steps.push_back(step);
    }
  }

  /// The output whose array's wordlines may take a node's value at once; -1: none.
  int inPlaceOutput(int n) const {
    const std::vector<int> &uses = uses_[static_cast<std::size_t>(n)];
    if (uses.size() != 1 || uses[0] != count()) return -1;
    for (std::size_t o = 0; o < region_.outputs.size(); ++o) {
      const Output &output = region_.outputs[o];
      if (rootOf(output.node) == n) return !output.isStream && isDead(output.array, n) ? static_cast<int>(o) : -1;
    }
    return -1;
  }

  /// Whether nothing from node `n` on, itself included, needs what an array held before.
  bool isDead(int array, int n) const {
    for (int m = 0; m < count(); ++m) {
      const Node &node = node_(m);
      const bool isOf = node.array == array || node.pattern.array == array;
      if (isOf &&
          (m > n || (!uses_[static_cast<std::size_t>(m)].empty() && uses_[static_cast<std::size_t>(m)].back() >= n)))
        return false;
    }
    return std::count_if(region_.outputs.begin(), region_.outputs.end(),
                         [array](const Output &o) { return o.array == array; }) == 1;
  }

  bool inPlace(int n) const { return inPlaceOutput(n) >= 0; }

  void node(int n) {
    const std::vector<int> operands = operandsOf(n);
    if (!takesWordlines(n)) return;
    ensureHere(operands, n);
    if (!hasRoom_) return;
    const int bits = bitsOf(node_(n).type);
    Step step;
    step.node = n;
    for (const int a : operands) step.operands.push_back(wordlineOf(a));
    const int output = inPlaceOutput(n);
    step.isInPlace = output >= 0;
    step.wordline =
        output >= 0
            ? schedule_.residents[static_cast<std::size_t>(region_.outputs[static_cast<std::size_t>(output)].array)]
            : take(bits, n, operands);
    if (!hasRoom_) return;
    at_[static_cast<std::size_t>(n)] = step.wordline;
    if (node_(n).kind == NodeKind::kReduce) {
      std::vector<int> kept = operands;
      kept.push_back(n);
      step.scratch = take(2 * bits, n, kept);
      if (!hasRoom_) return;
      mark(step.scratch, 2 * bits, false);
    }
    schedule_.steps.push_back(std::move(step));
    std::vector<int> done = operands;
    done.push_back(n);
    for (const int a : done)
      if (takesWordlines(rootOf(a)) && nextUse(rootOf(a), n + 1) == INT32_MAX) release(rootOf(a));
  }

  /// Array to array first into registers where the source changes in this region too.
  void storeAll() {
    std::vector<int> from(region_.outputs.size(), -1);
    for (std::size_t o = 0; o < region_.outputs.size() && hasRoom_; ++o) {
      const int root = rootOf(region_.outputs[o].node);
      const Node &node = node_(root);
      const auto writes = [&](const Output &other) {
        return &other != &region_.outputs[o] && other.array == node.array;
      };
      if (node.kind != NodeKind::kTensor || std::none_of(region_.outputs.begin(), region_.outputs.end(), writes))
        continue;
      Step copy;
      copy.kind = StepKind::kCopy;
      copy.node = root;
      copy.operands = {wordlineOf(root)};
      copy.wordline = from[o] = take(bitsOf(node.type), count(), {});
      schedule_.steps.push_back(std::move(copy));
    }
    for (std::size_t o = 0; o < region_.outputs.size() && hasRoom_; ++o) {
      const Output &output = region_.outputs[o];
      std::vector<int> needed{output.node};
      if (output.pattern.indirect >= 0) needed.push_back(output.pattern.indirect);
      ensureHere(needed, count());
      if (!hasRoom_) return;
      Step step;
      step.kind = StepKind::kStore;
      step.output = static_cast<int>(o);
      step.wordline = from[o] >= 0 ? from[o] : wordlineOf(output.node);
      if (output.pattern.indirect >= 0) step.operands = {wordlineOf(output.pattern.indirect)};
      schedule_.steps.push_back(std::move(step));
    }
  }

  const Program &program_;
  const Region &region_;
  bool hasHomes_;
  const Homes *homes_;
  Schedule schedule_;
  std::vector<bool> isUsed_;
  std::vector<std::vector<int>> uses_;  ///< by node: steps that read its wordlines, ascending; count(): an output
  std::vector<int> at_;                 ///< by node: first wordline, -1: not in the arrays
  std::vector<bool> isSpilled_;
  bool hasRoom_ = true;
};

}  // namespace

Result<Schedule> schedule(const Program &program, int region, const ArraySize &size, const Homes *homes) {
  const Region &r = program.regions[static_cast<std::size_t>(region)];
  for (const bool leavesOthers : {true, false})
    if (homes != nullptr)
      if (Result<Schedule> there = Scheduler(program, r, size, true, homes, leavesOthers).run();
          there && there->spills == 0)
        return there;
  Result<Schedule> schedule = Scheduler(program, r, size, true).run();
  if (schedule && schedule->spills == 0) return schedule;
  Result<Schedule> packed = Scheduler(program, r, size, false).run();
  return packed && schedule && packed->spills >= schedule->spills ? std::move(schedule) : std::move(packed);
}

}  // namespace pimento::tdfg
