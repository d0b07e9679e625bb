#include "pimento/targets/cim/profiler.h"

#include <algorithm>

#include "pimento/targets/cim/accounts.h"

namespace pimento::targets::cim {

namespace {

constexpr std::size_t kRecent = 4096;

trace::Operation operationOf(const std::string &word) {
  using enum trace::Operation;
  constexpr std::pair<std::string_view, trace::Operation> kWords[] = {
      {"add", kAdd}, {"sub", kSub}, {"and", kAnd}, {"or", kOr}, {"xor", kXor}};
  for (const auto &[text, operation] : kWords)
    if (text == word) return operation;
  return kOther;
}

}  // namespace

trace::CimRules rulesOf(const machine::Machine &machine) {
  trace::CimRules rules;
  rules.levels.resize(machine.caches.size(), false);
  for (const machine::CacheLevel &l : machine.caches)
    rules.geometry.push_back({static_cast<std::uint64_t>(l.line.value), static_cast<std::uint64_t>(l.banks)});
  if (!machine.cim) return rules;
  const machine::Cim &cim = *machine.cim;
  for (const std::string &o : cim.operations) rules.operations.push_back(operationOf(o));
  rules.widths = {cim.width};
  for (const int l : cim.levels) rules.levels[static_cast<std::size_t>(l)] = true;
  using Ours = trace::CimRules::Locality;
  using Theirs = machine::Cim::Locality;
  rules.locality = cim.locality == Theirs::kLevel  ? Ours::kLevel
                   : cim.locality == Theirs::kBank ? Ours::kBank
                                                   : Ours::kBitline;
  rules.movesOperands = cim.movesOperands;
  rules.accepts = acceptance(machine);
  return rules;
}

std::unique_ptr<trace::Rows> rowsOf(const machine::Machine &machine, trace::Consumer &to) {
  const auto words = machine.numbers.find("cim.row_words");
  if (words == machine.numbers.end() || words->second.canonical < 2) return nullptr;
  std::vector<std::uint64_t> lines;
  for (const machine::CacheLevel &l : machine.caches) lines.push_back(static_cast<std::uint64_t>(l.line.value));
  return std::make_unique<trace::Rows>(std::move(lines), static_cast<int>(words->second.canonical), to);
}

std::vector<std::string> cacheNames(const machine::Machine &machine) {
  std::vector<std::string> names;
  for (const machine::CacheLevel &l : machine.caches) names.push_back(l.name);
  return names;
}

Profiler::Profiler(const machine::Machine &machine, bool isBridged)
    : machine_(machine), core_(machine), candidates_(rulesOf(machine)), recent_(kRecent) {
  if (machine.cim) {
    reruns_ = std::make_unique<Reruns>(machine);
    sim::core::CimTiming timing;
    resimulated_ = &reruns_->add(timing);
    timing.operations = false;
    ideal_ = &reruns_->add(timing);
    if (isBridged) {
      timing = {.operations = false, .banks = false, .order = false, .moves = false};
      const auto add = [&](const char *effect) { bridge_.emplace_back(effect, &reruns_->add(timing)); };
      add("overlap");
      timing.operations = true;
      add("operations");
      timing.banks = true;
      add("banks");
      timing.order = true;
      add("order");
      bridge_.emplace_back("moves", resimulated_);
    }
    rows_ = rowsOf(machine, *reruns_);
    left_ = rows_ ? static_cast<trace::Consumer *>(rows_.get()) : reruns_.get();
    reshaper_ = std::make_unique<trace::Reshaper>(candidates_, cacheNames(machine), *left_);
  }
  for (std::size_t i = 0; i < kBatches; ++i) spare_.put(std::make_unique<Batch>());
  batch_ = *spare_.take();
  coreThread_ = std::thread([this] {
    while (auto batch = toCore_.take()) {
      time(**batch);
      toCandidates_.put(std::move(*batch));
    }
    toCandidates_.close();
  });
  candidatesThread_ = std::thread([this] {
    while (auto batch = toCandidates_.take()) {
      search(**batch);
      spare_.put(std::move(*batch));
    }
  });
}

void Profiler::attribute() {
  meter_.emplace(machine_, core_);
  if (resimulated_ != nullptr) resimulated_->attribute();
}

Profiler::~Profiler() {
  join();
}

void Profiler::onStart(const trace::Program &program, bool hasValues) {
  candidates_.setHasValues(hasValues);
  if (program.isa == trace::Isa::kRv64 || !releasedConfiguration(machine_)) return;
  analyzerReader_.emplace();
  analyzer_.emplace();
  // What no cache serves is DRAM's for it, loads that a store forwards to, too.
  releasedLevels_.assign(machine_.caches.size() + 2, trace::release::Level::kDram);
  const std::vector<int> way = dataWay(machine_);
  for (std::size_t place = 0; place < std::min<std::size_t>(kPlaces, way.size()); ++place)
    releasedLevels_[static_cast<std::size_t>(way[place]) + 1] = static_cast<trace::release::Level>(place);
}

void Profiler::join() {
  toCore_.close();
  if (coreThread_.joinable()) coreThread_.join();
  if (candidatesThread_.joinable()) candidatesThread_.join();
}

Profiler::Known &Profiler::known(const trace::Block &block) {
  Recent &recent = recent_[std::hash<const trace::Block *>()(&block) / alignof(std::max_align_t) % kRecent];
  if (recent.block == &block) return *recent.known;
  std::unique_ptr<Known> &k = known_[&block];
  if (k == nullptr) {
    k = std::make_unique<Known>();
    k->block = block;
    for (trace::Instruction &in : k->block.instructions) {
      // Its pipeline counts what it had of each: these are the core's.
      if (analyzerReader_)
        k->release.push_back(analyzerReader_->read(
            in.text,
            {.registerReads = std::ssize(in.reads), .registerWrites = std::ssize(in.writes), .integerAlu = 1}));
      k->zeroings += in.text.starts_with("dc") && in.text.find("zva") != std::string::npos ? 1 : 0;
      in.text = {};
      k->steps.push_back(core_.prepare(in));
      k->uses.push_back(candidates_.prepare(in));
      k->registerReads += in.reads.size();
      k->registerWrites += in.writes.size();
    }
    if (meter_) {
      k->spent.resize(k->steps.size());
      k->own.assign(k->steps.size(), candidates_.none());
      for (std::size_t i = 0; i < k->uses.size(); ++i) k->uses[i].own = &k->own[i];
    }
  }
  if (k->marks.empty()) k->marks = core_.marksOf(k->steps);
  recent = {&block, k.get()};
  return *k;
}

void Profiler::countRegisters(const Known &known, int count) {
  if (count == static_cast<int>(known.steps.size())) {
    zeroings_ += known.zeroings;
    registerReads_ += known.registerReads;
    registerWrites_ += known.registerWrites;
    return;
  }
  for (const sim::core::Step &s : std::span(known.steps).first(static_cast<std::size_t>(count))) {
    registerReads_ += s.readCount;
    registerWrites_ += s.writeCount;
  }
}

void Profiler::time(Batch &batch) {
  batch.served.clear();
  std::size_t first = 0;
  for (const Run &r : batch.runs) {
    const std::vector<sim::core::Step> &steps = r.known->steps;
    if (r.isWarming) {
      core_.warm(std::span(steps).first(static_cast<std::size_t>(r.count)), r.known->marks,
                 std::span(batch.accesses).subspan(first, r.accesses - first), r.next);
      first = r.accesses;
      continue;
    }
    const std::int64_t before = core_.cycles();
    for (int i = 0; i < r.count; ++i) {
      const sim::core::Step &step = steps[static_cast<std::size_t>(i)];
      std::size_t end = first;
      while (end < r.accesses && batch.accesses[end].instruction == i) ++end;
      const std::uint64_t next = i + 1 < r.count ? steps[static_cast<std::size_t>(i) + 1].address : r.next;
      const auto accesses = std::span<const trace::Access>(batch.accesses).subspan(first, end - first);
      first = end;
      const sim::core::Times times = core_.run(step, accesses, next);
      if (!accesses.empty()) batch.served.push_back({times.level, times.place});
      if (meter_) meter_->charge(step, times, r.known->spent[static_cast<std::size_t>(i)]);
    }
    first = r.accesses;
    countRegisters(*r.known, r.count);
    r.known->cycles += core_.cycles() - before;
  }
}

void Profiler::search(const Batch &batch) {
  // Of a sample the reshaped program is not simulated.
  if (reshaper_ != nullptr && std::ranges::any_of(batch.runs, &Run::isWarming)) {
    reshaper_.reset();
    rows_.reset();
    reruns_.reset();
    analyzer_.reset();
  }
  if (!batch.isTimed && !batch.runs.empty()) {
    if (!wasWarming_) candidates_.finish();
    wasWarming_ = true;
    return;
  }
  std::size_t first = 0, served = 0;
  for (const Run &r : batch.runs) {
    // What comes after a gap has nothing to do with what came before it.
    if (r.isWarming && !wasWarming_) candidates_.finish();
    wasWarming_ = r.isWarming;
    if (reshaper_ != nullptr)
      reshaper_->add(r.known->block, r.count, std::span(batch.accesses).subspan(first, r.accesses - first));
    for (int i = 0; i < r.count && !r.isWarming; ++i) {
      std::size_t end = first;
      while (end < r.accesses && batch.accesses[end].instruction == i) ++end;
      const trace::Candidates::Served by = end != first ? batch.served[served++] : trace::Candidates::Served{};
      if (analyzer_)
        analyzer_->add(r.known->release[static_cast<std::size_t>(i)],
                       releasedLevels_[static_cast<std::size_t>(by.level + 1)]);
      candidates_.onInstruction(r.known->uses[static_cast<std::size_t>(i)],
                                std::span(batch.accesses).subspan(first, end - first), by);
      first = end;
    }
    first = r.accesses;
  }
  if (reshaper_ != nullptr) reshaper_->pass();
}

/// Passes the batch on, and takes an empty one.
void Profiler::hand() {
  toCore_.put(std::move(batch_));
  batch_ = *spare_.take();
  batch_->runs.clear();
  batch_->accesses.clear();
  batch_->instructions = 0;
  batch_->isTimed = false;
}

// Where the last block goes on is not known yet: it stays. Batches that are not here have been through both threads
// when they are spare again.
void Profiler::settle() {
  if (!coreThread_.joinable()) return;
  if (!batch_->runs.empty()) {
    const Run last = batch_->runs.back();
    batch_->runs.pop_back();
    const std::size_t first = batch_->runs.empty() ? 0 : batch_->runs.back().accesses;
    const std::vector<trace::Access> accesses(batch_->accesses.begin() + static_cast<std::ptrdiff_t>(first),
                                              batch_->accesses.end());
    batch_->accesses.resize(first);
    hand();
    batch_->accesses = accesses;
    batch_->runs.push_back({last.known, last.count, accesses.size(), 0, last.isWarming});
    batch_->instructions = last.count;
    batch_->isTimed = !last.isWarming;
  }
  std::vector<std::unique_ptr<Batch>> idle;
  while (idle.size() + 1 < kBatches) idle.push_back(*spare_.take());
  for (std::unique_ptr<Batch> &b : idle) spare_.put(std::move(b));
}

evaluate::Profiler::Progress Profiler::progress() {
  settle();
  return {core_.counts().instructions, core_.cycles()};
}

void Profiler::onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) {
  add(block, count, accesses, false);
}

