#include "pimento/targets/upmem/compiled/host_functions.h"

#include <fmt/format.h>

#include <algorithm>

namespace pimento::targets::upmem::compiled {

using kernel::Combine;

namespace {

/// " + 3 * name", " - name", nothing where `factor` is 0.
std::string term(std::int64_t factor, const std::string &name) {
  if (factor == 0) return "";
  const std::int64_t size = factor < 0 ? -factor : factor;
  return fmt::format(" {} {}{}", factor < 0 ? '-' : '+', size == 1 ? "" : fmt::format("{} * ", size), name);
}

}  // namespace

std::string HostFunctions::gather(const Operand &o) const {
  const auto sizes = scheme_.sizesOf(o);
  Lines lines;
  lines.add("(void)first;");
  std::string from, into;
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const Position &position = o.positions[p];
    std::int64_t constant = position.origin;
    std::string index;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const std::int64_t c = position.coefficient[d];
      if (c < 0) constant += position.step * c * (sizes[d] - 1);
      index += term(position.step * c, fmt::format("first[{}]", d));
    }
    const std::int64_t extent = position.extent(sizes);
    lines.open("for (int64_t k{0} = 0; k{0} < {1}; ++k{0}) {{", p, extent);
    lines.add("const int64_t i{} = {}{}{};", p, constant, index, term(position.step, fmt::format("k{}", p)));
    lines.add("if (i{0} < 0 || i{0} >= {1}) continue;", p, position.limit);
    from += term(position.stride, fmt::format("i{}", p));
    into += term(o.home.pitch[p], fmt::format("k{}", p));
  }
  lines.add("memcpy(to{}, tensor{}, {});", into, from, o.size());
  for (std::size_t p = 0; p < o.positions.size(); ++p) lines.close();
  return fmt::format("static void gather_{}{}(const int64_t *first, const {} *tensor, uint8_t *to) {{\n{}}}\n\n",
                     o.name, suffix_, memory(o.tensor), lines.text());
}

/// Leaves out an index that only points which no guard lets run have.
void HostFunctions::writeBounds(Lines &lines, const Position &p, std::int64_t delta,
                                const std::function<std::string(std::size_t)> &value) const {
  std::int64_t low = p.origin + p.step * delta, high = low;
  std::string index = std::to_string(low);
  for (std::size_t d = 0; d < p.coefficient.size(); ++d) {
    const std::int64_t c = p.step * p.coefficient[d], most = c * (scheme_.axes[d].extent - 1);
    (most < 0 ? low : high) += most;
    index += term(c, value(d));
  }
  if (low < 0 || high >= p.limit) lines.add("if ({0} < 0 || {0} >= {1}) continue;", index, p.limit);
}

