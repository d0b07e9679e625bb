#include "pimento/targets/l3_sram/timeline.h"

#include <fmt/format.h>

namespace pimento::targets::l3_sram {

namespace {

using Kind = program::SramCommandKind;

std::string nameOf(const program::SramCommand &c) {
  switch (c.kind) {
    case Kind::kCompute:
      return fmt::format("{} {}", kernel::name(c.op), name(c.type));
    case Kind::kConstant:
      return "constant";
    case Kind::kCopy:
      return "copy";
    case Kind::kShift:
      return "shift";
    case Kind::kTileShift:
      return "tile-shift";
    default:
      return "broadcast";
  }
}

}  // namespace

SramTimeline::SramTimeline(std::ostream &out, const machine::Machine &machine, const evaluate::Breakdown &before,
                           std::int64_t maxEvents)
    : events_(out, machine.clockGHz, kRegionTrack, maxEvents) {
  PIMENTO_CHECK(machine.sram.has_value());
  isNamed_.resize(static_cast<std::size_t>(machine.sram->banks()));
  events_.nameDevice(fmt::format("{}: {} banks", machine.name, machine.sram->banks()));
  events_.nameTrack(kRegionTrack, "regions");
  events_.nameTrack(kSyncTrack, "syncs");
  events_.hostBefore(before);
}

void SramTimeline::begin(const Round &round, const tdfg::Program &program) {
  region_ = program.regions[static_cast<std::size_t>(round.region)].name;
  if (round.instance == nullptr) {
    events_.complete(kRegionTrack, region_ + ", streams", 0, 0);
    return;
  }
  tile_ = fmt::format("{}x{}x{}", round.layout->tile[0], round.layout->tile[1], round.layout->tile[2]);
}

void SramTimeline::onCommand(const program::SramCommand &c, std::int64_t bank, std::int64_t from, std::int64_t cycles) {
  const auto b = static_cast<std::size_t>(bank);
  if (!isNamed_[b]) {
    isNamed_[b] = true;
    events_.nameTrack(trackOf(bank), fmt::format("bank {}", bank));
  }
  if (!events_.mayWrite(from)) return;
  events_.completeAsked(
      trackOf(bank), nameOf(c), from, cycles,
      fmt::format(R"("wordline":{},"bitlines":"{}","tiles":"{}")", c.dest, print(c.bitlines), print(c.tiles)));
}

void SramTimeline::onSync(std::int64_t from, std::int64_t cycles) {
  events_.complete(kSyncTrack, "sync", from, cycles);
}

void SramTimeline::end(Cycles cycles) {
  events_.complete(kRegionTrack, region_, 0, cycles.value, fmt::format(R"("tile":"{}")", tile_));
  events_.advance(cycles.value);
}

void SramTimeline::phase(std::string_view name, Cycles cycles) {
  if (cycles.value == 0) return;
  events_.complete(kRegionTrack, std::string(name), 0, cycles.value);
  events_.advance(cycles.value);
}

Status SramTimeline::finish(const evaluate::Report &report) {
  return events_.finish(report, 0);
}

}  // namespace pimento::targets::l3_sram
