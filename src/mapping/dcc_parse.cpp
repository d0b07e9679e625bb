#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/mapping/cnm_kernel.h"
#include "pimento/mapping/cnm_text.h"
#include "pimento/mapping/cnm_words.h"
#include "pimento/mapping/dcc.h"
#include "pimento/mapping/dcc_lines.h"

namespace pimento::mapping {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr const char *kFunctionForm = "a function begins: func @name(%A: <64x32xf16>): (%y: <64xf16>) {";
constexpr const char *kTileForm = "a data tile is: data_tile %dt_i: (2, 4) -> (2, 4, 8)";

/// Recursive descent, as of CNM IR.
class DccParser {
 public:
  DccParser(std::string_view text, const std::string &file) : text_(text, file), lines_(split(text, '\n')) {}

  Result<CnmModule> run() {
    for (text_.scan.skipEmptyLines(); !text_.scan.isAtEnd() && !text_.isFull(); text_.scan.skipEmptyLines())
      if (!part()) break;
    if (text_.found.empty() && module_.graph.kernels.empty())
      text_.report("cnm-syntax", text_.scan.where(), "there is no function", kFunctionForm);
    if (!text_.found.empty()) return std::move(text_.found);
    module_.graph.name = module_.graph.kernels.front().name;
    return std::move(module_);
  }

 private:
  struct Dim {
    kernel::Dim dim;
    Location where;
    bool hasRange = false;
    std::optional<DccTile> tile;
    std::optional<DccLines::Function> cutBy;                    ///< the representative that is marked
    std::vector<std::pair<std::string, std::int64_t>> byLevel;  ///< the last one is the range
    Location tileWhere;
  };
  struct Derived {
    std::string text;
    Location where;
    bool isMarked() const { return text.find("[representative]") != std::string::npos; }
  };

  void next() {
    text_.scan.nextLine();
    text_.scan.skipEmptyLines();
  }

  /// A platform line, or a function. False: what follows cannot be read.
  bool part() {
    const Location where = text_.scan.where();
    if (text_.scan.takePunctuation('@')) {
      const bool isRead = text_.scan.takeWord("host") ? host(where) : platform(where);
      next();
      return isRead;
    }
    if (!text_.scan.takeWord("func")) return text_.expected("'func' or '@hardware_platform'", kFunctionForm);
    return function(where);
  }

  bool host(const Location &where) {
    if (isOnHost_ || isPlaced_)
      return text_.duplicate(where, "the place of the next function is already named", "remove one");
    isOnHost_ = true;
    return text_.lineEnd();
  }

  bool platform(const Location &where) {
    constexpr const char *kForm = "a platform is: @hardware_platform[16, 64] attacc channel bank";
    if (isOnHost_ || isPlaced_) return text_.duplicate(where, "the platform is already named", "remove one");
    if (!text_.scan.takeWord("hardware_platform")) return text_.expected("'hardware_platform' or 'host'", kForm);
    if (!text_.punctuation('[', kForm) || !text_.number(groups_, "the number of groups", 1, kMaxExtent) ||
        !text_.punctuation(',', kForm) || !text_.number(cores_, "the number of cores", 1, kMaxExtent) ||
        !text_.punctuation(']', kForm))
      return false;
    const Location at = text_.scan.where();
    std::string machine;
    std::vector<std::string> levels;
    if (!text_.name(machine, "the name of a machine")) return false;
    while (!text_.scan.isAtLineEnd()) {
      levels.emplace_back();
      if (!text_.name(levels.back(), "the name of a level")) return false;
    }
    if (levels.size() < 2)
      return text_.report("dcc-platform", at, "a platform has at least two levels: of groups, and of cores", kForm);
    const bool isFirst = module_.target.empty();
    if (!isFirst &&
        (machine != module_.target || levels != module_.levels || groups_ != module_.groups || cores_ != module_.cores))
      return text_.report("dcc-platform", at, "the functions before this one are of another platform",
                          "one text is of one machine");
    if (isFirst) {
      module_.target = machine;
      module_.levels = levels;
      module_.targetWhere = at;
      module_.groups = groups_;
      module_.cores = cores_;
    }
    isPlaced_ = true;
    return true;
  }

