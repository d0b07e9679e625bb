#include "pimento/targets/upmem/compiled/loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/data_bounds.h"
#include "pimento/targets/upmem/compiled/point.h"

namespace pimento::targets::upmem::compiled {

using kernel::Op;

namespace {

class Loops {
 public:
  explicit Loops(Context &c)
      : c_(c), a_(c), point_(c, a_), scheme_(c.scheme), kernel_(c.scheme.kernel()), inner_(c.scheme.inner()) {}

  void write() {
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o)
      if (a_.isTouched(o)) start(scheme_.operands[o]);
    const Operand *selected = a_.selected();
    if (selected != nullptr) c_.lines.add("{0}k_{1} = kept_{1};", Accesses::pointerType(*selected), selected->name);
    const std::size_t closed = writeGuards(-1);
    writeLevel(0);
    for (std::size_t i = 0; i < closed; ++i) c_.lines.close();
    if (selected != nullptr) c_.lines.add("kept_{0} = k_{0};", selected->name);
  }

 private:
  /// The pointer to an operand's first point in the tile: p_NAME.
  void start(const Operand &o) {
    std::string from = "b_" + o.name;
    if (o.isInMram) {
      c_.lines.add("const __mram_ptr uint8_t *m_{0} = at_{0};", o.name);
      return;
    }
    for (std::size_t p = 0; p < o.positions.size(); ++p)
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
        const std::int64_t c = o.positions[p].coefficient[d];
        if (c >= 0 || scheme_.axes[d].range == 1) continue;
        from = Accesses::moved(
            o, from, fmt::format("{} * ({} - 1) * {}", -c, c_.points(static_cast<int>(d)), c_.wramPitch(o, p)));
      }
    c_.lines.add("{}p_{} = {};", Accesses::pointerType(o), o.name, from);
  }

  // ---- Levels ----

  std::size_t writeGuards(int depth) {
    std::size_t opened = 0;
    for (const kernel::Affine &g : kernel_.guards) {
      if (a_.depthOf(g) != depth) continue;
      c_.lines.open("if ({} >= 0) {{", c_.affine(g));
      ++opened;
    }
    return opened;
  }

