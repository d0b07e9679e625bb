#include "pimento/targets/upmem/compiled/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "pimento/base/integer.h"
#include "pimento/targets/upmem/compiled/loops.h"
#include "pimento/targets/upmem/compiled/merging.h"
#include "pimento/targets/upmem/compiled/operands.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;

namespace {

class Writer {
 public:
  explicit Writer(const Scheme &scheme)
      : scheme_(scheme),
        kernel_(scheme.kernel()),
        context_{scheme_,
                 helpers_,
                 lines_,
                 {},
                 [this](const std::string &name, std::int64_t value) { return argument(name, value); },
                 [this](int d) { return base(d); }} {}

  Written run() {
    Lines prologue;
    writeShares();
    writePlaces();
    if (scheme_.isScan) {
      writeScan();
    } else {
      if (!idle_.empty() && scheme_.merges()) lines_.open("if (!({})) {{", idle_);
      writePass(std::vector<bool>(kernel_.stores.size(), true));
      if (!idle_.empty() && scheme_.merges()) lines_.close();
    }
    if (scheme_.merges()) writeMerging(context_, [this](int d) { return valid(d); });
    for (const Argument &a : arguments_) {
      const char *type = a.kind == Argument::Kind::kBase ? "int32_t" : "uint32_t";
      prologue.add(fmt::format("const {0} {1} = ARGUMENTS.{1};", type, a.name));
    }
    return {head() + "int main(void) {\n" + prologue.text() + lines_.text() + "  return 0;\n}\n", arguments_};
  }

 private:
  // ---- The frame ----

  std::string head() const {
    std::string text = fmt::format("// {}, for DPUs of UPMEM. Made by Pimento.\n", kernelName());
    text += "#include <defs.h>\n";
    if (helpers_.needsMath()) text += "#include <math.h>\n";
    text += "#include <mram.h>\n#include <stdint.h>\n";
    if (scheme_.isScan || scheme_.merges()) text += "#include <barrier.h>\n";
    text += "\n/// Written by the host before a launch.\nstruct arguments {\n";
    for (const Argument &a : arguments_)
      text += fmt::format("  {} {};\n", a.kind == Argument::Kind::kBase ? "int32_t" : "uint32_t", a.name);
    text += "};\n__host struct arguments ARGUMENTS;\n\n";
    text += "/// WRAM behind data and stacks.\nextern uint8_t __sys_heap_pointer_reset[];\n\n";
    if (scheme_.isScan) {
      const Operand &o = scheme_.carry();
      text +=
          fmt::format("static {} totals[NR_TASKLETS];\nBARRIER_INIT(all_summed, NR_TASKLETS);\n\n", valueType(o.type));
    }
    if (scheme_.merges()) text += "BARRIER_INIT(all_done, NR_TASKLETS);\n\n";
    return text + helpers_.text();
  }

  std::string kernelName() const {
    std::string name;
    for (const char c : kernel_.name) name += c == '\n' ? ' ' : c;
    return name.empty() ? "a kernel" : "Kernel " + name;
  }

  std::string argument(const std::string &name, std::int64_t value) {
    add({Argument::Kind::kSame, name, value, -1});
    return name;
  }
  std::string valid(int d) {
    add({Argument::Kind::kValid, "valid_" + scheme_.axis(d).name, 0, d});
    return "valid_" + scheme_.axis(d).name;
  }
  std::string base(int d) {
    add({Argument::Kind::kBase, "base_" + scheme_.axis(d).name, 0, d});
    return "base_" + scheme_.axis(d).name;
  }
  void add(Argument a) {
    if (names_.insert(a.name).second) arguments_.push_back(std::move(a));
  }

  // ---- What a tasklet has ----