/// Opens loops over the elements of an operand that are a tasklet's, with `at` (a byte) and `element`.
std::size_t HostFunctions::openEach(Lines &lines, const Operand &o, bool heedsGuards) const {
  heedsGuards = heedsGuards && !o.isAnywhere();
  const Reference &r = scheme_.stores[static_cast<std::size_t>(o.store)];
  const auto &guards = scheme_.kernel().guards;
  std::size_t depth = 0;
  std::vector<std::string> point(scheme_.axes.size());
  for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
    const bool isGuarded =
        heedsGuards && std::any_of(guards.begin(), guards.end(), [d](auto &g) { return g.coefficients[d] != 0; });
    if (!o.involves(static_cast<int>(d)) && !isGuarded) continue;
    point[d] = fmt::format("p{}", d);
    lines.open("for (int64_t p{0} = 0; p{0} < points(&mapping{1}, valid, low, {0}); ++p{0}) {{", d, suffix_);
    ++depth;
  }
  const auto value = [&](std::size_t d) {
    return point[d].empty() ? fmt::format("(base[{0}] + low[{0}])", d)
                            : fmt::format("(base[{0}] + low[{0}] + {1})", d, point[d]);
  };
  for (std::size_t g = 0; heedsGuards && g < guards.size(); ++g) {
    std::string sum = std::to_string(guards[g].constant);
    for (std::size_t d = 0; d < point.size(); ++d) sum += term(guards[g].coefficients[d], value(d));
    lines.add("if ({} < 0) continue;", sum);
  }
  std::int64_t atFirst = 0, elementFirst = 0;
  std::string at, element;
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const Position &position = o.positions[p];
    if (position.isWhole) {
      lines.open("for (int64_t k{0} = 0; k{0} < {1}; ++k{0}) {{", p, position.limit);
      ++depth;
      at += term(o.home.pitch[p], fmt::format("k{}", p));
      element += term(position.stride, fmt::format("k{}", p));
      continue;
    }
    const std::int64_t stride = position.stride;
    if (!heedsGuards) writeBounds(lines, position, r.delta[p], value);
    atFirst += r.delta[p] * o.home.pitch[p];
    elementFirst += (position.origin + position.step * r.delta[p]) * stride;
    for (std::size_t d = 0; d < point.size(); ++d) {
      const std::int64_t c = position.coefficient[d];
      if (c == 0) continue;
      at += term(c * o.home.pitch[p], point[d]);
      element += term(c * position.step * stride, value(d));
      if (c < 0) atFirst += -c * (scheme_.axes[d].range - 1) * o.home.pitch[p];
    }
  }
  lines.add("const int64_t at = {}{}, element = {}{};", atFirst, at, elementFirst, element);
  return depth;
}

/// Opens a loop over tasklets, with their first values in `low`.
void HostFunctions::openTasklets(Lines &lines, const std::string &step) const {
  lines.open("for (int64_t tasklet = 0; tasklet < mapping{}.tasklets; ++tasklet{}) {{", suffix_, step);
  lines.add("int64_t low[{}];", scheme_.axes.size() + 1);
  lines.add("share_of_tasklet(&mapping{}, tasklet, low);", suffix_);
}

std::string HostFunctions::selection(const Operand &o) const {
  Lines lines;
  openTasklets(lines, fmt::format(", from += {}", o.home.bytes));
  lines.add("if (is_idle(&mapping{}, valid, low)) continue;", suffix_);
  lines.add("memcpy(tensor + *kept, from, counts[tasklet] * {});", o.size());
  lines.add("*kept += (int64_t)counts[tasklet];");
  lines.close();
  return fmt::format(
      "/// What its tasklets kept, without gaps; counts are 8 bytes each.\nstatic void collect_{}{}(const int64_t "
      "*valid, const uint8_t *from, const uint64_t *counts, int64_t *kept, {} *tensor) {{\n{}}}\n\n",
      o.name, suffix_, memory(o.tensor), lines.text());
}

/// Is what a tasklet found part of another one's array? As C; empty: never.
std::string HostFunctions::othersHave(const Operand &o) const {
  std::string text;
  for (std::size_t d = 0; o.isMerged && d < scheme_.axes.size(); ++d)
    if (scheme_.axes[d].threads() > 1 && !o.involves(static_cast<int>(d)))
      text += fmt::format("{}low[{}] != 0", text.empty() ? "" : " || ", d);
  return text;
}

