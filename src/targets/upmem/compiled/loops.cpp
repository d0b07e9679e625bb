#include "pimento/targets/upmem/compiled/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "pimento/kernel/data_bounds.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;
using kernel::Op;

void Lines::add(const std::string &line) {
  text_ += line.empty() ? "\n" : std::string(2 * depth_, ' ') + line + "\n";
}

void Lines::open(const std::string &line) {
  add(line);
  ++depth_;
}

void Lines::close(const std::string &behind) {
  --depth_;
  add("}" + behind);
}

std::string Context::mramPitch(const Operand &o, std::size_t p) const {
  return p + 1 == o.positions.size() ? std::to_string(o.size())
                                     : argument(fmt::format("mram_pitch_{}_{}", o.name, p), o.home.pitch[p]);
}

std::string Context::wramPitch(const Operand &o, std::size_t p) const {
  return p + 1 == o.positions.size() ? std::to_string(o.size())
                                     : argument(fmt::format("wram_pitch_{}_{}", o.name, p), o.near.pitch[p]);
}

std::string Context::points(int dim) const {
  const Axis &a = scheme.axis(dim);
  if (a.range == 1) return "1";
  return a.isWhole ? argument("range_" + a.name, a.range) : "n_" + a.name;
}

bool needsFill(const Scheme &scheme, const Operand &o) {
  if (o.use == Use::kTable) return true;
  if (o.use != Use::kPartial || scheme.isScan) return false;
  if (!scheme.kernel().guards.empty() || !scheme.kernel().bounds.empty()) return true;
  for (const int d : scheme.nest) {
    if (o.involves(d)) continue;
    if (d != scheme.inner() || scheme.axis(d).isTiled()) return true;
  }
  return false;
}

namespace {

constexpr std::int64_t kPair = 8;
constexpr int kMostUnrolled = 8;

class Loops {
 public:
  explicit Loops(Context &c) : c_(c), scheme_(c.scheme), kernel_(c.scheme.kernel()), inner_(c.scheme.inner()) {
    choose();
  }

  void write() {
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o)
      if (isTouched(o)) start(scheme_.operands[o]);
    if (selected_ != nullptr) c_.lines.add("{0}k_{1} = kept_{1};", pointerType(*selected_), selected_->name);
    const std::size_t closed = writeGuards(-1);
    writeLevel(0);
    for (std::size_t i = 0; i < closed; ++i) c_.lines.close();
    if (selected_ != nullptr) c_.lines.add("kept_{0} = k_{0};", selected_->name);
  }

 private:
  const Operand &operand(const Reference &r) const { return scheme_.operands[static_cast<std::size_t>(r.operand)]; }

  // ---- What is used ----

