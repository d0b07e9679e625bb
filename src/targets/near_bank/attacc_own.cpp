// AttAcc's own attention stream: rounds of one head per channel, two rounds overlapped; while one computes its scores
// the next one's vectors arrive, while one is normalised the other computes.
#include <algorithm>
#include <string_view>
#include <vector>

#include "pimento/targets/near_bank/published.h"
#include "pimento/targets/near_bank/stream.h"

namespace pimento::targets::near_bank {

namespace {

constexpr std::int64_t kBurst = 32;                          // bytes
constexpr std::int64_t kBanksPerGroup = 4, kGroups = 4;      // of a rank
constexpr std::int64_t kRanks = 2, kBanksPerRank = 16;       // of the first pseudo channel
constexpr std::int64_t kValues = std::int64_t{1} << 23;      // values lie in the upper half of a bank
constexpr std::int64_t kMostLength = 4096, kHeadSplit = 64;  // what keys of a round take

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Heads on the first `channels` channels, whose keys begin at `keys`.
struct Round {
  std::int64_t channels = 0;
  Address keys;
};

class OwnStream {
 public:
  OwnStream(std::int64_t length, std::int64_t dhead, std::int64_t elementBytes, const machine::Machine &machine)
      : stream_(machine) {
    const std::int64_t lanes = kBurst / elementBytes;
    kk_ = ceilDiv(dhead, kBanksPerGroup * lanes);
    nl_ = ceilDiv(length, 16);
    len_ = ceilDiv(length, 256);
    nc_ = ceilDiv(length, 16 * lanes);
  }

  void pair(const Round &a, const Round &b, bool isFirst) {
    part(vectors(a), "WRGB", a, 0, all(vectors(a), a));
    if (isFirst) stream_.send("MACAB", 0, 0, a.channels, a.keys);
    stream_.barrier();
    const auto nextVectors = vectors(b);
    for (std::int64_t j = 0; j <= len_; ++j) {
      if (j < len_) scores(a, 16 * j);
      if (j > 0) storeScores(a);
      if (j == len_) break;
      part(nextVectors, "WRGB", b, j, all(nextVectors, b) / len_);
      stream_.barrier();
    }
    overlapped(len_, [&](std::int64_t j) { scores(b, 16 * j); }, [&] { storeScores(b); }, a);
    overlapped(kk_, [&](std::int64_t j) { contexts(a, j); }, [&] { storeContexts(a); }, b);
    for (std::int64_t j = 0; j <= kk_; ++j) {  // of a again, as the generator has it
      if (j < kk_) contexts(a, j);
      if (j > 0) storeContexts(a);
      if (j < kk_) stream_.barrier();
    }
  }

  void alone(const Round &a) {
    part(vectors(a), "WRGB", a, 0, all(vectors(a), a));
    stream_.barrier();
    for (std::int64_t j = 0; j <= len_; ++j) {
      if (j < len_) scores(a, 16 * j);
      if (j > 0) storeScores(a);
      if (j < len_) stream_.barrier();
    }
    normalise(a);
    part(weights(a), "MVGB", a, 0, all(weights(a), a));
    stream_.barrier();
    for (std::int64_t j = 0; j <= kk_; ++j) {
      if (j < kk_) contexts(a, j);
      if (j > 0) storeContexts(a);
      if (j < kk_) stream_.barrier();
    }
  }

  Stream &stream() { return stream_; }

 private:
  struct Place {
    std::int64_t bank = 0;
    Address a;
  };
  using Places = std::vector<Place>;

  static std::int64_t all(const Places &list, const Round &r) {
    return static_cast<std::int64_t>(list.size()) * r.channels;
  }

  Places vectors(const Round &r) const {
    Places list;
    for (std::int64_t b = 0; b < kBanksPerGroup; ++b)
      for (std::int64_t k = 0; k < kk_; ++k) list.push_back({b, shifted(r.keys, k)});
    return list;
  }
  Places weights(const Round &r) const {
    Places list;
    for (std::int64_t rank = 0; rank < kRanks; ++rank)
      for (std::int64_t group = 0; group < kGroups; ++group)
        for (std::int64_t k = 0; k < nc_; ++k)
          list.push_back({rank * kBanksPerRank + group * kBanksPerGroup, shifted(r.keys, kValues + k)});
    return list;
  }