void Profiler::warm(const trace::Block &block, int count, std::span<const trace::Access> accesses) {
  add(block, count, accesses, true);
}

void Profiler::add(const trace::Block &block, int count, std::span<const trace::Access> accesses, bool isWarming) {
  // Where a block goes on is known once the next one runs.
  if (!batch_->runs.empty()) batch_->runs.back().next = block.instructions.front().address;
  if (batch_->instructions >= kBatch) hand();
  batch_->accesses.insert(batch_->accesses.end(), accesses.begin(), accesses.end());
  batch_->runs.push_back({&known(block), count, batch_->accesses.size(), 0, isWarming});
  batch_->instructions += count;
  batch_->isTimed |= !isWarming;
}

void Profiler::onEnd() {
  hand();
  join();
  candidates_.finish();
  if (reshaper_ == nullptr) return;
  reshaper_->pass();
  left_->onEnd();
}

Totals Profiler::totals() const {
  Totals totals = totalsOf(dataWay(machine_), core_);
  totals[kRegisterReads] = registerReads_;
  totals[kRegisterWrites] = registerWrites_;
  return totals;
}

void Profiler::rerun(evaluate::Profile &p, const Totals &counted) const {
  if (reruns_ == nullptr || p.instructions == 0) return;
  p.resimulated = simulated(machine_, counted, resimulated_->totals(), resimulated_->cycles(), p);
  p.ideal = simulated(machine_, counted, ideal_->totals(), ideal_->cycles(), p);
  p.reshaped = reshaper_->counts();
  if (rows_) p.reshaped.shared = rows_->shared();
  for (int l = 0; l < static_cast<int>(machine_.caches.size()); ++l) {
    p.movedDown += resimulated_->core().caches().counts(l).forcedDown;
    p.copied += resimulated_->core().computed().at[static_cast<std::size_t>(l)].copies;
  }
  if (bridge_.empty()) return;
  p.bridge.push_back({"constant_cpi", p.high.cycles});
  for (const auto &[effect, run] : bridge_) p.bridge.push_back({effect, static_cast<double>(run->cycles())});
}

