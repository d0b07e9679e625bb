#include "pimento/mapping/drafts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "pimento/base/integer.h"

namespace pimento::mapping {

std::size_t coreLevel(const machine::Machine &machine) {
  std::size_t core = machine.levels.size() - 1;
  while (core > 0 && machine.levels[core].mustFill) --core;
  return core;
}

DraftHardware draftHardware(const machine::Machine &machine) {
  DraftHardware h;
  if (machine.levels.empty()) return h;
  const std::size_t core = coreLevel(machine);
  for (std::size_t l = core + 1; l < machine.levels.size(); ++l) h.lanes *= machine.levels[l].count;
  if (machine.nearBank) h.lanes *= machine.nearBank->lanes;
  for (std::size_t l = 0; l <= core; ++l) {
    const machine::Level &level = machine.levels[l];
    const bool isCore = l == core;
    (isCore ? h.cores : h.groups) *= level.count;
    bool &splitsSums = isCore ? h.coresSplitSums : h.groupsSplitSums;
    splitsSums = splitsSums && level.splitsReduction;
  }
  return h;
}

Representative representativeOf(const DimensionSet &set, const Borders &borders, const kernel::Graph &graph) {
  for (std::size_t m = 0; m < set.members.size(); ++m) {
    const SetMember &member = set.members[m];
    if (graph.tensors[static_cast<std::size_t>(member.tensor)].name != borders.tensor || member.axis != borders.axis)
      continue;
    const auto f = std::ranges::find(member.functions, borders.function);
    if (f != member.functions.end()) return {static_cast<int>(m), static_cast<int>(f - member.functions.begin())};
  }
  return {};
}

std::string print(const Draft &draft, const DimensionSets &sets, const kernel::Graph &graph) {
  std::string out;
  for (std::size_t s = 0; s < draft.size(); ++s) {
    const DraftPart &p = draft[s];
    const DimensionSet &set = sets.sets[s];
    out += fmt::format("{}[{}, {}, ", s == 0 ? "" : " ", p.groups, p.cores);
    if (p.representative.member < 0) {
      out += fmt::format("{}]", set.name);
      continue;
    }
    const SetMember &m = set.members[static_cast<std::size_t>(p.representative.member)];
    const std::string f = print(m.functions[static_cast<std::size_t>(p.representative.function)], set.name);
    const bool isWord = f == set.name;
    out += fmt::format("{}{}^{}{}{}]", graph.tensors[static_cast<std::size_t>(m.tensor)].name, m.axis,
                       isWord ? "" : "(", f, isWord ? "" : ")");
  }
  return out;
}

namespace {

/// Do neighbours of the set lie side by side in some tensor?
bool hasLanes(const DimensionSet &set, const std::vector<int> &rankOf) {
  return std::any_of(set.members.begin(), set.members.end(), [&](const SetMember &m) {
    const bool isLast = m.axis + 1 == rankOf[static_cast<std::size_t>(m.tensor)];
    return isLast && std::any_of(m.functions.begin(), m.functions.end(),
                                 [](const MappingFunction &f) { return std::abs(f.scale) == 1; });
  });
}

/// Axes of each tensor, as far as sets know them.
std::vector<int> ranksOf(const DimensionSets &sets) {
  std::vector<int> ranks;
  const auto see = [&ranks](int tensor, int axis) {
    const auto t = static_cast<std::size_t>(tensor);
    if (ranks.size() <= t) ranks.resize(t + 1);
    ranks[t] = std::max(ranks[t], axis + 1);
  };
  for (const DimensionSet &set : sets.sets)
    for (const SetMember &m : set.members) see(m.tensor, m.axis);
  for (const FollowingDimension &f : sets.following) see(f.tensor, f.axis);
  return ranks;
}

/// All that one set may take, were all the hardware its own.
std::vector<DraftPart> partsOf(const DimensionSet &set, const DraftHardware &hardware) {
  std::vector<DraftPart> out;
  const bool isCut = set.whyWhole.empty();
  const bool mayCutGroups = isCut && (!set.isReduced || hardware.groupsSplitSums);
  const bool mayCutCores = isCut && (!set.isReduced || hardware.coresSplitSums);
  std::int64_t largest = 0;
  for (const SetMember &m : set.members) largest = std::max(largest, m.size);
  if (!isCut) return {{1, 1, {}, set.extent}};
  for (std::int64_t g = 1; g <= (mayCutGroups ? std::min(hardware.groups, largest) : 1); ++g)
    for (std::int64_t c = 1; c <= (mayCutCores ? hardware.cores : 1) && g * c <= largest; ++c)
      for (std::size_t m = 0; m < set.members.size(); ++m)
        for (std::size_t f = 0; f < set.members[m].functions.size(); ++f)
          if (const std::int64_t size = set.members[m].size; g * c <= size)
            out.push_back({g, c, {static_cast<int>(m), static_cast<int>(f)}, ceilDiv(size, g * c)});
  return out;
}

}  // namespace

DraftSpace::DraftSpace(const DimensionSets &sets, const DraftHardware &hardware, const DraftRules &rules)
    : all_{hardware.groups, hardware.cores} {
  const std::vector<int> ranks = ranksOf(sets);
  for (const DimensionSet &set : sets.sets) {
    // How a representative cuts: equal numbers cut alike.
    std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> cuts;
    const auto cutOf = [&](const DraftPart &p) {
      if (p.representative.member < 0) return std::size_t{0};
      const SetMember &m = set.members[static_cast<std::size_t>(p.representative.member)];
      const MappingFunction &f = m.functions[static_cast<std::size_t>(p.representative.function)];
      const std::tuple cut(m.size, f.scale, f.offset);
      const auto it = std::find(cuts.begin(), cuts.end(), cut);
      if (it != cuts.end()) return static_cast<std::size_t>(it - cuts.begin());
      cuts.push_back(cut);
      return cuts.size() - 1;
    };
    const std::vector<DraftPart> parts = partsOf(set, hardware);
    const auto isMultiple = [&](const DraftPart &p) { return p.tile % hardware.lanes == 0; };
    const bool asksLanes = rules.lanes && hasLanes(set, ranks) && std::any_of(parts.begin(), parts.end(), isMultiple);
    using Key = std::tuple<std::int64_t, std::int64_t, std::size_t>;
    std::set<Key> partitions, tiles;  // that have come: by groups, cores and cut; by groups, largest tile and cut
    std::vector<Option> options;
    for (const DraftPart &p : parts) {
      Option o{p};
      const std::size_t cut = cutOf(p);
      std::int64_t size = p.tile;
      if (rules.roundsTiles && p.representative.member >= 0) {
        const double whole = static_cast<double>(set.members[static_cast<std::size_t>(p.representative.member)].size);
        size = std::llround(whole / static_cast<double>(p.groups * p.cores));
      }
      if (rules.equivalent && !partitions.insert({p.groups, p.cores, cut}).second)
        o.droppedBy = 1;
      else if (asksLanes && !isMultiple(p))
        o.droppedBy = 2;
      else if (rules.largestTile && !tiles.insert({p.groups, size, cut}).second)
        o.droppedBy = 3;
      options.push_back(o);
    }
    options_.push_back(std::move(options));
  }
  reset();
}

void DraftSpace::reset() {
  const std::size_t sets = options_.size();
  fitting_.resize(sets);
  choice_.assign(sets, nullptr);
  at_.assign(sets, 0);
  left_.assign(sets + 1, all_);
  draft_.assign(sets, {});
  isStarted_ = isDone_ = false;
}

// What is left takes few values: what fits is found once for each.
const std::vector<DraftPart> &DraftSpace::fitting(std::size_t set, const Left &left) {
  const auto [it, isNew] = fitting_[set].try_emplace(left);
  if (isNew)
    for (const Option &o : options_[set])
      if (o.droppedBy == 0 && o.part.groups <= left.groups && o.part.cores <= left.cores) it->second.push_back(o.part);
  return it->second;
}

/// Fills the sets from `set` on, that one with part number `from` of those that fit or a later one.
bool DraftSpace::find(std::size_t set, std::size_t from) {
  for (const std::size_t begin = set;;) {
    if (set == options_.size()) return true;
    choice_[set] = &fitting(set, left_[set]);
    if (from < choice_[set]->size()) {
      const DraftPart &p = (*choice_[set])[from];
      at_[set] = from;
      draft_[set] = p;
      left_[set + 1] = {left_[set].groups / p.groups, left_[set].cores / p.cores};
      ++set;
      from = 0;
      continue;
    }
    if (set == begin) return false;
    from = at_[--set] + 1;
  }
}

const Draft *DraftSpace::next() {
  if (isDone_) return nullptr;
  bool isFound = false;
  if (!isStarted_) {
    isStarted_ = true;
    isFound = find(0, 0);
  } else {
    for (std::size_t set = options_.size(); set-- > 0 && !isFound;)
      isFound = at_[set] + 1 < choice_[set]->size() && find(set, at_[set] + 1);
  }
  isDone_ = !isFound;
  return isFound ? &draft_ : nullptr;
}

// What is left after a set takes few values: each is counted once.
std::int64_t DraftSpace::countOf(const Options &options) const {
  std::vector<std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>> known(options.size());
  const std::function<std::int64_t(std::size_t, std::int64_t, std::int64_t)> count =
      [&](std::size_t set, std::int64_t groups, std::int64_t cores) -> std::int64_t {
    if (set == options.size()) return 1;
    if (const auto it = known[set].find({groups, cores}); it != known[set].end()) return it->second;
    std::int64_t sum = 0;
    for (const Option &o : options[set])
      if (o.part.groups <= groups && o.part.cores <= cores)
        sum = addSaturated(sum, count(set + 1, groups / o.part.groups, cores / o.part.cores));
    known[set].emplace(std::pair(groups, cores), sum);
    return sum;
  };
  return count(0, all_.groups, all_.cores);
}

int DraftSpace::droppedBy(std::size_t set, std::int64_t groups, std::int64_t cores) const {
  int rule = 0;
  for (const Option &o : options_[set]) {
    if (o.part.groups != groups || o.part.cores != cores) continue;
    if (o.droppedBy == 0) return 0;
    rule = std::max(rule, o.droppedBy);
  }
  return rule;
}

int DraftSpace::droppedBy(std::size_t set, std::int64_t groups, std::int64_t cores, const Representative &by) const {
  for (const Option &o : options_[set])
    if (o.part.groups == groups && o.part.cores == cores && o.part.representative == by) return o.droppedBy;
  return 0;
}

DraftCounts DraftSpace::counts() const {
  const auto without = [this](int rules) {
    Options left = options_;
    for (std::vector<Option> &of : left)
      std::erase_if(of, [rules](const Option &o) { return o.droppedBy > 0 && o.droppedBy <= rules; });
    return countOf(left);
  };
  DraftCounts c;
  c.all = without(0);
  const std::int64_t one = without(1), two = without(2), three = without(3);
  c.rule1 = c.all - one;
  c.rule2 = one - two;
  c.rule3 = two - three;
  return c;
}

}  // namespace pimento::mapping