  // ---- Functions ----

  bool function(const Location &where) {
    dims_.clear();
    derived_.clear();
    kernel_ = {};
    kernel_.where = where;
    isRead_ = false;
    if (!text_.punctuation('@', kFunctionForm) || !text_.name(kernel_.name, "the function's name") ||
        !operands(kernel::Role::kInput) || !text_.punctuation(':', kFunctionForm) || !operands(kernel::Role::kOutput) ||
        !text_.punctuation('{', kFunctionForm) || !text_.lineEnd())
      return false;
    for (next(); !text_.scan.isAtEnd() && !text_.isFull(); text_.scan.skipEmptyLines()) {
      if (text_.scan.takePunctuation('}')) {
        text_.lineEnd();
        text_.scan.nextLine();
        return close(where);
      }
      if (!statement()) return false;
    }
    return text_.isFull() || unclosed(where);
  }

  bool unclosed(const Location &where) {
    return text_.report("cnm-unclosed", where, "function " + spellName(kernel_.name) + " is not closed",
                        "add a line with '}'");
  }

  bool operands(kernel::Role role) {
    if (!text_.punctuation('(', kFunctionForm)) return false;
    for (bool isFirst = true; !text_.scan.takePunctuation(')'); isFirst = false) {
      if (!isFirst && !text_.punctuation(',', kFunctionForm)) return false;
      if (!operand(role)) return false;
    }
    return true;
  }

  /// %A: <64x32xf16> [inout | temporary] [constant]; a tensor that an earlier function has keeps its role.
  bool operand(kernel::Role role) {
    kernel::Tensor t;
    if (!text_.punctuation('%', kFunctionForm)) return false;
    const Location where = text_.scan.where();
    if (!text_.identifier(t.name, "the name of a tensor") || !text_.punctuation(':', kFunctionForm) || !shaped(t))
      return false;
    t.role = text_.scan.takeWord("inout")       ? kernel::Role::kInOut
             : text_.scan.takeWord("temporary") ? kernel::Role::kTemporary
                                                : role;
    t.isConstant = text_.scan.takeWord("constant");
    const auto number = static_cast<int>(module_.graph.tensors.size());
    const auto [earlier, isNew] = operands_.emplace(t.name + "_core", number);
    if (isNew) {
      module_.places.tensors.push_back(where);
      module_.graph.tensors.push_back(std::move(t));
      return true;
    }
    const kernel::Tensor &known = module_.graph.tensors[static_cast<std::size_t>(earlier->second)];
    return (known.shape == t.shape && known.type == t.type) ||
           text_.report("cnm-duplicate", where,
                        "tensor " + spellWord(t.name) + " has another type or shape before this",
                        "give it the same type, or rename one");
  }

  bool shaped(kernel::Tensor &t) {
    if (!text_.punctuation('<', kFunctionForm)) return false;
    const Location where = text_.scan.where();
    std::string shape;
    if (!text_.name(shape, "a shape and a type, as in 64x32xf16")) return false;
    std::vector<std::string_view> parts = split(shape, 'x');
    const auto type = parseDType(parts.back());
    if (!type)
      return text_.report("cnm-unknown-word", where, "'" + std::string(parts.back()) + "' is no element type",
                          "types are f16, f32, i32, ...");
    t.type = *type;
    parts.pop_back();
    if (parts.size() > kMaxCnmRank)
      return text_.report("cnm-too-large", where, "more than " + std::to_string(kMaxCnmRank) + " dimensions",
                          "merge some");
    for (const std::string_view part : parts) {
      const auto extent = parseInteger(part);
      if (!extent || *extent < 1)
        return text_.report("cnm-number", where, "'" + std::string(part) + "' is no extent", "extents are at least 1");
      t.shape.push_back(*extent);
    }
    return text_.punctuation('>', kFunctionForm);
  }

