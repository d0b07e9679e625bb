// The clocks of a machine: that of the device, and others by name.
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

row::Rows rows() {
  return {
      row::section("clock", "clocks", true),
      row::real("clock.device", "GHz|MHz", 1e-3, 1e3, "clock of the device cycle"),
      row::real("clock.*", "GHz|MHz", 1e-3, 1e3, "additional clock; times may use its cycles: 4 cycle@NAME", false),
  };
}

void build(const Contents &c, Machine &m) {
  for (const Entry &e : c.entries("clock")) {
    if (e.key == "device")
      m.clockGHz = c.real("clock.device");
    else
      m.clocks[e.key] = c.real("clock." + e.key);
  }
}

}  // namespace

Picoseconds Machine::toTime(Cycles c, std::string_view clock) const {
  const auto other = clocks.find(clock);
  PIMENTO_CHECK((clock == "device" || other != clocks.end()) && "the loader has checked clock names");
  return Picoseconds(static_cast<double>(c.value) * 1000.0 / (clock == "device" ? clockGHz : other->second));
}

Section section::clock() {
  return {rows, build, nullptr};
}

}  // namespace pimento::machine
