// UPMEM's host interface in C++ (`#include <dpu>`), over dpu.h: names and meaning of the public documentation.
//
// A DpuSet that allocate() gives owns its DPUs and frees them; what dpus() and ranks() give belongs to it. Every
// failure is a DpuError, whose text has the reason too. Needs C++11.
//
// `copy` moves vectors of trivially copyable elements:
//   copy(symbol, [offset,] vector [, bytes])            the same to every DPU
//   copy(symbol, [offset,] vector of vectors [, bytes]) one vector for each DPU of the set
//   copy(vector of vectors, [bytes,] symbol [, offset]) from every DPU to its vector
// `symbol` is a name or a DpuSymbol. Without `bytes` a whole vector is moved; all vectors must hold that much.
#ifndef PIMENTO_DPU_HPP
#define PIMENTO_DPU_HPP

#include <dpu.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dpu {

/// As many DPUs or ranks as are free.
constexpr std::uint32_t ALLOCATE_ALL = DPU_ALLOCATE_ALL;

/// A call that failed.
class DpuError : public std::exception {
 public:
  explicit DpuError(dpu_error_t code) : code_(code), text_(dpu_error_to_string(code)) {
    const std::string reason = pimento_dpu_reason();
    if (!reason.empty()) text_ += ": " + reason;
  }
  DpuError(dpu_error_t code, const std::string &reason) : code_(code), text_(dpu_error_to_string(code)) {
    text_ += ": " + reason;
  }

  const char *what() const noexcept override { return text_.c_str(); }
  dpu_error_t code() const noexcept { return code_; }

  static void throwOnErr(dpu_error_t code) {
    if (code != DPU_OK) throw DpuError(code);
  }

 private:
  dpu_error_t code_;
  std::string text_;
};

/// A variable of a DPU program, by its address and size (0: any).
class DpuSymbol {
 public:
  DpuSymbol(std::uint32_t address, std::uint32_t size) : symbol_{address, size} {}
  explicit DpuSymbol(const dpu_symbol_t &symbol) : symbol_(symbol) {}

  std::uint32_t address() const { return symbol_.address; }
  std::uint32_t size() const { return symbol_.size; }
  const dpu_symbol_t &symbol() const { return symbol_; }

 private:
  dpu_symbol_t symbol_;
};

/// A loaded program; valid as long as the set that was allocated.
class DpuProgram {
 public:
  explicit DpuProgram(dpu_program_t *program) : program_(program) {}

  DpuSymbol symbol(const std::string &name) const {
    dpu_symbol_t symbol;
    DpuError::throwOnErr(dpu_get_symbol(program_, name.c_str(), &symbol));
    return DpuSymbol(symbol);
  }

 private:
  dpu_program_t *program_;
};

/// What can be done with a set at once or in the background.
class DpuSetOps {
 public:
  virtual ~DpuSetOps() = default;