  /// Goes to the next statement. False: what follows cannot be read.
  bool statement() {
    const Location where = text_.scan.where();
    const std::string raw(lineAt(where));
    const std::string word(text_.scan.peekWord());
    if (word == "parallel_PIM" || word == "loop") return body(word);
    if (word == "compute_tile" || word == "tensor_tile" ||
        (raw.starts_with("%") && raw.find(".range") == std::string::npos))
      derived_.push_back({raw, where});
    else if (word == "complex_dimset")
      set(raw, where);
    else if (word == "data_tile")
      dataTile(where);
    else if (text_.scan.takePunctuation('%'))
      range();
    else
      return text_.unknownWord("a statement of a function",
                               {"complex_dimset", "data_tile", "compute_tile", "tensor_tile", "parallel_PIM", "loop"});
    next();
    return true;
  }

  std::string_view lineAt(const Location &where) const {
    std::string_view line = lines_[static_cast<std::size_t>(where.line) - 1];
    if (const auto comment = line.find_first_of(";#"); comment != std::string_view::npos)
      line = line.substr(0, comment);
    return trim(line);
  }

  void set(const std::string &raw, const Location &where) {
    constexpr const char *kForm = "a dimension set is: complex_dimset %i {%i[0], %i[1]} parallel";
    text_.scan.takeWord();
    Dim d;
    d.where = where;
    if (!text_.punctuation('%', kForm) || !text_.identifier(d.dim.name, "the set's name")) return;
    if (dimNamed(d.dim.name) != nullptr) {
      text_.duplicate(where, "set %" + spellWord(d.dim.name) + " already exists", "rename one");
      return;
    }
    if (dims_.size() == kMaxCnmDims) {
      text_.report("cnm-too-large", where, "more than " + std::to_string(kMaxCnmDims) + " sets", "merge some");
      return;
    }
    derived_.push_back({raw, where});
    while (!text_.scan.isAtLineEnd() && text_.scan.peekCharacter() != '}') skipToken();
    if (!text_.punctuation('}', kForm)) return;
    std::size_t kind = 0;
    if (text_.word(kind, "a kind of loop", kindWords()) && text_.lineEnd())
      d.dim.kind = static_cast<kernel::DimKind>(kind);
    d.dim.extent = 1;
    dims_.push_back(std::move(d));
  }
  void skipToken() {
    if (text_.scan.takeName()) return;
    const char c = text_.scan.peekCharacter();
    text_.scan.takePunctuation(c);
  }

  Dim *dimNamed(const std::string &name) {
    const auto at = std::ranges::find(dims_, name, [](const Dim &d) { return d.dim.name; });
    return at == dims_.end() ? nullptr : &*at;
  }
  Dim *knownDim(const std::string &name, const Location &where) {
    if (Dim *d = dimNamed(name)) return d;
    std::vector<std::string> names;
    for (const Dim &d : dims_) names.push_back(d.dim.name);
    text_.report("cnm-unknown-induction", where, "there is no set %" + spellWord(name),
                 names.empty() ? "declare it first: complex_dimset %i {...} parallel" : suggest(name, names));
    return nullptr;
  }

  /// %i.range = (0, 64, 1)
  void range() {
    constexpr const char *kForm = "a range is: %i.range = (0, 64, 1)";
    const Location where = text_.scan.where();
    std::string name;
    std::int64_t first = 0, end = 0, step = 0;
    if (!text_.identifier(name, "a set") || !text_.punctuation('.', kForm)) return;
    Dim *d = knownDim(name, where);
    if (d == nullptr || !(text_.scan.takeWord("range") || text_.expected("'range'", kForm)) ||
        !text_.punctuation('=', kForm) || !text_.punctuation('(', kForm) ||
        !text_.number(first, "the first value", 0, 0) || !text_.punctuation(',', kForm) ||
        !text_.number(end, "the end", 1, kLargest) || !text_.punctuation(',', kForm) ||
        !text_.number(step, "the step", 1, 1) || !text_.punctuation(')', kForm) || !text_.lineEnd())
      return;
    d->dim.extent = end;
    d->hasRange = true;
  }