/// Instructions of several blocks may be the same.
void Profiler::attributeTo(evaluate::Profile &p) const {
  std::map<std::uint64_t, OwnCounts> own;
  for (const auto &[block, known] : known_)
    for (std::size_t i = 0; i < known->spent.size(); ++i) {
      OwnCounts &o = own[known->block.instructions[i].address];
      o.spent.add(known->spent[i]);
      cim::add(o.candidates, known->own[i]);
    }
  p.at =
      attributed(machine_, own, p.resimulated ? resimulated_->spent() : std::unordered_map<std::uint64_t, Spent>{}, p);
}

evaluate::Profile Profiler::profile() {
  settle();
  evaluate::Profile p;
  p.instructions = core_.counts().instructions;
  p.cycles = core_.cycles();
  for (int i = 0; i < sim::core::kCauses; ++i) {
    const auto cause = static_cast<sim::core::Cause>(i);
    p.stack[std::string(name(cause))] = core_.cyclesOf(cause);
  }
  const Totals counted = totals();
  for (std::size_t i = 0; i < kFirstCim; ++i) p.counts[std::string(countTable().rows[i].name)] = counted[i];
  p.energy = priceTotals(machine_, counted, Cycles(p.cycles));
  for (const auto &[block, known] : known_) p.cyclesAt[known->block.instructions.front().address] += known->cycles;
  p.candidates = candidates_.counts();
  p.zeroings = zeroings_;
  account(machine_, counted, p);
  if (analyzer_) p.release = released(machine_, counted, analyzer_->counters(*releasedConfiguration(machine_)), p);
  rerun(p, counted);
  if (meter_) attributeTo(p);
  return p;
}

}  // namespace pimento::targets::cim