  /// Launches the program.
  void exec() { DpuError::throwOnErr(dpu_launch(set_, isAsync_ ? DPU_ASYNCHRONOUS : DPU_SYNCHRONOUS)); }

  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, const std::vector<T> &source) {
    copy(symbol, 0u, source);
  }
  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, const std::vector<T> &source, unsigned bytes) {
    copy(symbol, 0u, source, bytes);
  }
  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, unsigned offset, const std::vector<T> &source) {
    copy(symbol, offset, source, bytesOf(source));
  }
  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, unsigned offset, const std::vector<T> &source, unsigned bytes) {
    checkSize(bytes, bytesOf(source));
    broadcast(symbol, offset, source.data(), bytes);
  }

  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, const std::vector<std::vector<T>> &sources) {
    copy(symbol, 0u, sources);
  }
  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, const std::vector<std::vector<T>> &sources, unsigned bytes) {
    copy(symbol, 0u, sources, bytes);
  }
  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, unsigned offset, const std::vector<std::vector<T>> &sources) {
    copy(symbol, offset, sources, longestOf(sources));
  }
  template <typename Symbol, typename T>
  void copy(const Symbol &symbol, unsigned offset, const std::vector<std::vector<T>> &sources, unsigned bytes) {
    prepare(sources, bytes);
    push(symbol, offset, DPU_XFER_TO_DPU, bytes);
  }

  template <typename T, typename Symbol>
  void copy(std::vector<std::vector<T>> &targets, const Symbol &symbol) {
    copy(targets, symbol, 0u);
  }
  template <typename T, typename Symbol>
  void copy(std::vector<std::vector<T>> &targets, const Symbol &symbol, unsigned offset) {
    copy(targets, longestOf(targets), symbol, offset);
  }
  template <typename T, typename Symbol>
  void copy(std::vector<std::vector<T>> &targets, unsigned bytes, const Symbol &symbol) {
    copy(targets, bytes, symbol, 0u);
  }
  template <typename T, typename Symbol>
  void copy(std::vector<std::vector<T>> &targets, unsigned bytes, const Symbol &symbol, unsigned offset) {
    prepare(targets, bytes);
    push(symbol, offset, DPU_XFER_FROM_DPU, bytes);
  }

  /// The set in the C interface.
  dpu_set_t unsafe() const { return set_; }

 protected:
  DpuSetOps(dpu_set_t set, bool isAsync) : set_(set), isAsync_(isAsync) {}
  DpuSetOps(const DpuSetOps &) = default;
  DpuSetOps &operator=(const DpuSetOps &) = default;

  dpu_set_t set_;
  bool isAsync_;

 private:
  dpu_xfer_flags_t flags() const { return isAsync_ ? DPU_XFER_ASYNC : DPU_XFER_DEFAULT; }

  static void checkSize(std::size_t wanted, std::size_t held) {
    if (wanted > held)
      throw DpuError(
          DPU_ERR_INVALID_MEMORY_TRANSFER,
          "a vector of " + std::to_string(held) + " bytes is too short for a transfer of " + std::to_string(wanted));
  }
  template <typename T>
  static unsigned bytesOf(const std::vector<T> &vector) {
    static_assert(std::is_trivially_copyable<T>::value, "elements are copied byte by byte");
    return static_cast<unsigned>(vector.size() * sizeof(T));
  }
  template <typename T>
  static unsigned longestOf(const std::vector<std::vector<T>> &vectors) {
    unsigned longest = 0;
    for (const std::vector<T> &v : vectors) longest = std::max(longest, bytesOf(v));
    return longest;
  }

  /// Vectors is const where they are only read.
  template <typename Vectors>
  void prepare(Vectors &vectors, unsigned bytes) {
    std::uint32_t dpus = 0, i = 0;
    DpuError::throwOnErr(dpu_get_nr_dpus(set_, &dpus));
    if (dpus != vectors.size())
      throw DpuError(DPU_ERR_INVALID_MEMORY_TRANSFER, std::to_string(vectors.size()) + " vectors for a set of " +
                                                          std::to_string(dpus) + " DPUs; one for each is needed");
    for (const auto &v : vectors) checkSize(bytes, bytesOf(v));
    dpu_set_t dpu;
    DPU_FOREACH(set_, dpu, i) {
      // The library writes only where the caller's vectors are not constant: transfers from DPUs.
      const void *buffer = vectors[i].data();
      DpuError::throwOnErr(dpu_prepare_xfer(dpu, const_cast<void *>(buffer)));
    }
  }

  void push(const std::string &symbol, unsigned offset, dpu_xfer_t xfer, unsigned bytes) {
    DpuError::throwOnErr(dpu_push_xfer(set_, xfer, symbol.c_str(), offset, bytes, flags()));
  }
  void push(const DpuSymbol &symbol, unsigned offset, dpu_xfer_t xfer, unsigned bytes) {
    DpuError::throwOnErr(dpu_push_xfer_symbol(set_, xfer, symbol.symbol(), offset, bytes, flags()));
  }
  void broadcast(const std::string &symbol, unsigned offset, const void *source, unsigned bytes) {
    DpuError::throwOnErr(dpu_broadcast_to(set_, symbol.c_str(), offset, source, bytes, flags()));
  }
  void broadcast(const DpuSymbol &symbol, unsigned offset, const void *source, unsigned bytes) {
    DpuError::throwOnErr(dpu_broadcast_to_symbol(set_, symbol.symbol(), offset, source, bytes, flags()));
  }
};

class DpuSet;

/// The same set, in the background: calls return at once, vectors must live until sync().
class DpuSetAsync : public DpuSetOps {
 public:
  /// Waits for everything; throws the first failure of it.
  void sync() { DpuError::throwOnErr(dpu_sync(set_)); }

  /// Calls `callback(rank, number of the rank)` for every rank, after earlier work; `isSingle`: once for the whole set.
  /// Where it is not blocking, later work does not wait for its end; sync() does. A DpuError that leaves it is what
  /// sync() throws.
  void call(const std::function<void(DpuSet &, unsigned)> &callback, bool isBlocking = true, bool isSingle = false);

 private:
  friend class DpuSet;
  explicit DpuSetAsync(dpu_set_t set) : DpuSetOps(set, true) {}
};

