#include "pimento/kernel/block_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"
#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

BlockRunner::BlockRunner(const Graph &graph, const Kernel &kernel, DataSet &data)
    : graph_(graph),
      kernel_(kernel),
      ranges_(graph, kernel, data) {
  const std::size_t dims = kernel.dims.size();
  lanes_.resize(kernel.body.size());
  for (std::size_t v = 0; v < kernel.body.size(); ++v) {
    const Value &value = kernel.body[v];
    const int index = static_cast<int>(v);
    if (value.op == Op::kConstant) {
      setLanes(value.type, lanes_[v], 0, kBlock, constantOf(value));
    } else if (value.op == Op::kLoad) {
      const Access &access = kernel.loads[static_cast<std::size_t>(value.access)];
      const auto t = static_cast<std::size_t>(access.tensor);
      const Tensor &tensor = graph.tensors[t];
      const Source source{index, value.type, data[t].bytes.data(), linearize(access, tensor, dims), tensor.elements()};
      if (!access.isIndirect()) {
        sources_.push_back(source);
        continue;
      }
      computed_.push_back(~static_cast<int>(indirectSources_.size()));
      indirectSources_.push_back(source);
      indirectSources_.back().indirect = {&access, &tensor, strideOf(tensor, access.indirectAt)};
    } else if (value.op == Op::kIndex) {
      Affine coordinate{std::vector<std::int64_t>(dims, 0), 0};
      coordinate.coefficients[static_cast<std::size_t>(value.dim)] = 1;
      sources_.push_back({index, value.type, nullptr, coordinate, 0});
    } else {
      computed_.push_back(index);
    }
  }
  for (const Store &store : kernel.stores) {
    const bool isAppend = kernel.form == Form::kSelect && store.combine == Combine::kAssign;
    const Tensor &target = graph.tensors[static_cast<std::size_t>(store.target.tensor)];
    storeElements_.push_back(linearize(store.target, target, dims, isAppend ? 1 : 0));
    stores_.push_back({&store.target, &target, strideOf(target, store.target.indirectAt)});
    storeSizes_.push_back(target.elements());
    hasDataIndex_ = hasDataIndex_ || store.target.isIndirect();
  }
  hasDataIndex_ = hasDataIndex_ || !indirectSources_.empty();
  bases_.resize(indirectSources_.size() * kBlock);
}

void BlockRunner::clip(const std::vector<std::int64_t> &point, int dim, std::int64_t step, std::int64_t &begin,
                       std::int64_t &end) const {
  for (const Affine &guard : kernel_.guards) {
    const std::int64_t first = valueAt(guard, point);
    const std::int64_t slope = dim < 0 ? 0 : guard.coefficients[static_cast<std::size_t>(dim)] * step;
    if (slope > 0) {
      if (first < 0) begin = std::max(begin, ceilDiv(-first, slope));
    } else if (first < 0) {
      end = begin;
    } else if (slope < 0) {
      end = std::min(end, first / -slope + 1);
    }
  }
}

namespace {

/// Whether `count` elements, `stride` apart, are all in an array of `elements`.
[[maybe_unused]] bool isWithin(std::int64_t first, std::int64_t stride, std::int64_t count, std::int64_t elements) {
  const std::int64_t last = first + (count - 1) * stride;
  return std::min(first, last) >= 0 && std::max(first, last) < elements;
}

}  // namespace