  void writeLevel(std::size_t depth) {
    if (depth >= scheme_.nest.size()) return writePoint();
    if (depth + 1 == scheme_.nest.size()) return writeInner();
    const int d = scheme_.nest[depth];
    const std::string name = scheme_.axis(d).name;
    const auto each = [&](auto &&line) {
      for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
        const Operand &op = scheme_.operands[o];
        if (a_.isTouched(o) && !op.isInMram && op.involves(d)) c_.lines.add(line(op));
      }
    };
    if (depth > 0)
      each([&](const Operand &o) {
        return fmt::format("{}s{}_{} = p_{};", Accesses::pointerType(o), depth, o.name, o.name);
      });
    if (scheme_.isBounded(d)) {
      writeBounds(d);
      c_.lines.open("for (uint32_t i_{0} = first_{0}; i_{0} < end_{0}; ++i_{0}) {{", name);
    } else {
      c_.lines.open("for (uint32_t i_{0} = 0; i_{0} < n_{0}; ++i_{0}) {{", name);
    }
    const std::size_t opened = writeGuards(static_cast<int>(depth));
    writeLevel(depth + 1);
    for (std::size_t i = 0; i < opened; ++i) c_.lines.close();
    each([&](const Operand &o) {
      return fmt::format("p_{} = {};", o.name, Accesses::moved(o, "p_" + o.name, a_.stride(o, d)));
    });
    c_.lines.close();
    if (depth > 0) each([&](const Operand &o) { return fmt::format("p_{} = s{}_{};", o.name, depth, o.name); });
  }

  /// Where a dim that data bound runs: first_NAME, and end_NAME, which is no less.
  void writeBounds(int d) {
    const kernel::DataBounds &b = *kernel_.boundsOf(d);
    const std::string &name = scheme_.axis(d).name;
    for (const int v : kernel::valuesBelow(kernel_, b)) point_.writeValue(static_cast<std::size_t>(v), 0, 1);
    const auto bound = [&](int value, const std::string &otherwise) {
      return value < 0 ? otherwise : fmt::format("v{}", value);
    };
    const std::string first = bound(b.first, "0"),
                      end = bound(b.end, c_.argument("most_" + name, scheme_.axis(d).extent));
    const bool isPlain =
        b.first >= 0 && b.end >= 0 && point_.typeOf(b.first) == DType::kI32 && point_.typeOf(b.end) == DType::kI32;
    c_.lines.add("const uint32_t first_{} = (uint32_t){};", name, first);
    c_.lines.add("const uint32_t end_{0} = {1}{2} < {1}{3} ? (uint32_t){3} : first_{0};", name,
                 isPlain ? "" : "(int64_t)", first, end);
  }

  // ---- The innermost loop ----

  void loadRegisters() {
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      if (!a_.isInRegister(o)) continue;
      const Operand &op = scheme_.operands[o];
      const std::string first =
          a_.startsFromIdentity(op)
              ? a_.identity(op)
              : c_.helpers.fromMemory(op.type, fmt::format("p_{}[{}{}]", op.name, Accesses::lastDelta(*a_.storeOf(o)),
                                                           a_.offset(*a_.storeOf(o))));
      c_.lines.add("{} a_{} = {};", valueType(op.type), op.name, first);
    }
  }

  void storeRegisters() {
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      if (!a_.isInRegister(o)) continue;
      const Operand &op = scheme_.operands[o];
      c_.lines.add("p_{}[{}{}] = {};", op.name, Accesses::lastDelta(*a_.storeOf(o)), a_.offset(*a_.storeOf(o)),
                   c_.helpers.toMemory(op.type, "a_" + op.name));
    }
  }

  void writePoint() {
    loadRegisters();
    element(0, 1);
    storeRegisters();
  }

  bool tracksIndex() const {
    const bool isInMram =
        std::any_of(scheme_.operands.begin(), scheme_.operands.end(), [&](const Operand &o) { return o.isInMram; });
    return a_.guardsInner() || isInMram || scheme_.isBounded(inner_) ||
           std::any_of(kernel_.body.begin(), kernel_.body.end(), [&](const kernel::Value &v) {
             return v.op == Op::kIndex && v.dim == inner_ &&
                    a_.isWanted(static_cast<std::size_t>(&v - kernel_.body.data()));
           });
  }

  void writeInner() {
    const std::string name = scheme_.axis(inner_).name;
    c_.lines.open("{");
    loadRegisters();
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      const Operand &op = scheme_.operands[o];
      if (!a_.isTouched(o) || op.isInMram || a_.isFixed(op)) continue;
      c_.lines.add("{0}q_{1} = p_{1};", Accesses::pointerType(op), op.name);
    }
    if (scheme_.isBounded(inner_)) {
      writeBounds(inner_);
      c_.lines.add("uint32_t i_{0} = first_{0};", name);
      c_.lines.open("for (uint32_t left = end_{0} - first_{0}; left != 0; --left) {{", name);
      writeChunk(1);
      c_.lines.close();
      storeRegisters();
      return c_.lines.close();
    }
    if (tracksIndex()) c_.lines.add("uint32_t i_{} = 0;", name);
    if (a_.unroll() > 1) {
      c_.lines.open("for (uint32_t left = n_{} / {}; left != 0; --left) {{", name, a_.unroll());
      writeChunk(a_.unroll());
      c_.lines.close();
      c_.lines.open("for (uint32_t left = n_{} % {}; left != 0; --left) {{", name, a_.unroll());
    } else {
      c_.lines.open("for (uint32_t left = n_{}; left != 0; --left) {{", name);
    }
    writeChunk(1);
    c_.lines.close();
    storeRegisters();
    c_.lines.close();
  }

  /// `count` points, two at a time where words of 8 bytes hold two.
  void writeChunk(int count) {
    const int step = count > 1 ? 2 : 1;
    for (int u = 0; u < count; u += step) {
      if (step == 2) point_.openPair(u);
      for (int i = 0; i < step; ++i) element(u + i, step);
      if (step == 2) point_.closePair(u);
    }
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      const Operand &op = scheme_.operands[o];
      if (!a_.isTouched(o) || op.isInMram || a_.isFixed(op)) continue;
      if (const auto fixed = a_.fixedStride(op, inner_)) c_.lines.add("q_{} += {};", op.name, count * *fixed);
    }
    if (tracksIndex()) c_.lines.add("i_{} += {};", scheme_.axis(inner_).name, count);
  }

  /// Point `u` of a chunk, with what it does to pointers that move by no fixed number of elements.
  void element(int u, int step) {
    c_.lines.open("{");
    const std::size_t opened = a_.guardsInner() ? writeGuards(a_.depthOfInner()) : 0;
    point_.write(u, step);
    for (std::size_t i = 0; i < opened; ++i) c_.lines.close();
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      const Operand &op = scheme_.operands[o];
      if (!a_.isTouched(o) || op.isInMram || a_.isFixed(op) || a_.fixedStride(op, inner_)) continue;
      c_.lines.add("q_{} = {};", op.name, Accesses::moved(op, "q_" + op.name, a_.stride(op, inner_)));
    }
    c_.lines.close();
  }

  Context &c_;
  const Accesses a_;
  Point point_;
  const Scheme &scheme_;
  const kernel::Kernel &kernel_;
  int inner_;
};

}  // namespace

void writeLoops(Context &context) {
  Loops(context).write();
}

}  // namespace pimento::targets::upmem::compiled
