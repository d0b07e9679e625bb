#include "pimento/trace/reshape.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "pimento/base/diagnostics.h"

namespace pimento::trace {

namespace {

constexpr std::size_t kSpare = 4096;
constexpr int kWordBits = 64;

bool has(const std::array<std::uint64_t, kRegisters / kWordBits> &set, Register r) {
  return (set[r / kWordBits] >> r % kWordBits & 1U) != 0;
}

/// What the core adds up: an operand's address, or a base that changes.
Instruction addition(const Instruction &of, const char *what) {
  Instruction out;
  out.address = of.address;
  out.bytes = 0;
  out.isa = of.isa;
  out.operation = Operation::kAdd;
  out.width = of.isa == Isa::kA32 || of.isa == Isa::kT32 ? 32 : 64;
  for (const Register r : of.addressRegisters) out.reads.add(r);
  if (!of.text.empty()) out.text = fmt::format("{} {}", what, of.text);
  return out;
}

/// The place in memory that a load or store names, as its text has it.
std::string placeOf(const Instruction &in) {
  const std::size_t comma = in.text.find_first_of(",");
  if (comma == std::string::npos) return "[]";
  const std::size_t first = in.text.find_first_not_of(" \t", comma + 1);
  return first == std::string::npos ? "[]" : in.text.substr(first);
}

template <typename T>
void put(std::string &to, const T &value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof value);
}

}  // namespace

Reshaper::Reshaper(Candidates &candidates, std::vector<std::string> levels, Consumer &to)
    : candidates_(candidates), levels_(std::move(levels)), to_(to) {
  candidates_.listen([this](const JudgedTree &t) { onTree(t); });
  candidates_.listenToLoads([this](std::int64_t n, LoadFate f) { onLoad(n, f); });
}

Reshaper::~Reshaper() {
  candidates_.listen(nullptr);
  candidates_.listenToLoads(nullptr);
}

void Reshaper::add(const Block &block, int count, std::span<const Access> accesses) {
  std::unique_ptr<Shape> &shape = shapes_[&block];
  if (shape == nullptr) {
    shape = std::make_unique<Shape>();
    for (const Instruction &in : block.instructions) {
      Registers &writes = shape->writes.emplace_back();
      for (const Register r : in.writes) {
        writes[r / kWordBits] |= std::uint64_t{1} << r % kWordBits;
        shape->all[r / kWordBits] |= std::uint64_t{1} << r % kWordBits;
      }
    }
  }
  Run &run = runs_.emplace_back();
  run.block = &block;
  run.shape = shape.get();
  run.first = next_;
  run.count = count;
  if (!spare_.empty()) {
    run.accesses = std::move(spare_.back());
    spare_.pop_back();
  }
  run.accesses.assign(accesses.begin(), accesses.end());
  next_ += count;
}

void Reshaper::pass() {
  const std::int64_t settled = candidates_.settled();
  while (!runs_.empty() && runs_.front().first + runs_.front().count <= settled) {
    Run &run = runs_.front();
    if (!run.marks.empty()) takeRegisters(run);
    if (listener_) tellSteps(run);
    if (run.marks.empty())
      to_.onBlock(*run.block, run.count, run.accesses);
    else
      handReshaped(run);
    if (spare_.size() < kSpare) spare_.push_back(std::move(run.accesses));
    runs_.pop_front();
  }
}

Reshaper::Run &Reshaper::runOf(std::int64_t number) {
  const auto after = std::ranges::upper_bound(runs_, number, {}, &Run::first);
  return *std::prev(after);
}

void Reshaper::mark(std::int64_t number, Mark mark) {
  Run &run = runOf(number);
  if (run.marks.empty()) run.marks.resize(static_cast<std::size_t>(run.count), 0);
  run.marks[static_cast<std::size_t>(number - run.first)] |= mark;
}

