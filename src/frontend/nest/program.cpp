#include "pimento/frontend/nest/program.h"

#include <algorithm>

#include "pimento/kernel/box.h"

namespace pimento::frontend {

std::vector<std::int64_t> NestProgram::extents() const {
  std::vector<std::int64_t> all;
  for (const NestLoop &loop : loops) all.push_back(loop.extent);
  return all;
}

bool NestProgram::hasBounded(const std::vector<int> &some) const {
  return std::any_of(some.begin(), some.end(),
                     [this](int l) { return loops[static_cast<std::size_t>(l)].isBounded(); });
}

bool NestProgram::isBound(int buffer) const {
  const auto reads = [&](int root) {
    return root >= 0 && pool.contains(root, [buffer](const Expression &e) {
      return e.op == kernel::Op::kLoad && e.buffer == buffer;
    });
  };
  return std::any_of(loops.begin(), loops.end(), [&](const NestLoop &l) { return reads(l.first) || reads(l.end); });
}

bool NestProgram::fits(const kernel::Affine &form, DType type) const {
  const auto range = rangeOf(form, extents());
  if (!range) return false;
  if (type == DType::kU64) return range->low >= 0;
  return wrapInteger(type, range->low) == range->low && wrapInteger(type, range->high) == range->high;
}

std::optional<FormRange> rangeUnder(const NestProgram &program, const std::vector<int> &loops,
                                    const std::vector<kernel::Affine> &guards, const kernel::Affine &form) {
  const auto projected = [&](const kernel::Affine &f) {
    kernel::Affine small{{}, f.constant};
    for (const int l : loops) small.coefficients.push_back(coefficient(f, l));
    return small;
  };
  kernel::Kernel k;
  for (const int l : loops) {
    k.dims.push_back({"", program.loops[static_cast<std::size_t>(l)].extent, kernel::DimKind::kParallel});
  }
  for (const kernel::Affine &guard : guards) k.guards.push_back(projected(guard));
  const kernel::Box box(k);
  if (box.isEmpty()) return std::nullopt;
  const kernel::Affine small = projected(form);
  const auto all = box.range(small);
  if (!all) return std::nullopt;
  FormRange range{all->low, all->high};
  for (const kernel::Affine &guard : k.guards) {
    // form = (form + guard) - guard, and guard >= 0; likewise from below.
    if (const auto sum = plus(small, guard, 1)) {
      if (const auto above = box.range(*sum)) range.high = std::min(range.high, above->high);
    }
    if (const auto gap = plus(small, guard, -1)) {
      if (const auto below = box.range(*gap)) range.low = std::max(range.low, below->low);
    }
  }
  return range;
}

void visitLoads(const NestProgram &program, const NestStatement &s, const std::function<void(int)> &see) {
  std::vector<int> roots{s.value, s.predicate, s.data.value};
  for (const int l : s.loops) {
    roots.push_back(program.loops[static_cast<std::size_t>(l)].first);
    roots.push_back(program.loops[static_cast<std::size_t>(l)].end);
  }
  for (const int root : roots) {
    if (root < 0) continue;
    program.pool.visit(root, [&](int e) {
      if (program.pool[e].op == kernel::Op::kLoad) see(e);
    });
  }
}

}  // namespace pimento::frontend
