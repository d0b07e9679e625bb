#include "pimento/targets/near_bank/published.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>

#include "pimento/base/integer.h"
#include "pimento/targets/near_bank/stream.h"

namespace pimento::targets::near_bank {

namespace {

constexpr std::int64_t kBurst = 32;  // bytes

/// What the streams of both devices are made of.
class Published {
 public:
  Published(const Draft &draft, StreamMode mode, std::int64_t elementBytes, const machine::Machine &machine)
      : s(machine),
        isKernelMode(mode == StreamMode::kKernel),
        lanes(kBurst / elementBytes),
        G(draft.groups()),
        C(draft.cores()),
        t0(draft.tile(0)),
        t1(draft.tile(1)),
        t2(draft.isCube() ? draft.tile(2) : 1),
        n(bursts(t0 * t1)) {}

  std::int64_t bursts(std::int64_t elements) const { return ceilDiv(elements, lanes); }
  std::int64_t padded(std::int64_t elements) const { return kBurst * bursts(elements); }

  void all(std::string_view command, const Address &a) {
    for (std::int64_t b = 0; b < C; ++b) s.send(command, b, 0, G, a);
  }
  void everyChannel(std::string_view command, const Address &a) { s.send(command, 0, 0, G, a); }
  void everyGroup(std::string_view command, const Address &a) {
    for (std::int64_t b = 0; b < (C + 3) / 4; ++b) s.send(command, 4 * b, 0, G, a);
  }
  /// `count` bursts in every bank from `a` on.
  void transfer(std::string_view command, std::int64_t a, std::int64_t count) {
    s.loop("p", count, [&](int d) { all(command, moved({a, {}}, d, kBurst)); });
  }

  /// Operands from the GPU's memory: read a round of bursts, write them where they belong.
  void rounds(std::int64_t a, std::int64_t first, bool hasBarriers) {
    const auto round = [&](const Address &from, std::int64_t count) {
      s.loop("p", count, [&](int d) { all("RD", moved(from, d, kBurst)); });
      if (hasBarriers) s.barrier();
      for (std::int64_t b = 0; b < C; ++b)
        s.loop("s", count, [&](int d) { s.send("WR", b, 0, G, moved(from, d, kBurst)); });
      if (hasBarriers) s.barrier();
    };
    std::int64_t done = 0;
    if (first + 1 < kRound) round({a, {}}, done = std::min(first + 1, n));
    const std::int64_t whole = (n - done) / kRound;
    s.loop("round", whole, [&](int d) { round(moved({a + kBurst * done, {}}, d, kRound * kBurst), kRound); });
    done += whole * kRound;
    if (done < n) round({a + kBurst * done, {}}, n - done);
  }

  /// For every row j: `body(j's base, loop depth of j or -1, number of the row in its pattern)`. Vectors of rows begin
  /// at multiples of a burst in a pattern of `period` rows.
  template <typename Body>
  void rows(const Body &body) {
    const std::int64_t period = lanes / std::gcd(lanes, t1);
    const std::int64_t whole = t0 / period;
    s.loop("j", whole, [&](int d) {
      for (std::int64_t i = 0; i < period; ++i) body(moved({i, {}}, d, period), i);
    });
    for (std::int64_t j = whole * period; j < t0; ++j) body({j, {}}, j % period);
  }
  /// One command to every bank for each burst that begins among the elements of row `j`, `inPattern` of its pattern.
  void vec(std::string_view command, std::int64_t a, const Address &j, std::int64_t inPattern) {
    const std::int64_t first = (lanes - inPattern * t1 % lanes) % lanes;
    if (first >= t1) return;
    Address at;
    at.base = a + j.base * t1 + first;
    for (std::size_t d = 0; d < at.stride.size(); ++d) at.stride[d] = j.stride[d] * t1;
    s.loop("k", ceilDiv(t1 - first, lanes), [&](int d) { all(command, moved(at, d, lanes)); });
  }

  /// `each(address of block, depth)` for o = 0 .. count-1, and `atEnd` behind every `block`th and the last.
  template <typename Each, typename AtEnd>
  void inBlocks(std::int64_t count, std::int64_t block, const Each &each, const AtEnd &atEnd) {
    const std::int64_t whole = count / block;
    s.loop("block", whole, [&](int d) {
      s.loop("o", block, [&](int o) { each(moved(moved({}, d, block), o, 1)); });
      atEnd();
    });
    if (count % block == 0) return;
    s.loop("o", count % block, [&](int o) { each(moved({whole * block, {}}, o, 1)); });
    atEnd();
  }