  /// Part number `index` of so many commands, of a list with channels innermost.
  void part(const Places &list, std::string_view command, const Round &r, std::int64_t index, std::int64_t size) {
    const std::int64_t first = index * size, end = std::min(first + size, all(list, r));
    for (std::int64_t i = first; i < end;) {
      const Place &p = list[static_cast<std::size_t>(i / r.channels)];
      const std::int64_t channel = i % r.channels, count = std::min(r.channels - channel, end - i);
      stream_.send(command, p.bank, channel, count, p.a);
      i += count;
    }
  }

  void scores(const Round &r, std::int64_t from) {
    stream_.loop("x", std::min(from + 16, nl_) - from, [&](int x) {
      stream_.loop("k", kk_, [&](int k) {
        stream_.send("MACAB", 0, 0, r.channels,
                     moved(moved(shifted(r.keys, kBurst * from * kk_), x, kBurst * kk_), k, kBurst));
      });
    });
  }
  void storeScores(const Round &r) {
    for (std::int64_t group = 0; group < kGroups; ++group)
      for (std::int64_t rank = 0; rank < kRanks; ++rank)
        stream_.send("MVSB", rank * kBanksPerRank + group * kBanksPerGroup, 0, r.channels, r.keys);
  }
  void normalise(const Round &r) { stream_.send("SFM", 0, 0, r.channels, {}); }
  void contexts(const Round &r, std::int64_t x) {
    stream_.loop("k", nl_, [&](int k) {
      stream_.send("MACAB", 0, 0, r.channels, moved(shifted(r.keys, kValues + kBurst * x * nl_), k, kBurst));
    });
  }
  void storeContexts(const Round &r) {
    for (std::int64_t b = 0; b < kBanksPerGroup; ++b)
      for (std::int64_t rank = 0; rank < kRanks; ++rank)
        stream_.send("MVSB", rank * kBanksPerRank + b, 0, r.channels, shifted(r.keys, kValues));
  }

  /// `steps` steps of one round; in their second half the weights of `other`, normalised at the first, move.
  template <typename Compute, typename Store>
  void overlapped(std::int64_t steps, const Compute &compute, const Store &store, const Round &other) {
    const Places moves = weights(other);
    const std::int64_t half = steps / 2, size = all(moves, other) / ceilDiv(steps, 2);
    for (std::int64_t j = 0; j <= steps; ++j) {
      if (j < steps) compute(j);
      if (j > 0) store();
      if (j == 0) normalise(other);
      if (j == steps) break;
      if (j >= half) part(moves, "MVGB", other, j - half, size);
      stream_.barrier();
    }
  }

  Stream stream_;
  std::int64_t kk_, nl_, len_, nc_;
};

}  // namespace

program::Program attaccStream(std::int64_t heads, std::int64_t length, std::int64_t dhead, std::int64_t elementBytes,
                              const machine::Machine &machine) {
  OwnStream own(length, dhead, elementBytes, machine);
  Stream &s = own.stream();
  const std::int64_t channels = s.channels(), rounds = ceilDiv(heads, channels);
  const std::int64_t keys = ceilDiv(kMostLength * dhead, kHeadSplit);
  const auto round = [&](std::int64_t i, std::int64_t perLoop = 0, int depth = 0) {
    const bool isLast = perLoop == 0 && i == rounds - 1 && heads % channels != 0;
    return Round{isLast ? heads % channels : channels,
                 perLoop == 0 ? Address{i * keys, {}} : moved({i * keys, {}}, depth, perLoop * keys)};
  };
  // Pairs of whole rounds but the first are alike.
  const std::int64_t pairs = rounds / 2, whole = heads / channels / 2;
  if (pairs > 0) own.pair(round(0), round(1), true);
  s.loop("pair", whole - 1, [&](int d) { own.pair(round(2, 2, d), round(3, 2, d), false); });
  for (std::int64_t i = std::max<std::int64_t>(whole, 1); i < pairs; ++i)
    own.pair(round(2 * i), round(2 * i + 1), false);
  if (rounds % 2 != 0) own.alone(round(rounds - 1));
  return s.take("attention");
}

}  // namespace pimento::targets::near_bank
