// Reads the text of a program.
#include "pimento/base/text.h"
#include "pimento/tdfg/stream_reader.h"
#include "pimento/tdfg/text.h"
#include "pimento/tdfg/words.h"

namespace pimento::tdfg {

namespace {

class Reader : StreamReader {
 public:
  Reader(std::string_view text, const std::string &file) : StreamReader(text, file), file_(file) {}

  Result<ProgramText> run() {
    if (!head() || !statements()) return found_;
    // Lines say what is not empty; arrays may stand behind a region.
    for (Region &region : program_.regions) region.hints.resize(region.nodes.empty() ? 0 : program_.arrays.size());
    const Status status = verify(program_, file_);
    if (!status) return status.diagnostics();
    return ProgramText{std::move(program_), std::move(schedules_)};
  }

 private:
  bool head() {
    scan_.skipEmptyLines();
    if (!word("tdfg") || !identifier(program_.name, "the program's name")) return false;
    if (scan_.takeWord("least") && !number(program_.leastSize, "the least size", 1, std::int64_t{1} << 30))
      return false;
    return lineEnd();
  }

  bool statements() {
    for (scan_.skipEmptyLines(); !scan_.isAtEnd(); scan_.skipEmptyLines())
      if (!statement()) return false;
    return true;
  }

  bool statement() {
    const std::string_view keyword = scan_.peekWord();
    if (keyword == "size" || keyword == "index" || keyword == "quotient") return nameStatement();
    if (keyword == "array") return arrayStatement();
    if (keyword == "region") return regionStatement();
    if (keyword == "loop") return loopStatement();
    if (keyword == "schedule") return scheduleStatement();
    return expected("a statement", "size, index, quotient, array, region, loop, schedule");
  }

  bool nameStatement() {
    Name name;
    const std::string_view keyword = scan_.takeWord();
    name.kind = keyword == "size" ? Name::Kind::kSize : keyword == "index" ? Name::Kind::kLoop : Name::Kind::kQuotient;
    if (!identifier(name.name, "a name")) return false;
    if (name.kind == Name::Kind::kQuotient) {
      if (!punctuation('=') || !punctuation('(') || !form(name.of) || !punctuation(')') || !punctuation('/') ||
          !number(name.divisor, "a divisor", 2, std::int64_t{1} << 32)) {
        return false;
      }
    }
    program_.names.push_back(std::move(name));
    return lineEnd();
  }

  bool arrayStatement() {
    scan_.takeWord();
    Array array;
    if (!identifier(array.name, "the array's name") || !type(array.type) || !forms(array.shape) ||
        !choice(kRoleWords, array.role, "a role")) {
      return false;
    }
    if (scan_.takeWord("from") && !combine(array.start)) return false;
    program_.arrays.push_back(std::move(array));
    return lineEnd();
  }

  bool loopStatement() {
    scan_.takeWord();
    Loop loop;
    if (!sizeName(loop.name, "the loop's name") || !word("to") || !form(loop.extent) || !word("regions") ||
        !numberInto(loop.first, "the first region") || !punctuation(':') ||
        !numberInto(loop.end, "the end of regions")) {
      return false;
    }
    while (scan_.takeWord("swap")) {
      loop.swaps.emplace_back();
      if (!arrayName(loop.swaps.back()[0]) || !punctuation(',') || !arrayName(loop.swaps.back()[1])) return false;
    }
    program_.loops.push_back(std::move(loop));
    return lineEnd();
  }

  // ---- Regions ----

  bool regionStatement() {
    region_ = {};
    region_.where = scan_.where();
    scan_.takeWord();
    if (!identifier(region_.name, "the region's name") || !word("lattice") ||
        !numberInto(region_.lattice, "the lattice's dims"))
      return false;
    if (region_.lattice > 3)
      return fail("tdfg-number", region_.where, "a lattice of " + std::to_string(region_.lattice) + " dims", "0 to 3");
    lattice_.clear();
    for (int d = 0; d < region_.lattice; ++d) lattice_.push_back(std::to_string(d));
    if (!lineEnd()) return false;
    for (scan_.skipEmptyLines(); !scan_.takeWord("end"); scan_.skipEmptyLines())
      if (!regionLine()) return false;
    program_.regions.push_back(std::move(region_));
    return lineEnd();
  }

  bool regionLine() {
    if (scan_.takePunctuation('%')) return nodeLine();
    if (scan_.takeWord("source")) return quoted(region_.source, "a place in the source") && lineEnd();
    if (scan_.takeWord("reason")) return quoted(region_.reason, "the reason") && lineEnd();
    if (scan_.takeWord("round")) {
      region_.rounds.emplace_back();
      return sizeName(region_.rounds.back().name, "the round's name") && word("in") &&
             range(region_.rounds.back().range) && lineEnd();
    }
    if (scan_.takeWord("domain")) return box(region_.domain) && lineEnd();
    if (scan_.takeWord("streams")) return streams(region_.streams);
    if (scan_.takeWord("out")) return outLine();
    if (scan_.takeWord("strm")) return word("store") && storeLine();
    if (scan_.takeWord("hints")) return hintsLine();
    return expected("a line of a region",
                    "source, reason, round, streams, domain, %N = ..., out, strm store, hints, end");
  }

