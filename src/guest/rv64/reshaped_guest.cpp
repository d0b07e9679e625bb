#include "pimento/guest/rv64/reshaped_guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pimento/trace/arithmetic.h"

namespace pimento::guest::rv64 {

namespace {

constexpr std::size_t kA0 = 10, kStackPointer = 2;
constexpr std::size_t kRecent = 8192;
constexpr std::uint64_t kPoison = 0xbad0'cafe'dead'beef;
constexpr std::uint64_t kMostBytes = sizeof(std::uint64_t);

/// Calls that change what is mapped: brk, munmap, mremap, mmap, mprotect, madvise.
enum : std::uint64_t { kBrk = 214, kMunmap = 215, kMremap = 216, kMmap = 222, kMprotect = 226, kMadvise = 233 };
bool maps(std::uint64_t call) {
  return call == kBrk || call == kMunmap || call == kMremap || call == kMmap || call == kMprotect || call == kMadvise;
}

/// As registers have what is shorter.
std::uint64_t extended(std::uint64_t value, int bits) {
  const int above = 64 - bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << above) >> above);
}

std::span<std::byte> bytesOf(std::uint64_t &value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

Result<std::unique_ptr<ReshapedGuest>> ReshapedGuest::make(const ElfImage &image, std::string_view bytes,
                                                           const std::vector<std::string> &arguments,
                                                           const Witness &witness) {
  Result<std::unique_ptr<Memory>> memory = Memory::make();
  if (!memory) return memory.diagnostics();
  const Result<LoadedProgram> program = loadProgram(bytes, image.file, **memory);
  if (!program) return program.diagnostics();
  std::vector<std::string> all{image.file};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Result<std::uint64_t> stack = makeStack(*program, image.file, all, **memory);
  if (!stack) return stack.diagnostics();
  return std::unique_ptr<ReshapedGuest>(new ReshapedGuest(image, witness, std::move(*memory), *program, *stack));
}

ReshapedGuest::ReshapedGuest(const ElfImage &image, const Witness &witness, std::unique_ptr<Memory> memory,
                             const LoadedProgram &program, std::uint64_t stackPointer)
    : file_(image.file),
      functions_(image.functions),
      witness_(witness),
      memory_(std::move(memory)),
      loadedAt_(program.loadedAt),
      hart_(*memory_),
      linux_(*memory_, {image.file, program.breakAt, 2, false}),
      levels_(*memory_),
      recent_(kRecent) {
  hart_.pc = program.entry;
  hart_.x[kStackPointer] = stackPointer;
}

void ReshapedGuest::onStart(const trace::Program & /*program*/, const trace::CacheShape &caches) {
  caches_ = caches;
  copies_.resize(caches.names.size());
  levels_.start(caches);
}

std::string ReshapedGuest::place(std::uint64_t address) const {
  const std::uint64_t inFile = address - loadedAt_;
  const trace::Function *f = trace::functionAt(functions_, inFile);
  if (f == nullptr) return fmt::format("{:#x}", address);
  return fmt::format("{} + {:#x} ({:#x})", f->name, inFile - f->address, address);
}

/// The first difference is the one that is told.
void ReshapedGuest::fail(const trace::Instruction *in, const std::string &what) {
  if (failure_) return;
  const std::string where = in == nullptr
                                ? "at its end"
                                : fmt::format("at instruction {}, '{}' in {}", number_, in->text, place(in->address));
  failure_ = error(DiagnosticKind::kOurs, "reshaped-differs", {file_},
                   fmt::format("the reshaped program does not do what the program does: {}, {}", where, what),
                   "this is a bug in Pimento, please report it with the command you ran");
}

Status ReshapedGuest::outcome() const {
  if (failure_) return *failure_;
  return okStatus();
}

void ReshapedGuest::onFrame(std::uint64_t page, std::uint64_t frame, std::uint64_t bytes) {
  if (!levels_.addFrame(page, frame, bytes))
    fail(nullptr,
         fmt::format("two pages have the frame at {:#x}: the machine's memory is smaller than what the program "
                     "uses",
                     frame));
}

void ReshapedGuest::onLeave(int cache, std::uint64_t line, bool isDirty, bool isForced) {
  const bool isSkipped = isForced && caches_.rules.unsound == trace::CimRules::Unsound::kIgnoresWriteBacks;
  if (isSkipped && isDirty) {
    const int behind = caches_.next[static_cast<std::size_t>(cache)];
    if (behind >= 0 && levels_.at(behind, line).empty()) {
      levels_.leave(cache, line, false);
      levels_.fill(behind, line);
      return;
    }
  }
  levels_.leave(cache, line, isDirty && !isSkipped);
}

void ReshapedGuest::onGather(int cache, std::uint64_t address) {
  Gathered &g = gathered_.emplace_back();
  g.address = address;
  const std::span<std::byte> there = levels_.at(cache, address);
  g.bytes = std::min<std::uint64_t>(there.size(), kMostBytes);
  if (g.bytes > 0) std::memcpy(&g.value, there.data(), static_cast<std::size_t>(g.bytes));
}

void ReshapedGuest::onCopy(int cache, std::uint64_t /*to*/) {
  if (caches_.rules.unsound == trace::CimRules::Unsound::kIgnoresCopies || gathered_.empty()) return;
  gathered_.back().isCopied = true;
  copies_[static_cast<std::size_t>(cache)][gathered_.size() - 1] = gathered_.back().value;
}

bool ReshapedGuest::isNear(int cache, std::uint64_t a, std::uint64_t b) const {
  using Locality = trace::CimRules::Locality;
  if (caches_.rules.locality == Locality::kLevel) return true;
  const trace::CimRules::Geometry &g = caches_.rules.geometry[static_cast<std::size_t>(cache)];
  if (a / g.line % g.banks != b / g.line % g.banks) return false;
  return caches_.rules.locality == Locality::kBank || a % g.line == b % g.line;
}

/// The instruction at an address, as memory has it.
CodeBlock ReshapedGuest::alone(std::uint64_t address) const {
  std::uint16_t low = 0, high = 0;
  std::uint32_t word = 0;
  if (memory_->fetch(address, low)) word = low;
  if (bytesOf(low) == 4 && memory_->fetch(address + sizeof low, high)) word |= std::uint32_t{high} << 16;
  CodeBlock block;
  block.address = address;
  block.code.push_back(decode(word, address));
  block.end = address + block.code.front().bytes;
  block.count = 1;
  block.code.emplace_back().op = Op::kEndOfBlock;
  return block;
}

ReshapedGuest::One &ReshapedGuest::one(const trace::Instruction &in) {
  One *&recent = recent_[std::hash<const trace::Instruction *>()(&in) / sizeof(trace::Instruction) % kRecent];
  if (recent != nullptr && recent->in == &in) return *recent;
  std::unique_ptr<One> &known = ones_[&in];
  if (known == nullptr) known = std::make_unique<One>(One{&in, alone(in.address)});
  recent = known.get();
  return *recent;
}

bool ReshapedGuest::isHere(const trace::Instruction &in) {
  if (hart_.pc == in.address) return true;
  fail(&in, fmt::format("it goes on at {}", place(hart_.pc)));
  return false;
}

/// Of a load or store, from the registers as they are.
std::uint64_t ReshapedGuest::addressOf(const trace::Instruction &in) {
  const Decoded &d = one(in).block.code.front();
  return hart_.x[d.rs1] + static_cast<std::uint64_t>(d.constant);
}

void ReshapedGuest::onStep(const trace::ReshapedStep &step, std::span<const trace::Access> accesses) {
  if (failure_) return;
  using Kind = trace::ReshapedStep::Kind;
  switch (step.kind) {
    case Kind::kKeepsAddress:
      ++counts_.instructions;
      kept_[step.kept] = addressOf(*step.in);
      break;
    case Kind::kBase:
      fail(step.in, "its base changes, which RV64 has no instructions for");
      break;
    case Kind::kComputes:
      ++counts_.instructions;
      ++counts_.computed;
      compute(step, accesses);
      gathered_.clear();
      break;
    case Kind::kGone:
      skip(*step.in);
      ++number_;
      break;
    case Kind::kRuns:
      ++counts_.instructions;
      run(*step.in, accesses);
      ++number_;
      break;
  }
}

/// Its registers are another's, and what it would have written is poison.
void ReshapedGuest::skip(const trace::Instruction &in) {
  if (!isHere(in)) return;
  ++counts_.gone;
  hart_.pc += in.bytes;
  hart_.addInstructions(1);
  const bool isResult = computed_ == &in;
  computed_ = nullptr;
  if (isResult || !in.hasDestination) return;
  if (in.destination >= trace::kFirstVector)
    hart_.f[static_cast<std::size_t>(in.destination - trace::kFirstVector)] = kPoison;
  else
    hart_.x[in.destination] = kPoison;
}

void ReshapedGuest::run(const trace::Instruction &in, std::span<const trace::Access> accesses) {
  if (!isHere(in)) return;
  // What the core loads is where the caches have it.
  for (const trace::Access &a : accesses)
    if (std::byte *to = a.isStore ? nullptr : memory_->at(a.address, a.bytes, kRead); to != nullptr)
      levels_.read(a.address, {to, a.bytes});
  const Stop why = hart_.runRecorded(one(in).block, false);
  const bool isSame =
      std::ranges::equal(hart_.accesses(), accesses, [](const trace::Access &mine, const trace::Access &theirs) {
        return mine.address == theirs.address && mine.bytes == theirs.bytes && mine.isStore == theirs.isStore;
      });
  if (!isSame) {
    const std::span<const trace::Access> mine = hart_.accesses();
    return fail(&in, mine.empty() ? "it makes no access" : fmt::format("its address is {:#x}", mine.front().address));
  }
  for (const trace::Access &a : accesses)
    if (a.isStore) levels_.write(a.address, {memory_->at(a.address, a.bytes, kRead), a.bytes});
  if (why == Stop::kCall) return call();
  if (why == Stop::kFenceI) {
    ones_.clear();
    std::ranges::fill(recent_, nullptr);
  } else if (why != Stop::kNone) {
    fail(&in, "it faults");
  }
}

/// The bytes of an operand where the cache computes with them.
std::optional<std::uint64_t> ReshapedGuest::operand(const trace::ReshapedTree &tree, std::size_t number,
                                                    std::uint64_t bytes) {
  const Gathered &g = gathered_[number];
  const std::string &cache = caches_.names[static_cast<std::size_t>(tree.level)];
  if (g.bytes < bytes) {
    fail(tree.root, g.bytes == 0 ? fmt::format("{} computes with a line that it does not have", cache)
                                 : fmt::format("an operand lies in two lines of {}", cache));
    return std::nullopt;
  }
  if (isNear(tree.level, gathered_.front().address, g.address)) return g.value;
  // What was copied there last, by this instruction or another.
  auto &copies = copies_[static_cast<std::size_t>(tree.level)];
  return copies.try_emplace(number, kPoison).first->second;
}

void ReshapedGuest::compute(const trace::ReshapedStep &step, std::span<const trace::Access> accesses) {
  const trace::ReshapedTree &tree = *step.tree;
  const trace::Instruction &site = *step.in;
  if (!isHere(site)) return;
  const std::size_t places = tree.operands.size() + (tree.isStored ? 1 : 0);
  if (gathered_.size() != places || accesses.size() != places)
    return fail(&site, fmt::format("the cache is asked for {} of {} operands and results", gathered_.size(), places));
  const int width = tree.root->width;
  const auto bytes = static_cast<std::uint64_t>(width) / 8;
  std::vector<std::uint64_t> values, results;
  for (std::size_t i = 0; i < tree.operands.size(); ++i) {
    const trace::ReshapedTree::Operand &o = tree.operands[i];
    const std::uint64_t address = o.kept >= 0 ? kept_[static_cast<std::size_t>(o.kept)] : addressOf(*o.load);
    if (address != accesses[i].address)
      return fail(&site, fmt::format("the address of operand '{}' is {:#x}, not {:#x}", o.load->text, address,
                                     accesses[i].address));
    const auto value = operand(tree, i, bytes);
    if (!value) return;
    values.push_back(*value);
  }
  for (const trace::CimStep &s : tree.steps) {
    if (s.kind == trace::CimStep::Kind::kConstant) {
      results.push_back(static_cast<std::uint64_t>(s.constant));
    } else if (s.kind == trace::CimStep::Kind::kOperand) {
      results.push_back(values[s.operand]);
    } else {
      const std::uint64_t second = results.back();
      results.pop_back();
      results.back() = trace::resultOf(s.operation, results.back(), second);
    }
  }
  if (tree.isStored) return store(tree, site, accesses.back(), results.back());
  computed_ = tree.root;
  hart_.x[tree.root->destination] = extended(results.back(), width);
}

/// A cache writes what it has computed, of its width, and no more.
void ReshapedGuest::store(const trace::ReshapedTree &tree, const trace::Instruction &site, const trace::Access &access,
                          std::uint64_t result) {
  if (const std::uint64_t address = addressOf(site); address != access.address)
    return fail(&site, fmt::format("the address of its result is {:#x}, not {:#x}", address, access.address));
  const auto bytes = std::min<std::size_t>(access.bytes, tree.root->width / 8U);
  const std::span<std::byte> to = levels_.at(tree.level, gathered_.back().address);
  if (to.size() < bytes)
    return fail(&site, fmt::format("{} writes a result to a line that it does not have",
                                   caches_.names[static_cast<std::size_t>(tree.level)]));
  std::memcpy(to.data(), bytesOf(result).data(), bytes);
}

void ReshapedGuest::call() {
  if (calls_ == witness_.calls.size()) return fail(nullptr, "it makes a call of the system too many");
  const CallRecord &record = witness_.calls[calls_++];
  const auto differs = [&](const std::string &what) {
    fail(nullptr, fmt::format("in its call {} of the system ({}), {}", calls_, callName(record.number()), what));
  };
  for (std::size_t i = 0; i < CallRecord::kArguments; ++i)
    if (const std::uint64_t mine = hart_.x[kA0 + i]; mine != record.arguments[i])
      return differs(fmt::format("a{} is {:#x}, not {:#x}", i, mine, record.arguments[i]));
  for (const CallRecord::Bytes &r : record.read) {
    std::string mine(r.bytes.size(), '\0');
    levels_.read(r.address, std::as_writable_bytes(std::span(mine)));
    if (mine == r.bytes) continue;
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(mine, r.bytes).in1 - mine.begin());
    return differs(fmt::format("the byte at {:#x} is {:#04x}, not {:#04x}", r.address + at,
                               static_cast<unsigned char>(mine[at]), static_cast<unsigned char>(r.bytes[at])));
  }
  hasExited_ = record.outcome == CallOutcome::Kind::kExited || record.outcome == CallOutcome::Kind::kSignalled;
  if (maps(record.number())) mapAgain(record);
  answer(record);
}

