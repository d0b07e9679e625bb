#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "pimento/base/scanner.h"
#include "pimento/mapping/cnm_words.h"
#include "pimento/mapping/dcc.h"
#include "pimento/mapping/dcc_lines.h"
#include "pimento/mapping/drafts.h"

namespace pimento::mapping {

namespace {

class DccPrinter {
 public:
  DccPrinter(const CnmModule &module, const machine::Machine &machine) : module_(module), machine_(machine) {}

  Result<std::string> run() {
    const kernel::Graph &graph = module_.graph;
    if (!graph.loops.empty()) return unsupported({}, "kernels in a loop");
    for (std::size_t k = 0; k < graph.kernels.size(); ++k)
      if (Status s = function(static_cast<int>(k)); !s) return s.diagnostics();
    return std::move(out_);
  }

 private:
  static Diagnostic unsupported(const Location &where, const std::string &what) {
    return error("unsupported-dcc", where, "DCC's representation has no " + what, "use --emit cnm, or another mapping");
  }

  void line(int depth, const std::string &text) {
    out_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n";
  }

  Status function(int k) {
    const kernel::Kernel &kernel = module_.graph.kernels[static_cast<std::size_t>(k)];
    if (kernel.form != kernel::Form::kAffine || !kernel.bounds.empty() || kernel.hasIndirectLoads())
      return unsupported(kernel.where, "places or bounds that come from data (kernel '" + kernel.name + "')");
    const auto &spec = k < static_cast<int>(module_.mappings.size()) ? module_.mappings[static_cast<std::size_t>(k)]
                                                                     : std::optional<MapSpec>();
    const bool isOnHost = spec && spec->kind == MapSpec::Kind::kHost;
    const bool isMapped = spec && spec->kind == MapSpec::Kind::kExplicit;
    std::vector<DccTile> tiles(kernel.dims.size());
    if (isMapped) {
      if (spec->mapping.subspaces.size() != 1) return unsupported(kernel.where, "mappings of several subspaces");
      if (spec->mapping.subspaces.front().factors.front().size() != kernel.dims.size())
        return unsupported(kernel.where, "drafts over other dims than those of the kernel");
      if (Status s = checkBorders(k, spec->mapping); !s) return s;
      tiles = tilesOf(spec->mapping.subspaces.front());
      addBorders(k, spec->mapping, tiles);
    }
    const DccLines lines(module_.graph, k, tiles, !isMapped || spec->mapping.cyclic.empty());
    if (k > 0) out_ += "\n";
    if (isOnHost) line(0, "@host");
    if (isMapped) {
      const DraftHardware h = draftHardware(machine_);
      line(0, fmt::format("@hardware_platform[{}, {}] {} {}", h.groups, h.cores, spellName(machine_.name), levels()));
    }
    line(0, fmt::format("func @{}({}): ({}) {{", spellName(kernel.name), operands(lines.parameters()),
                        operands(lines.results())));
    for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
      line(1, lines.set(d));
      for (const std::string &f : lines.functions(d)) line(1, f);
      line(1, fmt::format("%{}.range = (0, {}, 1)", spellWord(kernel.dims[d].name), kernel.dims[d].extent));
    }
    if (!isMapped) {
      body(kernel, "loop (" + names(kernel, "") + ")", 1);
      line(0, "}");
      return okStatus();
    }
    for (std::size_t d = 0; d < kernel.dims.size(); ++d) line(1, dataTile(kernel, d, tiles[d], spec->mapping));
    for (const std::string &t : lines.computeTiles()) line(1, t);
    for (const std::string &t : lines.tensorTiles()) line(1, t);
    for (const std::string &r : lines.toCores()) line(1, r);
    const DraftHardware h = draftHardware(machine_);
    line(1, fmt::format("parallel_PIM ({}, {}){} {{", h.groups, h.cores, extensions(spec->mapping)));
    body(kernel, "loop (" + names(kernel, "") + ") in (" + names(kernel, "%ct_") + ")", 2);
    line(1, "}");
    for (const std::string &r : lines.toHost()) line(1, r);
    line(0, "}");
    return okStatus();
  }

  std::string levels() const {
    std::vector<std::string> out;
    for (const machine::Level &l : machine_.levels) out.push_back(spellName(l.name));
    return fmt::format("{}", fmt::join(out, " "));
  }