  bool nodeName(int &into) { return punctuation('%') && numberInto(into, "a node's number"); }

  bool nodeLine() {
    int number = -1;
    const Location where = scan_.where();
    if (!numberInto(number, "a node's number")) return false;
    if (number != static_cast<int>(region_.nodes.size()))
      return fail(
          "tdfg-syntax", where,
          "node %" + std::to_string(number) + " stands where %" + std::to_string(region_.nodes.size()) + " is due");
    if (!punctuation('=')) return false;
    Node node;
    const Location kindWhere = scan_.where();
    const std::string_view kind = scan_.takeWord();
    int k = 0;
    while (k < 8 && name(static_cast<NodeKind>(k)) != kind) ++k;
    if (k == 8)
      return fail("tdfg-syntax", kindWhere, "'" + std::string(kind) + "' is no kind of node",
                  "tensor, cmp, mv, bc, shrink, reduce, strm, const");
    node.kind = static_cast<NodeKind>(k);
    if (!nodeBody(node)) return false;
    region_.nodes.push_back(std::move(node));
    return lineEnd();
  }

  bool arguments(Node &node) {
    do {
      node.args.push_back(-1);
      const Location where = scan_.where();
      if (!nodeName(node.args.back())) return false;
      if (node.args.back() >= static_cast<int>(region_.nodes.size()))
        return fail("tdfg-name", where, "there is no node %" + std::to_string(node.args.back()) + " before this one");
    } while (scan_.takePunctuation(','));
    return true;
  }

  bool sameType(Node &node) {
    if (!arguments(node)) return false;
    node.type = region_.nodes[static_cast<std::size_t>(node.args[0])].type;
    return true;
  }

  bool nodeBody(Node &node) {
    switch (node.kind) {
      case NodeKind::kTensor:
        if (!arrayName(node.array) || !box(node.box)) return false;
        node.type = program_.arrays[static_cast<std::size_t>(node.array)].type;
        return true;
      case NodeKind::kCmp:
        return operation(node.op) && type(node.type) && arguments(node);
      case NodeKind::kMv:
        return sameType(node) && word("dim") && numberInto(node.dim, "a lattice dim") && word("by") &&
               form(node.distance);
      case NodeKind::kBc:
        return sameType(node) && word("dim") && numberInto(node.dim, "a lattice dim") && word("by") &&
               form(node.distance) && word("count") && form(node.count);
      case NodeKind::kShrink:
        return sameType(node) && box(node.box);
      case NodeKind::kReduce:
        return combine(node.combine) && word("dim") && numberInto(node.dim, "a lattice dim") && sameType(node);
      case NodeKind::kStrm:
        return type(node.type) && pattern(node.pattern) && word("over") && box(node.box) && reason(node.reason);
      case NodeKind::kConst:
        return constant(node);
    }
    return false;
  }

  bool reason(std::string &into) { return !scan_.takeWord("reason") || quoted(into, "the reason"); }

  bool constant(Node &node) {
    if (!type(node.type)) return false;
    if (scan_.takeWord("form")) {
      node.source = ConstantKind::kForm;
      return form(node.form);
    }
    if (scan_.takeWord("element")) {
      node.source = ConstantKind::kElement;
      return arrayName(node.array) && forms(node.index);
    }
    return literal(node.type, node.constant, node.integer);
  }

  bool pattern(Pattern &into) {
    if (scan_.takeWord("index")) return indices(into);
    return word("load") && arrayName(into.array) && indices(into);
  }

  bool indices(Pattern &into) {
    if (!punctuation('[')) return false;
    if (scan_.takePunctuation(']')) return true;
    do {
      into.index.emplace_back();
      Pattern::Index &index = into.index.back();
      if (scan_.peekCharacter() == '%') {
        if (into.indirectAt >= 0) return fail("tdfg-syntax", scan_.where(), "two indices come from tensors", "one may");
        into.indirectAt = static_cast<int>(into.index.size()) - 1;
        index.factors.assign(lattice_.size(), 0);
        if (!nodeName(into.indirect)) return false;
      } else if (!form(index.form, &index.factors, &lattice_)) {
        return false;
      }
    } while (scan_.takePunctuation(','));
    return punctuation(']');
  }

  bool outLine() {
    Output output;
    if (!arrayName(output.array) || !punctuation('=') || !nodeName(output.node) || !word("over") || !box(output.box))
      return false;
    region_.outputs.push_back(std::move(output));
    return lineEnd();
  }

  bool storeLine() {
    Output output;
    output.isStream = true;
    if (!arrayName(output.array) || !indices(output.pattern) || !punctuation('=') || !nodeName(output.node) ||
        !word("over") || !box(output.box))
      return false;
    output.pattern.array = output.array;
    if (!scan_.isAtLineEnd() && scan_.peekWord() != "reason" && !combine(output.combine)) return false;
    if (!reason(output.reason)) return false;
    region_.outputs.push_back(std::move(output));
    return lineEnd();
  }