  void choose() {
    wanted_.assign(kernel_.body.size(), false);
    const auto want = [&](int v) {
      if (v >= 0) wanted_[static_cast<std::size_t>(v)] = true;
    };
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      if (!c_.stores[s]) continue;
      want(kernel_.stores[s].value);
      want(kernel_.stores[s].target.indirectIndex);
      if (operand(scheme_.stores[s]).use == Use::kSelected) selected_ = &operand(scheme_.stores[s]);
    }
    want(kernel_.predicate);
    for (std::size_t v = kernel_.body.size(); v-- > 0;) {
      if (wanted_[v] && kernel_.body[v].op == Op::kLoad) want(accessOf(kernel_.body[v]).indirectIndex);
      for (int a = 0; wanted_[v] && a < kernel::argumentCount(kernel_.body[v].op); ++a)
        want(kernel_.body[v].args[static_cast<std::size_t>(a)]);
    }
    touched_.assign(scheme_.operands.size(), false);
    for (std::size_t v = 0; v < kernel_.body.size(); ++v)
      if (wanted_[v] && kernel_.body[v].op == Op::kLoad) touched_[operandOfLoad(v)] = true;
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (c_.stores[s]) touched_[static_cast<std::size_t>(scheme_.stores[s].operand)] = true;
    for (const kernel::DataBounds &b : kernel_.bounds)
      for (const int v : kernel::valuesBelow(kernel_, b))
        if (kernel_.body[static_cast<std::size_t>(v)].op == Op::kLoad)
          touched_[operandOfLoad(static_cast<std::size_t>(v))] = true;
    guardsInner_ = false;
    for (const kernel::Affine &g : kernel_.guards) guardsInner_ |= inner_ >= 0 && depthOf(g) == depthOfInner();
    unroll_ = unrolling();
  }

  const kernel::Access &accessOf(const kernel::Value &load) const {
    return kernel_.loads[static_cast<std::size_t>(load.access)];
  }
  std::size_t operandOfLoad(std::size_t v) const {
    return static_cast<std::size_t>(scheme_.loads[static_cast<std::size_t>(kernel_.body[v].access)].operand);
  }
  bool isTouched(std::size_t o) const { return touched_[o] && scheme_.operands[o].use != Use::kSelected; }

  int depthOfInner() const { return static_cast<int>(scheme_.nest.size()) - 1; }
  int depthOf(const kernel::Affine &g) const {
    int depth = -1;
    for (std::size_t n = 0; n < scheme_.nest.size(); ++n)
      if (g.coefficients[static_cast<std::size_t>(scheme_.nest[n])] != 0) depth = static_cast<int>(n);
    return depth;
  }

  /// How many points of the innermost loop are written out: what is short costs a loop's overhead most.
  int unrolling() const {
    if (inner_ < 0 || guardsInner_ || scheme_.isBounded(inner_)) return 1;
    int size = 0;
    for (std::size_t v = 0; v < kernel_.body.size(); ++v) {
      if (!wanted_[v]) continue;
      const kernel::Value &value = kernel_.body[v];
      const bool isCall = (isFloat(value.type) || value.op == Op::kDiv || value.op == Op::kRem) &&
                          value.op != Op::kLoad && value.op != Op::kConstant;
      size += isCall ? 6 : sizeOf(value.type).value == 8 ? 2 : 1;
    }
    for (const Operand &o : scheme_.operands) {
      if (o.isInMram) return 1;
      if (o.use == Use::kInPlace && o.involves(inner_)) return 1;
    }
    constexpr int kShort = 7, kLong = 14, kLonger = 28;
    return size <= kShort ? kMostUnrolled : size <= kLong ? 4 : size <= kLonger ? 2 : 1;
  }

  // ---- Addresses ----

  /// Elements from one point of dim `d` to the next; nothing where it is no number known now.
  std::optional<std::int64_t> fixedStride(const Operand &o, int d) const {
    std::int64_t stride = 0;
    for (std::size_t p = 0; p < o.positions.size(); ++p) {
      const std::int64_t c = o.positions[p].coefficient[static_cast<std::size_t>(d)];
      if (c == 0) continue;
      if (p + 1 != o.positions.size()) return std::nullopt;
      stride += c;
    }
    return stride;
  }

  /// Bytes from one point of dim `d` to the next, as text.
  std::string stride(const Operand &o, int d) const {
    std::string sum;
    for (std::size_t p = 0; p < o.positions.size(); ++p) {
      const std::int64_t c = o.positions[p].coefficient[static_cast<std::size_t>(d)];
      if (c == 0) continue;
      sum += fmt::format("{}{} * (int32_t){}", sum.empty() ? "" : " + ", c, c_.wramPitch(o, p));
    }
    return sum;
  }

  static std::string pointerType(const Operand &o) { return memoryType(o.type) + " *"; }
  static std::string moved(const Operand &o, const std::string &pointer, const std::string &bytes) {
    return fmt::format("({})((uint8_t *){} + {})", pointerType(o), pointer, bytes);
  }

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
        from =
            moved(o, from, fmt::format("{} * ({} - 1) * {}", -c, c_.points(static_cast<int>(d)), c_.wramPitch(o, p)));
      }
    c_.lines.add("{}p_{} = {};", pointerType(o), o.name, from);
  }

  /// The distance of an access from its operand's pointer, in elements.
  std::string offset(const Reference &r) const {
    const Operand &o = operand(r);
    std::string sum;
    for (std::size_t p = 0; p + 1 < o.positions.size(); ++p)
      if (r.delta[p] != 0) sum += fmt::format(" + {} * ({} / {})", r.delta[p], c_.wramPitch(o, p), o.size());
    return sum;
  }
  static std::int64_t lastDelta(const Reference &r) { return r.delta.empty() ? 0 : r.delta.back(); }

  // ---- Levels ----

  std::size_t writeGuards(int depth) {
    std::size_t opened = 0;
    for (const kernel::Affine &g : kernel_.guards) {
      if (depthOf(g) != depth) continue;
      c_.lines.open("if ({} >= 0) {{", affine(g));
      ++opened;
    }
    return opened;
  }

  std::string coordinate(std::size_t d) const {
    const Axis &a = scheme_.axes[d];
    if (scheme_.isBounded(static_cast<int>(d))) return fmt::format("(int32_t)i_{}", a.name);
    std::string x = c_.base(static_cast<int>(d));
    if (a.threads() > 1) x += fmt::format(" + (int32_t)low_{}", a.name);
    if (a.range > 1 && a.isTiled()) x += fmt::format(" + (int32_t)at_{}", a.name);
    if (a.range > 1) x += fmt::format(" + (int32_t)i_{}", a.name);
    return x;
  }

  std::string affine(const kernel::Affine &g) const {
    std::int64_t most = std::abs(g.constant);
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
      most = std::max(most, std::abs(g.coefficients[d]) * scheme_.axes[d].extent);
    const char *wide = most >= (std::int64_t{1} << 27) ? "(int64_t)" : "";
    std::string sum;
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
      if (g.coefficients[d] != 0) sum += fmt::format("{}{} * ({}) + ", wide, g.coefficients[d], coordinate(d));
    return fmt::format("{}{}{}", sum, g.constant, *wide != 0 ? "LL" : "");
  }

  void writeLevel(std::size_t depth) {
    if (depth >= scheme_.nest.size()) return writePoint();
    if (depth + 1 == scheme_.nest.size()) return writeInner();
    const int d = scheme_.nest[depth];
    const std::string name = scheme_.axis(d).name;
    const auto each = [&](auto &&line) {
      for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
        const Operand &op = scheme_.operands[o];
        if (isTouched(o) && !op.isInMram && op.involves(d)) c_.lines.add(line(op));
      }
    };
    if (depth > 0)
      each([&](const Operand &o) { return fmt::format("{}s{}_{} = p_{};", pointerType(o), depth, o.name, o.name); });
    if (scheme_.isBounded(d)) {
      writeBounds(d);
      c_.lines.open("for (uint32_t i_{0} = first_{0}; i_{0} < end_{0}; ++i_{0}) {{", name);
    } else {
      c_.lines.open("for (uint32_t i_{0} = 0; i_{0} < n_{0}; ++i_{0}) {{", name);
    }
    const std::size_t opened = writeGuards(static_cast<int>(depth));
    writeLevel(depth + 1);
    for (std::size_t i = 0; i < opened; ++i) c_.lines.close();
    each([&](const Operand &o) { return fmt::format("p_{} = {};", o.name, moved(o, "p_" + o.name, stride(o, d))); });
    c_.lines.close();
    if (depth > 0) each([&](const Operand &o) { return fmt::format("p_{} = s{}_{};", o.name, depth, o.name); });
  }

  /// Where a dim that data bound runs: first_NAME, and end_NAME, which is no less.
  void writeBounds(int d) {
    const kernel::DataBounds &b = *kernel_.boundsOf(d);
    const std::string &name = scheme_.axis(d).name;
    for (const int v : kernel::valuesBelow(kernel_, b)) writeValue(static_cast<std::size_t>(v), 0, 1);
    const auto bound = [&](int value, const std::string &otherwise) {
      return value < 0 ? otherwise : fmt::format("v{}", value);
    };
    const std::string first = bound(b.first, "0"),
                      end = bound(b.end, c_.argument("most_" + name, scheme_.axis(d).extent));
    const bool isPlain = b.first >= 0 && b.end >= 0 && typeOf(b.first) == DType::kI32 && typeOf(b.end) == DType::kI32;
    c_.lines.add("const uint32_t first_{} = (uint32_t){};", name, first);
    c_.lines.add("const uint32_t end_{0} = {1}{2} < {1}{3} ? (uint32_t){3} : first_{0};", name,
                 isPlain ? "" : "(int64_t)", first, end);
  }
  DType typeOf(int value) const { return kernel_.body[static_cast<std::size_t>(value)].type; }

  // ---- The innermost loop ----

  bool isFixed(const Operand &o) const { return inner_ < 0 || !o.involves(inner_); }

  /// Kept in a variable while the innermost loop runs: every access is to the same element.
  bool isInRegister(std::size_t number) const {
    const Operand &o = scheme_.operands[number];
    if (!touched_[number] || o.isShared() || o.isInMram || o.use == Use::kSelected || o.use == Use::kTable ||
        !isFixed(o))
      return false;
    const Reference *first = nullptr;
    const auto isSame = [&](const Reference &r) {
      if (r.operand != static_cast<int>(number)) return true;
      if (first == nullptr) first = &r;
      return r.delta == first->delta;
    };
    return std::all_of(scheme_.loads.begin(), scheme_.loads.end(), isSame) &&
           std::all_of(scheme_.stores.begin(), scheme_.stores.end(), isSame);
  }

  /// Two neighbours of 4 bytes are one word of 8.
  bool isPaired(const Operand &o, std::int64_t delta) const {
    if (unroll_ < 2 || o.size() * 2 != kPair || !o.isAligned || o.isInMram || delta % 2 != 0 || isFixed(o))
      return false;
    if (o.use != Use::kInput && o.use != Use::kWrite && o.use != Use::kPartial) return false;
    for (const int d : scheme_.nest)
      if (d != inner_ && o.positions.back().involves(d)) return false;
    return fixedStride(o, inner_) == 1;
  }

  const Reference *storeOf(std::size_t number) const {
    const int s = scheme_.operands[number].store;
    return s < 0 ? nullptr : &scheme_.stores[static_cast<std::size_t>(s)];
  }

  bool startsFromIdentity(const Operand &o) const {
    return o.use == Use::kPartial && !scheme_.isScan && !needsFill(scheme_, o);
  }
  std::string identity(const Operand &o) const { return identityOf(scheme_.storeOf(o).combine, o.type); }

  void loadRegisters() {
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      if (!isInRegister(o)) continue;
      const Operand &op = scheme_.operands[o];
      const std::string first =
          startsFromIdentity(op)
              ? identity(op)
              : c_.helpers.fromMemory(op.type,
                                      fmt::format("p_{}[{}{}]", op.name, lastDelta(*storeOf(o)), offset(*storeOf(o))));
      c_.lines.add("{} a_{} = {};", valueType(op.type), op.name, first);
    }
  }

  void storeRegisters() {
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      if (!isInRegister(o)) continue;
      const Operand &op = scheme_.operands[o];
      c_.lines.add("p_{}[{}{}] = {};", op.name, lastDelta(*storeOf(o)), offset(*storeOf(o)),
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
    return guardsInner_ || isInMram || scheme_.isBounded(inner_) ||
           std::any_of(kernel_.body.begin(), kernel_.body.end(), [&](const kernel::Value &v) {
             return v.op == Op::kIndex && v.dim == inner_ &&
                    wanted_[static_cast<std::size_t>(&v - kernel_.body.data())];
           });
  }

  void writeInner() {
    const std::string name = scheme_.axis(inner_).name;
    c_.lines.open("{");
    loadRegisters();
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      const Operand &op = scheme_.operands[o];
      if (!isTouched(o) || op.isInMram || isFixed(op)) continue;
      c_.lines.add("{0}q_{1} = p_{1};", pointerType(op), op.name);
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
    if (unroll_ > 1) {
      c_.lines.open("for (uint32_t left = n_{} / {}; left != 0; --left) {{", name, unroll_);
      writeChunk(unroll_);
      c_.lines.close();
      c_.lines.open("for (uint32_t left = n_{} % {}; left != 0; --left) {{", name, unroll_);
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
      if (step == 2) openPair(u);
      for (int i = 0; i < step; ++i) element(u + i, step);
      if (step == 2) closePair(u);
    }
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      const Operand &op = scheme_.operands[o];
      if (!isTouched(o) || op.isInMram || isFixed(op)) continue;
      if (const auto fixed = fixedStride(op, inner_)) c_.lines.add("q_{} += {};", op.name, count * *fixed);
    }
    if (tracksIndex()) c_.lines.add("i_{} += {};", scheme_.axis(inner_).name, count);
  }

  void openPair(int u) {
    pairs_.clear();
    for (std::size_t l = 0; l < scheme_.loads.size(); ++l) {
      const Reference &r = scheme_.loads[l];
      const Operand &o = operand(r);
      const bool isLoaded = std::any_of(kernel_.body.begin(), kernel_.body.end(), [&](const kernel::Value &v) {
        return v.op == Op::kLoad && v.access == static_cast<int>(l) &&
               wanted_[static_cast<std::size_t>(&v - kernel_.body.data())];
      });
      if (!isLoaded || !isPaired(o, lastDelta(r))) continue;
      const std::string word = fmt::format("w{}_{}", l, u);
      pairs_[static_cast<int>(l)] = word;
      c_.lines.add("const uint64_t {} = *(const uint64_t *)(q_{} + {}{});", word, o.name, u + lastDelta(r), offset(r));
    }
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (c_.stores[s] && isStoredInPairs(s)) c_.lines.add("uint32_t low_y{0}_{1}, high_y{0}_{1};", s, u);
  }

  bool isStoredInPairs(std::size_t s) const {
    const Reference &r = scheme_.stores[s];
    const Operand &o = operand(r);
    return isPaired(o, lastDelta(r)) && (o.use == Use::kWrite || startsFromIdentity(o));
  }

  void closePair(int u) {
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s) {
      if (!c_.stores[s] || !isStoredInPairs(s)) continue;
      const Reference &r = scheme_.stores[s];
      c_.lines.add("*(uint64_t *)(q_{0} + {1}{2}) = (uint64_t)high_y{3}_{4} << 32 | low_y{3}_{4};", operand(r).name,
                   u + lastDelta(r), offset(r), s, u);
    }
  }

  // ---- One point ----

  /// The element an access of point `u` of the chunk is to.
  std::string place(const Reference &r, int u) const {
    const Operand &o = operand(r);
    const bool moves = inner_ >= 0 && !isFixed(o);
    std::int64_t at = lastDelta(r);
    if (moves)
      if (const auto fixed = fixedStride(o, inner_)) at += u * *fixed;
    return fmt::format("{}_{}[{}{}]", moves ? "q" : "p", o.name, at, offset(r));
  }

  void element(int u, int step) {
    c_.lines.open("{");
    const std::size_t opened = guardsInner_ ? writeGuards(depthOfInner()) : 0;
    for (std::size_t v = 0; v < kernel_.body.size(); ++v)
      if (wanted_[v]) writeValue(v, u, step);
    if (kernel_.predicate >= 0) c_.lines.open("if (v{} != 0) {{", kernel_.predicate);
    for (std::size_t s = 0; s < kernel_.stores.size(); ++s)
      if (c_.stores[s]) writeStore(s, u, step);
    if (kernel_.predicate >= 0) c_.lines.close();
    for (std::size_t i = 0; i < opened; ++i) c_.lines.close();
    for (std::size_t o = 0; o < scheme_.operands.size(); ++o) {
      const Operand &op = scheme_.operands[o];
      if (!isTouched(o) || op.isInMram || isFixed(op) || fixedStride(op, inner_)) continue;
      c_.lines.add("q_{} = {};", op.name, moved(op, "q_" + op.name, stride(op, inner_)));
    }
    c_.lines.close();
  }

  std::string loaded(const kernel::Value &value, int u, int step) {
    const Reference &r = scheme_.loads[static_cast<std::size_t>(value.access)];
    const Operand &o = operand(r);
    if (isInRegister(static_cast<std::size_t>(r.operand))) return "a_" + o.name;
    const auto pair = pairs_.find(value.access);
    if (step == 2 && pair != pairs_.end())
      return c_.helpers.fromWord(
          o.type, fmt::format("(uint32_t){}", u % 2 == 0 ? pair->second : fmt::format("({} >> 32)", pair->second)));
    return c_.helpers.fromMemory(o.type, place(r, u));
  }

  void writeValue(std::size_t v, int u, int step) {
    const kernel::Value &value = kernel_.body[v];
    const auto arg = [&](std::size_t i) { return fmt::format("v{}", value.args[i]); };
    std::string text;
    switch (value.op) {
      case Op::kConstant:
        text = literal(value.type, value.constant, value.integer);
        break;
      case Op::kLoad:
        text = operand(scheme_.loads[static_cast<std::size_t>(value.access)]).isInMram ? fetched(v)
                                                                                       : loaded(value, u, step);
        break;
      case Op::kIndex: {
        const std::string wide = sizeOf(value.type).value == 8 ? "(int64_t)" : "";
        text =
            fmt::format("({})({}({}){})", valueType(value.type), wide, coordinate(static_cast<std::size_t>(value.dim)),
                        value.dim == inner_ && u > 0 ? fmt::format(" + {}", u) : "");
        break;
      }
      case Op::kSelect:
        text = fmt::format("{} != 0 ? {} : {}", arg(0), arg(1), arg(2));
        break;
      case Op::kCast:
        text = c_.helpers.convert(kernel_.body[static_cast<std::size_t>(value.args[0])].type, value.type, arg(0));
        break;
      default:
        text = operation(value, arg(0), kernel::argumentCount(value.op) > 1 ? arg(1) : "");
    }
    c_.lines.add("const {} v{} = {};", valueType(value.type), v, text);
  }

  /// Shifts and divisions by constants need none of their corners.
  std::string operation(const kernel::Value &value, const std::string &a, const std::string &b) {
    const bool isCounted = value.op == Op::kShl || value.op == Op::kShr || value.op == Op::kDiv || value.op == Op::kRem;
    if (isCounted && !isFloat(value.type)) {
      const kernel::Value &second = kernel_.body[static_cast<std::size_t>(value.args[1])];
      const bool isShift = value.op == Op::kShl || value.op == Op::kShr;
      const std::int64_t n = second.op == Op::kConstant ? wrapInteger(second.type, second.integer) : -1;
      const std::string type = valueType(value.type);
      if (isShift && n >= 0 && n < 8 * sizeOf(value.type).value)
        return value.op == Op::kShr ? fmt::format("({})({} >> {})", type, a, b)
                                    : fmt::format("({})(({}){} << {})", type,
                                                  sizeOf(value.type).value == 8 ? "uint64_t" : "uint32_t", a, b);
      if (!isShift && second.op == Op::kConstant && n > 0)
        return fmt::format("({})({} {} {})", type, a, value.op == Op::kDiv ? "/" : "%", b);
    }
    const DType type = value.op >= Op::kCmpEq && value.op <= Op::kCmpGe
                           ? kernel_.body[static_cast<std::size_t>(value.args[0])].type
                           : value.type;
    return c_.helpers.operation(value.op, type, a, b);
  }

  void writeStore(std::size_t s, int u, int step) {
    const kernel::Store &st = kernel_.stores[s];
    const Reference &r = scheme_.stores[s];
    const Operand &o = operand(r);
    const std::string x =
        c_.helpers.convert(kernel_.body[static_cast<std::size_t>(st.value)].type, o.type, fmt::format("v{}", st.value));
    const bool isSum = o.use != Use::kWrite && st.combine != Combine::kAssign;
    const auto summed = [&](const std::string &old) {
      c_.lines.add("const {} y{} = {};", valueType(o.type), s, x);
      return c_.helpers.operation(kernel::opOf(st.combine), o.type, old, fmt::format("y{}", s));
    };
    if (o.use == Use::kSelected) {
      c_.lines.add("*k_{}++ = {};", o.name, c_.helpers.toMemory(o.type, x));
    } else if (o.use == Use::kTable || o.isInMram) {
      writeTable(s, x);
    } else if (isInRegister(static_cast<std::size_t>(r.operand))) {
      c_.lines.add("a_{} = {};", o.name, isSum ? summed("a_" + o.name) : x);
    } else if (step == 2 && isStoredInPairs(s)) {
      const std::string y = o.use == Use::kPartial ? summed(identity(o)) : x;
      c_.lines.add("{}_y{}_{} = {};", u % 2 == 0 ? "low" : "high", s, u - u % 2,
                   c_.helpers.toWord(o.type, fmt::format("({})", y)));
    } else {
      const std::string to = place(r, u);
      std::string y = x;
      if (isSum && startsFromIdentity(o)) y = summed(identity(o));
      if (isSum && !startsFromIdentity(o)) {
        c_.lines.add("const {} o{} = {};", valueType(o.type), s, c_.helpers.fromMemory(o.type, to));
        y = summed(fmt::format("o{}", s));
      }
      c_.lines.add("{} = {};", to, c_.helpers.toMemory(o.type, y));
    }
  }

  // ---- Elements in MRAM ----

  /// Where an access lies in its operand's array in MRAM: m_NAME and bytes.
  std::string addressOf(const kernel::Access &access, const Reference &r) {
    const Operand &o = operand(r);
    std::string from = "m_" + o.name;
    for (std::size_t p = 0; p < o.positions.size(); ++p) {
      const Position &position = o.positions[p];
      const std::string pitch = c_.mramPitch(o, p);
      if (position.isWhole) {
        const bool isData = access.indirectAt == static_cast<int>(position.index);
        from += fmt::format(" + (uint32_t)({}) * {}",
                            isData ? fmt::format("v{}", access.indirectIndex) : affine(access.index[position.index]),
                            pitch);
        continue;
      }
      if (r.delta[p] != 0) from += fmt::format(" + {} * {}", r.delta[p], pitch);
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
        if (const std::int64_t c = position.coefficient[d]; c != 0)
          if (const std::string at = inArray(d, o.line > kUnit); !at.empty())
            from += fmt::format(" + {} * ({}) * {}", c, at, pitch);
    }
    return from;
  }

  /// A point's value of dim `d` from the first in its tasklet, or (`ofUnit`) in its DPU, where at_NAME lies; empty: 0.
  std::string inArray(std::size_t d, bool ofUnit) const {
    const Axis &a = scheme_.axes[d];
    std::string at;
    const auto add = [&](const std::string &part) { at += (at.empty() ? "" : " + ") + part; };
    if (ofUnit && a.threads() > 1) add("low_" + a.name);
    if (a.range > 1 && a.isTiled()) add("at_" + a.name);
    if (a.range > 1) add("i_" + a.name);
    return at;
  }

  /// Reads the 8 bytes around an element into b_NAME; eTAG points to it.
  void fetch(const kernel::Access &access, const Reference &r, const std::string &tag) {
    const Operand &o = operand(r);
    if (o.line > kUnit) return fetchLine(access, r, tag);
    c_.lines.add("const __mram_ptr uint8_t *f{} = {};", tag, addressOf(access, r));
    c_.lines.add("__mram_ptr uint8_t *u{0} = (__mram_ptr uint8_t *)((uintptr_t)f{0} & ~(uintptr_t)7);", tag);
    c_.lines.add("mram_read(u{}, b_{}, 8);", tag, o.name);
    c_.lines.add("{0} *e{1} = ({0} *)((uint8_t *)b_{2} + ((uintptr_t)f{1} & 7));", memoryType(o.type), tag, o.name);
  }

  /// The same of an operand that comes in lines, into b_NAME unless the line is there.
  void fetchLine(const kernel::Access &access, const Reference &r, const std::string &tag) {
    const Operand &o = operand(r);
    c_.lines.add("const uint32_t f{0} = (uint32_t)(uintptr_t)({1}) - (uint32_t)(uintptr_t)m_{2};", tag,
                 addressOf(access, r), o.name);
    c_.lines.open("if ((f{} & ~{}u) != line_{}) {{", tag, o.line - 1, o.name);
    c_.lines.add("line_{} = f{} & ~{}u;", o.name, tag, o.line - 1);
    c_.lines.add("mram_read(m_{0} + line_{0}, b_{0}, {1});", o.name, o.line);
    c_.lines.close();
    c_.lines.add("{0} *e{1} = ({0} *)((uint8_t *)b_{2} + (f{1} & {3}u));", memoryType(o.type), tag, o.name, o.line - 1);
  }

  std::string fetched(std::size_t v) {
    const kernel::Value &value = kernel_.body[v];
    const Reference &r = scheme_.loads[static_cast<std::size_t>(value.access)];
    fetch(accessOf(value), r, fmt::format("_{}", v));
    return c_.helpers.fromMemory(operand(r).type, fmt::format("*e_{}", v));
  }

  /// An element chosen by a value, or of a tensor that is updated anywhere.
  void writeTable(std::size_t s, const std::string &x) {
    const kernel::Store &st = kernel_.stores[s];
    const Operand &o = operand(scheme_.stores[s]);
    const std::string type = valueType(o.type);
    const auto next = [&](const std::string &old) {
      c_.lines.add("const {} y{} = {};", type, s, x);
      if (st.combine == Combine::kAssign) return fmt::format("y{}", s);
      c_.lines.add("const {} o{} = {};", type, s, c_.helpers.fromMemory(o.type, old));
      return c_.helpers.operation(kernel::opOf(st.combine), o.type, fmt::format("o{}", s), fmt::format("y{}", s));
    };
    if (!o.isInMram) {
      c_.lines.add("{} *e{} = &{};", memoryType(o.type), s, chosen(s));
      const std::string y = next(fmt::format("*e{}", s));
      c_.lines.add("*e{} = {};", s, c_.helpers.toMemory(o.type, y));
      return;
    }
    // A whole transfer there and back: no other tasklet has this array.
    fetch(st.target, scheme_.stores[s], std::to_string(s));
    const std::string y = next(fmt::format("*e{}", s));
    c_.lines.add("*e{} = {};", s, c_.helpers.toMemory(o.type, y));
    c_.lines.add("mram_write(b_{}, u{}, 8);", o.name, s);
  }

  /// The element of a table in WRAM.
  std::string chosen(std::size_t s) const {
    const Reference &r = scheme_.stores[s];
    const Operand &o = operand(r);
    const bool moves = inner_ >= 0 && !isFixed(o);
    std::string at = fmt::format("v{}", kernel_.stores[s].target.indirectIndex);
    for (std::size_t p = 0; p + 1 < o.positions.size(); ++p)
      if (o.positions[p].isWhole) at += fmt::format(" * ({} / {})", c_.wramPitch(o, p), o.size());
    return fmt::format("{}_{}[{}{}]", moves ? "q" : "p", o.name, at, offset(r));
  }

  Context &c_;
  const Scheme &scheme_;
  const kernel::Kernel &kernel_;
  int inner_;
  std::vector<bool> wanted_, touched_;
  bool guardsInner_ = false;
  int unroll_ = 1;
  std::map<int, std::string> pairs_;  ///< words by load
  const Operand *selected_ = nullptr;
};

}  // namespace

void writeLoops(Context &context) {
  Loops(context).write();
}

}  // namespace pimento::targets::upmem::compiled
