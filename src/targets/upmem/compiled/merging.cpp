#include "pimento/targets/upmem/compiled/merging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/base/integer.h"

namespace pimento::targets::upmem::compiled {

using kernel::Combine;

// ---- Who merges ----

namespace {

/// Of choosing only: issue slots of one operation on elements.
double slotsOf(Combine combine, DType type) {
  const bool isWide = sizeOf(type).value == 8, isOrder = combine == Combine::kMin || combine == Combine::kMax;
  if (isFloat(type)) return isOrder ? (isWide ? 50 : 30) : (isWide ? 130 : 70);
  if (combine == Combine::kMul) return isWide ? 100 : 25;
  return isOrder ? (isWide ? 5 : 2) : (isWide ? 2 : 1);
}

bool isShared(const Scheme &scheme, const Operand &o) {
  return (o.use == Use::kPartial || o.use == Use::kTable) && !scheme.isScan && o.members > 1;
}

/// Minima and maxima that take an index with them are merged by the host.
bool mayMerge(const Scheme &scheme, const Operand &o) {
  return isShared(scheme, o) && !scheme.isOfExtreme(o);
}

class Chooser {
 public:
  Chooser(Scheme &scheme, const machine::Machine &machine) : scheme_(scheme), machine_(machine) {}

  void run(mapping::MergeAt wanted) {
    bool isAny = false;
    for (Operand &o : scheme_.operands) {
      o.members = 1;
      for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
        if (!o.involves(static_cast<int>(d))) o.members *= scheme_.axes[d].threads();
      isAny |= mayMerge(scheme_, o);
    }
    if (!isAny || wanted == mapping::MergeAt::kHost) return;
    scheme_.mergesInWram = std::all_of(scheme_.operands.begin(), scheme_.operands.end(), [&](const Operand &o) {
      return !mayMerge(scheme_, o) || (o.level < 0 && !o.isInMram);
    });
    if (!scheme_.mergesInWram) scheme_.wramBytes = std::max(scheme_.wramBytes, 2 * kUnit);
    for (Operand &o : scheme_.operands) {
      if (!mayMerge(scheme_, o)) continue;
      PIMENTO_CHECK(!scheme_.mergesInWram || o.home.bytes == o.near.bytes);
      o.slice = std::min(kLargestTransfer, ceilDiv(ceilDiv(o.home.bytes, o.members), kUnit) * kUnit);
      if (!scheme_.mergesInWram) o.slice = std::min(o.slice, scheme_.wramBytes / 2 / kUnit * kUnit);
      o.cyclesOfMerge = std::llround(cyclesOf(o));
      o.cyclesSaved = std::llround(cyclesSaved(o));
      o.isMerged = wanted == mapping::MergeAt::kDevice || o.cyclesOfMerge < o.cyclesSaved;
    }
    scheme_.mergesInWram &= scheme_.merges();
  }

 private:
  double cyclesOf(const Operand &o) const {
    constexpr double kUnitSlots = 10, kSliceSlots = 25, kSetUpSlots = 60, kBarrierSlots = 7, kTransfer = 45,
                     kByte = 0.55;
    const auto members = static_cast<double>(o.members), tasklets = static_cast<double>(scheme_.threads),
               bytes = static_cast<double>(o.home.bytes), unit = static_cast<double>(kUnit),
               slice = static_cast<double>(o.slice), elements = unit / static_cast<double>(o.size()),
               issue = static_cast<double>(machine_.dpu->issueInterval.value);
    const double perMember = 2 + elements * (1 + slotsOf(scheme_.storeOf(o).combine, o.type)),
                 slices = std::ceil(bytes / slice), atWork = std::min(slices, members), groups = tasklets / members;
    const double each = std::ceil(slices / atWork) * (kSliceSlots + slice / unit * (kUnitSlots + members * perMember));
    const double issuing = std::max(issue, groups * atWork) * each,
                 moving = scheme_.mergesInWram ? 0 : groups * (members + 1) * (slices * kTransfer + bytes * kByte);
    // A tasklet that comes to a barrier keeps the others out for a while.
    return std::max(issuing, moving) + std::max(issue, tasklets) * kSetUpSlots + issue * tasklets * kBarrierSlots;
  }

  /// What the host does not read back and add.
  double cyclesSaved(const Operand &o) const {
    const std::int64_t arrays = scheme_.threads - scheme_.threads / o.members;
    const auto bytes = static_cast<double>(multiplySaturated(multiplySaturated(arrays, o.home.bytes), scheme_.units));
    const machine::Host &host = machine_.host;
    const double rate = host.dpus ? machine::DpuLink::rateOf(host.dpus->read, host.dpus->readLimitGBps, scheme_.units,
                                                             scheme_.instances[0])
                                  : host.linkGBps * host.readEfficiency;
    const double ns = (rate > 0 ? bytes / rate : 0) +
                      (host.mergeGops > 0 ? bytes / static_cast<double>(o.size()) / host.mergeGops : 0);
    return std::min(ns * machine_.clockGHz, 1e15);
  }