void BlockRunner::gatherRun(const std::vector<std::int64_t> &point, int dim, std::int64_t step, int count) {
  for (const Source &source : sources_) {
    const std::int64_t first = valueAt(source.element, point);
    const std::int64_t stride = dim < 0 ? 0 : source.element.coefficients[static_cast<std::size_t>(dim)] * step;
    Lanes &out = lanes_[static_cast<std::size_t>(source.value)];
    if (source.array) {
      PIMENTO_SLOW_CHECK(isWithin(first, stride, count, source.elements));
      gather(source.type, source.array, first, stride, out, used_, count);
      continue;
    }
    for (int l = 0; l < count; ++l) {
      Scalar coordinate;
      coordinate.i = first + l * stride;
      setLanes(source.type, out, used_ + l, used_ + l + 1, convert(DType::kI64, source.type, coordinate));
    }
  }
  for (std::size_t i = 0; i < indirectSources_.size(); ++i) {
    const Affine &element = indirectSources_[i].element;
    const std::int64_t stride = dim < 0 ? 0 : element.coefficients[static_cast<std::size_t>(dim)] * step;
    const std::int64_t first = valueAt(element, point);
    for (int l = 0; l < count; ++l) bases_[i * kBlock + static_cast<std::size_t>(used_ + l)] = first + l * stride;
  }
  if (runCount_ == runs_.size()) runs_.emplace_back();
  PendingRun &run = runs_[runCount_++];
  run.begin = used_;
  run.end = used_ + count;
  if (hasDataIndex_) {
    run.point = point;
    run.dim = dim;
    run.apart = step;
  }
  run.first.resize(storeElements_.size());
  run.step.resize(storeElements_.size());
  for (std::size_t s = 0; s < storeElements_.size(); ++s) {
    run.first[s] = valueAt(storeElements_[s], point);
    run.step[s] = dim < 0 ? 0 : storeElements_[s].coefficients[static_cast<std::size_t>(dim)] * step;
    PIMENTO_SLOW_CHECK(isWithin(run.first[s], run.step[s], count, storeSizes_[s]));
  }
  used_ += count;
}

void BlockRunner::add(std::vector<std::int64_t> &point, int dim, std::int64_t step, std::int64_t count, int tag) {
  std::int64_t begin = 0, end = count;
  if (!kernel_.guards.empty()) clip(point, dim, step, begin, end);
  if (!kernel_.bounds.empty() && begin < end) {
    // What bounds another dim is looked at point by point.
    if (dim >= 0 && count > 1 && ranges_.bounds(static_cast<std::size_t>(dim))) {
      std::int64_t &moving = point[static_cast<std::size_t>(dim)];
      const std::int64_t start = moving;
      for (std::int64_t p = begin; p < end && failure_.empty(); ++p) {
        moving = start + p * step;
        add(point, dim, step, 1, tag);
      }
      moving = start;
      return;
    }
    if (!clipToBounds(point, dim, step, begin, end)) return;
  }
  std::int64_t unused = 0;
  std::int64_t &moving = dim < 0 ? unused : point[static_cast<std::size_t>(dim)];
  const std::int64_t start = moving;
  while (begin < end) {
    const int chunk = static_cast<int>(std::min<std::int64_t>(end - begin, limit_ - used_));
    moving = start + begin * step;
    gatherRun(point, dim, step, chunk);
    runs_[runCount_ - 1].tag = tag;
    begin += chunk;
    if (used_ == limit_) flush();
  }
  moving = start;
}

std::optional<DataRanges::Range> BlockRunner::range(std::size_t dim, const std::vector<std::int64_t> &point) {
  const auto range = ranges_.of(dim, point);
  if (!range && failure_.empty()) {
    flush();  // an earlier point's failure comes first
    if (failure_.empty()) failure_ = ranges_.failure();
  }
  return range;
}

/// False: none of the points runs.
bool BlockRunner::clipToBounds(std::vector<std::int64_t> &point, int dim, std::int64_t step, std::int64_t &begin,
                               std::int64_t &end) {
  for (const DataBounds &b : kernel_.bounds) {
    const auto d = static_cast<std::size_t>(b.dim);
    const auto runs = range(d, point);
    if (!runs) return false;
    if (b.dim == dim) {
      begin = std::max(begin, ceilDiv(std::max<std::int64_t>(0, runs->first - point[d]), step));
      end = std::min(end, ceilDiv(std::max<std::int64_t>(0, runs->end - point[d]), step));
    } else if (point[d] < runs->first || point[d] >= runs->end) {
      return false;
    }
  }
  return begin < end;
}