/// Whether a register of the load's address is another before `site`. What the load itself adds to its base can be
/// taken off again.
bool Reshaper::changesBefore(std::int64_t site, std::int64_t load, const Instruction &in) {
  if (in.hasDestination && in.addressRegisters.has(in.destination)) return true;
  const auto changes = [&](const Registers &writes) {
    return std::ranges::any_of(in.addressRegisters, [&](Register r) { return has(writes, r); });
  };
  auto run = std::prev(std::ranges::upper_bound(runs_, load, {}, &Run::first));
  for (std::int64_t i = load + 1; i < site;) {
    while (i >= run->first + run->count) ++run;
    const bool isWhole = i == run->first && run->first + run->count <= site;
    if (isWhole && !changes(run->shape->all)) {
      i += run->count;
      continue;
    }
    if (changes(run->shape->writes[static_cast<std::size_t>(i - run->first)])) return true;
    ++i;
  }
  return false;
}

/// Whether there is a register for a load's address up to `site`, beside those that are taken meanwhile. Trees become
/// known in another order than the program's, so that registers themselves are given later, in the program's.
bool Reshaper::hasRegister(std::int64_t load, std::int64_t site) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> others;
  for (const auto &[from, kept] : kept_)
    if (from != load && from < site && kept.until > load) others.emplace_back(from, kept.until);
  if (others.size() < kAddressRegisters) return true;
  // Most are taken where one of them begins.
  const auto taken = [&](std::int64_t at) {
    return std::ranges::count_if(others, [&](const auto &o) { return o.first <= at && at < o.second; });
  };
  return taken(load) < kAddressRegisters &&
         std::ranges::all_of(
             others, [&](const auto &o) { return o.first < load || taken(o.first) < kAddressRegisters; });
}

/// Registers for addresses that the run keeps; and for operands of its trees those that they have.
void Reshaper::takeRegisters(const Run &run) {
  for (int i = 0; i < run.count; ++i) {
    const std::int64_t number = run.first + i;
    if (const auto kept = kept_.find(number); kept != kept_.end()) {
      const auto free = std::ranges::find_if(takenUntil_, [&](std::int64_t until) { return until <= number; });
      PIMENTO_CHECK(free != takenUntil_.end());
      *free = kept->second.until;
      kept->second.reg = static_cast<Register>(kFirstAddress + (free - takenUntil_.begin()));
    }
    if ((run.marks[static_cast<std::size_t>(i)] & kComputes) == 0) continue;
    for (Tree::Operand &o : trees_.at(number).operands)
      if (o.isKept) o.kept = kept_.at(o.number).reg;
  }
}

void Reshaper::onTree(const JudgedTree &t) {
  if (t.fate != Fate::kOffloaded) return;
  const std::int64_t root = t.operations.back(), site = t.store >= 0 ? t.store : root;
  const auto instructionAt = [&](std::int64_t n) -> const Instruction & {
    const Run &run = runOf(n);
    return run.block->instructions[static_cast<std::size_t>(n - run.first)];
  };
  Tree tree;
  tree.steps.assign(t.steps.begin(), t.steps.end());
  tree.root = &instructionAt(root);
  tree.isStored = t.store >= 0;
  tree.level = t.level;
  std::vector<std::pair<std::int64_t, std::int64_t>> before;  ///< of kept addresses, until when they were
  bool hasAll = true;
  for (const std::int64_t n : t.operands) {
    const Run &run = runOf(n);
    Tree::Operand &o = tree.operands.emplace_back();
    o.load = &run.block->instructions[static_cast<std::size_t>(n - run.first)];
    o.number = n;
    for (const Access &a : run.accesses)
      if (a.instruction == n - run.first && !a.isStore) o.access = a;
    o.isKept = changesBefore(site, n, *o.load);
    if (!o.isKept) continue;
    hasAll = hasAll && hasRegister(n, site);
    const auto [kept, isNew] = kept_.try_emplace(n);
    before.emplace_back(n, isNew ? -1 : kept->second.until);
    kept->second.until = std::max(kept->second.until, site);
  }
  if (!hasAll) {
    // The core does what it did.
    ++counts_.stayed;
    for (const auto &[n, until] : before) {
      if (until < 0)
        kept_.erase(n);
      else
        kept_[n].until = until;
    }
    needed_.insert(t.operands.begin(), t.operands.end());
    return;
  }
  for (const auto &[n, until] : before) mark(n, Mark{});
  for (const std::int64_t o : t.operations) mark(o, kGone);
  if (t.store >= 0) mark(t.store, kGone);
  mark(site, kComputes);
  trees_[site] = std::move(tree);
}