  Scheme &scheme_;
  const machine::Machine &machine_;
};

}  // namespace

void chooseMerging(Scheme &scheme, const machine::Machine &machine, mapping::MergeAt wanted) {
  Chooser(scheme, machine).run(wanted);
}

std::vector<std::string> notesOnMerging(const Scheme &scheme) {
  std::vector<std::string> notes;
  for (const Operand &o : scheme.operands) {
    if (!isShared(scheme, o)) continue;
    const std::string &name = scheme.tensorOf(o).name;
    const std::string who = o.isMerged ? fmt::format("in {}, by the DPU", scheme.mergesInWram ? "WRAM" : "MRAM")
                                       : std::string("by the host");
    const std::string why =
        scheme.isOfExtreme(o) ? std::string("a minimum or maximum is merged together with its index")
        : o.slice == 0        ? std::string("as the mapping specifies")
                              : fmt::format("about {} cycles in the DPU, {} on the host to read back and add otherwise",
                                            o.cyclesOfMerge, o.cyclesSaved);
    notes.push_back(
        fmt::format("partial results of '{}', {} tasklets each, are merged {}: {}", name, o.members, who, why));
  }
  return notes;
}

// ---- The text ----

std::string partOf(const Axis &axis) {
  return "part_" + axis.name;
}

namespace {

std::string product(const std::string &a, const std::string &b) {
  return a == "1" ? b : b == "1" ? a : a + " * " + b;
}

class MergeWriter {
 public:
  MergeWriter(const Context &c, const Operand &o) : c_(c), scheme_(c.scheme), o_(o) {
    for (std::size_t d = 0; d < scheme_.axes.size(); ++d)
      if (scheme_.axes[d].threads() > 1) (o.involves(static_cast<int>(d)) ? groups_ : members_).push_back(d);
  }

  /// Row-major: the place among tasklets that share elements, and among groups of them.
  std::string member() const { return numberIn(members_); }
  std::string group() const { return numberIn(groups_); }
  std::string groups() const { return sizeOfAll(groups_); }

  void write(const std::function<std::string(int dim)> &valid) {
    std::string some;
    for (const std::size_t d : groups_)
      some +=
          fmt::format("{}low_{} < {}", some.empty() ? "" : " && ", scheme_.axes[d].name, valid(static_cast<int>(d)));
    c_.lines.add("// Partial results of {}, slice by slice.", o_.name);
    c_.lines.open(some.empty() ? "{" : fmt::format("if ({}) {{", some));
    const std::string bytes = c_.argument("merge_bytes_" + o_.name, o_.home.bytes),
                      slice = c_.argument("merge_slice_" + o_.name, o_.slice);
    const std::string first = product("(" + member() + ")", slice), step = product(sizeOfAll(members_), slice);
    c_.lines.add("__mram_ptr uint8_t *const merged = (__mram_ptr uint8_t *)DPU_MRAM_HEAP_POINTER + {}{};",
                 c_.argument("mram_" + o_.name, o_.home.offset),
                 groups_.empty()
                     ? ""
                     : fmt::format(" + ({}) * {}", group(), c_.argument("mram_bytes_" + o_.name, o_.home.bytes)));
    c_.lines.open("for (uint32_t at = {0}; at < {1}; at += {2}) {{", first, bytes, step);
    c_.lines.add("const uint32_t n = {0} - at < {1} ? {0} - at : {1};", bytes, slice);
    if (scheme_.mergesInWram)
      inWram(valid);
    else
      inMram(valid, slice);
    c_.lines.close();
    c_.lines.close();
  }

 private:
  std::string numberIn(const std::vector<std::size_t> &dims) const {
    std::string number;
    for (const std::size_t d : dims) {
      const Axis &a = scheme_.axes[d];
      number = number.empty()
                   ? partOf(a)
                   : fmt::format("{} * {} + {}", number.find(' ') == std::string::npos ? number : "(" + number + ")",
                                 c_.argument("tasklets_" + a.name, a.threads()), partOf(a));
    }
    return number.empty() ? "0" : number;
  }

  std::string sizeOfAll(const std::vector<std::size_t> &dims, std::size_t behind = 0, bool isBehind = false) const {
    std::string size = "1";
    for (const std::size_t d : dims)
      if (!isBehind || d > behind)
        size = product(size, c_.argument("tasklets_" + scheme_.axes[d].name, scheme_.axes[d].threads()));
    return size;
  }

  /// Tasklets from one part of dim `d` to the next.
  std::string taskletsBehind(std::size_t d) const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < scheme_.axes.size(); ++i)
      if (scheme_.axes[i].threads() > 1) all.push_back(i);
    return sizeOfAll(all, d, true);
  }

  /// Loops over the members that have a part, with the first byte of theirs in `from_DIM` of the last dim.
  template <typename Step, typename Body>
  void forMembers(const std::function<std::string(int dim)> &valid, const std::string &type, std::string from,
                  Step &&step, Body &&body) {
    for (const std::size_t d : members_) {
      const Axis &a = scheme_.axes[d];
      c_.lines.add("{}from_{} = {};", type, a.name, from);
      from = "from_" + a.name;
      c_.lines.open("for (uint32_t of_{0} = 0; of_{0} < {1}; of_{0} += {2}, {3} += {4}) {{", a.name,
                    valid(static_cast<int>(d)), c_.argument("range_" + a.name, a.range), from, step(d));
    }
    body(from);
    for (std::size_t i = 0; i < members_.size(); ++i) c_.lines.close();
  }

