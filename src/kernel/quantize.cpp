#include "pimento/kernel/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pimento/base/suggest.h"
#include "pimento/kernel/quantize_body.h"

namespace pimento::kernel {

void Quantizer::chooseTypes() {
  std::vector<bool> isRead(graph_.tensors.size());
  for (const Kernel &k : graph_.kernels)
    for (const Access &load : k.loads) isRead[static_cast<std::size_t>(load.tensor)] = true;
  for (std::size_t t = 0; t < stored_.size(); ++t) {
    const Role role = graph_.tensors[t].role;
    stored_[t].follows = isSum(static_cast<int>(t)) || (role == Role::kOutput && !isRead[t]);
    stored_[t].type = stored_[t].follows ? DType::kI32 : DType::kI8;
    stored_[t].bound = stored_[t].follows ? 0 : kMost8;
  }
}

double Quantizer::magnitude(int tensor) const {
  double most = 0;
  for (const DataSet *run : runs_) {
    const TensorData &data = (*run)[static_cast<std::size_t>(tensor)];
    if (data.bytes.empty()) continue;
    for (std::int64_t e = 0; e < data.elements(); ++e)
      if (const double x = std::abs(data.asDouble(e)); std::isfinite(x)) most = std::max(most, x);
  }
  return most;
}

/// Of 8 bits: given, or from the data.
Result<double> Quantizer::ownScale(int tensor) {
  const std::string &name = nameOf(tensor);
  scaled_.insert(name);
  if (const auto at = given_.byTensor.find(name); at != given_.byTensor.end()) return at->second;
  if (given_.all) return *given_.all;
  if (runs_.empty())
    return usageError("convert-scale", "--convert",
                      fmt::format("there is no scale for '{}', and no data to take it from", name),
                      fmt::format("state it: --convert {0}=i8:{1}=0.01, or {0}=i8:0.01 for all; or use --data",
                                  pimento::name(from_), name));
  const double most = magnitude(tensor);
  return most > 0 ? most / kMost8 : 1;
}

Status Quantizer::setOwn(int tensor) {
  const Result<double> own = ownScale(tensor);
  if (!own) return own.diagnostics();
  stored(tensor).scale = *own;
  stored(tensor).isOwn = true;
  return okStatus();
}

bool Quantizer::isSum(int tensor) const {
  return std::ranges::any_of(graph_.kernels, [&](const Kernel &k) {
    return std::ranges::any_of(k.stores,
                               [&](const Store &s) { return s.target.tensor == tensor && s.combine == Combine::kAdd; });
  });
}

/// Finds the scales that follow, kernel by kernel. Of sums, assignments decide nothing: they may stand before them.
Status Quantizer::discover() {
  for (Stored &s : stored_)
    if (!s.isOwn) s.scale = 0;
  for (const Kernel &k : graph_.kernels) {
    const std::vector<Stored> before = stored_;
    if (Result<Kernel> kernel = BodyQuantizer(*this, k).run(); !kernel) return kernel.diagnostics();
    for (const Store &s : k.stores)
      if (s.combine != Combine::kAdd && isSum(s.target.tensor))
        stored(s.target.tensor).scale = before[static_cast<std::size_t>(s.target.tensor)].scale;
  }
  for (std::size_t t = 0; t < stored_.size(); ++t) {
    Stored &s = stored_[t];
    if (!isMeant(static_cast<int>(t)) || s.isOwn) continue;
    if (s.scale == 0) s.scale = (s.constantBound > 0 ? s.constantBound : 1) / kMost8;
    // A constant, the border of a padded tensor, may be larger than what is copied.
    if (s.follows || s.constantBound <= kMost8 * s.scale * (1 + 1e-9)) continue;
    if (Status done = setOwn(static_cast<int>(t)); !done) return done;
  }
  return okStatus();
}

Status Quantizer::chooseScales() {
  for (std::size_t t = 0; t < stored_.size(); ++t) {
    const int tensor = static_cast<int>(t);
    const Role role = graph_.tensors[t].role;
    const bool isThere = role == Role::kInput || role == Role::kInOut || given_.byTensor.contains(nameOf(tensor));
    if (!isMeant(tensor) || stored_[t].follows || !isThere) continue;
    if (Status s = setOwn(tensor); !s) return s;
  }
  return okStatus();
}

/// In-outs of sums begin with what they hold.
Status Quantizer::startBounds() {
  for (std::size_t t = 0; t < stored_.size(); ++t) {
    Stored &s = stored_[t];
    if (!s.follows) continue;
    s.bound = 0;
    if (graph_.tensors[t].role != Role::kInOut || s.scale == 0) continue;
    s.bound = !runs_.empty() ? std::ceil(magnitude(static_cast<int>(t)) / s.scale) : kMost32 / 2;
    if (!(s.bound <= kMost32))
      return unsupported("convert-range", {},
                         fmt::format("elements of '{}' exceed 32 bits in scaled integers", graph_.tensors[t].name),
                         "convert to a floating type, or give larger scales");
  }
  return okStatus();
}

Status Quantizer::pass(Graph *out) {
  if (Status s = startBounds(); !s) return s;
  for (std::size_t k = 0; k < graph_.kernels.size(); ++k) {
    Result<Kernel> kernel = BodyQuantizer(*this, graph_.kernels[k]).run();
    if (!kernel) return kernel.diagnostics();
    if (out != nullptr) out->kernels[k] = std::move(*kernel);
  }
  return okStatus();
}

Status Quantizer::checkGiven() const {
  for (const auto &[tensor, scale] : given_.byTensor) {
    if (scaled_.contains(tensor)) continue;
    const std::vector<std::string> names(scaled_.begin(), scaled_.end());
    const bool isThere = graph_.tensorNamed(tensor) >= 0;
    return usageError(
        "convert-scale", "--convert",
        isThere ? fmt::format("'{}' takes no scale: it is no {}, or its scale follows from what is stored there",
                              tensor, pimento::name(from_))
                : fmt::format("there is no tensor '{}'", tensor),
        suggest(tensor, names));
  }
  return okStatus();
}

Result<Converted> Quantizer::quantize() {
  if (!graph_.loops.empty())
    return unsupported(
        "convert-quantize", graph_.loops.front().where,
        fmt::format("kernels in loops ('{}') cannot be computed in scaled integers", graph_.loops.front().name),
        fmt::format("convert to a floating type: --convert {}=f16", name(from_)));
  chooseTypes();
  if (Status s = chooseScales(); !s) return s.diagnostics();
  const auto owners = [&] { return std::ranges::count_if(stored_, &Stored::isOwn); };
  for (auto before = owners() - 1; before != owners();) {
    before = owners();
    if (Status s = discover(); !s) return s.diagnostics();
  }
  Converted out{graph_, std::vector<double>(stored_.size(), 1), {}};
  if (Status s = pass(nullptr); !s) return s.diagnostics();
  for (std::size_t t = 0; t < stored_.size(); ++t)
    if (stored_[t].follows && stored_[t].bound <= kMost8 && graph_.tensors[t].role == Role::kOutput)
      stored_[t].type = DType::kI8;
  if (Status s = pass(&out.graph); !s) return s.diagnostics();
  if (Status s = checkGiven(); !s) return s.diagnostics();
  for (std::size_t t = 0; t < stored_.size(); ++t) {
    if (!isMeant(static_cast<int>(t))) continue;
    out.graph.tensors[t].type = stored_[t].type;
    out.scales[t] = stored_[t].scale;
  }
  return out;
}

Result<Converted> quantized(const Graph &graph, DType from, const GivenScales &given,
                            const std::vector<const DataSet *> &runs) {
  return Quantizer(graph, from, given, runs).quantize();
}

}  // namespace pimento::kernel