void Reshaper::onLoad(std::int64_t number, LoadFate fate) {
  if (needed_.erase(number) == 0 && fate == LoadFate::kOffloaded) mark(number, kGone);
}

/// All that decides what a run becomes.
std::string Reshaper::keyOf(const Run &run) const {
  std::string key;
  put(key, run.count);
  for (int i = 0; i < run.count; ++i) {
    const std::uint8_t marks = run.marks[static_cast<std::size_t>(i)];
    const auto kept = kept_.find(run.first + i);
    if (marks == 0 && kept == kept_.end()) continue;
    put(key, i);
    put(key, marks);
    put(key, kept == kept_.end() ? Register{0} : kept->second.reg);
    if ((marks & kComputes) == 0) continue;
    const Tree &tree = trees_.at(run.first + i);
    put(key, tree.root);
    put(key, tree.level);
    for (const Tree::Operand &o : tree.operands) {
      put(key, o.load);
      put(key, o.kept);
    }
    for (const CimStep &s : tree.steps) {
      put(key, s.kind);
      put(key, s.operation);
      put(key, s.operand);
      put(key, s.constant);
    }
  }
  return key;
}

std::string Reshaper::textOf(const Tree &tree, const Instruction &site) const {
  if (site.text.empty()) return {};
  std::string name = "CiM", operands;
  for (const CimStep &s : tree.steps) {
    if (s.kind == CimStep::Kind::kOperation)
      name += fmt::format("_{}", trace::name(s.operation));
    else if (s.kind == CimStep::Kind::kConstant)
      operands += fmt::format(", #{}", s.constant);
    else if (const Tree::Operand &o = tree.operands[s.operand]; o.kept >= 0)
      operands += fmt::format(", [{}]", registerName(site.isa, static_cast<Register>(o.kept)));
    else
      operands += fmt::format(", {}", placeOf(*o.load));
  }
  return fmt::format("{} {}{}, {}", name,
                     tree.isStored ? placeOf(site) : registerName(site.isa, tree.root->destination), operands,
                     levels_[static_cast<std::size_t>(tree.level)]);
}

Instruction Reshaper::computing(const Tree &tree, const Instruction &site) const {
  Instruction out;
  out.address = site.address;
  out.bytes = site.bytes;
  out.isa = site.isa;
  out.operation = Operation::kCim;
  out.width = tree.root->width;
  out.loads = true;
  out.stores = tree.isStored;
  out.cim = {tree.steps, tree.level};
  for (const Tree::Operand &o : tree.operands) {
    if (o.kept >= 0) {
      out.addressRegisters.add(static_cast<Register>(o.kept));
      continue;
    }
    for (const Register r : o.load->addressRegisters) out.addressRegisters.add(r);
  }
  if (tree.isStored) {
    for (const Register r : site.addressRegisters) out.addressRegisters.add(r);
  } else {
    out.hasDestination = true;
    out.destination = tree.root->destination;
    out.writes.add(out.destination);
  }
  out.reads = out.addressRegisters;
  out.text = textOf(tree, site);
  return out;
}