/// What the index from data adds to the element; none where it lies outside the tensor.
std::optional<std::int64_t> BlockRunner::offset(const Indirect &indirect, int lane) {
  const Access &access = *indirect.access;
  const std::int64_t index = lanes_[static_cast<std::size_t>(access.indirectIndex)].i[lane];
  const std::int64_t extent = indirect.tensor->shape[static_cast<std::size_t>(access.indirectAt)];
  if (index >= 0 && index < extent) return index * indirect.stride;
  failure_.push_back(outside(indirect, lane, index));
  return std::nullopt;
}

/// What is wrong with it: at which point, and what it was read from if that is all there is to it.
Diagnostic BlockRunner::outside(const Indirect &indirect, int lane, std::int64_t index) const {
  const Access &access = *indirect.access;
  const auto run = std::find_if(runs_.begin(), runs_.end(), [lane](const PendingRun &r) { return lane < r.end; });
  std::vector<std::int64_t> point = run->point;
  if (run->dim >= 0) point[static_cast<std::size_t>(run->dim)] += (lane - run->begin) * run->apart;
  const auto join = [](const std::vector<std::string> &parts) { return fmt::format("{}", fmt::join(parts, ",")); };
  std::vector<std::string> at;
  for (std::size_t d = 0; d < point.size(); ++d) at.push_back(fmt::format("{}={}", kernel_.dims[d].name, point[d]));
  std::string where = at.empty() ? "" : " at " + join(at);
  const Value *from = &kernel_.body[static_cast<std::size_t>(access.indirectIndex)];
  while (from->op == Op::kCast) from = &kernel_.body[static_cast<std::size_t>(from->args[0])];
  if (from->op == Op::kLoad && !kernel_.loads[static_cast<std::size_t>(from->access)].isIndirect()) {
    const Access &source = kernel_.loads[static_cast<std::size_t>(from->access)];
    std::vector<std::string> element;
    for (const Affine &form : source.index) element.push_back(std::to_string(valueAt(form, point)));
    where = fmt::format(", from {}[{}]", graph_.tensors[static_cast<std::size_t>(source.tensor)].name, join(element));
  }
  return indexOutOfRange(kernel_, *indirect.tensor, access.indirectAt, index, where);
}

void BlockRunner::gatherIndirect(std::size_t source) {
  const Source &s = indirectSources_[source];
  Lanes &out = lanes_[static_cast<std::size_t>(s.value)];
  for (int l = 0; l < used_; ++l) {
    const std::optional<std::int64_t> moved = offset(s.indirect, l);
    if (!moved) return;
    gather(s.type, s.array, bases_[source * kBlock + static_cast<std::size_t>(l)] + *moved, 0, out, l, 1);
  }
}

std::optional<std::int64_t> BlockRunner::indirectElement(const Run &run, std::size_t store, int lane) {
  const std::optional<std::int64_t> moved = offset(stores_[store], lane);
  if (!moved) return std::nullopt;
  return (*run.first)[store] + (lane - run.begin) * (*run.step)[store] + *moved;
}

void BlockRunner::flush() {
  if (used_ == 0) return;
  for (const int v : computed_) {
    if (v < 0) {
      gatherIndirect(static_cast<std::size_t>(~v));
      if (!failure_.empty()) break;
      continue;
    }
    const Value &value = kernel_.body[static_cast<std::size_t>(v)];
    const int count = argumentCount(value.op);
    auto argument = [&](int a) {
      return static_cast<std::size_t>(value.args[static_cast<std::size_t>(a < count ? a : 0)]);
    };
    const DType argumentType = kernel_.body[argument(count - 1)].type;
    evaluate(value, argumentType, lanes_[static_cast<std::size_t>(v)], lanes_[argument(0)], lanes_[argument(1)],
             lanes_[argument(2)], used_);
  }
  for (std::size_t r = 0; r < runCount_ && failure_.empty(); ++r) {
    const PendingRun &run = runs_[r];
    consumer_({run.begin, run.end, run.tag, &run.first, &run.step});
  }
  runCount_ = 0;
  used_ = 0;
}

}  // namespace pimento::kernel
