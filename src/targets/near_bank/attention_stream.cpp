#include "pimento/targets/near_bank/attention_stream.h"

#include <algorithm>

#include "pimento/targets/near_bank/stream.h"

namespace pimento::targets::near_bank {

namespace {

using program::Purpose;

constexpr std::size_t kBank = 1;

/// A head of a bank: `first`, plus as many as a round has for each round, plus the heads of the round before it. The
/// counters are of the loops at these depths; -1: there is none.
struct Head {
  std::int64_t first = 0;
  int round = -1, inRound = -1;
};

/// A sum of products for each of `outputs` outputs, of `columns` columns each, from `at` on (stationary.h).
struct Sums {
  Address at;
  std::int64_t outputs = 1, columns = 1;
};

class AttentionStream {
 public:
  AttentionStream(AttentionData &data, mapping::StreamMode mode, const Passes &passes, const machine::Machine &machine)
      : data_(data),
        l_(data.layout()),
        unit_(*machine.nearBank),
        passes_(passes),
        softmax_(*unit_.softmax),
        burstBytes_(machine.dram->organization.burst.value),
        rowBytes_(machine.dram->organization.columns * burstBytes_),
        stream_(machine),
        mode_(mode) {
    const Attention &a = data.attention();
    const auto &last = a.dimsOfFirst.back();
    std::vector<int> groups;
    int length = -1, depth = -1;
    for (const int d : a.groupDims) groups.push_back(position(last, d));
    length = position(last, a.lengthDim);
    depth = position(last, a.depthDim);
    ofScores_ = {l_.scores.numbers(kBank, a.groupDims), l_.scores.numbers(kBank, {a.lengthDim}),
                 l_.scores.numbers(kBank, {a.depthDim})};
    ofContext_ = {l_.context.numbers(kBank, groups), l_.context.numbers(kBank, {length}),
                  l_.context.numbers(kBank, {depth})};
  }

  program::Program run(const Movement &movement) {
    for (const std::int64_t columns : {l_.depthColumns, l_.lengthColumns})
      for (const std::int64_t n : {std::min(columns, unit_.bufferEntries), columns % unit_.bufferEntries})
        if (unit_.setColumns >= 0 && n > 0 && std::ranges::count(data_.columns, n) == 0) data_.columns.push_back(n);
    queryImage_ = stream_.image("query", l_.queryBursts, l_.isQueryPerChannel);
    settingsImage_ = stream_.image("settings", 1 + static_cast<std::int64_t>(data_.columns.size()), false);
    for (StationaryTensor &t : data_.stationary())
      if (t.hasImage()) t.declare(stream_);
    process(movement, true);
    stream_.close("channel", l_.channels);
    // The host's data lie in all channels.
    if (const std::int64_t others = stream_.channels() - l_.channels; movement.isInBanks() && others > 0) {
      process(movement, false);
      stream_.close("host data", others);
    }
    return stream_.take();
  }

 private:
  /// What the instances of each role add to a bank's number.
  struct Banks {
    std::vector<std::int32_t> group, length, depth;
  };

  /// What all channels with units at work do (`isUsed`), or the others.
  void process(const Movement &movement, bool isUsed) {
    using program::PhaseKind;
    emitStationary(stream_, movement, data_.stationary(), isUsed);
    // `mode=inference`: the query is in on-chip memory.
    if (movement.isInBanks() && mode_ != mapping::StreamMode::kInference)
      stream_.phase(PhaseKind::kLoad, [&] {
        movement.read(stream_, data_.hostQuery);
        stream_.await();
      });
    if (isUsed) stream_.phase(PhaseKind::kCompute, [&] { compute(movement); });
    if (movement.isInBanks())
      stream_.phase(PhaseKind::kMove, [&] {
        movement.write(stream_, data_.hostOutput);
        stream_.await();
      });
  }

  void compute(const Movement &movement) {
    // A controller takes hits first: no row but that of the first products may be open when they begin.
    movement.readBanks(stream_, firstBanks(l_.banks), 0, 1);
    stream_.each(softmax_.set, 0, {}, Purpose::kControl, {settingsImage_, {}});
    stream_.fence();
    const std::int64_t rounds = l_.heads / l_.headsAtOnce;
    stream_.loop("round", rounds, [&](int depth) { round({0, depth, -1}, l_.headsAtOnce); });
    if (const std::int64_t rest = l_.heads % l_.headsAtOnce; rest > 0) round({l_.heads - rest, -1, -1}, rest);
    stream_.await();
  }

  static int position(const std::vector<int> &dims, int dim) {
    return static_cast<int>(std::ranges::find(dims, dim) - dims.begin());
  }