std::string HostFunctions::collect(const Operand &o) {
  const std::string type = memoryType(o.type);
  Lines lines;
  if (o.use == Use::kSelected) return selection(o);
  lines.add("(void)base;");
  openTasklets(lines, o.isMerged ? "" : fmt::format(", from += {}", o.home.bytes));
  if (const std::string others = othersHave(o); !others.empty())
    lines.add("if ({}) continue;  // merged by the DPU", others);
  const std::size_t depth = openEach(lines, o, !o.isPartial());
  lines.add("{} x;", type);
  lines.add("memcpy(&x, from + at, sizeof x);");
  writeAdding(lines, o);
  for (std::size_t i = 0; i < depth; ++i) lines.close();
  if (o.isMerged) lines.add("from += {};", o.home.bytes);
  lines.close();
  std::string target =
      isSum(o) ? fmt::format("struct sums_{}{} *sums", o.name, suffix_) : fmt::format("{} *tensor", memory(o.tensor));
  if (o.hasCarry) target += fmt::format(", {} before", valueType(scheme_.carry().type));
  return fmt::format(
      "/// Adds one DPU's results.\nstatic void collect_{}{}(const int64_t *base, const int64_t *valid, const uint8_t "
      "*from, {}) {{\n{}}}\n\n",
      o.name, suffix_, target, lines.text());
}

std::string HostFunctions::carrying(const Operand &o) {
  Lines lines;
  openTasklets(lines, fmt::format(", from += {}", o.home.bytes));
  lines.add("if (is_idle(&mapping{}, valid, low)) continue;", suffix_);
  lines.add("{} x;", valueType(o.type));
  lines.add("memcpy(&x, from, sizeof x);");
  lines.add("before = {};", helpers_.operation(kernel::opOf(scheme_.storeOf(o).combine), o.type, "before", "x"));
  lines.close();
  lines.add("return before;");
  return fmt::format(
      "/// What comes before the next DPU.\nstatic {0} carry_{1}{2}(const int64_t *valid, const uint8_t *from, {0} "
      "before) {{\n{3}}}\n\n",
      valueType(o.type), o.name, suffix_, lines.text());
}

void HostFunctions::writeAdding(Lines &lines, const Operand &o) {
  const kernel::Store &store = scheme_.storeOf(o);
  const DType type = tensorOf(o.tensor).type;
  if (isSum(o)) {
    lines.add("merge_{0}{2}(sums, element, is_idle(&mapping{2}, valid, low) ? {1} : x);", o.name,
              identityOf(store.combine, o.type), suffix_);
  } else if (o.hasCarry) {
    const std::string both =
        helpers_.operation(kernel::opOf(scheme_.storeOf(scheme_.carry()).combine), type, "before", "x");
    lines.add("tensor[element] = {};", both);
  } else if (o.use == Use::kWrite && store.combine != Combine::kAssign) {
    const std::string value = valueType(type);
    lines.add("const {} sum = {}, more = {};", value, helpers_.fromMemory(type, "tensor[element]"),
              helpers_.fromMemory(type, "x"));
    const std::string both = helpers_.operation(kernel::opOf(store.combine), type, "sum", "more");
    lines.add("const {} both = {};", value, both);
    lines.add("tensor[element] = {};", helpers_.toMemory(type, "both"));
  } else {
    lines.add("tensor[element] = x;");
  }
}

std::string HostFunctions::merging(const Operand &o) {
  const std::string both =
      helpers_.operation(kernel::opOf(scheme_.storeOf(o).combine), o.type, "sums->value[element]", "x");
  return fmt::format(R"(/// Partial results by element, as far as there are any.
struct sums_{0} {{
  {1} *value;
  uint8_t *is_there;
  int64_t *touched, count;
}};

static void merge_{0}(struct sums_{0} *sums, int64_t element, {1} x) {{
  if (sums->is_there[element]) {{
    sums->value[element] = {2};
    return;
  }}
  sums->is_there[element] = 1;
  sums->touched[sums->count++] = element;
  sums->value[element] = x;
}}

/// Moves what one level has into the next.
static void close_{0}(struct sums_{0} *from, struct sums_{0} *to) {{
  for (int64_t i = 0; i < from->count; ++i) {{
    const int64_t element = from->touched[i];
    merge_{0}(to, element, from->value[element]);
    from->is_there[element] = 0;
  }}
  from->count = 0;
}}

)",
                     o.name + suffix_, valueType(o.type), both);
}

}  // namespace pimento::targets::upmem::compiled