  /// data_tile %dt_i: (g, c) -> (g, c, size) [by LEVEL N ... range N]
  void dataTile(const Location &where) {
    text_.scan.takeWord();
    std::string name;
    if (!text_.punctuation('%', kTileForm)) return;
    const Location at = text_.scan.where();
    if (!text_.identifier(name, "the tile's name")) return;
    if (!name.starts_with("dt_")) {
      text_.report("cnm-syntax", at, "a data tile is called %dt_ and its set's name", kTileForm);
      return;
    }
    Dim *d = knownDim(name.substr(3), at);
    if (d == nullptr) return;
    if (d->tile) {
      text_.duplicate(where, "set %" + spellWord(d->dim.name) + " already has a data tile", "remove one");
      return;
    }
    DccTile t, again;
    if (!text_.punctuation(':', kTileForm) || !shares(t) || !text_.punctuation(')', kTileForm) ||
        !text_.punctuation('-', kTileForm) || !text_.punctuation('>', kTileForm) || !shares(again) ||
        !text_.punctuation(',', kTileForm) || !text_.number(t.size, "the size of a tile", 1, kMaxExtent) ||
        !text_.punctuation(')', kTileForm))
      return;
    d->tile = t;
    d->tileWhere = where;
    if (t.groups != again.groups || t.cores != again.cores) {
      text_.report("dcc-tile", where, "groups and cores before and behind the arrow differ", kTileForm);
      return;
    }
    if (text_.scan.takeWord("by") && !factors(*d)) return;
    text_.lineEnd();
  }
  bool shares(DccTile &t) {
    return text_.punctuation('(', kTileForm) && text_.number(t.groups, "a number of groups", 1, kMaxExtent) &&
           text_.punctuation(',', kTileForm) && text_.number(t.cores, "a number of cores", 1, kMaxExtent);
  }
  bool factors(Dim &d) {
    while (!text_.scan.isAtLineEnd()) {
      const Location where = text_.scan.where();
      std::pair<std::string, std::int64_t> factor;
      if (!text_.name(factor.first, "a level") || !text_.number(factor.second, "a factor", 1, kMaxExtent)) return false;
      const bool isKnown =
          factor.first == "range" || std::ranges::find(module_.levels, factor.first) != module_.levels.end();
      if (!isKnown)
        return text_.report("cnm-unknown-level", where, "the platform has no level " + spellName(factor.first),
                            suggest(factor.first, module_.levels));
      d.byLevel.push_back(std::move(factor));
    }
    return true;
  }

  // ---- What each point does ----

  bool body(const std::string &word) {
    constexpr const char *kLoop = "a loop is: loop (i, j) in (%ct_i, %ct_j) {";
    const Location where = text_.scan.where();
    if (isRead_) return text_.duplicate(where, "the function already has a loop", "write another function");
    isRead_ = true;
    const bool isParallel = word == "parallel_PIM";
    if (isParallel) {
      if (!parallel(where)) return false;
      next();
    }
    const Location loop = text_.scan.where();
    if (!text_.scan.takeWord("loop")) return text_.expected("'loop'", kLoop);
    if (!text_.punctuation('(', kLoop)) return false;
    std::vector<std::string> order;
    while (!text_.scan.takePunctuation(')')) {
      if (!order.empty() && !text_.punctuation(',', kLoop)) return false;
      order.emplace_back();
      const Location at = text_.scan.where();
      if (!text_.identifier(order.back(), "a loop variable")) return false;
      if (knownDim(order.back(), at) == nullptr) return false;
    }
    if (order.size() != dims_.size() ||
        !std::ranges::equal(order, dims_, {}, {}, [](const Dim &d) { return d.dim.name; }))
      return text_.report("dcc-tile", loop, "the loop's variables are not the sets, in their order", kLoop);
    if (isParallel && !tilesOfLoop(order, kLoop)) return false;
    if (!text_.punctuation('{', kLoop) || !text_.lineEnd()) return false;
    next();
    std::vector<Location> places;
    for (const Dim &d : dims_) {
      kernel_.dims.push_back(d.dim);
      places.push_back(d.where);
      if (!d.hasRange)
        text_.report("cnm-syntax", d.where, "set %" + spellWord(d.dim.name) + " has no range",
                     "add: %" + d.dim.name + ".range = (0, N, 1)");
    }
    CnmKernel parser(text_, module_, operands_, coefficients_);
    const bool isClosed = parser.parseBody(std::move(kernel_), std::move(places));
    kernel_ = parser.take();
    places_ = parser.takePlaces();
    if (!isClosed || !isParallel) return isClosed;
    text_.scan.skipEmptyLines();
    if (!text_.scan.takePunctuation('}')) return unclosed(where);
    text_.lineEnd();
    next();
    return true;
  }