  /// Moved on by `stride` for every head before it; for every head of its round before it.
  Address ofHead(Address a, const Head &h, std::int64_t stride) const {
    a.base += h.first * stride;
    if (h.round >= 0) a = moved(a, h.round, l_.headsAtOnce * stride);
    return ofSlot(a, h, stride);
  }
  static Address ofSlot(Address a, const Head &h, std::int64_t stride) {
    return h.inRound >= 0 ? moved(a, h.inRound, stride) : a;
  }
  /// An entry of the softmax buffer, by its row.
  Address entry(std::int64_t number) const { return shifted({}, number * rowBytes_); }
  Address slotEntry(const Head &h, std::int64_t group) const {
    return ofSlot(entry(group * l_.entriesPerHead), h, l_.groupBanks * l_.entriesPerHead * rowBytes_);
  }

  void round(const Head &r, std::int64_t heads) {
    stream_.loop("head", heads, [&](int depth) {
      const Head h{r.first, r.round, depth};
      scores(h);
      for (std::int64_t g = 0; g < l_.groupBanks; ++g)
        stream_.each(softmax_.run, 0, slotEntry(h, g), Purpose::kPimAlu, {},
                     static_cast<std::int32_t>(l_.entriesPerHead * softmax_.passes));
    });
    stream_.fence();
    stream_.loop("head", heads, [&](int depth) { context({r.first, r.round, depth}); });
  }

  void scores(const Head &h) {
    const std::int64_t perHead = l_.length * l_.depthColumns * burstBytes_;
    sums(
        {ofHead({}, h, perHead), l_.length, l_.depthColumns},
        [&](std::int64_t first, int chunk, std::int64_t entries) { loadQuery(h, first, chunk, entries); },
        [&](std::int64_t first, int block) { moveScores(h, first, block); });
  }

  void context(const Head &h) {
    const std::int64_t perHead = l_.depth * l_.lengthColumns * burstBytes_;
    sums(
        {ofHead(shifted({}, data_.valuesAt() * burstBytes_), h, perHead), l_.depth, l_.lengthColumns},
        [&](std::int64_t first, int chunk, std::int64_t entries) { loadWeights(h, first, chunk, entries); },
        [&](std::int64_t first, int block) { moveOutputs(h, first, block); });
  }

  /// Block of outputs after block: load(first entry, loop of chunks, entries) before, move(first block, loop of blocks)
  /// behind each.
  template <typename Load, typename Move>
  void sums(const Sums &s, const Load &load, const Move &move) {
    if (s.columns <= unit_.bufferEntries) {
      set(s.columns);
      load(0, -1, s.columns);
      stream_.fence();
    }
    const std::int64_t full = s.outputs / unit_.accumulators, rest = s.outputs % unit_.accumulators;
    const auto block = [&](std::int64_t first, int loop, std::int64_t outputs) {
      const std::int64_t stride = unit_.accumulators * s.columns * burstBytes_;
      Address at = shifted(s.at, first * stride);
      if (loop >= 0) at = moved(at, loop, stride);
      multiply(s, at, outputs, load);
      move(first, loop);
    };
    stream_.loop("block", full, [&](int loop) { block(0, loop, unit_.accumulators); });
    if (rest > 0) block(full, -1, rest);
  }

  template <typename Load>
  void multiply(const Sums &s, const Address &at, std::int64_t outputs, const Load &load) {
    const std::int64_t entries = unit_.bufferEntries, chunks = s.columns / entries, rest = s.columns % entries;
    const auto products = [&](const Address &from, std::int64_t columns) {
      stream_.loop("column", outputs * columns,
                   [&](int k) { stream_.each(unit_.multiply, 0, moved(from, k, burstBytes_), Purpose::kPimMac); });
      stream_.fence();
    };
    if (s.columns <= entries) return products(at, s.columns);
    const auto part = [&](std::int64_t first, int chunk, std::int64_t columns) {
      set(columns);
      load(first, chunk, columns);
      stream_.fence();
      const Address from = shifted(at, first * outputs * burstBytes_);
      products(chunk >= 0 ? moved(from, chunk, entries * outputs * burstBytes_) : from, columns);
    };
    stream_.loop("chunk", chunks, [&](int chunk) { part(0, chunk, entries); });
    if (rest > 0) part(chunks * entries, -1, rest);
  }

  /// Goes before loads, into their group: units begin anew.
  void set(std::int64_t columns) {
    if (unit_.setColumns < 0) return;
    const auto at = std::ranges::find(data_.columns, columns) - data_.columns.begin();
    stream_.each(unit_.setColumns, 0, {}, Purpose::kControl, {settingsImage_, shifted({}, 1 + at)});
  }

