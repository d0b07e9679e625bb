// Which bytes of WRAM tasklets have read or written ahead of time.
//
// A guard on bytes that a tasklet read says: what it computed holds only if nobody writes them before it gets there.
// One on bytes that it wrote: whoever touches them sees the future. Kept per line of 64 bytes where a range covers all
// of it, per byte where not, so that whole buffers are cheap and neighbours do not disturb each other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pimento/sim/dpu/loop_proof.h"

namespace pimento::sim::dpu {

class Guards {
 public:
  explicit Guards(std::size_t bytes) : lines_((bytes + kLine - 1) / kLine) {}

  bool mayRead(int tasklet, ByteRange r) const { return isFree(r, 0, own(tasklet)); }
  bool mayWrite(int tasklet, ByteRange r) const { return isFree(r, ~(1U << tasklet), own(tasklet)); }

  void read(int tasklet, ByteRange r) {
    const std::uint32_t bit = 1U << tasklet;
    forLines(r, [&](Line &line, std::uint32_t first, std::uint32_t end) {
      if (end - first == kLine) {
        line.readers |= bit;
        return;
      }
      ++line.parts;
      Bytes &bytes = bytesOf(line);
      for (std::uint32_t b = first; b < end; ++b) bytes.readers[b % kLine] |= bit;
    });
  }
  void write(int tasklet, ByteRange r) {
    forLines(r, [&](Line &line, std::uint32_t first, std::uint32_t end) {
      if (end - first == kLine) {
        line.writer = own(tasklet);
        return;
      }
      ++line.parts;
      Bytes &bytes = bytesOf(line);
      for (std::uint32_t b = first; b < end; ++b) bytes.writers[b % kLine] = own(tasklet);
    });
  }
  /// Undo read() and write() of the same range; a tasklet gives all its ranges back at once.
  void releaseRead(int tasklet, ByteRange r) {
    const std::uint32_t others = ~(1U << tasklet);
    forLines(r, [&](Line &line, std::uint32_t first, std::uint32_t end) {
      if (end - first == kLine) {
        line.readers &= others;
        return;
      }
      --line.parts;
      for (std::uint32_t b = first; b < end; ++b) line.bytes->readers[b % kLine] &= others;
    });
  }
  void releaseWrite(ByteRange r) {
    forLines(r, [&](Line &line, std::uint32_t first, std::uint32_t end) {
      if (end - first == kLine) {
        line.writer = 0;
        return;
      }
      --line.parts;
      for (std::uint32_t b = first; b < end; ++b) line.bytes->writers[b % kLine] = 0;
    });
  }

 private:
  static constexpr std::uint32_t kLine = 64;
  struct Bytes {
    std::array<std::uint32_t, kLine> readers{};  ///< tasklets
    std::array<std::uint8_t, kLine> writers{};   ///< tasklet + 1
  };
  struct Line {
    std::uint32_t readers = 0;     ///< tasklets that guard all of it
    std::uint32_t parts = 0;       ///< guards of some of its bytes
    std::uint8_t writer = 0;       ///< tasklet + 1
    std::unique_ptr<Bytes> bytes;  ///< from the first such guard on
  };

  static Bytes &bytesOf(Line &line) {
    if (!line.bytes) line.bytes = std::make_unique<Bytes>();
    return *line.bytes;
  }

  static std::uint8_t own(int tasklet) { return static_cast<std::uint8_t>(tasklet + 1); }

  template <typename F>
  void forLines(ByteRange r, F &&f) {
    for (std::uint32_t b = r.first; b < r.end;) {
      const std::uint32_t end = std::min(r.end, (b / kLine + 1) * kLine);
      f(lines_[b / kLine], b, end);
      b = end;
    }
  }

  bool isFree(ByteRange r, std::uint32_t readers, std::uint8_t own) const {
    for (std::uint32_t b = r.first; b < r.end;) {
      const std::uint32_t end = std::min(r.end, (b / kLine + 1) * kLine);
      const Line &line = lines_[b / kLine];
      if ((line.readers & readers) != 0 || (line.writer != 0 && line.writer != own)) return false;
      if (line.parts == 0) {
        b = end;
        continue;
      }
      for (; b < end; ++b)
        if (const std::uint8_t writer = line.bytes->writers[b % kLine];
            (line.bytes->readers[b % kLine] & readers) != 0 || (writer != 0 && writer != own))
          return false;
    }
    return true;
  }

  std::vector<Line> lines_;
};

}  // namespace pimento::sim::dpu
