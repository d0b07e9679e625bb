// A guest's data where they lie: bytes of each line in each cache that has it, and in main memory behind them.
//
// A line may have other bytes in each of them: what a core stored is in its first cache until that is written back.
// Who reads a cache gets what is in this one, right or not. Lines move by trace::LineMoves alone.
// Not here: which lines move (sim/cache).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "pimento/guest/rv64/memory.h"
#include "pimento/trace/execution.h"

namespace pimento::guest::rv64 {

class LevelledMemory {
 public:
  /// `memory` outlives this: lines that were never used have its bytes.
  explicit LevelledMemory(Memory &memory) : memory_(memory) {}
  void start(const trace::CacheShape &caches);

  /// False: another page has the frame already.
  bool addFrame(std::uint64_t page, std::uint64_t frame, std::uint64_t bytes);
  void fill(int cache, std::uint64_t line);
  /// `isWritten`: what it has goes to what is behind it.
  void leave(int cache, std::uint64_t line, bool isWritten);

  /// Of this cache, by physical address, up to the end of the line; empty: it does not have the line.
  std::span<std::byte> at(int cache, std::uint64_t address);
  /// What the core sees, by virtual address: the first cache that has the bytes, else main memory.
  void read(std::uint64_t address, std::span<std::byte> to);
  /// What the core stores: where it would read them.
  void write(std::uint64_t address, std::span<const std::byte> from);
  /// What others write to memory: to wherever it is.
  void writeAll(std::uint64_t address, std::span<const std::byte> from);
  /// Puts what the core sees into the guest's memory.
  void flush();
  /// What has become other in the guest's memory since flush() was not the core's doing: it is put everywhere.
  void refresh();

 private:
  /// Lines of one size, with their bytes.
  class Lines {
   public:
    explicit Lines(std::uint64_t bytes = 1) : bytes_(bytes) {}
    std::uint64_t lineOf(std::uint64_t address) const { return address & ~(bytes_ - 1); }
    std::uint64_t size() const { return bytes_; }
    std::byte *find(std::uint64_t line) {
      if (line == last_) return lastBytes_;
      const auto at = lines_.find(line);
      if (at == lines_.end()) return nullptr;
      last_ = line;
      return lastBytes_ = at->second.get();
    }
    /// New ones are zeros.
    std::byte *make(std::uint64_t line) {
      std::unique_ptr<std::byte[]> &bytes = lines_[line];
      if (bytes == nullptr) bytes = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes_));
      last_ = line;
      return lastBytes_ = bytes.get();
    }
    void erase(std::uint64_t line) {
      if (line == last_) last_ = kNone;
      lines_.erase(line);
    }
    const auto &all() const { return lines_; }

   private:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::uint64_t bytes_;
    std::unordered_map<std::uint64_t, std::unique_ptr<std::byte[]>> lines_;
    std::uint64_t last_ = kNone;
    std::byte *lastBytes_ = nullptr;
  };

  /// The bytes up to the end of a piece that no line is smaller than.
  std::uint64_t pieceAt(std::uint64_t address, std::uint64_t most) const;
  std::optional<std::uint64_t> physical(std::uint64_t address) const;
  /// False: nobody has asked for it by a virtual address.
  bool isKnown(std::uint64_t physical, std::uint64_t &address) const;
  std::byte *inMemory(std::uint64_t address);
  /// Of a piece: who the core would ask.
  std::byte *seen(std::uint64_t physical);
  void readBehind(int cache, std::uint64_t address, std::span<std::byte> to);
  void load(std::uint64_t line, std::byte *to);

  Memory &memory_;
  std::vector<int> next_;
  int data_ = 0;
  std::vector<Lines> caches_;
  Lines main_;
  std::uint64_t piece_ = 1, page_ = 0;  ///< page_ 0: addresses are physical
  std::unordered_map<std::uint64_t, std::uint64_t> frames_, pages_;
  std::unordered_map<std::uint64_t, std::vector<std::byte>> flushed_;  ///< by lines of main memory
};

}  // namespace pimento::guest::rv64