  /// parallel_PIM (16, 64) [with "..."] {
  bool parallel(const Location &where) {
    constexpr const char *kForm = "write: parallel_PIM (16, 64) {";
    text_.scan.takeWord();
    DccTile all;
    if (!isPlaced_)
      return text_.report("dcc-platform", where, "no platform is named before this function",
                          "write first: @hardware_platform[16, 64] attacc channel bank");
    if (!shares(all) || !text_.punctuation(')', kForm)) return false;
    if (all.groups != groups_ || all.cores != cores_)
      return text_.report("dcc-tile", where, fmt::format("the platform has {} groups of {} cores", groups_, cores_),
                          kForm);
    MapSpec spec;
    spec.kind = MapSpec::Kind::kExplicit;
    if (text_.scan.takeWord("with")) {
      const Location at = text_.scan.where();
      std::string extensions;
      if (!text_.name(extensions, "extensions of a mapping, in quotation marks")) return false;
      const Result<MapSpec> rest = parseMapSpec("auto;" + extensions);
      if (!rest)
        return text_.report(rest.diagnostics().front().code, at, rest.diagnostics().front().message,
                            rest.diagnostics().front().hint);
      spec.mapping = rest->mapping;
    }
    mapping_ = std::move(spec);
    return text_.punctuation('{', kForm) && text_.lineEnd();
  }

  bool tilesOfLoop(const std::vector<std::string> &order, const char *hint) {
    if (!(text_.scan.takeWord("in") || text_.expected("'in'", hint)) || !text_.punctuation('(', hint)) return false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::string name;
      if ((i > 0 && !text_.punctuation(',', hint)) || !text_.punctuation('%', hint)) return false;
      const Location at = text_.scan.where();
      if (!text_.identifier(name, "a compute tile")) return false;
      if (name != "ct_" + order[i])
        return text_.report("dcc-tile", at, "%" + name + " is not the compute tile of " + order[i], hint);
    }
    return text_.punctuation(')', hint);
  }

  // ---- The end of a function ----

  bool close(const Location &where) {
    if (!isRead_)
      return text_.report("cnm-syntax", where, "function " + spellName(kernel_.name) + " has no loop",
                          "add: loop (i, j) in (%ct_i, %ct_j) { ... }");
    module_.graph.kernels.push_back(std::move(kernel_));
    module_.places.kernels.push_back(std::move(places_));
    if (text_.found.empty()) findRepresentatives();
    std::optional<MapSpec> spec;
    if (mapping_) spec = mapped();
    if (isOnHost_) {
      spec.emplace();
      spec->kind = MapSpec::Kind::kHost;
    }
    module_.mappings.push_back(std::move(spec));
    if (text_.found.empty()) checkDerived();
    mapping_.reset();
    isOnHost_ = isPlaced_ = false;
    return true;
  }

