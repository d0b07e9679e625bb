#include "pimento/frontend/nest/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pimento/frontend/nest/schedule.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

Result<int> BodyWriter::write(int root, int condition) {
  root = protect(root, condition);
  std::vector<int> order;
  program_.pool.visit(root, [&](int e) { order.push_back(e); });
  std::sort(order.begin(), order.end());  // arguments come first
  for (const int e : order) {
    if (made_.contains(e)) continue;
    const Result<int> value = node(e);
    if (!value) return value;
    made_[e] = *value;
  }
  return made_.at(root);
}

Status BodyWriter::bound() {
  for (std::size_t d = 0; d < loops_.size(); ++d) {
    const NestLoop &loop = program_.loops[static_cast<std::size_t>(loops_[d])];
    if (!loop.isBounded()) continue;
    std::array<int, 2> values{-1, -1};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int root = i == 0 ? loop.first : loop.end;
      if (root < 0) continue;
      const Result<int> value = write(root);
      if (!value) return value.diagnostics();
      values[i] = *value;
    }
    k_.bound(static_cast<int>(d), values[0], values[1]);
  }
  return okStatus();
}

/// Loads of one arm of a choice happen whatever is chosen: an index from data counts only where its arm does.
int BodyWriter::protect(int e, int condition) {
  ExpressionPool &pool = program_.pool;
  const Expression x = pool[e];
  if (!pool.contains(e, [](const Expression &n) { return n.data().isThere(); })) return e;
  if (x.op == Op::kLoad) {
    DataIndex data = x.data();
    data.value = protect(data.value, condition);
    const DType type = pool[data.value].type;
    if (condition >= 0) data.value = pool.op(Op::kSelect, type, condition, data.value, pool.integer(type, 0));
    return pool.load(x.type, x.buffer, x.index, data, pool.whereOf(e));
  }
  if (x.op == Op::kCast) return pool.cast(x.type, protect(x.args[0], condition));
  std::array<int, 3> args{-1, -1, -1};
  for (std::size_t a = 0; a < args.size() && x.args[a] >= 0; ++a) {
    int where = condition;
    if (x.op == Op::kSelect && a == 1) where = pool.both(condition, pool.isTrue(args[0]));
    if (x.op == Op::kSelect && a == 2) where = pool.both(condition, pool.isFalse(args[0]));
    args[a] = protect(x.args[a], where);
  }
  return pool.op(x.op, x.type, args[0], args[1], args[2]);
}

Result<int> BodyWriter::node(int e) {
  const Expression &x = program_.pool[e];
  if (x.op == Op::kConstant) return isFloat(x.type) ? k_.constant(x.type, x.real) : k_.integer(x.type, x.integer);
  if (x.op == Op::kIndex) return form(x);
  if (x.op == Op::kLoad) return load(e);
  const auto arg = [&](std::size_t i) { return x.args[i] < 0 ? -1 : made_.at(x.args[i]); };
  if (x.op == Op::kCast) return k_.cast(x.type, arg(0));
  return k_.op(x.op, x.type, arg(0), arg(1), arg(2));
}

int BodyWriter::form(const Expression &x) {
  const Affine f = project(x.form, loops_);
  int sum = -1;
  for (std::size_t d = 0; d < f.coefficients.size(); ++d) {
    if (f.coefficients[d] == 0) continue;
    int term = k_.indexValue(static_cast<int>(d), x.type);
    if (f.coefficients[d] != 1) term = k_.op(Op::kMul, x.type, term, k_.integer(x.type, f.coefficients[d]));
    sum = sum < 0 ? term : k_.op(Op::kAdd, x.type, sum, term);
  }
  if (sum < 0) return k_.integer(x.type, f.constant);
  return f.constant == 0 ? sum : k_.op(Op::kAdd, x.type, sum, k_.integer(x.type, f.constant));
}

Result<int> BodyWriter::load(int e) {
  const Expression &x = program_.pool[e];
  const NestBuffer &declared = program_.buffers[static_cast<std::size_t>(x.buffer)];
  const Location where = program_.pool.whereOf(e);
  const Buffer &b = graph_.buffer(buffers_[static_cast<std::size_t>(x.buffer)]);
  if (b.holds == Holds::kConstant) {
    return isFloat(b.type) ? k_.constant(b.type, b.constant.real) : k_.integer(b.type, b.constant.integer);
  }
  if (b.holds == Holds::kNothing) {
    return error("uninitialized", where, fmt::format("'{}' is read but never written", declared.name),
                 "write it first, or make it a parameter");
  }
  kernel::Access access{b.tensor, project(x.index, loops_)};
  if (x.args[0] >= 0) {
    if (auto unknown = unknownSize(x, declared, where)) return *unknown;
    access.indirectAt = x.data().at;
    access.indirectIndex = made_.at(x.args[0]);
  }
  return k_.load(b.type, std::move(access));
}

/// An index made of a parameter that no size gives is no index from data.
std::optional<Diagnostic> BodyWriter::unknownSize(const Expression &x, const NestBuffer &declared,
                                                  const Location &where) const {
  std::string sizes;
  program_.pool.visit(x.args[0], [&](int e) {
    const Expression &node = program_.pool[e];
    if (node.op != Op::kLoad) return;
    const NestBuffer &b = program_.buffers[static_cast<std::size_t>(node.buffer)];
    if (b.isScalar && !isFloat(b.type)) sizes += (sizes.empty() ? "" : ",") + b.name + "=64";
  });
  if (sizes.empty()) return std::nullopt;
  return error("missing-size", where, fmt::format("an index of '{}' contains an unknown number", declared.name),
               "set it: --size " + sizes);
}

}  // namespace pimento::frontend
