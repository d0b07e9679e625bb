#include "pimento/targets/upmem/compiled/host_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/kernel/linear.h"

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

/// Opens loops over the elements of an operand that are a tasklet's, with `at` (a byte) and `element`.
std::size_t HostFunctions::openEach(Lines &lines, const Operand &o) const {
  const auto guards = scheme_.guardsOf(o);
  std::size_t depth = 0;
  for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
    const bool isGuarded = std::any_of(guards.begin(), guards.end(), [d](auto &g) { return g.coefficients[d] != 0; });
    if (!o.involves(static_cast<int>(d)) && !isGuarded) continue;
    lines.open("for (int64_t p{0} = 0; p{0} < points(&mapping{1}, valid, low, {0}); ++p{0}) {{", d, suffix_);
    lines.add("const int64_t x{0} = base[{0}] + low[{0}] + p{0};", d);
    ++depth;
  }
  for (const kernel::Affine &g : guards) {
    std::string sum = std::to_string(g.constant);
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d) sum += term(g.coefficients[d], fmt::format("x{}", d));
    lines.add("if ({} < 0) continue;", sum);
  }
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    if (!o.positions[p].isWhole) continue;
    lines.open("for (int64_t k{0} = 0; k{0} < {1}; ++k{0}) {{", p, o.positions[p].limit);
    ++depth;
  }
  writePlace(lines, o, "");
  return depth;
}

/// Where an operand's element of the point lies: `at` and `element`, with a suffix.
void HostFunctions::writePlace(Lines &lines, const Operand &o, const std::string &suffix) const {
  const Reference &r = scheme_.stores[static_cast<std::size_t>(o.store)];
  std::int64_t atFirst = 0, elementFirst = 0;
  std::string at, element;
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const Position &position = o.positions[p];
    if (position.isWhole) {
      at += term(o.home.pitch[p], fmt::format("k{}", p));
      element += term(position.stride, fmt::format("k{}", p));
      continue;
    }
    atFirst += r.delta[p] * o.home.pitch[p];
    elementFirst += (position.origin + position.step * r.delta[p]) * position.stride;
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
      const std::int64_t c = position.coefficient[d];
      if (c == 0) continue;
      at += term(c * o.home.pitch[p], fmt::format("p{}", d));
      element += term(c * position.step * position.stride, fmt::format("x{}", d));
      if (c < 0) atFirst += -c * (scheme_.axes[d].range - 1) * o.home.pitch[p];
    }
  }
  lines.add("const int64_t at{0} = {1}{2}, element{0} = {3}{4};", suffix, atFirst, at, elementFirst, element);
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

