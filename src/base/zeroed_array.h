// An array of zeros whose memory is taken page by page, as it is first written to: large tables of which little is
// used.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace pimento {

/// Of values for which all bits zero are a value.
template <typename T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    data_.reset(static_cast<T *>(std::calloc(size, sizeof(T))));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  ZeroedArray(const ZeroedArray &other) : ZeroedArray(other.size_) {
    if (size_ > 0) std::memcpy(static_cast<void *>(data_.get()), other.data_.get(), size_ * sizeof(T));
  }
  ZeroedArray(ZeroedArray &&other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  ZeroedArray &operator=(ZeroedArray other) noexcept {
    data_.swap(other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~ZeroedArray() = default;

  std::size_t size() const { return size_; }
  T &operator[](std::size_t i) { return data_[i]; }
  const T &operator[](std::size_t i) const { return data_[i]; }

 private:
  struct Free {
    void operator()(T *p) const { std::free(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace pimento
