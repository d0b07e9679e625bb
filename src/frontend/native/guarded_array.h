// Memory that a process and its children share, between pages that nobody may touch: an access behind its end is a
// fault, and so is one far before its start. What is left of its pages holds a pattern, so that writing there shows.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace pimento::frontend {

class GuardedArray {
 public:
  /// `bytes` of zeros (0 are 1) whose end lies at a guard, or `behind` bytes before one, which may be read and hold no
  /// small number of any type. Nothing where the system refuses.
  static std::optional<GuardedArray> make(std::size_t bytes, std::size_t behind = 0);

  GuardedArray(GuardedArray &&other) noexcept;
  GuardedArray &operator=(GuardedArray &&) = delete;
  ~GuardedArray();

  std::span<std::byte> bytes() const { return {data_, size_}; }
  std::byte *data() const { return data_; }

  /// Where `address` lies, in bytes from data(), if that is in the array or its guards.
  std::optional<std::ptrdiff_t> offsetOf(const void *address) const;
  /// Outside of the array, what is nearest to it of all that was written to, in bytes from data().
  std::optional<std::ptrdiff_t> writtenOutside() const;

 private:
  GuardedArray(std::byte *all, std::size_t allBytes, std::byte *data, std::size_t size, std::size_t before,
               std::size_t behind);

  std::byte *all_;  ///< guard, rest of a page, data, what is behind, guard
  std::size_t allBytes_;
  std::byte *data_;
  std::size_t size_, before_, behind_;
};

}  // namespace pimento::frontend