  std::optional<MapSpec> mapped() {
    std::int64_t groups = 1, cores = 1;
    Subspace s;
    s.factors.assign(module_.levels.size() + 1, std::vector<std::int64_t>(dims_.size(), 1));
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const Dim &dim = dims_[d];
      if (!dim.tile) {
        text_.report("dcc-tile", dim.where, "set %" + spellWord(dim.dim.name) + " has no data tile", kTileForm);
        return std::nullopt;
      }
      groups = multiplySaturated(groups, dim.tile->groups);
      cores = multiplySaturated(cores, dim.tile->cores);
      if (dim.cutBy && dim.cutBy->borders && !cutAs(dims_[d])) return std::nullopt;
      if (!spread(dim, d, s)) return std::nullopt;
      if (dim.tile->borders) {
        mapping_->mapping.by.emplace(dim.dim.name, *dim.tile->borders);
        continue;
      }
      const std::int64_t held = multiplySaturated(multiplySaturated(dim.tile->groups, dim.tile->cores), dim.tile->size);
      if (held < dim.dim.extent)
        text_.report(
            "dcc-tile", dim.tileWhere,
            fmt::format("the tiles of %{} hold {} values of {}", spellWord(dim.dim.name), held, dim.dim.extent),
            "groups * cores * size must cover the range");
    }
    if (groups > groups_ || cores > cores_)
      text_.report("dcc-tile", dims_.front().tileWhere,
                   fmt::format("the tiles take {} groups of {} cores, and the platform has {} of {}", groups, cores,
                               groups_, cores_),
                   "use fewer groups or cores, with larger tiles");
    mapping_->mapping.subspaces = {std::move(s)};
    mapping_->mapping.text = print(mapping_->mapping);
    return std::move(mapping_);
  }

  /// The functions that are marked, where the kernel is one.
  void findRepresentatives() {
    const auto k = static_cast<int>(module_.graph.kernels.size()) - 1;
    const bool isMarked = std::ranges::any_of(derived_, &Derived::isMarked);
    if (!isMarked || !kernel::verify(module_.graph, &module_.places)) return;
    const DccLines lines(module_.graph, k, std::vector<DccTile>(dims_.size()), true);
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const std::vector<std::string> functions = lines.functions(d);
      for (std::size_t f = 0; f < functions.size(); ++f)
        for (const Derived &line : derived_)
          if (line.isMarked() && bare(line.text) == bare(functions[f])) mark(dims_[d], lines.functionAt(d, f), line);
    }
  }
  void mark(Dim &dim, DccLines::Function f, const Derived &line) {
    const std::string set = "set %" + spellWord(dim.dim.name);
    if (f.borders && !mapping_) {
      text_.report("dcc-representative", line.where, set + " has no tiles, so no borders in this function",
                   "mark a function that is the loop's variable itself, or none");
    } else if (dim.cutBy && dim.cutBy->borders != f.borders) {
      text_.report("dcc-representative", line.where, set + " has two representatives", "mark one function");
    } else {
      if (f.borders) f.borders->functionWhere = f.borders->tensorWhere = line.where;
      dim.cutBy = std::move(f);
    }
  }

  /// A data tile in the representative's dimension.
  bool cutAs(Dim &dim) {
    constexpr std::int64_t kMostCores = std::int64_t{1} << 20;
    DccTile t = *dim.tile;
    const std::int64_t cores = multiplySaturated(t.groups, t.cores);
    if (cores > kMostCores)
      return text_.report("dcc-tile", dim.tileWhere, fmt::format("{} cores share the set", cores),
                          fmt::format("at most {}", kMostCores));
    cut(t, *dim.cutBy, dim.dim.extent);
    if (t.size != dim.tile->size)
      return text_.report("dcc-tile", dim.tileWhere,
                          fmt::format("{} cores have {} elements each of the {} in {}[{}], not {}", cores, t.size,
                                      dim.cutBy->size, t.borders->tensor, t.borders->axis, dim.tile->size),
                          "the size is that of the representative's dimension, over the cores, rounded up");
    dim.tile = std::move(t);
    return true;
  }

  /// A data tile as factors of the levels.
  bool spread(const Dim &dim, std::size_t d, Subspace &s) {
    const DccTile &t = *dim.tile;
    if (dim.byLevel.empty()) {
      if (module_.levels.size() != 2)
        return text_.report("dcc-tile", dim.tileWhere, "the platform has more levels than groups and cores",
                            "say how they share it, as in: by channel 64 block 8 range 16");
      s.factors[0][d] = t.groups;
      s.factors[1][d] = t.cores;
      s.factors[2][d] = std::max<std::int64_t>(1, t.longest());
      return true;
    }
    std::int64_t all = 1;
    for (const auto &[level, factor] : dim.byLevel) {
      const auto at = std::ranges::find(module_.levels, level);
      s.factors[static_cast<std::size_t>(at - module_.levels.begin())][d] = factor;
      all = multiplySaturated(all, factor);
    }
    // Whether the range holds the longest tile of borders is for place() to say.
    const std::int64_t cores = multiplySaturated(t.groups, t.cores);
    if (t.borders ? all % cores == 0 : all == multiplySaturated(cores, t.size)) return true;
    return text_.report("dcc-tile", dim.tileWhere, "the factors behind 'by' are not those of groups, cores and size",
                        "their product is groups * cores * size");
  }

  /// What follows from the tiles must be what does.
  void checkDerived() {
    const auto k = static_cast<int>(module_.graph.kernels.size()) - 1;
    std::vector<DccTile> tiles;
    for (const Dim &d : dims_) tiles.push_back(d.tile.value_or(DccTile{}));
    // References may be wrong still: the sets of a kernel that is none are not asked for.
    if (!kernel::verify(module_.graph, &module_.places)) return;
    const auto &spec = module_.mappings.back();
    const DccLines lines(module_.graph, k, tiles, !spec || spec->mapping.cyclic.empty());
    std::vector<std::string> right;
    const auto add = [&right](std::vector<std::string> more) { right.insert(right.end(), more.begin(), more.end()); };
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      right.push_back(lines.set(d));
      add(lines.functions(d));
    }
    add(lines.computeTiles());
    add(lines.tensorTiles());
    add(lines.toCores());
    add(lines.toHost());
    for (const Derived &line : derived_) check(line, right);
  }

  void check(const Derived &line, const std::vector<std::string> &right) {
    const std::string ours = bare(line.text);
    const auto same = std::ranges::find(right, ours, [](const std::string &r) { return bare(r); });
    if (same != right.end()) return;
    // The line that begins alike says what would be right.
    const std::string head = ours.substr(0, ours.find_first_of("=:{"));
    const auto meant = std::ranges::find_if(right, [&](const std::string &r) { return bare(r).starts_with(head); });
    constexpr std::size_t kMostShown = 120;
    text_.report("dcc-derived", line.where, "this is not what the function and its tiles give",
                 meant == right.end()
                     ? "remove it: it follows from the rest"
                     : "it would be: " + (meant->size() > kMostShown ? meant->substr(0, kMostShown) + "..." : *meant));
  }

  CnmText text_;
  std::vector<std::string_view> lines_;
  CnmModule module_;
  std::unordered_map<std::string, int> operands_;  ///< "A_core"
  std::size_t coefficients_ = 0;
  bool isOnHost_ = false, isPlaced_ = false;
  std::int64_t groups_ = 1, cores_ = 1;
  // Of the function.
  kernel::Kernel kernel_;
  kernel::Places::OfKernel places_;
  std::vector<Dim> dims_;
  std::vector<Derived> derived_;
  std::optional<MapSpec> mapping_;
  bool isRead_ = false;
};

}  // namespace

Result<CnmModule> parseDcc(std::string_view text, std::string file) {
  if (text.size() > kMaxCnmBytes)
    return error("cnm-too-large", {std::move(file), 1, 1},
                 "the text has " + std::to_string(text.size()) + " bytes, more than " + std::to_string(kMaxCnmBytes),
                 "split the graph");
  return DccParser(text, file).run();
}

std::string dccTarget(std::string_view text, Location *where) {
  Scanner scan(text, {});
  for (scan.skipEmptyLines(); !scan.isAtEnd(); scan.nextLine(), scan.skipEmptyLines()) {
    if (!scan.takePunctuation('@') || !scan.takeWord("hardware_platform")) continue;
    std::int64_t number = 0;
    const bool isRead = scan.takePunctuation('[') && scan.takeInteger(number) == Scanner::Number::kTaken &&
                        scan.takePunctuation(',') && scan.takeInteger(number) == Scanner::Number::kTaken &&
                        scan.takePunctuation(']');
    if (!isRead) continue;
    if (where != nullptr) *where = scan.where();
    return scan.takeName().value_or("");
  }
  return {};
}

}  // namespace pimento::mapping
