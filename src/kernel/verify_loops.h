// What verify() finds, with its place; and its rules about loops and about what is written when. Internal to the room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// Keeps every byte offset and point count far from overflow.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

/// Collects diagnostics about the parts of a graph.
class Findings {
 public:
  Findings(const Graph &graph, const Places *places) : graph_(graph), places_(places) {}

  Diagnostics take() { return std::move(findings_); }

 protected:
  void report(std::string code, const std::string &message, std::string hint) {
    const std::string prefix = kernel_ ? "kernel '" + kernel_->name + "': " : "";
    findings_.push_back(error(std::move(code), here_.line > 0 || kernel_ == nullptr ? here_ : kernel_->where,
                              prefix + message, std::move(hint)));
  }

  using OfKernel = Places::OfKernel;

  static Location placeIn(const std::vector<Location> &list, std::size_t n) {
    return n < list.size() ? list[n] : Location{};
  }

  /// What is reported from here on concerns part `part` of the kernel; or the kernel as a whole.
  template <typename Part>
  void at(std::vector<Location> OfKernel::*list, const std::vector<Part> &parts, const Part &part) {
    const auto k = static_cast<std::size_t>(kernel_ - graph_.kernels.data());
    if (places_ != nullptr && k < places_->kernels.size())
      here_ = placeIn(places_->kernels[k].*list, static_cast<std::size_t>(&part - parts.data()));
  }
  void atLoad(const Access &load) { at(&OfKernel::loads, kernel_->loads, load); }
  void atStore(const Store &store) { at(&OfKernel::stores, kernel_->stores, store); }
  void atValue(std::size_t v) { at(&OfKernel::values, kernel_->body, kernel_->body[v]); }
  void atKernel() { here_ = {}; }
  void atTensor(std::size_t t) { here_ = places_ != nullptr ? placeIn(places_->tensors, t) : Location{}; }

  bool isTensor(int t) const { return t >= 0 && static_cast<std::size_t>(t) < graph_.tensors.size(); }

  DType typeOf(int value) const { return kernel_->body[static_cast<std::size_t>(value)].type; }

  bool isSequential() const {
    return std::any_of(kernel_->dims.begin(), kernel_->dims.end(),
                       [](const Dim &dim) { return dim.kind == DimKind::kSequential; });
  }
  bool stores(int tensor) const {
    return std::any_of(kernel_->stores.begin(), kernel_->stores.end(),
                       [tensor](const Store &s) { return s.target.tensor == tensor; });
  }

  const Graph &graph_;
  const Places *places_;
  Location here_;  ///< of the part looked at; nowhere: the kernel as a whole
  const Kernel *kernel_ = nullptr;
  Diagnostics findings_;
};

class LoopVerifier : public Findings {
 public:
  using Findings::Findings;

  /// Whether kernels can be looked at: loops nest, and their counters lead the dims of their kernels.
  bool checkLoops();
  /// Whether something is read before it is written.
  void checkDefinitions();
  /// By its name, or by one that a loop gives it.
  bool isEverWritten(int tensor) const;

 private:
  void checkSwap(int a, int b, const std::string &loop);
  void checkCounters(std::size_t k);
};

}  // namespace pimento::kernel
