// The DRAM bank of a DPU: 64 MB that mostly hold nothing.
//
// Kept in chunks that exist once they are touched, so that thousands of DPUs fit into a host. Every 8 bytes also know
// whether their contents are known: a fast-forward run starts from what was written or filled, and whatever a program
// computes from unknown data is unknown again. Offsets count from the start of the bank.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pimento::sim::dpu {

class Mram {
 public:
  explicit Mram(std::int64_t size);
  Mram(const Mram &);
  Mram &operator=(const Mram &) = delete;

  std::int64_t size() const { return size_; }
  /// Unwritten bytes read as 0.
  void read(std::uint32_t offset, std::span<std::uint8_t> out) const;
  void write(std::uint32_t offset, std::span<const std::uint8_t> bytes);
  /// Repeats a pattern of 1, 2, 4 or 8 bytes; chunks that it fills are not stored until something else is written.
  void fill(std::uint32_t offset, std::int64_t size, std::span<const std::uint8_t> pattern);

  /// Transfers of fast-forward: `unknown` has one byte per byte, 1 where it is unknown. Multiples of 8 bytes.
  void readTracked(std::uint32_t offset, std::span<std::uint8_t> out, std::span<std::uint8_t> unknown) const;
  void writeTracked(std::uint32_t offset, std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> unknown);

 private:
  static constexpr std::uint32_t kChunk = 1U << 14, kUnits = kChunk / 8;
  struct Data {
    std::array<std::uint8_t, kChunk> bytes;
    std::bitset<kUnits> known;
  };
  /// Without data: all of `pattern` and known, or zero and unknown.
  struct Chunk {
    std::unique_ptr<Data> data;
    std::uint64_t pattern = 0;
    bool isKnown = false;
  };

  const Chunk &chunkAt(std::size_t chunk) const;
  Chunk &ownChunk(std::size_t chunk);
  Data &touch(std::size_t chunk);
  /// Calls f(chunk, offset in it, bytes, position) for the parts of a range.
  template <typename F>
  static void forParts(std::uint32_t offset, std::size_t size, F &&f);

  std::int64_t size_;
  std::vector<Chunk> chunks_;  // up to the last that anything was written to
};

}  // namespace pimento::sim::dpu