  void writeShares() {
    std::vector<int> split;
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
      if (scheme_.axes[d].threads() > 1) split.push_back(static_cast<int>(d));
    lines_.add("const uint32_t tasklet = me();");
    // Shares are numbered row-major.
    for (std::size_t i = split.size(); i-- > 0;) {
      const Axis &a = scheme_.axis(split[i]);
      const std::string rest = i + 1 == split.size() ? "tasklet" : fmt::format("rest_{}", i);
      std::string number = rest;
      if (i > 0) {
        const std::string count = argument("tasklets_" + a.name, a.threads());
        lines_.add("const uint32_t rest_{} = {} / {};", i - 1, rest, count);
        number = fmt::format("({} % {})", rest, count);
      }
      if (scheme_.merges()) {
        lines_.add("const uint32_t {} = {};", partOf(a), number);
        number = partOf(a);
      }
      lines_.add("const uint32_t low_{} = {} * {};", a.name, number, argument("range_" + a.name, a.range));
    }
    std::string &idle = idle_;
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
      const Axis &a = scheme_.axes[d];
      if (scheme_.isBounded(static_cast<int>(d))) continue;
      const bool isUsed = a.range > 1, isCut = a.isSplit();
      if (!isUsed && !isCut) continue;
      const std::string all = valid(static_cast<int>(d)),
                        left = a.threads() > 1 ? fmt::format("{} - low_{}", all, a.name) : all;
      if (isCut)
        idle += fmt::format("{}{} <= {}", idle.empty() ? "" : " || ", all,
                            a.threads() > 1 ? "low_" + a.name : std::string("0"));
      // A prefix sum asks for the size even where every share is one element: idle tasklets have none.
      if (!isUsed && scheme_.isScan) lines_.add("uint32_t size_{} = 1;", a.name);
      if (!isUsed) continue;
      const std::string size = fmt::format("{} size_{}", scheme_.isScan ? "uint32_t" : "const uint32_t", a.name);
      if (a.threads() > 1)
        lines_.add("{0} = {1} < {2} ? {1} : {2};", size, left, argument("range_" + a.name, a.range));
      else
        lines_.add("{} = {};", size, all);
    }
    if (scheme_.isScan && !idle.empty())
      lines_.add("if ({}) size_{} = 0;", idle, scheme_.axes[0].name);
    else if (!idle.empty() && !scheme_.merges())
      lines_.add("if ({}) return 0;", idle);
  }

  /// Where operands lie: at_NAME in MRAM, b_NAME in WRAM.
  void writePlaces() {
    lines_.add("uint8_t *wram = __sys_heap_pointer_reset + tasklet * {};", argument("wram_bytes", scheme_.wramBytes));
    lines_.add("__asm__(\"\" : \"+r\"(wram));  // one register: the heap's address is not to be added again and again");
    for (const Operand &o : scheme_.operands) writePlace(o);
  }

