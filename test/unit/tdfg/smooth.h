// b[i] = a[i - 1] + a[i] for 1 <= i < n - 1, as a tensor graph made by hand.
#pragma once

#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

inline Box line(Form low, Form high) {
  return {Range{{std::move(low)}, {std::move(high)}, 1}};
}

inline Program smooth() {
  Program p;
  p.name = "smooth";
  p.names = {{Name::Kind::kSize, "n"}};
  const Form n = nameForm(0);
  p.arrays = {{"a", DType::kF32, {n}, kernel::Role::kInput}, {"b", DType::kF32, {n}, kernel::Role::kOutput}};
  Region r;
  r.name = "r0";
  r.lattice = 1;
  Node t0, mv, t1, add;
  t0.array = 0, t0.box = line({}, plus(n, constantForm(-2)));
  mv.kind = NodeKind::kMv, mv.args = {0}, mv.dim = 0, mv.distance = constantForm(1);
  t1.array = 0, t1.box = line(constantForm(1), plus(n, constantForm(-1)));
  add.kind = NodeKind::kCmp, add.op = kernel::Op::kAdd, add.args = {1, 2};
  r.domain = t1.box;
  r.nodes = {t0, mv, t1, add};
  Output out;
  out.node = 3, out.array = 1, out.box = line(constantForm(1), plus(n, constantForm(-1)));
  r.outputs = {out};
  p.regions = {r};
  return p;
}

}  // namespace pimento::tdfg
