// A part of a stream: from one marker to another, without its first instructions, at most so many.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "pimento/trace/stream.h"

namespace pimento::trace {

/// An instruction, by its address as the program's file has it, when it comes for the `count`th time.
struct Marker {
  std::uint64_t address = 0;
  std::int64_t count = 1;
};

struct Part {
  std::optional<Marker> start;  ///< the first instruction of the part; nothing: that of the stream
  std::optional<Marker> stop;   ///< the first one after it; counted from the start on
  std::int64_t skip = 0;        ///< instructions left out from the start on
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< instructions that are passed on
};

/// Passes a part of a stream on.
class Selection final : public Consumer {
 public:
  /// `to` outlives this.
  Selection(Part part, Consumer &to)
      : part_(part), to_(to), isWhole_(!part.start && !part.stop && part.skip == 0 && part.most == Part{}.most) {}

  void onStart(const Program &program, bool hasValues) override;
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override;
  void onEnd() override { to_.onEnd(); }
  bool wantsMore() const override { return !isOver_ && to_.wantsMore(); }

  /// Of the program, once it has started; the program itself may be gone by then.
  std::uint64_t loadedAt() const { return loadedAt_; }
  std::int64_t passed() const { return passed_; }
  /// Markers that have come; true where none was asked for.
  bool hasStarted() const { return !part_.start; }
  bool hasStopped() const { return !part_.stop; }

 private:
  /// The instructions from `first` on, as a block of their own.
  const Block &rest(const Block &block, int first);
  void pass(const Block &block, int first, int end, std::span<const Access> accesses);
  static bool comes(std::optional<Marker> &marker, std::uint64_t address);

  Part part_;
  Consumer &to_;
  std::uint64_t loadedAt_ = 0;
  std::int64_t passed_ = 0;
  const bool isWhole_;  ///< all of the stream
  bool isOver_ = false;
  std::map<std::pair<const Block *, int>, std::unique_ptr<Block>> rests_;
  std::vector<Access> accesses_;
};

}  // namespace pimento::trace
