// Operators that scale by what they find: softmax and normalisations.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pimento/frontend/model/importer.h"

namespace pimento::frontend::model {

using kernel::Affine;
using kernel::Combine;
using kernel::Dim;
using kernel::DimKind;
using kernel::KernelBuilder;
using kernel::Op;

namespace {

/// A value per element of the axes that are not summed over, for each element of x.
class Statistics {
 public:
  Statistics(Importer &m, const Operator &op, const Value &x, std::set<std::size_t> axes)
      : m_(m), op_(op), x_(x), axes_(std::move(axes)) {
    for (std::size_t d = 0; d < x.rank(); ++d)
      if (!axes_.contains(d)) shape_.push_back(x.shape[d]);
    for (const std::size_t d : axes_) count_ *= static_cast<double>(x.shape[d]);
  }

  double count() const { return count_; }

  /// Combines f(kernel, indices of x) over the axes.
  template <typename F>
  Value over(const std::string &part, Combine combine, const F &f) {
    std::vector<Dim> dims = Importer::parallel(x_.shape);
    for (const std::size_t d : axes_) dims[d].kind = DimKind::kReduction;
    const Value y = m_.fresh(op_.outputs.front() + "_" + part, x_.type, shape_);
    KernelBuilder k = m_.kernel(op_, part, dims);
    const auto every = Importer::indices(k, 0, x_.rank());
    const int value = f(k, every);
    m_.store(k, y, outer(every), value, combine);
    m_.add(k);
    return y;
  }

  /// An element for each of x.
  template <typename F>
  Value each(const std::string &name, const std::string &part, const F &f) {
    const Value y = m_.fresh(name, x_.type, x_.shape);
    KernelBuilder k = m_.kernel(op_, part, Importer::parallel(x_.shape));
    const auto every = Importer::indices(k, 0, x_.rank());
    const int value = f(k, every);
    m_.store(k, y, every, value);
    m_.add(k);
    return y;
  }

  /// Of what over() gave, at an element of x.
  int at(KernelBuilder &k, const Value &statistic, const std::vector<Affine> &every) {
    return m_.load(k, statistic, outer(every));
  }

 private:
  std::vector<Affine> outer(const std::vector<Affine> &every) const {
    std::vector<Affine> out;
    for (std::size_t d = 0; d < every.size(); ++d)
      if (!axes_.contains(d)) out.push_back(every[d]);
    return out;
  }

  Importer &m_;
  const Operator &op_;
  const Value &x_;
  std::set<std::size_t> axes_;
  Shape shape_;
  double count_ = 1;
};

Status softmaxOf(Importer &m, const Operator &op, bool isLog) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  constexpr std::int64_t kOneAxis = 13;  // before, all axes from this one on
  const bool isOld = m.operatorSet() < kOneAxis;
  const auto axis = m.axisOf(op, m.attribute(op, "axis", std::int64_t{isOld ? 1 : -1}), x->rank());
  if (!axis) return axis.diagnostics();
  std::set<std::size_t> axes = {*axis};
  for (std::size_t d = *axis; isOld && d < x->rank(); ++d) axes.insert(d);
  Statistics s(m, op, *x, axes);
  const DType t = x->type;
  const auto element = [&](KernelBuilder &k, const std::vector<Affine> &i) { return m.load(k, *x, i); };
  const Value most = s.over("max", Combine::kMax, element);
  const auto below = [&](KernelBuilder &k, const std::vector<Affine> &i) {
    return k.op(Op::kSub, t, element(k, i), s.at(k, most, i));
  };
  if (isLog) {
    const Value sum = s.over("sum", Combine::kAdd, [&](KernelBuilder &k, const std::vector<Affine> &i) {
      return k.op(Op::kExp, t, below(k, i));
    });
    m.give(op, 0, s.each(op.outputs.front(), "", [&](KernelBuilder &k, const std::vector<Affine> &i) {
      return k.op(Op::kSub, t, below(k, i), k.op(Op::kLog, t, s.at(k, sum, i)));
    }));
    return okStatus();
  }
  const Value power = s.each(op.outputs.front() + "_exp", "exp", [&](KernelBuilder &k, const std::vector<Affine> &i) {
    return k.op(Op::kExp, t, below(k, i));
  });
  const Value sum =
      s.over("sum", Combine::kAdd, [&](KernelBuilder &k, const std::vector<Affine> &i) { return m.load(k, power, i); });
  m.give(op, 0, s.each(op.outputs.front(), "", [&](KernelBuilder &k, const std::vector<Affine> &i) {
    return k.op(Op::kDiv, t, m.load(k, power, i), s.at(k, sum, i));
  }));
  return okStatus();
}

Status softmax(Importer &m, const Operator &op) {
  return softmaxOf(m, op, false);
}
Status logSoftmax(Importer &m, const Operator &op) {
  return softmaxOf(m, op, true);
}

/// (x - mean) / sqrt(variance + epsilon) over some axes, then what `scaled` makes of it.
template <typename F>
Value normalised(Importer &m, const Operator &op, const Value &x, const std::set<std::size_t> &axes, const F &scaled) {
  Statistics s(m, op, x, axes);
  const DType t = x.type;
  const double epsilon = m.attribute(op, "epsilon", 1e-5);
  const auto share = [&](KernelBuilder &k) { return k.constant(t, 1 / s.count()); };
  const Value mean = s.over("mean", Combine::kAdd, [&](KernelBuilder &k, const std::vector<Affine> &i) {
    return k.op(Op::kMul, t, m.load(k, x, i), share(k));
  });
  const auto from = [&](KernelBuilder &k, const std::vector<Affine> &i) {
    return k.op(Op::kSub, t, m.load(k, x, i), s.at(k, mean, i));
  };
  const Value variance = s.over("variance", Combine::kAdd, [&](KernelBuilder &k, const std::vector<Affine> &i) {
    const int d = from(k, i);
    return k.op(Op::kMul, t, k.op(Op::kMul, t, d, d), share(k));
  });
  return s.each(op.outputs.front(), "", [&](KernelBuilder &k, const std::vector<Affine> &i) {
    const int root = k.op(Op::kSqrt, t, k.op(Op::kAdd, t, s.at(k, variance, i), k.constant(t, epsilon)));
    return scaled(k, i, k.op(Op::kDiv, t, from(k, i), root));
  });
}

Status layerNormalization(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0), scale = m.input(op, 1);
  if (!x) return x.diagnostics();
  if (!scale) return scale.diagnostics();
  const auto axis = m.axisOf(op, m.attribute(op, "axis", std::int64_t{-1}), x->rank());
  if (!axis) return axis.diagnostics();
  std::optional<Value> bias;
  if (Importer::has(op, 2)) {
    Result<Value> b = m.input(op, 2);
    if (!b) return b.diagnostics();
    bias = std::move(*b);
  }
  std::set<std::size_t> axes;
  for (std::size_t d = *axis; d < x->rank(); ++d) axes.insert(d);
  m.give(op, 0, normalised(m, op, *x, axes, [&](KernelBuilder &k, const std::vector<Affine> &i, int value) {
           value = k.op(Op::kMul, x->type, value, m.loadBroadcast(k, *scale, i));
           return bias ? k.op(Op::kAdd, x->type, value, m.loadBroadcast(k, *bias, i)) : value;
         }));
  return okStatus();
}