/// What is mapped changes here, too.
void ReshapedGuest::mapAgain(const CallRecord &record) {
  constexpr std::size_t kFlags = 13, kFile = 14, kOffset = 15;
  constexpr std::uint64_t kAnonymous = 0x20;
  levels_.flush();
  if (record.number() == kMmap && (record.arguments[3] & kAnonymous) == 0) {
    // Of a file; the witness has its bytes.
    hart_.x[kFlags] |= kAnonymous;
    hart_.x[kFile] = ~std::uint64_t{0};
  }
  linux_.call(hart_);
  if (hart_.x[kA0] != record.result)
    fail(nullptr, fmt::format("in its call {} of the system ({}), it gets {:#x}, not {:#x}", calls_,
                              callName(record.number()), hart_.x[kA0], record.result));
  std::copy_n(record.arguments.begin() + 3, 3, hart_.x.begin() + kFlags);
  static_assert(kOffset == kFlags + 2);
  levels_.refresh();
}

void ReshapedGuest::answer(const CallRecord &record) {
  constexpr std::uint64_t kFlushCode = 259;
  for (const CallRecord::Bytes &w : record.written) {
    const auto bytes = std::as_bytes(std::span(w.bytes));
    levels_.writeAll(w.address, bytes);
    if (std::byte *to = memory_->at(w.address, bytes.size(), kRead); to != nullptr)
      std::memcpy(to, bytes.data(), bytes.size());
  }
  hart_.x[kA0] = record.result;
  hart_.dropReservation();
  if (record.number() != kFlushCode) return;
  ones_.clear();
  std::ranges::fill(recent_, nullptr);
}

void ReshapedGuest::onEnd() {
  if (!failure_) finish();
}

void ReshapedGuest::finish() {
  if (calls_ != witness_.calls.size())
    return fail(nullptr, fmt::format("it makes {} calls of the system, not {}", calls_, witness_.calls.size()));
  if (!hasExited_ && witness_.signal != 0) {
    CodeBlock last = alone(hart_.pc);
    const Stop why = hart_.runRecorded(last, false);
    if (why == Stop::kNone || why == Stop::kCall || why == Stop::kFenceI)
      return fail(nullptr, fmt::format("signal {} does not end it", witness_.signal));
  }
  levels_.flush();
  if (witness_.memory == nullptr) return;
  if (const auto at = memory_->firstDifference(*witness_.memory))
    fail(nullptr, fmt::format("its memory is another at {:#x}", *at));
}

}  // namespace pimento::guest::rv64
