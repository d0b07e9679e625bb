#include <string>

#include "pimento/machine/sections/core.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<Noc::Routing> kRoutings[] = {{"x-y", Noc::Routing::kXY}, {"y-x", Noc::Routing::kYX}};
constexpr double kMostTiles = 64, kMostDelay = 1000;

row::Rows rows() {
  return {
      row::section("noc", "a mesh between the tiles of a chip, a router for each"),
      row::integer("noc.columns", "count", 1, kMostTiles, "routers from west to east", true),
      row::integer("noc.rows", "count", 1, kMostTiles, "routers from north to south", true),
      row::choice("noc.routing", choicesOf(kRoutings), "the dimension that packets go along first"),
      row::integer("noc.router", "cycle", 1, kMostDelay, "a router's stages", true),
      row::integer("noc.link", "cycle", 1, kMostDelay, "a link between routers", true),
      row::integer("noc.flit", "B", 1, 4096, "what a link takes per cycle", true),
      row::integer("noc.header", "B", 0, 4096, "of a packet, before its data", true),
  };
}

void build(const Contents &c, Machine &m) {
  if (!c.has("noc")) return;
  Noc n;
  n.columns = static_cast<int>(c.integer("noc.columns"));
  n.rows = static_cast<int>(c.integer("noc.rows"));
  n.routing = enumOf(kRoutings, c.text("noc.routing"));
  n.router = c.cycles("noc.router");
  n.link = c.cycles("noc.link");
  n.flit = c.bytes("noc.flit");
  n.header = c.bytes("noc.header");
  m.noc = n;
}

void check(const Contents &c, const Machine &m) {
  if (!m.noc || !m.sram) return;
  const auto same = [&](const char *path, std::int64_t routers, std::int64_t banks) {
    if (routers != banks)
      c.impossible(path, std::to_string(routers) + " routers for " + std::to_string(banks) + " banks of the L3",
                   "use " + std::to_string(banks));
  };
  same("noc.columns", m.noc->columns, m.sram->meshColumns);
  same("noc.rows", m.noc->rows, m.sram->meshRows);
}

}  // namespace

Section section::noc() {
  return {rows, build, check};
}

}  // namespace pimento::machine