/// Per channel: scale, bias, and where they are known mean and variance.
Status perChannel(Importer &m, const Operator &op, bool hasStatistics) {
  std::vector<Value> given;
  for (std::size_t i = 0; i < (hasStatistics ? 5U : 3U); ++i) {
    Result<Value> v = m.input(op, i);
    if (!v) return v.diagnostics();
    given.push_back(std::move(*v));
  }
  const Value &x = given[0];
  if (x.rank() < 2 ||
      std::any_of(given.begin() + 1, given.end(), [&](const Value &v) { return v.shape != Shape{x.shape[1]}; }))
    return Importer::wrong(op, "model-shape", "scales do not fit " + text(x.shape), "there is one per channel");
  const DType t = x.type;
  const auto scaled = [&](KernelBuilder &k, const std::vector<Affine> &i, int value) {
    value = k.op(Op::kMul, t, value, m.load(k, given[1], {i[1]}));
    return k.op(Op::kAdd, t, value, m.load(k, given[2], {i[1]}));
  };
  if (!hasStatistics) {
    std::set<std::size_t> axes;
    for (std::size_t d = 2; d < x.rank(); ++d) axes.insert(d);
    m.give(op, 0, normalised(m, op, x, axes, scaled));
    return okStatus();
  }
  const double epsilon = m.attribute(op, "epsilon", 1e-5);
  Statistics s(m, op, x, {});
  m.give(op, 0, s.each(op.outputs.front(), "", [&](KernelBuilder &k, const std::vector<Affine> &i) {
    const int root = k.op(Op::kSqrt, t, k.op(Op::kAdd, t, m.load(k, given[4], {i[1]}), k.constant(t, epsilon)));
    const int from = k.op(Op::kSub, t, m.load(k, x, i), m.load(k, given[3], {i[1]}));
    return scaled(k, i, k.op(Op::kDiv, t, from, root));
  }));
  return okStatus();
}

Status batchNormalization(Importer &m, const Operator &op) {
  return perChannel(m, op, true);
}
Status instanceNormalization(Importer &m, const Operator &op) {
  return perChannel(m, op, false);
}

}  // namespace

void addNormalising(Handlers &h) {
  h.byKind.insert({{"Softmax", softmax},
                   {"LogSoftmax", logSoftmax},
                   {"LayerNormalization", layerNormalization},
                   {"BatchNormalization", batchNormalization},
                   {"InstanceNormalization", instanceNormalization}});
}

}  // namespace pimento::frontend::model
