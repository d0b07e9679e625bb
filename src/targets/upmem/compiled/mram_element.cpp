#include "pimento/targets/upmem/compiled/mram_element.h"

#include <fmt/format.h>

namespace pimento::targets::upmem::compiled {

namespace {

/// A point's value of dim `d` from the first in its tasklet, or (`ofUnit`) in its DPU, where at_NAME lies; empty: 0.
std::string inArray(const Scheme &scheme, std::size_t d, bool ofUnit) {
  const Axis &a = scheme.axes[d];
  std::string at;
  const auto add = [&](const std::string &part) { at += (at.empty() ? "" : " + ") + part; };
  if (ofUnit && a.threads() > 1) add("low_" + a.name);
  if (a.range > 1 && a.isTiled()) add("at_" + a.name);
  if (a.range > 1) add("i_" + a.name);
  return at;
}

/// Where an access lies in its operand's array: m_NAME and bytes.
std::string addressOf(const Context &c, const Operand &o, const kernel::Access &access, const Reference &r) {
  std::string from = "m_" + o.name;
  for (std::size_t p = 0; p < o.positions.size(); ++p) {
    const Position &position = o.positions[p];
    const std::string pitch = c.mramPitch(o, p);
    if (position.isWhole) {
      const bool isData = access.indirectAt == static_cast<int>(position.index);
      from += fmt::format(" + (uint32_t)({}) * {}",
                          isData ? fmt::format("v{}", access.indirectIndex) : c.affine(access.index[position.index]),
                          pitch);
      continue;
    }
    if (r.delta[p] != 0) from += fmt::format(" + {} * {}", r.delta[p], pitch);
    for (std::size_t d = 0; d < c.scheme.axes.size(); ++d)
      if (const std::int64_t k = position.coefficient[d]; k != 0)
        if (const std::string at = inArray(c.scheme, d, o.line > kUnit); !at.empty())
          from += fmt::format(" + {} * ({}) * {}", k, at, pitch);
  }
  return from;
}

/// Of an operand that comes in lines, into b_NAME unless the line is there.
void fetchLine(Context &c, const Operand &o, const kernel::Access &access, const Reference &r, const std::string &tag) {
  c.lines.add("const uint32_t f{0} = (uint32_t)(uintptr_t)({1}) - (uint32_t)(uintptr_t)m_{2};", tag,
              addressOf(c, o, access, r), o.name);
  c.lines.open("if ((f{} & ~{}u) != line_{}) {{", tag, o.line - 1, o.name);
  c.lines.add("line_{} = f{} & ~{}u;", o.name, tag, o.line - 1);
  c.lines.add("mram_read(m_{0} + line_{0}, b_{0}, {1});", o.name, o.line);
  c.lines.close();
  c.lines.add("{0} *e{1} = ({0} *)((uint8_t *)b_{2} + (f{1} & {3}u));", memoryType(o.type), tag, o.name, o.line - 1);
}

}  // namespace

void fetchElement(Context &context, const kernel::Access &access, const Reference &r, const std::string &tag) {
  const Operand &o = context.scheme.operands[static_cast<std::size_t>(r.operand)];
  if (o.line > kUnit) return fetchLine(context, o, access, r, tag);
  context.lines.add("const __mram_ptr uint8_t *f{} = {};", tag, addressOf(context, o, access, r));
  context.lines.add("__mram_ptr uint8_t *u{0} = (__mram_ptr uint8_t *)((uintptr_t)f{0} & ~(uintptr_t)7);", tag);
  context.lines.add("mram_read(u{}, b_{}, 8);", tag, o.name);
  context.lines.add("{0} *e{1} = ({0} *)((uint8_t *)b_{2} + ((uintptr_t)f{1} & 7));", memoryType(o.type), tag, o.name);
}

}  // namespace pimento::targets::upmem::compiled