  /// Where this tasklet's part of an operand lies in MRAM; of what comes in lines all of the DPU's, since these count
  /// from its beginning.
  void writeArray(const Operand &o) {
    std::int64_t first = o.home.offset;
    std::string at = "(__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER";
    std::string moved;
    for (std::size_t p = 0; p < o.positions.size() && o.isShared() && o.line == kUnit; ++p)
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
        const Axis &a = scheme_.axes[d];
        const std::int64_t c = o.positions[p].coefficient[d];
        if (c == 0) continue;
        if (c < 0) first += -c * (a.perUnit() - a.range) * o.home.pitch[p];
        if (a.threads() == 1) continue;
        const std::string times = c == 1 ? "" : fmt::format("{} * ", c);
        moved += fmt::format(" + {}(int32_t)(low_{} * {})", times, a.name, context_.mramPitch(o, p));
      }
    at += fmt::format(" + {}", argument("mram_" + o.name, first));
    if (o.isMerged)
      moved = fmt::format(" + ({}) * {}", numberOfArray(context_, o), argument("mram_bytes_" + o.name, o.home.bytes));
    else if (!o.isShared())
      moved = fmt::format(" + tasklet * {}", argument("mram_bytes_" + o.name, o.home.bytes));
    lines_.add("__mram_ptr uint8_t *const at_{} = {}{};", o.name, at, moved);
  }

  void writePlace(const Operand &o) {
    if (!o.isMerged || !scheme_.mergesInWram) writeArray(o);  // else no tasklet writes a part of its own
    const std::string wram =
        fmt::format("({} *)(wram + {})", memoryType(o.type), argument("wram_" + o.name, o.near.offset));
    lines_.add("{} *b_{} = {};", memoryType(o.type), o.name, wram);
    if (o.line > kUnit) lines_.add("uint32_t line_{} = ~0u;", o.name);
    if (o.use == Use::kSelected && !scheme_.isRowwise) {
      lines_.add("{0} *kept_{1} = b_{1};", memoryType(o.type), o.name);
      lines_.add("__mram_ptr uint8_t *end_{0} = at_{0};", o.name);
    }
  }

  // ---- Tiles ----

  /// All tiles, with these stores alone.
  void writePass(const std::vector<bool> &stores) {
    std::vector<bool> touched(scheme_.operands.size(), false);
    for (std::size_t s = 0; s < stores.size(); ++s)
      if (stores[s]) touched[static_cast<std::size_t>(scheme_.stores[s].operand)] = true;
    for (const Reference &r : scheme_.loads) touched[static_cast<std::size_t>(r.operand)] = true;
    enterLevel(-1, touched);
    if (scheme_.isRowwise && rowLoops() == 0) writeListStart();
    for (std::size_t n = 0; n < scheme_.nest.size(); ++n) {
      const Axis &a = scheme_.axis(scheme_.nest[n]);
      if (scheme_.isBounded(scheme_.nest[n])) continue;
      if (a.isTiled()) {
        const std::string tile = argument("tile_" + a.name, a.tile);
        lines_.open("for (uint32_t at_{0} = 0; at_{0} < size_{0}; at_{0} += {1}) {{", a.name, tile);
        lines_.add("const uint32_t n_{0} = size_{0} - at_{0} < {1} ? size_{0} - at_{0} : {1};", a.name, tile);
      } else {
        lines_.add("const uint32_t n_{0} = size_{0};", a.name);
      }
      if (a.isTiled()) enterLevel(static_cast<int>(n), touched);
      if (scheme_.isRowwise && n + 1 == rowLoops()) writeListStart();
    }
    context_.stores = stores;
    lines_.open("{");
    writeLoops(context_);
    lines_.close();
    writeKept(false);
    for (std::size_t n = scheme_.nest.size(); n-- > 0;) {
      if (scheme_.isRowwise && n + 1 == rowLoops()) writeKept(true);
      if (!scheme_.axis(scheme_.nest[n]).isTiled()) continue;
      leaveLevel(static_cast<int>(n), stores);
      lines_.close();
    }
    leaveLevel(-1, stores);
    if (!scheme_.isRowwise || rowLoops() == 0) writeKept(true);
  }

  /// The outermost loops are those of the rows of a selection, one row at a time.
  std::size_t rowLoops() const {
    return static_cast<std::size_t>(std::count_if(scheme_.nest.begin(), scheme_.nest.end(), [&](int d) {
      return isOfRow(kernel_, static_cast<std::size_t>(d));
    }));
  }

  /// Where a row's list lies, and where it goes on.
  void writeListStart() {
    const Operand &o = scheme_.operands[static_cast<std::size_t>(scheme_.stores[0].operand)];
    lines_.add("__mram_ptr uint8_t *const list_{} = {};", o.name, boxAt(o));
    lines_.add("__mram_ptr uint8_t *end_{0} = list_{0} + 8;", o.name);
    lines_.add("{0} *kept_{1} = b_{1};", memoryType(o.type), o.name);
    if (kernel_.limit >= 0) lines_.add("uint32_t room_{} = {};", o.name, argument("limit_" + o.name, kernel_.limit));
  }

  /// Whole dims that are not tiled have their number of points in n_NAME only inside; boxes at outer levels need it
  /// too.
  std::string pointsAt(int d) {
    const Axis &a = scheme_.axis(d);
    if (a.range == 1) return "1";
    if (a.isWhole) return argument("range_" + a.name, a.range);
    return a.isTiled() ? "n_" + a.name : "size_" + a.name;
  }

  std::string extentOf(const Operand &o, std::size_t p) {
    const Position &position = o.positions[p];
    if (position.isWhole) return argument(fmt::format("extent_{}_{}", o.name, p), position.limit);
    std::string sum;
    std::int64_t rest = position.spread + 1;
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d) {
      const std::int64_t c = std::abs(position.coefficient[d]);
      if (c == 0 || scheme_.axes[d].range == 1) continue;
      rest -= c;
      sum += fmt::format("{}{} + ", c == 1 ? "" : fmt::format("{} * ", c), pointsAt(static_cast<int>(d)));
    }
    return sum.empty() ? std::to_string(rest)
           : rest == 0 ? sum.substr(0, sum.size() - 3)
           : rest > 0  ? fmt::format("{}{}", sum, rest)
                       : fmt::format("{} - {}", sum.substr(0, sum.size() - 3), -rest);
  }

  /// The first byte in MRAM of an operand's box in this tile.
  std::string boxAt(const Operand &o) {
    std::string from = "at_" + o.name;
    for (std::size_t p = 0; p < o.positions.size(); ++p)
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
        if (const std::int64_t c = o.positions[p].coefficient[d]; c != 0 && scheme_.axes[d].isTiled())
          from += fmt::format(" + {}at_{} * {}", c == 1 ? "" : fmt::format("{} * ", c), scheme_.axes[d].name,
                              context_.mramPitch(o, p));
    return from;
  }

  void enterLevel(int level, const std::vector<bool> &touched) {
    for (std::size_t i = 0; i < scheme_.operands.size(); ++i) {
      const Operand &o = scheme_.operands[i];
      if (!touched[i] || o.level != level || scheme_.isCarry(o)) continue;
      if (o.isPlaced() && !o.isInMram) writeTransfer(o, true);
      if (needsFill(scheme_, o)) writeFill(o);
    }
  }

  void leaveLevel(int level, const std::vector<bool> &stores) {
    for (const Operand &o : scheme_.operands) {
      if (o.isShared() || o.use == Use::kSelected || o.level != level || o.isInMram || scheme_.isCarry(o)) continue;
      if (o.isMerged && scheme_.mergesInWram) continue;
      if (stores[static_cast<std::size_t>(o.store)]) writeTransfer(o, false);
    }
  }

  /// Bytes of the piece that neighbours in memory make.
  std::string pieceOf(const Operand &o) {
    if (o.positions.empty()) return "8";
    const std::size_t b = o.block;
    const std::string extent = extentOf(o, b);
    if (b + 1 != o.positions.size()) return fmt::format("({}) * {}", extent, context_.mramPitch(o, b));
    if (extent.find_first_not_of("0123456789") == std::string::npos) {
      const std::int64_t bytes = std::stoll(extent) * o.size();
      if (o.isAligned) return std::to_string(ceilDiv(bytes, kUnit) * kUnit);
    }
    const std::string skew = o.isAligned ? "7" : fmt::format("skew_{} + 7", o.name);
    if (o.isAligned && o.size() == kUnit) return fmt::format("({}) * 8", extent);
    return fmt::format("((({}) * {} + {}) & ~7u)", extent, o.size(), skew);
  }

  /// At most, whatever the tile.
  bool isOneTransfer(const Operand &o) const {
    const auto sizes = scheme_.sizesPerTile();
    if (o.positions.empty()) return true;
    const std::size_t b = o.block;
    const std::int64_t pitch = b + 1 == o.positions.size() ? o.size() : o.home.pitch[b];
    return multiplySaturated(o.positions[b].extent(sizes), pitch) + kUnit <=
           kLargestTransfer + (o.isAligned ? kUnit : 0);
  }

  void writeTransfer(const Operand &o, bool isRead) {
    lines_.open("{");
    lines_.add("__mram_ptr uint8_t *const box = {};", boxAt(o));
    if (!o.isAligned) {
      lines_.add("const uint32_t skew_{} = (uint32_t)(uintptr_t)box & 7;", o.name);
      lines_.add("b_{0} = ({1} *)(wram + {2} + skew_{0});", o.name, memoryType(o.type),
                 argument("wram_" + o.name, o.near.offset));
    }
    std::string there = o.isAligned ? "box" : fmt::format("box - skew_{}", o.name),
                here = o.isAligned ? fmt::format("(uint8_t *)b_{}", o.name)
                                   : fmt::format("(uint8_t *)b_{0} - skew_{0}", o.name);
    for (std::size_t p = 0; p < o.block; ++p) {
      lines_.open("for (uint32_t row_{0} = 0; row_{0} < {1}; ++row_{0}) {{", p, extentOf(o, p));
      there += fmt::format(" + row_{} * {}", p, context_.mramPitch(o, p));
      here += fmt::format(" + row_{} * {}", p, context_.wramPitch(o, p));
    }
    const std::string bytes = pieceOf(o);
    const bool isOne = isOneTransfer(o);
    const std::string name = isOne ? (isRead ? "mram_read" : "mram_write") : helpers_.call(isRead ? "fetch" : "put");
    lines_.add(isRead ? fmt::format("{}({}, {}, {});", name, there, here, bytes)
                      : fmt::format("{}({}, {}, {});", name, here, there, bytes));
    for (std::size_t p = 0; p < o.block; ++p) lines_.close();
    lines_.close();
  }

  /// Results begin at the identity.
  void writeFill(const Operand &o) {
    const std::string identity = identityOf(scheme_.storeOf(o).combine, o.type);
    if (o.isInMram) return writeFillInMram(o, identity);
    const std::string elements = argument("fill_" + o.name, o.near.bytes / o.size());
    lines_.add("for (uint32_t i = 0; i < {}; ++i) b_{}[i] = {};", elements, o.name,
               helpers_.toMemory(o.type, identity));
  }

  void writeFillInMram(const Operand &o, const std::string &identity) {
    lines_.add("for (uint32_t i = 0; i < 8 / sizeof *b_{0}; ++i) b_{0}[i] = {1};", o.name,
               helpers_.toMemory(o.type, identity));
    lines_.add("for (uint32_t i = 0; i < {}; i += 8) mram_write(b_{}, at_{} + i, 8);",
               argument("mram_bytes_" + o.name, o.home.bytes), o.name, o.name);
  }

  /// What a selection kept so far, in whole transfers; what is over moves to the front.
  void writeKept(bool isLast) {
    for (const Operand &o : scheme_.operands) {
      if (o.use != Use::kSelected) continue;
      const std::string put = o.near.bytes <= kLargestTransfer ? "mram_write" : helpers_.call("put");
      const std::string kept = fmt::format("(uint32_t)((uint8_t *)kept_{0} - (uint8_t *)b_{0})", o.name);
      lines_.open("{");
      lines_.add("const uint32_t bytes = {};",
                 isLast ? fmt::format("({} + 7) & ~7u", kept) : fmt::format("{} & ~7u", kept));
      lines_.open("if (bytes != 0) {");
      lines_.add("{0}(b_{1}, end_{1}, bytes);", put, o.name);
      if (!isLast) {
        lines_.add("*(uint64_t *)b_{0} = *(const uint64_t *)((const uint8_t *)b_{0} + bytes);", o.name);
        lines_.add("end_{} += bytes;", o.name);
        lines_.add("kept_{0} = ({1} *)((uint8_t *)kept_{0} - bytes);", o.name, memoryType(o.type));
      }
      lines_.close();
      if (isLast && scheme_.isRowwise) {
        lines_.add("const uint32_t all = (uint32_t)(end_{0} - list_{0}) - 8 + {1};", o.name, kept);
        lines_.add("*(uint64_t *)b_{} = all / {};", o.name, o.size());
        lines_.add("mram_write(b_{0}, list_{0}, 8);", o.name);
      } else if (isLast) {
        lines_.add("const uint32_t all = (uint32_t)(end_{0} - at_{0}) + {1};", o.name, kept);
        lines_.add("*(uint64_t *)b_{} = all / {};", o.name, o.size());
        lines_.add("mram_write(b_{0}, (__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER + {1} + tasklet * 8, 8);", o.name,
                   argument("counts", scheme_.mramBytes - kUnit * scheme_.threads));
      }
      lines_.close();
    }
  }

  // ---- Prefix sums ----

  void writeScan() {
    const Operand &o = scheme_.carry();
    const kernel::Store &st = scheme_.storeOf(o);
    const std::string identity = identityOf(st.combine, o.type);
    std::vector<bool> sums(kernel_.stores.size(), false), all(kernel_.stores.size(), true);
    sums[static_cast<std::size_t>(o.store)] = true;
    const Axis &axis = scheme_.axes[0];
    const bool mayBeIdle = axis.range > 1 || axis.isSplit();
    const std::string some = mayBeIdle ? fmt::format("if (size_{} != 0) {{", axis.name) : "{";
    lines_.add("b_{}[0] = {};", o.name, identity);
    lines_.open(some);
    writePass(sums);
    lines_.close();
    lines_.add("totals[tasklet] = b_{}[0];", o.name);
    lines_.add("mram_write(b_{0}, at_{0}, 8);", o.name);
    lines_.add("barrier_wait(&all_summed);");
    lines_.add("{} before = {};", valueType(o.type), identity);
    lines_.add("for (uint32_t i = 0; i < tasklet; ++i) before = {};",
               helpers_.operation(kernel::opOf(st.combine), o.type, "before", "totals[i]"));
    lines_.add("b_{}[0] = before;", o.name);
    lines_.open(some);
    writePass(all);
    lines_.close();
  }

  const Scheme &scheme_;
  const kernel::Kernel &kernel_;
  Helpers helpers_;
  Lines lines_;
  std::vector<Argument> arguments_;
  std::set<std::string> names_;
  std::string idle_;  ///< is this tasklet without work? as C; empty: never
  Context context_;
};

}  // namespace

Written writeProgram(const Scheme &scheme) {
  return Writer(scheme).run();
}

}  // namespace pimento::targets::upmem::compiled