Block Reshaper::reshape(const Run &run) const {
  Block out;
  std::uint64_t from = 0;  ///< where what is gone at the front began
  bool isGoneBefore = false;
  for (int i = 0; i < run.count; ++i) {
    const Instruction &in = run.block->instructions[static_cast<std::size_t>(i)];
    const std::uint8_t marks = run.marks[static_cast<std::size_t>(i)];
    const std::size_t before = out.instructions.size();
    if (const auto kept = kept_.find(run.first + i); kept != kept_.end()) {
      Instruction address = addition(in, "address of");
      address.writes.add(kept->second.reg);
      out.instructions.push_back(std::move(address));
    }
    if ((marks & kGone) != 0 && in.writesBack) {
      Instruction base = addition(in, "base of");
      for (const Register r : in.addressRegisters)
        if (in.writes.has(r)) base.writes.add(r);
      out.instructions.push_back(std::move(base));
    }
    if ((marks & kComputes) != 0) out.instructions.push_back(computing(trees_.at(run.first + i), in));
    if ((marks & kGone) == 0) out.instructions.push_back(in);
    const std::uint64_t end = in.address + in.bytes;
    if (out.instructions.size() > before) {
      // The last one has the place of the program's, and of what was gone before it; those before it have none.
      const std::uint64_t begin = isGoneBefore ? from : in.address;
      for (std::size_t k = before; k < out.instructions.size(); ++k) {
        out.instructions[k].address = begin;
        out.instructions[k].bytes = 0;
        out.origins.push_back(in.address);
      }
      out.instructions.back().bytes =
          static_cast<std::uint8_t>(std::min<std::uint64_t>(end - begin, std::numeric_limits<std::uint8_t>::max()));
      isGoneBefore = false;
    } else if (out.instructions.empty()) {
      from = isGoneBefore ? from : in.address;
      isGoneBefore = true;
    } else {
      Instruction &last = out.instructions.back();
      last.bytes = static_cast<std::uint8_t>(
          std::min<std::uint64_t>(end - last.address, std::numeric_limits<std::uint8_t>::max()));
    }
  }
  return out;
}

/// In the order of reshape().
void Reshaper::tellSteps(const Run &run) {
  using Kind = ReshapedStep::Kind;
  steps_.clear();
  for (int i = 0; i < run.count; ++i) {
    const Instruction *in = &run.block->instructions[static_cast<std::size_t>(i)];
    if (run.marks.empty()) {
      steps_.push_back({Kind::kRuns, in});
      continue;
    }
    const std::uint8_t marks = run.marks[static_cast<std::size_t>(i)];
    if (const auto kept = kept_.find(run.first + i); kept != kept_.end())
      steps_.push_back({Kind::kKeepsAddress, in, kept->second.reg});
    if ((marks & kGone) != 0 && in->writesBack) steps_.push_back({Kind::kBase, in});
    if ((marks & kComputes) != 0) steps_.push_back({Kind::kComputes, in, 0, &trees_.at(run.first + i)});
    steps_.push_back({(marks & kGone) != 0 ? Kind::kGone : Kind::kRuns, in});
  }
  listener_(steps_);
}

void Reshaper::handReshaped(const Run &run) {
  std::unique_ptr<Block> &block = run.shape->reshaped[keyOf(run)];
  if (block == nullptr) block = std::make_unique<Block>(reshape(run));
  accesses_.clear();
  std::size_t next = 0;
  int at = 0;  ///< in the block
  for (int i = 0; i < run.count; ++i) {
    const Instruction &in = run.block->instructions[static_cast<std::size_t>(i)];
    const std::uint8_t marks = run.marks[static_cast<std::size_t>(i)];
    const std::size_t first = next;
    while (next < run.accesses.size() && run.accesses[next].instruction == i) ++next;
    if (kept_.contains(run.first + i)) {
      ++at;
      ++counts_.addresses;
    }
    if ((marks & kGone) != 0) {
      ++counts_.gone;
      if (in.writesBack) {
        ++at;
        ++counts_.addresses;
      }
    }
    const auto add = [&](Access a) {
      a.instruction = static_cast<std::uint16_t>(at);
      accesses_.push_back(a);
    };
    if ((marks & kComputes) != 0) {
      const auto tree = trees_.find(run.first + i);
      for (const Tree::Operand &o : tree->second.operands) add(o.access);
      for (std::size_t a = first; a < next && tree->second.isStored; ++a)
        if (run.accesses[a].isStore) add(run.accesses[a]);
      for (const Tree::Operand &o : tree->second.operands)
        if (const auto kept = kept_.find(o.number); kept != kept_.end() && kept->second.until == run.first + i)
          kept_.erase(kept);
      trees_.erase(tree);
      ++counts_.computing;
      ++at;
    }
    if ((marks & kGone) != 0) continue;
    for (std::size_t a = first; a < next; ++a) add(run.accesses[a]);
    ++at;
  }
  // What is gone whole leaves nothing to run.
  if (!block->instructions.empty()) to_.onBlock(*block, static_cast<int>(block->instructions.size()), accesses_);
}

}  // namespace pimento::trace
