// What QEMU's plugin writes while a guest runs (ring.h), read as blocks that ran.
//
// Not here: running the guest (guest.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/stream.h"

namespace pimento::guest {

class Recording {
 public:
  /// `folder`: of the run; `process`: whose first thread is recorded.
  Recording(std::string folder, std::int64_t process, trace::Isa isa);
  ~Recording();
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  /// Whether the first thread has begun.
  bool hasBegun();
  /// Where its first instructions lie in memory, once it has begun.
  std::uint64_t codeAddress() const;
  /// Hands on what there is, until the guest has written no more; false: nothing was there, or the consumer wants no
  /// more. Diagnostics: those of the decoder; "bad-recording" (the plugin wrote what it cannot have).
  Result<bool> drain(trace::Consumer &consumer);
  /// Hands on the last block, once the guest has ended.
  Status finish(trace::Consumer &consumer);

  /// Of the first thread: handed on, or counted alone once the consumer wanted no more.
  std::int64_t instructions() const;
  /// Whether the program left by itself, once the guest has ended.
  bool hasEnded() const;
  /// Instructions of other threads, and of processes it forked; both once the guest has ended.
  struct Others {
    std::int64_t threads = 0, processes = 0, instructions = 0;
  };
  Others others() const;
  std::int64_t undecodable() const { return undecodable_; }

 private:
  struct Ring;
  struct Known {
    trace::Block block;
    std::vector<std::uint16_t> mustAccess;  ///< instructions without a condition that go to memory
  };

  Status readDefinitions();
  Status begin(std::uint64_t number, trace::Consumer &consumer);
  bool takeAccess(std::uint64_t word);
  Status takeAll(const std::uint64_t *words, std::uint64_t mask, std::uint64_t from, std::uint64_t to,
                 trace::Consumer &consumer);
  void end(trace::Consumer &consumer);

  std::string folder_;
  std::int64_t process_;
  trace::Isa isa_;
  std::unique_ptr<Ring> ring_;
  std::string definitions_;  ///< read, not yet complete
  std::int64_t definitionsAt_ = 0;
  std::vector<std::unique_ptr<Known>> blocks_;  ///< by number; addresses stay
  const Known *current_ = nullptr;
  std::vector<trace::Access> accesses_;
  std::uint64_t awaitsValue_ = 0;  ///< words of the access before the next one
  std::int64_t instructions_ = 0, undecodable_ = 0;
  bool isClosed_ = false;  ///< the consumer wants no more
};

}  // namespace pimento::guest