  void loadQuery(const Head &h, std::int64_t first, int chunk, std::int64_t entries) {
    const std::int64_t copies = l_.queryCopies();
    Address burst = ofHead(shifted({}, first * copies), h, l_.depthColumns * copies);
    if (chunk >= 0) burst = moved(burst, chunk, unit_.bufferEntries * copies);
    stream_.loop("entry", entries, [&](int k) {
      const Address to = moved({}, k, burstBytes_), from = moved(burst, k, copies);
      if (!l_.isQueryPerBank && loadsGroups(passes_, unit_))
        return stream_.each(unit_.loadAll, 0, to, Purpose::kBroadcast, {queryImage_, from});
      for (std::int64_t bank = 0; bank < l_.banks; ++bank)
        stream_.each(unit_.load, bank, to, Purpose::kBroadcast,
                     {queryImage_, shifted(from, l_.isQueryPerBank ? bank : 0)});
    });
  }

  /// Banks that share a score one after the other, since what is added first counts.
  void moveScores(const Head &h, std::int64_t first, int block) {
    for (const std::int32_t depth : ofScores_.depth) {
      for (std::size_t g = 0; g < ofScores_.group.size(); ++g)
        for (std::size_t i = 0; i < ofScores_.length.size(); ++i) {
          const auto stretch = static_cast<std::int64_t>(i) * l_.lengthColumns;
          Address to = shifted(slotEntry(h, static_cast<std::int64_t>(g)), (stretch + first) * rowBytes_);
          if (block >= 0) to = moved(to, block, rowBytes_);
          stream_.each(softmax_.move, ofScores_.group[g] + ofScores_.length[i] + depth, to, Purpose::kPimMove);
        }
      stream_.fence();
    }
  }

  void loadWeights(const Head &h, std::int64_t first, int chunk, std::int64_t entries) {
    stream_.loop("entry", entries, [&](int k) {
      const auto from = [&](std::size_t group, std::size_t stretch) {
        Address a = shifted(slotEntry(h, static_cast<std::int64_t>(group)),
                            (static_cast<std::int64_t>(stretch) * l_.lengthColumns + first) * rowBytes_);
        if (chunk >= 0) a = moved(a, chunk, unit_.bufferEntries * rowBytes_);
        return moved(a, k, rowBytes_ + burstBytes_);  // to the next entry of the operand buffers
      };
      if (loadsWeightsToAll(l_, unit_)) return stream_.each(softmax_.loadAll, 0, from(0, 0), Purpose::kPimMove);
      for (std::size_t g = 0; g < ofContext_.group.size(); ++g)
        for (std::size_t i = 0; i < ofContext_.length.size(); ++i)
          for (const std::int32_t depth : ofContext_.depth)
            stream_.each(softmax_.load, ofContext_.group[g] + ofContext_.length[i] + depth, from(g, i),
                         Purpose::kPimMove);
    });
  }

  void moveOutputs(const Head &h, std::int64_t first, int block) {
    const std::int64_t bursts = data_.burstsPerBlock();
    Address burst = ofHead(shifted({}, first * bursts), h, data_.outputBlocks() * bursts);
    if (block >= 0) burst = moved(burst, block, bursts);
    if (!l_.mergesOutputs) {
      for (std::int64_t i = 0; i < bursts; ++i)
        stream_.each(unit_.result, i * l_.banksPerMove, {}, Purpose::kPimMove, {-1, shifted(burst, i)});
      return stream_.fence();
    }
    const auto depths = ofContext_.depth.size();
    for (const std::int32_t length : ofContext_.length) {
      for (std::size_t g = 0; g < ofContext_.group.size(); ++g)
        for (std::size_t d = 0; d < depths; ++d)
          stream_.each(softmax_.move, ofContext_.group[g] + length + ofContext_.depth[d],
                       entry(l_.resultEntry + static_cast<std::int64_t>(g * depths + d)), Purpose::kPimMove);
      stream_.fence();
    }
    for (std::size_t g = 0; g < ofContext_.group.size(); ++g)
      for (std::size_t d = 0; d < depths; ++d) {
        const auto number = static_cast<std::int64_t>(g * depths + d);
        stream_.each(softmax_.read, ofContext_.group[g] + ofContext_.depth[d], entry(l_.resultEntry + number),
                     Purpose::kPimMove, {-1, shifted(burst, number)});
      }
    // Nothing moves to these entries before the next barrier but one.
  }

  AttentionData &data_;
  const AttentionLayout &l_;
  const machine::NearBankUnit &unit_;
  Passes passes_;
  const machine::SoftmaxUnit &softmax_;
  std::int64_t burstBytes_, rowBytes_;
  Stream stream_;
  Banks ofScores_, ofContext_;
  int queryImage_ = -1, settingsImage_ = -1;
  mapping::StreamMode mode_;
};

}  // namespace

program::Program attentionProgram(AttentionData &data, const Movement &movement, mapping::StreamMode mode,
                                  const machine::Machine &machine) {
  return AttentionStream(data, mode, movement.passes(), machine).run(movement);
}

}  // namespace pimento::targets::near_bank