  static constexpr std::int64_t kRound = 16;
  Stream s;
  bool isKernelMode;
  std::int64_t lanes;  // elements of a burst
  std::int64_t G, C, t0, t1, t2, n;
};

/// An address that grows by `bytes` per unit of `index`.
Address times(const Address &index, std::int64_t bytes, std::int64_t base = 0) {
  Address a;
  a.base = base + index.base * bytes;
  for (std::size_t d = 0; d < a.stride.size(); ++d) a.stride[d] = index.stride[d] * bytes;
  return a;
}

// AttAcc
// ---------------------------------------------------------------------------------------------------------------

void attaccOperands(Published &p, std::int64_t first, bool hasBarriers) {
  if (p.isKernelMode)
    p.rounds(0, first, hasBarriers);
  else
    p.transfer("WR", 0, p.n);
  p.s.barrier();
}

program::Program attaccGemv(Published p) {
  const std::int64_t m = p.padded(p.t0 * p.t1 * p.t2), r = m + p.padded(p.t0 * p.t1), kk = p.bursts(p.t1);
  attaccOperands(p, 0, false);
  p.rows([&](const Address &j, std::int64_t inPattern) {
    p.vec("WRGB", 0, j, inPattern);
    p.s.barrier();
    p.inBlocks(
        p.t2, p.lanes,
        [&](const Address &o) {
          p.s.loop("k", kk, [&](int d) { p.everyChannel("MACAB", moved(times(o, kBurst, m), d, kBurst * p.t2)); });
        },
        [&] { p.everyGroup("MVSB", {r, {}}); });
    p.s.barrier();
  });
  p.s.barrier();
  p.transfer("WR", r, p.bursts(p.t0 * p.t2));
  return p.s.take("gemv");
}

program::Program attaccAttention(Published p, std::int64_t headCores, bool isEvaluated) {
  const std::int64_t m = p.padded(p.t0 * p.t1 * p.t2), r = m + p.padded(p.t0 * p.t1);
  const auto macs = [&p, m](const Address &o, std::int64_t perOutput) {
    p.s.loop("k", perOutput,
             [&](int d) { p.everyChannel("MACAB", moved(times(o, kBurst * perOutput, m), d, kBurst)); });
  };
  const auto scores = [&] { p.s.loop("o", p.t2, [&](int d) { macs(moved({}, d, 1), p.bursts(p.t1)); }); };
  const auto contexts = [&] {
    p.inBlocks(
        p.t1, p.lanes, [&](const Address &o) { macs(o, p.bursts(p.t2)); }, [&] { p.everyGroup("MVSB", {r, {}}); });
  };
  attaccOperands(p, Published::kRound - 1, true);
  p.rows([&](const Address &j, std::int64_t inPattern) {
    p.vec("WRGB", 0, j, inPattern);
    scores();
    if (isEvaluated) contexts();
  });
  if (!isEvaluated) p.s.loop("block", p.bursts(p.t2), [&](int) { p.everyGroup("MVSB", {}); });
  for (std::int64_t i = 0; i < headCores; ++i) p.s.send("SFM", i * (p.s.banks() / headCores), 0, p.s.channels(), {});
  p.rows([&](const Address &j, std::int64_t inPattern) { p.vec("MVGB", 0, j, inPattern); });
  if (!isEvaluated) p.s.loop("j", p.t0, [&](int) { contexts(); });
  p.s.barrier();
  p.transfer("WR", r, p.n);
  return p.s.take("attention");
}

program::Program attaccRed(Published p) {
  const std::int64_t v = kBurst, r = v + p.padded(p.t0 * p.t1);
  p.transfer("WR", v, p.n);
  p.s.barrier();
  p.all("WRGB", {});
  p.s.loop("j", p.t0, [&](int) {
    p.s.loop("k", p.bursts(p.t1), [&](int d) { p.everyChannel("MACAB", moved({v, {}}, d, kBurst)); });
    p.everyGroup("MVSB", {r, {}});
  });
  p.s.barrier();
  p.transfer("WR", r, p.n);
  return p.s.take("red");
}

// HBM-PIM
// --------------------------------------------------------------------------------------------------------------

constexpr std::int64_t kGrf = 8;          // operand registers of a unit
constexpr std::int64_t kElement = 2;      // bytes
constexpr std::int64_t kLoadBlock = 128;  // the generator mixes elements and bursts here

/// Banks b, b + step, ... of a draft's.
struct Banks {
  std::int64_t first = 0, step = 1;
};

void overBanks(Published &p, const Banks &h, std::string_view command, const Address &a) {
  for (std::int64_t b = h.first; b < p.C; b += h.step) p.s.send(command, b, 0, p.G, a);
}
/// To every second place of the list of banks and channels.
void overEverySecond(Published &p, const Banks &h, std::string_view command, const Address &a) {
  std::int64_t place = 0;
  for (std::int64_t b = h.first; b < p.C; b += h.step, place += p.G) {
    const std::int64_t first = place % 2;
    if (first < p.G) p.s.send(command, b, first, (p.G - first + 1) / 2, a, 2);
  }
}

program::Program hbmPimGemv(Published p) {
  const std::int64_t m = p.padded(p.t0 * p.t1 * p.t2), r = m + p.padded(p.t0 * p.t1), inputs = p.bursts(p.t1);
  p.rounds(0, Published::kRound - 1, true);
  const auto block = [&](const Address &j, const Address &s, std::int64_t count, const Banks &h) {
    p.s.loop("o", count, [&](int) { overBanks(p, h, "ACC_RESET", {}); });
    for (std::int64_t i = 0; i < p.t1; i += kLoadBlock) {
      const std::int64_t inputsHere = std::min(i + kGrf, inputs) - i;
      p.s.loop("u", inputsHere,
               [&](int d) { overBanks(p, h, "LD_OP1", moved(times(j, kElement * p.t1, kElement * i), d, kElement)); });
      p.s.loop("o", count, [&](int o) {
        p.s.loop("u", inputsHere, [&](int u) {
          Address a = times(j, kElement * p.t1 * p.t2, m + kElement * i * p.t1);
          const Address out = times(moved(s, o, 1), kElement * p.lanes);
          a.base += out.base;
          for (std::size_t d = 0; d < a.stride.size(); ++d) a.stride[d] += out.stride[d];
          overEverySecond(p, h, "MAC_OP1", moved(a, u, kElement * p.t1));
        });
      });
      p.s.loop("o", count, [&](int o) { overBanks(p, h, "WB_ACC", times(moved(s, o, 1), kBurst, r)); });
    }
  };
  const std::int64_t outputs = p.bursts(p.t2), whole = outputs / kGrf;
  p.s.loop("j", p.t0, [&](int jDepth) {
    const Address j = moved({}, jDepth, 1);
    for (const Banks h : {Banks{0, 2}, Banks{1, 2}}) {
      p.s.loop("s", whole, [&](int d) { block(j, moved({}, d, kGrf), kGrf, h); });
      if (outputs % kGrf != 0) block(j, {whole * kGrf, {}}, outputs % kGrf, h);
    }
  });
  p.s.barrier();
  p.transfer("WR", r, p.bursts(p.t0 * p.t2));
  return p.s.take("gemv");
}

constexpr Banks kHalves[] = {{0, 4}, {1, 4}};

program::Program hbmPimRed(Published p) {
  const std::int64_t r = p.padded(p.t0 * p.t1);
  p.transfer("WR", 0, p.n);
  p.s.barrier();
  const auto row = [&](const Address &j, bool isStored) {
    for (const Banks &h : kHalves) {
      p.s.loop("u", p.bursts(p.t1),
               [&](int d) { overBanks(p, h, "MAC_OP1", moved(times(j, kElement * p.t1), d, kElement)); });
      p.s.loop("u", 4, [&](int d) { overBanks(p, h, "MAC_OP1", moved({}, d, kElement)); });
      if (isStored) overBanks(p, h, "WB_RES", times(j, kElement * p.t1, r));
    }
  };
  p.s.loop("block", p.t0 / kGrf, [&](int d) {
    p.s.loop("j", kGrf - 1, [&](int j) { row(moved(moved({}, d, kGrf), j, 1), false); });
    row(moved({kGrf - 1, {}}, d, kGrf), true);
  });
  const std::int64_t done = p.t0 / kGrf * kGrf;
  if (done < p.t0) {
    p.s.loop("j", p.t0 - done - 1, [&](int j) { row(moved({done, {}}, j, 1), false); });
    row({p.t0 - 1, {}}, true);
  }
  p.s.barrier();
  p.transfer("WR", r, p.n);
  return p.s.take("red");
}

/// One command per operand and 16 elements of a row, 8 of them at a time, then as many results.
program::Program hbmPimElementwise(Published p, const std::vector<std::string_view> &commands,
                                   std::string_view process) {
  const std::int64_t size = p.padded(p.t0 * p.t1), r = static_cast<std::int64_t>(commands.size()) * size;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(commands.size()); ++i) {
    p.transfer("RD", i * size, p.n);
    p.s.barrier();
  }
  const auto block = [&](const Address &j, const Address &s, std::int64_t count, const Banks &h) {
    Address at = times(j, kElement * p.t1);
    at.base += kElement * s.base;
    for (std::size_t d = 0; d < at.stride.size(); ++d) at.stride[d] += kElement * s.stride[d];
    std::int64_t operand = 0;
    for (const std::string_view command : commands) {
      p.s.loop("u", count, [&](int d) { overBanks(p, h, command, moved(shifted(at, operand), d, kElement)); });
      operand += size;
    }
    p.s.loop("u", count, [&](int d) { overBanks(p, h, "WB_RES", moved(shifted(at, r), d, kElement)); });
  };
  const std::int64_t columns = p.bursts(p.t1), whole = columns / kGrf;
  p.s.loop("j", p.t0, [&](int jDepth) {
    const Address j = moved({}, jDepth, 1);
    for (const Banks &h : kHalves) {
      p.s.loop("s", whole, [&](int d) { block(j, moved({}, d, kGrf), kGrf, h); });
      if (columns % kGrf != 0) block(j, {whole * kGrf, {}}, columns % kGrf, h);
    }
  });
  p.s.barrier();
  p.transfer("WR", r, p.n);
  return p.s.take(process);
}

bool hasAll(const machine::Machine &machine, std::initializer_list<std::string_view> commands) {
  return std::all_of(commands.begin(), commands.end(),
                     [&](std::string_view c) { return machine.dram->commandNamed(c) >= 0; });
}

}  // namespace