  Combine combine() const { return scheme_.storeOf(o_).combine; }
  std::int64_t elements() const { return kUnit / o_.size(); }

  /// Elements of the unit at `from` as PREFIX0, PREFIX1, ...
  void load(const std::string &prefix, const std::string &from, const char *isConstant) {
    const std::string type = valueType(o_.type);
    if (elements() == 2) c_.lines.add("const uint64_t {}_word = *(const uint64_t *){};", prefix, from);
    for (std::int64_t e = 0; e < elements(); ++e) {
      const std::string half =
          e == 0 ? fmt::format("(uint32_t){}_word", prefix) : fmt::format("(uint32_t)({}_word >> 32)", prefix);
      const std::string value =
          elements() == 2
              ? c_.helpers.fromWord(o_.type, half)
              : c_.helpers.fromMemory(o_.type, fmt::format("((const {} *){})[{}]", memoryType(o_.type), from, e));
      c_.lines.add("{}{} {}{} = {};", isConstant, type, prefix, e, value);
    }
  }

  void addUp() {
    for (std::int64_t e = 0; e < elements(); ++e)
      c_.lines.add(
          "x{0} = {1};", e,
          c_.helpers.operation(kernel::opOf(combine()), o_.type, fmt::format("x{}", e), fmt::format("y{}", e)));
  }

  void save(const std::string &to) {
    if (elements() == 2) {
      c_.lines.add("*(uint64_t *){} = (uint64_t){} << 32 | {};", to, c_.helpers.toWord(o_.type, "x1"),
                   c_.helpers.toWord(o_.type, "x0"));
      return;
    }
    for (std::int64_t e = 0; e < elements(); ++e)
      c_.lines.add("(({} *){})[{}] = {};", memoryType(o_.type), to, e,
                   c_.helpers.toMemory(o_.type, fmt::format("x{}", e)));
  }

  void inWram(const std::function<std::string(int dim)> &valid) {
    std::string first;  // tasklets from the first member to this one
    for (const std::size_t d : members_)
      first += fmt::format("{}{}", first.empty() ? "" : " + ", product(partOf(scheme_.axes[d]), taskletsBehind(d)));
    const std::string pitch = c_.argument("wram_bytes", scheme_.wramBytes);
    c_.lines.add("uint8_t *const sums = wram - ({}) * {} + {} + at;", first, pitch,
                 c_.argument("wram_" + o_.name, o_.near.offset));
    c_.lines.open("for (uint8_t *to = sums; to != sums + n; to += 8) {");
    const std::string identity = identityOf(combine(), o_.type);
    for (std::int64_t e = 0; e < elements(); ++e) c_.lines.add("{} x{} = {};", valueType(o_.type), e, identity);
    forMembers(
        valid, "const uint8_t *", "to", [&](std::size_t d) { return product(taskletsBehind(d), pitch); },
        [&](const std::string &from) {
          load("y", from, "const ");
          addUp();
        });
    save("to");
    c_.lines.close();
    c_.lines.add("mram_write(sums, merged + at, n);");
  }

  void inMram(const std::function<std::string(int dim)> &valid, const std::string &slice) {
    const std::string bytes = c_.argument("mram_bytes_" + o_.name, o_.home.bytes);
    c_.lines.add("uint32_t is_first = 1;");
    forMembers(
        valid, "const __mram_ptr uint8_t *", "merged + at",
        [&](std::size_t d) { return product(product(sizeOfAll(members_, d, true), groups()), bytes); },
        [&](const std::string &from) {
          c_.lines.open("if (is_first) {");
          c_.lines.add("mram_read({}, wram, n);", from);
          c_.lines.add("is_first = 0;");
          c_.lines.add("continue;");
          c_.lines.close();
          c_.lines.add("mram_read({}, wram + {}, n);", from, slice);
          c_.lines.open("for (uint8_t *to = wram; to != wram + n; to += 8) {");
          load("x", "to", "");
          load("y", fmt::format("(to + {})", slice), "const ");
          addUp();
          save("to");
          c_.lines.close();
        });
    c_.lines.add("mram_write(wram, merged + at, n);");
  }

  const Context &c_;
  const Scheme &scheme_;
  const Operand &o_;
  std::vector<std::size_t> members_, groups_;  ///< split dims that tasklets share elements along, and others
};

}  // namespace

std::string numberOfArray(const Context &context, const Operand &o) {
  const MergeWriter w(context, o);
  const std::string group = w.group(), member = w.member();
  if (group == "0") return member;
  return fmt::format("({}) * {} + {}", member, w.groups(), group);
}

void writeMerging(Context &context, const std::function<std::string(int dim)> &valid) {
  context.lines.add("barrier_wait(&all_done);");
  for (const Operand &o : context.scheme.operands)
    if (o.isMerged) MergeWriter(context, o).write(valid);
}

}  // namespace pimento::targets::upmem::compiled