/// DPUs.
class DpuSet : public DpuSetOps {
 public:
  static DpuSet allocate(std::uint32_t dpus = ALLOCATE_ALL, const std::string &profile = "") {
    dpu_set_t set;
    DpuError::throwOnErr(dpu_alloc(dpus, profile.c_str(), &set));
    return DpuSet(set, true);
  }
  static DpuSet allocateRanks(std::uint32_t ranks = ALLOCATE_ALL, const std::string &profile = "") {
    dpu_set_t set;
    DpuError::throwOnErr(dpu_alloc_ranks(ranks, profile.c_str(), &set));
    return DpuSet(set, true);
  }

  DpuSet(DpuSet &&other) noexcept : DpuSetOps(other), isOwner_(other.isOwner_), parts_(std::move(other.parts_)) {
    other.isOwner_ = false;
  }
  DpuSet &operator=(DpuSet &&other) noexcept {
    if (this == &other) return *this;
    free();
    DpuSetOps::operator=(other);
    isOwner_ = other.isOwner_;
    parts_ = std::move(other.parts_);
    other.isOwner_ = false;
    return *this;
  }
  DpuSet(const DpuSet &) = delete;
  DpuSet &operator=(const DpuSet &) = delete;
  ~DpuSet() override { free(); }

  /// The DPUs, each a set; the ranks, each a set.
  std::vector<DpuSet *> &dpus() { return parts().dpus; }
  std::vector<DpuSet *> &ranks() { return parts().ranks; }

  DpuSetAsync async() { return DpuSetAsync(set_); }

  /// A program file, on all DPUs.
  DpuProgram load(const std::string &path) {
    dpu_program_t *program = nullptr;
    DpuError::throwOnErr(dpu_load(set_, path.c_str(), &program));
    return DpuProgram(program);
  }

  /// What the DPUs have printed since their log was read last.
  void log(std::ostream &stream) {
    char *text = nullptr;
    std::size_t size = 0;
    std::FILE *file = open_memstream(&text, &size);
    if (file == nullptr) throw DpuError(DPU_ERR_SYSTEM, "no memory for the log");
    const dpu_error_t status = dpu_log_read(set_, file);
    std::fclose(file);
    if (text != nullptr) stream.write(text, static_cast<std::streamsize>(size));
    std::free(text);
    DpuError::throwOnErr(status);
  }

 private:
  friend class DpuSetAsync;
  struct Parts {
    std::vector<std::unique_ptr<DpuSet>> held;
    std::vector<DpuSet *> dpus, ranks;
  };

  DpuSet(dpu_set_t set, bool isOwner) : DpuSetOps(set, false), isOwner_(isOwner) {}

  void free() noexcept {
    parts_.reset();
    if (isOwner_) static_cast<void>(dpu_free(set_));
    isOwner_ = false;
  }

  /// Made when first asked for: most sets are never taken apart.
  Parts &parts() {
    if (parts_) return *parts_;
    std::unique_ptr<Parts> made(new Parts);
    const auto add = [&](std::vector<DpuSet *> &list, dpu_set_t set) {
      made->held.emplace_back(new DpuSet(set, false));
      list.push_back(made->held.back().get());
    };
    dpu_set_t part;
    DPU_RANK_FOREACH(set_, part) add(made->ranks, part);
    DPU_FOREACH(set_, part) add(made->dpus, part);
    parts_ = std::move(made);
    return *parts_;
  }

  bool isOwner_;
  std::unique_ptr<Parts> parts_;
};

inline void DpuSetAsync::call(const std::function<void(DpuSet &, unsigned)> &callback, bool isBlocking, bool isSingle) {
  struct Task {  // the last call deletes it
    std::function<void(DpuSet &, unsigned)> run;
    std::atomic<std::uint32_t> left;
  };
  std::uint32_t calls = 1;
  if (!isSingle && set_.kind == DPU_SET_RANKS) DpuError::throwOnErr(dpu_get_nr_ranks(set_, &calls));
  std::unique_ptr<Task> task(new Task{callback, {calls}});
  const auto run = [](dpu_set_t set, std::uint32_t rank, void *argument) -> dpu_error_t {
    auto *const t = static_cast<Task *>(argument);
    dpu_error_t status = DPU_OK;
    try {
      DpuSet part(set, false);
      t->run(part, rank);
    } catch (const DpuError &e) {
      status = e.code();
    } catch (...) {
      status = DPU_ERR_INTERNAL;
    }
    if (--t->left == 0) delete t;
    return status;
  };
  int flags = DPU_CALLBACK_ASYNC;
  if (!isBlocking) flags |= DPU_CALLBACK_NONBLOCKING;
  if (isSingle) flags |= DPU_CALLBACK_SINGLE_CALL;
  DpuError::throwOnErr(dpu_callback(set_, run, task.get(), static_cast<dpu_callback_flags_t>(flags)));
  task.release();
}

}  // namespace dpu

#endif
