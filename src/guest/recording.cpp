#include "pimento/guest/recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "pimento/frontend/decoder/decoder.h"
#include "pimento/guest/ring.h"

namespace pimento::guest {

namespace fs = std::filesystem;

namespace {

/// Logarithm of the most bytes that an access has.
constexpr unsigned kMostShift = std::countr_zero(static_cast<unsigned>(PIMENTO_ACCESS_BYTES));

Diagnostic badRecording(const std::string &folder, std::string_view what) {
  return error(DiagnosticKind::kOurs, "bad-recording", {folder}, fmt::format("the plugin for QEMU wrote {}", what),
               "build and install pimento again: tool and plugin may be of different versions");
}

}  // namespace

/// A ring file in memory.
struct Recording::Ring {
  PimentoRing *header = nullptr;
  std::size_t bytes = 0;

  ~Ring() {
    if (header != nullptr) munmap(header, bytes);
  }
  /// Null: not there yet.
  static std::unique_ptr<Ring> open(const std::string &path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    struct stat status{};
    auto ring = std::make_unique<Ring>();
    if (fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= sizeof(PimentoRing)) {
      void *at = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (at != MAP_FAILED) {
        ring->header = static_cast<PimentoRing *>(at);
        ring->bytes = static_cast<std::size_t>(status.st_size);
      }
    }
    ::close(file);
    const bool isReady =
        ring->header != nullptr && __atomic_load_n(&ring->header->magic, __ATOMIC_ACQUIRE) == PIMENTO_RING_MAGIC;
    return isReady ? std::move(ring) : nullptr;
  }
};

Recording::Recording(std::string folder, std::int64_t process, trace::Isa isa)
    : folder_(std::move(folder)), process_(process), isa_(isa) {}

Recording::~Recording() = default;

Status Recording::readDefinitions() {
  std::ifstream in(fmt::format("{}/{}.blocks", folder_, process_), std::ios::binary);
  in.seekg(definitionsAt_);
  std::string more((std::istreambuf_iterator<char>(in)), {});
  definitionsAt_ += static_cast<std::int64_t>(more.size());
  definitions_ += more;
  std::size_t at = 0;
  const auto take = [&](void *to, std::size_t n) {
    if (definitions_.size() - at < n) return false;
    std::memcpy(to, definitions_.data() + at, n);
    at += n;
    return true;
  };
  for (std::size_t done = 0;; done = at) {
    std::uint32_t head[2];
    std::vector<frontend::EncodedInstruction> code;
    bool isWhole = take(head, sizeof head);
    for (std::uint32_t i = 0; isWhole && i < head[1]; ++i) {
      frontend::EncodedInstruction e;
      std::uint8_t size = 0, length = 0;
      isWhole = take(&e.address, sizeof e.address) && take(&size, 1) && take(&length, 1);
      e.bytes.resize(size);
      e.text.resize(length);
      if (isWhole && size == 0) return badRecording(folder_, "an instruction without bytes");
      isWhole = isWhole && take(e.bytes.data(), size) && take(e.text.data(), length);
      if (isWhole) code.push_back(std::move(e));
    }
    if (!isWhole) {
      definitions_.erase(0, done);
      return okStatus();
    }
    if (head[1] == 0 || head[1] > PIMENTO_BLOCK_INSTRUCTIONS) return badRecording(folder_, "a block of a wrong size");
    if (head[0] != blocks_.size()) return badRecording(folder_, "blocks out of order");
    Result<std::vector<trace::Instruction>> decoded = frontend::decodeInstructions(isa_, code);
    if (!decoded) return decoded.diagnostics();
    auto known = std::make_unique<Known>();
    known->block.instructions = std::move(*decoded);
    for (std::size_t i = 0; i < known->block.instructions.size(); ++i) {
      const trace::Instruction &in = known->block.instructions[i];
      undecodable_ += in.text.starts_with(".inst") ? 1 : 0;
      if ((in.loads || in.stores) && !in.isConditional && !in.isExclusive && !in.isVector)
        known->mustAccess.push_back(static_cast<std::uint16_t>(i));
    }
    blocks_.push_back(std::move(known));
  }
}

void Recording::end(trace::Consumer &consumer) {
  if (current_ == nullptr) return;
  int count = static_cast<int>(current_->block.instructions.size());
  // Who faults leaves no access: the block ends before it.
  std::size_t a = 0;
  for (const std::uint16_t i : current_->mustAccess) {
    while (a < accesses_.size() && accesses_[a].instruction < i) ++a;
    if (a < accesses_.size() && accesses_[a].instruction == i) continue;
    count = i;
    break;
  }
  while (!accesses_.empty() && accesses_.back().instruction >= count) accesses_.pop_back();
  if (count > 0) consumer.onBlock(current_->block, count, accesses_);
  instructions_ += count;
  current_ = nullptr;
  accesses_.clear();
}

Status Recording::begin(std::uint64_t number, trace::Consumer &consumer) {
  end(consumer);
  if (number >= blocks_.size())
    if (Status s = readDefinitions(); !s) return s;
  if (number >= blocks_.size()) return badRecording(folder_, "a block without its definition");
  current_ = blocks_[number].get();
  return okStatus();
}

bool Recording::hasBegun() {
  if (!ring_) ring_ = Ring::open(fmt::format("{}/{}.0.ring", folder_, process_));
  return ring_ != nullptr;
}

std::uint64_t Recording::codeAddress() const {
  return ring_ ? ring_->header->code : 0;
}

std::int64_t Recording::instructions() const {
  return isClosed_ ? std::max(instructions_, static_cast<std::int64_t>(ring_->header->instructions)) : instructions_;
}

bool Recording::hasEnded() const {
  return ring_ && ring_->header->hasEnded != 0;
}

/// False: its block cannot make it.
bool Recording::takeAccess(std::uint64_t word) {
  const auto index = static_cast<std::uint16_t>(word >> PIMENTO_WORD_INDEX_SHIFT & 0x1ff);
  const unsigned shift = word >> PIMENTO_WORD_SIZE_SHIFT & 7;
  const bool isBack = !accesses_.empty() && accesses_.back().instruction > index;
  constexpr std::size_t kMostAccesses = 32768;
  if (current_ == nullptr || index >= current_->block.instructions.size() || isBack || shift > kMostShift ||
      accesses_.size() == kMostAccesses)
    return false;
  accesses_.push_back({word & PIMENTO_WORD_ADDRESS, index, static_cast<std::uint8_t>(1U << shift),
                       (word & PIMENTO_WORD_STORE) != 0, 0});
  awaitsValue_ = word & PIMENTO_WORD_VALUE;
  return true;
}

Status Recording::takeAll(const std::uint64_t *words, std::uint64_t mask, std::uint64_t from, std::uint64_t to,
                          trace::Consumer &consumer) {
  for (; from != to; ++from) {
    const std::uint64_t word = words[from & mask];
    if (awaitsValue_ != 0) {
      accesses_.back().value = word;
      awaitsValue_ = 0;
    } else if ((word & PIMENTO_WORD_BLOCK) != 0) {
      if (Status s = begin(word & 0xffffffffU, consumer); !s) return s;
    } else if (!takeAccess(word)) {
      return badRecording(folder_, "an access that its block cannot make");
    }
  }
  return okStatus();
}

Result<bool> Recording::drain(trace::Consumer &consumer) {
  if (!hasBegun() || isClosed_) return false;
  PimentoRing &r = *ring_->header;
  if (r.capacity == 0 || (r.capacity & (r.capacity - 1)) != 0 ||
      (ring_->bytes - sizeof(PimentoRing)) / sizeof(std::uint64_t) < r.capacity)
    return badRecording(folder_, "a ring of a wrong size");
  std::uint64_t at = r.taken;
  const std::uint64_t end = __atomic_load_n(&r.written, __ATOMIC_ACQUIRE);
  if (at == end) return false;
  if (end - at > r.capacity) return badRecording(folder_, "more than its ring holds");
  // Room is handed back in parts, so that the guest goes on meanwhile.
  constexpr std::uint64_t kPart = 4096;
  while (at != end) {
    const std::uint64_t stop = std::min(end, at + kPart);
    if (Status s = takeAll(r.data, r.capacity - 1, at, stop, consumer); !s) return s.diagnostics();
    at = stop;
    __atomic_store_n(&r.taken, at, __ATOMIC_RELEASE);
    if (consumer.wantsMore()) continue;
    isClosed_ = true;
    current_ = nullptr;
    __atomic_store_n(&r.isClosed, std::uint64_t{1}, __ATOMIC_RELEASE);
    return false;
  }
  return true;
}

Status Recording::finish(trace::Consumer &consumer) {
  for (;;) {
    const Result<bool> more = drain(consumer);
    if (!more) return more.diagnostics();
    if (!*more) break;
  }
  end(consumer);
  consumer.onEnd();
  return okStatus();
}

Recording::Others Recording::others() const {
  Others out;
  std::set<std::uint64_t> processes;
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(folder_, failed)) {
    if (entry.path().extension() != ".ring") continue;
    const std::unique_ptr<Ring> ring = Ring::open(entry.path().string());
    if (!ring) continue;
    const PimentoRing &r = *ring->header;
    const bool isOwn = r.pid == static_cast<std::uint64_t>(process_);
    if (isOwn && r.thread == 0) continue;
    out.instructions += static_cast<std::int64_t>(r.instructions);
    if (isOwn)
      ++out.threads;
    else
      processes.insert(r.pid);
  }
  out.processes = static_cast<std::int64_t>(processes.size());
  return out;
}

}  // namespace pimento::guest