bool isAttacc(const machine::Machine &machine) {
  return hasAll(machine, {"RD", "WR", "BARRIER", "WRGB", "MACAB", "MVSB", "MVGB", "SFM"});
}

bool hasStream(StreamKernel kernel, const machine::Machine &machine) {
  const bool isHbmPim =
      hasAll(machine, {"RD", "WR", "BARRIER", "LD_OP1", "ADD_OP1", "MAC_OP1", "WB_ACC", "WB_RES", "ACC_RESET", "RELU"});
  switch (kernel) {
    case StreamKernel::kBgemv:
    case StreamKernel::kRed:
      return isHbmPim || isAttacc(machine);
    case StreamKernel::kAttention:
      return isAttacc(machine);
    case StreamKernel::kVa:
    case StreamKernel::kRelu:
      return isHbmPim;
  }
  return false;
}

program::Program publishedStream(StreamKernel kernel, const Draft &draft, StreamMode mode, bool isEvaluated,
                                 std::int64_t elementBytes, const machine::Machine &machine) {
  Published p(draft, mode, elementBytes, machine);
  switch (kernel) {
    case StreamKernel::kBgemv:
      return isAttacc(machine) ? attaccGemv(std::move(p)) : hbmPimGemv(std::move(p));
    case StreamKernel::kAttention:
      return attaccAttention(std::move(p), draft.dims[0].cores, isEvaluated);
    case StreamKernel::kRed:
      return isAttacc(machine) ? attaccRed(std::move(p)) : hbmPimRed(std::move(p));
    case StreamKernel::kVa:
      return hbmPimElementwise(std::move(p), {"LD_OP1", "ADD_OP1"}, "va");
    case StreamKernel::kRelu:
      break;
  }
  return hbmPimElementwise(std::move(p), {"RELU"}, "relu");
}

std::int64_t bytesPerBank(StreamKernel kernel, const Draft &draft, std::int64_t elementBytes) {
  const auto bytes = [lanes = kBurst / elementBytes](std::int64_t elements) {
    return kBurst * ceilDiv(elements, lanes);
  };
  const std::int64_t operand = bytes(draft.tile(0) * draft.tile(1));
  if (!draft.isCube()) return 3 * operand + kBurst;
  const std::int64_t results = kernel == StreamKernel::kAttention ? operand : bytes(draft.tile(0) * draft.tile(2));
  return bytes(draft.tile(0) * draft.tile(1) * draft.tile(2)) + operand + results;
}

}  // namespace pimento::targets::near_bank