  /// Borders are those of tiles that cores have, not of what several cores share.
  Status checkBorders(int k, const Mapping &m) const {
    if (m.by.empty()) return okStatus();
    const Result<PlacedMapping> placed = place(m, module_.graph, k, machine_);
    if (!placed) return placed.diagnostics();
    const kernel::Kernel &kernel = module_.graph.kernels[static_cast<std::size_t>(k)];
    for (std::size_t d = 0; d < kernel.dims.size(); ++d)
      if (m.by.contains(kernel.dims[d].name) && !haveCoresBorders(m.subspaces.front(), d, machine_))
        return unsupported(kernel.where, "cores that share a tile of %" + spellWord(kernel.dims[d].name));
    return okStatus();
  }

  void addBorders(int k, const Mapping &m, std::vector<DccTile> &tiles) const {
    const std::vector<kernel::Dim> &dims = module_.graph.kernels[static_cast<std::size_t>(k)].dims;
    const DccLines lines(module_.graph, k, tiles, true);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto by = m.by.find(dims[d].name);
      if (by == m.by.end()) continue;
      for (std::size_t line = 0; line < lines.functions(d).size(); ++line)
        if (const DccLines::Function f = lines.functionAt(d, line); f.borders == by->second)
          cut(tiles[d], f, dims[d].extent);
    }
  }

  std::vector<DccTile> tilesOf(const Subspace &s) const {
    const std::size_t core = coreLevel(machine_);
    std::vector<DccTile> tiles(s.factors.front().size());
    for (std::size_t d = 0; d < tiles.size(); ++d) {
      for (std::size_t l = 0; l < core; ++l) tiles[d].groups *= s.factors[l][d];
      tiles[d].cores = s.factors[core][d];
      for (std::size_t l = core + 1; l < s.factors.size(); ++l) tiles[d].size *= s.factors[l][d];
    }
    return tiles;
  }

  std::string dataTile(const kernel::Kernel &kernel, std::size_t d, const DccTile &t, const Mapping &m) const {
    std::string out = fmt::format("data_tile %dt_{}: ({}, {}) -> ({}, {}, {})", spellWord(kernel.dims[d].name),
                                  t.groups, t.cores, t.groups, t.cores, t.size);
    const bool isLonger = t.borders && m.subspaces.front().range(static_cast<int>(d)) != t.longest();
    if (machine_.levels.size() == 2 && coreLevel(machine_) == 1 && !isLonger) return out;
    out += " by";
    const auto &factors = m.subspaces.front().factors;
    for (std::size_t l = 0; l < machine_.levels.size(); ++l)
      if (factors[l][d] != 1) out += fmt::format(" {} {}", spellName(machine_.levels[l].name), factors[l][d]);
    return out + fmt::format(" range {}", factors.back()[d]);
  }

  /// What a mapping says besides its factors.
  static std::string extensions(const Mapping &m) {
    MapSpec rest;
    rest.kind = MapSpec::Kind::kAuto;
    rest.mapping = m;
    rest.mapping.subspaces.clear();
    rest.mapping.by.clear();  // [representative] says it
    const std::string text = print(rest);
    const std::size_t at = text.find(';');
    return at == std::string::npos ? "" : fmt::format(" with \"{}\"", text.substr(at + 1));
  }

  std::string operands(const std::vector<int> &tensors) {
    std::vector<std::string> out;
    for (const int t : tensors) {
      const kernel::Tensor &tensor = module_.graph.tensors[static_cast<std::size_t>(t)];
      std::string shape;
      for (const std::int64_t n : tensor.shape) shape += std::to_string(n) + "x";
      std::string text = fmt::format("%{}: <{}{}>", spellWord(tensor.name), shape, name(tensor.type));
      if (tensor.role == kernel::Role::kInOut) text += " inout";
      if (tensor.role == kernel::Role::kTemporary) text += " temporary";
      if (tensor.isConstant) text += " constant";
      out.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  static std::string names(const kernel::Kernel &kernel, const std::string &prefix) {
    std::vector<std::string> out;
    for (const kernel::Dim &d : kernel.dims) out.push_back(prefix + spellWord(d.name));
    return fmt::format("{}", fmt::join(out, ", "));
  }

  void body(const kernel::Kernel &kernel, const std::string &head, int depth) {
    line(depth, head + " {");
    out_ += bodyText(module_.graph, kernel, std::string(static_cast<std::size_t>(2 * depth + 2), ' '), "_core");
    line(depth, "}");
  }

  const CnmModule &module_;
  const machine::Machine &machine_;
  std::string out_;
};

}  // namespace

Result<std::string> printDcc(const CnmModule &module, const machine::Machine &machine) {
  return DccPrinter(module, machine).run();
}

}  // namespace pimento::mapping