  bool hintsLine() {
    int array = -1;
    if (!arrayName(array)) return false;
    region_.hints.resize(program_.arrays.size());
    Hints &hints = region_.hints[static_cast<std::size_t>(array)];
    while (!scan_.isAtLineEnd()) {
      if (scan_.takeWord("nofetch")) {
        hints.needsNoFetch = true;
      } else if (scan_.takeWord("with")) {
        hints.alignedWith.push_back(-1);
        if (!arrayName(hints.alignedWith.back())) return false;
      } else {
        std::uint32_t *dims = scan_.takeWord("shifted")     ? &hints.shifted
                              : scan_.takeWord("broadcast") ? &hints.broadcast
                              : scan_.takeWord("reduced")   ? &hints.reduced
                                                            : nullptr;
        if (!dims) return expected("a hint", "shifted, broadcast, reduced, nofetch, with");
        if (!hintDims(*dims)) return false;
      }
    }
    return lineEnd();
  }

  bool hintDims(std::uint32_t &dims) {
    for (char c = scan_.peekCharacter(); c >= '0' && c <= '9'; c = scan_.peekCharacter()) {
      std::int64_t d = 0;
      if (!number(d, "a lattice dim", 0, 2)) return false;
      dims |= 1U << d;
    }
    return true;
  }

  // ---- Schedules ----

  bool scheduleStatement() {
    scan_.takeWord();
    Schedule s;
    std::string size;
    const Location where = scan_.where();
    auto name = scan_.takeName();
    const auto parts = split(name ? std::string_view(*name) : std::string_view(), 'x');
    const auto rows = parts.size() == 2 ? parseInteger(parts[0]) : std::nullopt;
    const auto columns = parts.size() == 2 ? parseInteger(parts[1]) : std::nullopt;
    if (!rows || !columns || *rows < 1 || *columns < 1 || *rows > 1 << 20 || *columns > 1 << 20)
      return fail("tdfg-syntax", where, "expected an array size", "256x256");
    s.size = {static_cast<int>(*rows), static_cast<int>(*columns)};
    std::string regionName;
    if (!identifier(regionName, "a region's name")) return false;
    int region = 0;
    while (region < static_cast<int>(program_.regions.size()) &&
           program_.regions[static_cast<std::size_t>(region)].name != regionName)
      ++region;
    if (region == static_cast<int>(program_.regions.size()))
      return fail("tdfg-name", where, "there is no region '" + regionName + "'");
    s.residents.assign(program_.arrays.size(), -1);
    if (!lineEnd()) return false;
    for (scan_.skipEmptyLines(); !scan_.takeWord("end"); scan_.skipEmptyLines())
      if (!stepLine(s, program_.regions[static_cast<std::size_t>(region)])) return false;
    schedules_.emplace_back(region, std::move(s));
    return lineEnd();
  }

  bool wordline(int &into, const Schedule &s) {
    std::int64_t x = 0;
    if (!number(x, "a wordline", -1, s.size.wordlines - 1)) return false;
    into = static_cast<int>(x);
    return true;
  }

  bool stepLine(Schedule &s, const Region &region) {
    if (scan_.takeWord("peak"))
      return numberInto(s.peak, "wordlines in use") && word("spills") && numberInto(s.spills, "spills") && lineEnd();
    if (scan_.takeWord("resident")) {
      int array = -1;
      return arrayName(array) && word("at") && wordline(s.residents[static_cast<std::size_t>(array)], s) && lineEnd();
    }
    Step step;
    if (!choice(kStepWords, step.kind, "a step", "peak, resident, end")) return false;
    const Location where = scan_.where();
    const bool isStore = step.kind == StepKind::kStore;
    int &what = isStore ? step.output : step.node;
    if (!(isStore ? numberInto(what, "an output's number") : nodeName(what))) return false;
    if (what >= static_cast<int>(isStore ? region.outputs.size() : region.nodes.size()))
      return fail("tdfg-name", where, "region '" + region.name + "' has none of that number");
    if (!word("at") || !wordline(step.wordline, s)) return false;
    if (scan_.takeWord("of")) {
      do {
        step.operands.push_back(-1);
        if (!wordline(step.operands.back(), s)) return false;
      } while (scan_.takePunctuation(','));
    }
    if (scan_.takeWord("scratch") && !wordline(step.scratch, s)) return false;
    if (scan_.takeWord("in")) {
      if (!word("place")) return false;
      step.isInPlace = true;
    }
    s.steps.push_back(std::move(step));
    return lineEnd();
  }

  std::string file_;
  Region region_;
  std::vector<std::string> lattice_;  ///< "0", "1", ...
  std::vector<std::pair<int, Schedule>> schedules_;
};

}  // namespace

Result<ProgramText> readProgram(std::string_view text, const std::string &file) {
  return Reader(text, file).run();
}

}  // namespace pimento::tdfg
