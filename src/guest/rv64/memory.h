// A guest's address space: pages with permissions in a reserved part of the host's address space.
//
// An address of the guest is an offset into the reservation, so that a load is a look at its page's permissions and one
// load of the host. What the permissions do not allow is answered with false, never with a fault of this process.
// Not here: where programs, stack and break lie (loader.h, linux.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "pimento/base/diagnostics.h"

namespace pimento::guest::rv64 {

static_assert(std::endian::native == std::endian::little, "the guest's memory is the host's");

/// Permissions of a page; a page that may be written may be read, as on Linux.
inline constexpr std::uint8_t kRead = 1, kWrite = 2, kExecute = 4;

class Memory {
 public:
  static constexpr std::uint64_t kPage = 4096, kSize = std::uint64_t{1} << 36;

  /// Diagnostic: "guest-memory", where the host has no room for the reservation.
  static Result<std::unique_ptr<Memory>> make();
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// What accesses need, for loops that keep it in registers; valid as long as the memory.
  class View {
   public:
    /// False: a page of it may not be read; `to` is as it was.
    template <typename T>
    bool load(std::uint64_t address, T &to) const {
      if (!allows<sizeof(T)>(address, kRead)) return false;
      std::memcpy(&to, base_ + address, sizeof(T));
      return true;
    }
    /// False: a page of it may not be written; nothing is.
    template <typename T>
    bool store(std::uint64_t address, T value) const {
      if (!allows<sizeof(T)>(address, kWrite)) return false;
      std::memcpy(base_ + address, &value, sizeof(T));
      return true;
    }
    /// The 16 bits of code at an address; false: they may not be executed.
    bool fetch(std::uint64_t address, std::uint16_t &to) const {
      if (!allows<sizeof to>(address, kExecute)) return false;
      std::memcpy(&to, base_ + address, sizeof to);
      return true;
    }

   private:
    friend class Memory;
    template <std::uint64_t kBytes>
    bool allows(std::uint64_t address, std::uint8_t permission) const {
      if (address >= kSize) return false;
      if ((address & (kPage - 1)) > kPage - kBytes) return areAllowed(address, kBytes, permission);
      return (pages_[address / kPage] & permission) != 0;
    }
    bool areAllowed(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const;

    std::byte *base_ = nullptr;
    std::uint8_t *pages_ = nullptr;  ///< permissions of each page, 0 of those that are not mapped
  };
  View view() const { return view_; }

  template <typename T>
  bool load(std::uint64_t address, T &to) const {
    if (watcher_) tell(address, sizeof(T), false);
    return view_.load(address, to);
  }
  template <typename T>
  bool store(std::uint64_t address, T value) {
    if (watcher_) tell(address, sizeof(T), true);
    return view_.store(address, value);
  }
  bool fetch(std::uint64_t address, std::uint16_t &to) const { return view_.fetch(address, to); }
  /// Where these bytes lie in the host, or null: a page lacks the permission. Of no bytes any place will do.
  std::byte *at(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const;
  /// Called for what is allowed of load(), store(), at() and text() from now on, but not for views; null: no more.
  using Watcher = std::function<void(std::uint64_t address, std::uint64_t bytes, bool isWrite)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  /// A text up to its zero; nothing: it is not readable up to there, or longer than 64 KiB.
  std::optional<std::string> text(std::uint64_t address) const;
  /// The first address from here on that lacks a permission, for reports of accesses over two pages.
  std::uint64_t firstWithout(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const;

  // Addresses and sizes below are multiples of a page, and within kSize; otherwise false.

  /// Fresh pages of zeros, in place of whatever was there. False: the host has no memory for them.
  bool map(std::uint64_t address, std::uint64_t bytes, std::uint8_t permissions);
  bool unmap(std::uint64_t address, std::uint64_t bytes);
  /// False: a page of it is not mapped; nothing changes.
  bool protect(std::uint64_t address, std::uint64_t bytes, std::uint8_t permissions);
  bool isMapped(std::uint64_t address, std::uint64_t bytes) const;
  /// Of the page that an address lies in; 0: none, or it is not mapped.
  std::uint8_t permissions(std::uint64_t address) const {
    return address < kSize ? view_.pages_[address / kPage] & (kRead | kWrite | kExecute) : 0;
  }
  /// Mapped ranges: from, to.
  const std::map<std::uint64_t, std::uint64_t> &mapped() const { return used_; }
  /// The first address where the two differ in bytes, permissions, or what is mapped; nothing: they are the same.
  std::optional<std::uint64_t> firstDifference(const Memory &other) const;
  bool isFree(std::uint64_t address, std::uint64_t bytes) const;
  /// The highest free room below `top`, or nothing. The first pages are never given.
  std::optional<std::uint64_t> findFree(std::uint64_t bytes, std::uint64_t top) const;

  /// Changes whenever code that could be executed may have become other code.
  std::uint64_t codeVersion() const { return codeVersion_; }

 private:
  static constexpr std::uint8_t kMapped = 8;
  static constexpr std::uint64_t kPages = kSize / kPage;

  Memory() = default;
  static bool isRange(std::uint64_t address, std::uint64_t bytes);
  void setPages(std::uint64_t address, std::uint64_t bytes, std::uint8_t to);
  void forget(std::uint64_t address, std::uint64_t bytes);

  void tell(std::uint64_t address, std::uint64_t bytes, bool isWrite) const;

  View view_;
  Watcher watcher_;
  std::map<std::uint64_t, std::uint64_t> used_;  ///< mapped ranges: from, to; neighbours are merged
  std::uint64_t codeVersion_ = 0;
};

}  // namespace pimento::guest::rv64
