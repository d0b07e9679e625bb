// What a machine is called, what it is, and what holds for all sections: provenance, aliases.
#include "pimento/base/dtype.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

row::Rows rows() {
  row::Rows rows = row::everywhere();
  row::append(rows, {
                        row::text("name", "name of the preset, as --target takes it", true),
                        row::text("family", "which target compiles for it: hbm-pim, upmem, ...", true),
                        row::text("about", "what the preset models and what it does not", true),
                        row::list("notes", "caveats that every report repeats"),
                        row::text("extends", "preset or file that this one extends; null removes one of its keys"),
                        row::dtype("native_type", "default element type of kernels"),
                        row::section("aliases", "short names for --set"),
                        row::text("aliases.*", "path of the number that the name refers to"),
                    });
  return rows;
}

void build(const Contents &c, Machine &m) {
  m.name = c.text("name");
  m.family = c.text("family");
  m.about = c.text("about");
  m.notes = c.list("notes");
  if (const auto type = parseDType(c.text("native_type"))) m.nativeType = *type;
  for (const Entry &e : c.entries("aliases")) {
    const std::string path = c.text("aliases." + e.key);
    if (c.get(path) == nullptr)
      c.report("bad-alias", e.value.where, "alias '" + e.key + "' refers to '" + path + "', which is not in the file",
               "give the full path of a number, as in 'channels: organization.channels'");
    m.aliases[e.key] = path;
  }
}

}  // namespace

Section section::general() {
  return {rows, build, nullptr};
}

}  // namespace pimento::machine