/// Row by row, up to the limit; `kept` is how many each row has so far.
std::string HostFunctions::lists(const Operand &o) const {
  const auto &stores = scheme_.kernel().stores;
  const auto &shape = tensorOf(o.tensor).shape;
  Lines lines;
  lines.add("(void)base;");
  openTasklets(lines, fmt::format(", from += {}", o.home.bytes));
  lines.add("if (is_idle(&mapping{}, valid, low)) continue;", suffix_);
  std::size_t depth = 0;
  for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
    if (!o.involves(static_cast<int>(d))) continue;
    lines.open("for (int64_t p{0} = 0; p{0} < points(&mapping{1}, valid, low, {0}); ++p{0}) {{", d, suffix_);
    lines.add("const int64_t x{0} = base[{0}] + low[{0}] + p{0};", d);
    ++depth;
  }
  lines.add("const int64_t k{} = 0;", o.positions.size() - 1);
  writePlace(lines, o, "");
  lines.add("uint64_t count;");
  lines.add("memcpy(&count, from + at, sizeof count);");
  lines.add("if (count == 0) continue;");
  lines.add("int64_t *const row = &kept[element / {}];", shape.back());
  if (const std::int64_t limit = scheme_.kernel().limit; limit >= 0)
    lines.add("if ((int64_t)count > {0} - *row) count = (uint64_t)({0} - *row);", limit);
  lines.add("memcpy(tensor + element + *row, from + at + 8, count * {});", o.size());
  lines.add("*row += (int64_t)count;");
  std::string counts;
  if (stores.size() > 1) {
    const int t = stores[1].target.tensor;
    const kernel::Affine at = kernel::linearize(stores[1].target, tensorOf(t), scheme_.axes.size());
    std::string of = std::to_string(at.constant);
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d) of += term(at.coefficients[d], fmt::format("x{}", d));
    lines.add("counts[{0}] = ({1})(counts[{0}] + count);", of, memory(t));
    counts = fmt::format(", {} *counts", memory(t));
  }
  for (std::size_t i = 0; i <= depth; ++i) lines.close();
  return fmt::format(
      "/// What its tasklets kept, list by list; each has its length before it.\nstatic void collect_{}{}(const "
      "int64_t "
      "*base, const int64_t *valid, const uint8_t *from, int64_t *kept, {} *tensor{}) {{\n{}}}\n\n",
      o.name, suffix_, memory(o.tensor), counts, lines.text());
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
  if (o.use == Use::kSelected) return scheme_.isRowwise ? lists(o) : selection(o);
  lines.add("(void)base;");
  std::string step = o.isMerged ? "" : fmt::format(", from += {}", o.home.bytes);
  if (o.isPartial())
    for (const Operand *f : followersOf(o)) step += fmt::format(", with_{} += {}", f->name, f->home.bytes);
  openTasklets(lines, step);
  if (const std::string others = othersHave(o); !others.empty())
    lines.add("if ({}) continue;  // merged by the DPU", others);
  const std::size_t depth = openEach(lines, o);
  lines.add("{} x;", type);
  lines.add("memcpy(&x, from + at, sizeof x);");
  writeAdding(lines, o);
  for (std::size_t i = 0; i < depth; ++i) lines.close();
  if (o.isMerged) lines.add("from += {};", o.home.bytes);
  lines.close();
  std::string target =
      isSum(o) ? fmt::format("struct sums_{}{} *sums", o.name, suffix_) : fmt::format("{} *tensor", memory(o.tensor));
  if (o.hasCarry) target += fmt::format(", {} before", valueType(scheme_.carry().type));
  std::string followers;
  for (const Operand *f : followersOf(o)) followers += fmt::format(", const uint8_t *with_{}", f->name);
  return fmt::format(
      "/// Adds one DPU's results.\nstatic void collect_{}{}(const int64_t *base, const int64_t *valid, const uint8_t "
      "*from{}, {}) {{\n{}}}\n\n",
      o.name, suffix_, followers, target, lines.text());
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
  if (isSum(o) && scheme_.isOfExtreme(o)) {
    std::string found;
    for (const Operand *f : followersOf(o)) {
      writePlace(lines, *f, "_" + f->name);
      lines.add("{} x_{};", memoryType(f->type), f->name);
      lines.add("memcpy(&x_{0}, with_{0} + at_{0}, sizeof x_{0});", f->name);
      found += fmt::format(", element_{0}, x_{0}", f->name);
    }
    lines.add("if (!is_idle(&mapping{0}, valid, low)) merge_{1}{0}(sums, element, {2}{3});", suffix_, o.name,
              helpers_.fromMemory(o.type, "x"), found);
  } else if (isSum(o)) {
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

std::vector<const Operand *> HostFunctions::followersOf(const Operand &o) const {
  std::vector<const Operand *> out;
  for (const int f : scheme_.followersOf(o.store))
    out.push_back(&scheme_.operands[static_cast<std::size_t>(scheme_.stores[static_cast<std::size_t>(f)].operand)]);
  return out;
}

/// By comparison: the first of equals stays, with what follows it.
std::string HostFunctions::mergingExtremes(const Operand &o) const {
  std::string members, parameters, kept, moved;
  for (const Operand *f : followersOf(o)) {
    const std::string type = memoryType(f->type);
    members += fmt::format("  {0} *x_{1};\n  int64_t *element_{1};\n", type, f->name);
    parameters += fmt::format(", int64_t element_{0}, {1} x_{0}", f->name, type);
    kept += fmt::format("  sums->element_{0}[element] = element_{0};\n  sums->x_{0}[element] = x_{0};\n", f->name);
    moved += fmt::format(", from->element_{0}[element], from->x_{0}[element]", f->name);
  }
  return fmt::format(R"(/// The least or greatest by element, the first of equals, with what follows it.
struct sums_{0} {{
  {1} *value;
  uint8_t *is_there;
  int64_t *touched, count;
{2}}};

static void merge_{0}(struct sums_{0} *sums, int64_t element, {1} x{3}) {{
  if (sums->is_there[element] && !(x {4} sums->value[element])) return;
  if (!sums->is_there[element]) sums->touched[sums->count++] = element;
  sums->is_there[element] = 1;
  sums->value[element] = x;
{5}}}

/// Moves what one level has into the next.
static void close_{0}(struct sums_{0} *from, struct sums_{0} *to) {{
  for (int64_t i = 0; i < from->count; ++i) {{
    const int64_t element = from->touched[i];
    merge_{0}(to, element, from->value[element]{6});
    from->is_there[element] = 0;
  }}
  from->count = 0;
}}

)",
                     o.name + suffix_, valueType(o.type), members, parameters,
                     scheme_.storeOf(o).combine == Combine::kMin ? "<" : ">", kept, moved);
}

std::string HostFunctions::merging(const Operand &o) {
  if (scheme_.isOfExtreme(o)) return mergingExtremes(o);
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
