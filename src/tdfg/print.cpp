// The text of a program.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/scanner.h"
#include "pimento/base/text.h"
#include "pimento/tdfg/text.h"
#include "pimento/tdfg/words.h"

namespace pimento::tdfg {

namespace {

using kernel::Combine;
using kernel::Op;

/// A text as a quoted word, so that it ends where it ends.
std::string quoted(const std::string &text) {
  std::string s = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      s += '\\', s += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f) {
      s += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      s += c;
    }
  }
  return s + "\"";
}

/// Names as the language spells them where forms stand: in quotation marks where a word would be read as another thing.
std::vector<Name> spelled(std::vector<Name> names) {
  for (Name &name : names) {
    const bool isTaken = name.name == "min" || name.name == "max" || isValueWord(name.name);
    name.name = isTaken ? quoted(name.name) : spellWord(name.name);
  }
  return names;
}

class Printer {
 public:
  Printer(const Program &program, Part part) : program_(program), part_(part), names_(spelled(program.names)) {}

  std::string run() {
    out_ = fmt::format("tdfg {}", spellWord(program_.name));
    if (program_.leastSize != 1) out_ += fmt::format(" least {}", program_.leastSize);
    out_ += "\n";
    for (const Name &name : names_) printName(name);
    for (const Array &array : program_.arrays) printArray(array);
    for (const Region &region : program_.regions) printRegion(region);
    for (const Loop &loop : program_.loops) printLoop(loop);
    return std::move(out_);
  }

  std::string schedule(const Schedule &s, const Region &region) {
    out_ = fmt::format("schedule {}x{} {}\n", s.size.wordlines, s.size.bitlines, spellWord(region.name));
    out_ += fmt::format("  peak {} spills {}\n", s.peak, s.spills);
    for (std::size_t a = 0; a < s.residents.size(); ++a)
      if (s.residents[a] >= 0) out_ += fmt::format("  resident {} at {}\n", array(static_cast<int>(a)), s.residents[a]);
    for (const Step &step : s.steps) {
      out_ += fmt::format("  {} {} at {}", kStepWords[static_cast<std::size_t>(step.kind)],
                          step.kind == StepKind::kStore ? std::to_string(step.output) : fmt::format("%{}", step.node),
                          step.wordline);
      for (std::size_t o = 0; o < step.operands.size(); ++o)
        out_ += fmt::format("{}{}", o == 0 ? " of " : ", ", step.operands[o]);
      if (step.scratch >= 0) out_ += fmt::format(" scratch {}", step.scratch);
      out_ += step.isInPlace ? " in place\n" : "\n";
    }
    return std::move(out_) + "end\n";
  }

 private:
  std::string array(int a) const { return spellWord(program_.arrays[static_cast<std::size_t>(a)].name); }
  std::string form(const Form &f) const { return print(f, names_); }
  std::string forms(const std::vector<Form> &fs) const {
    std::vector<std::string> parts;
    for (const Form &f : fs) parts.push_back(form(f));
    return "[" + join(parts, ", ") + "]";
  }

  void printName(const Name &name) {
    if (name.kind == Name::Kind::kQuotient) {
      out_ += fmt::format("quotient {} = ({}) / {}\n", name.name, form(name.of), name.divisor);
    } else {
      out_ += fmt::format("{} {}\n", name.kind == Name::Kind::kSize ? "size" : "index", name.name);
    }
  }

  void printArray(const Array &a) {
    out_ += fmt::format("array {} {} {} {}", spellWord(a.name), name(a.type), forms(a.shape),
                        kRoleWords[static_cast<std::size_t>(a.role)]);
    out_ += a.start == Combine::kAssign ? "\n" : fmt::format(" from {}\n", name(a.start));
  }

  void printLoop(const Loop &loop) {
    out_ += fmt::format("loop {} to {} regions {}:{}", names_[static_cast<std::size_t>(loop.name)].name,
                        form(loop.extent), loop.first, loop.end);
    for (const auto &[a, b] : loop.swaps) out_ += fmt::format(" swap {}, {}", array(a), array(b));
    out_ += "\n";
  }

  void printRegion(const Region &region) {
    out_ += fmt::format("region {} lattice {}\n", spellWord(region.name), region.lattice);
    if (!region.source.empty()) out_ += fmt::format("  source {}\n", quoted(region.source));
    if (!region.reason.empty()) out_ += fmt::format("  reason {}\n", quoted(region.reason));
    for (const Round &round : region.rounds) {
      out_ += fmt::format("  round {} in {}\n", names_[static_cast<std::size_t>(round.name)].name,
                          print(round.range, names_));
    }
    if (part_ != Part::kGraphs) printStreams(region);
    if (part_ != Part::kStreams) {
      if (!region.nodes.empty()) out_ += fmt::format("  domain {}\n", print(region.domain, names_));
      for (std::size_t n = 0; n < region.nodes.size(); ++n)
        out_ += fmt::format("  %{} = {}\n", n, nodeText(region.nodes[n]));
      for (const Output &output : region.outputs) out_ += "  " + outputText(output) + "\n";
      for (std::size_t a = 0; a < region.hints.size(); ++a) printHints(static_cast<int>(a), region.hints[a]);
    }
    out_ += "end\n";
  }

  void printHints(int a, const Hints &hints) {
    if (hints == Hints{}) return;
    out_ += fmt::format("  hints {}", array(a));
    const auto dims = [&](const char *word, std::uint32_t bits) {
      if (bits == 0) return;
      out_ += fmt::format(" {}", word);
      for (int d = 0; d < 3; ++d)
        if (bits >> d & 1) out_ += fmt::format(" {}", d);
    };
    dims("shifted", hints.shifted);
    dims("broadcast", hints.broadcast);
    dims("reduced", hints.reduced);
    if (hints.needsNoFetch) out_ += " nofetch";
    for (const int other : hints.alignedWith) out_ += " with " + array(other);
    out_ += "\n";
  }

  std::string indexText(const Form &f, const std::vector<std::int64_t> &factors,
                        const std::vector<std::string> &dims) const {
    std::string s;
    for (std::size_t d = 0; d < factors.size(); ++d) {
      if (factors[d] == 0) continue;
      const std::uint64_t magnitude =
          factors[d] < 0 ? 0 - static_cast<std::uint64_t>(factors[d]) : static_cast<std::uint64_t>(factors[d]);
      s += s.empty() ? (factors[d] < 0 ? "-" : "") : (factors[d] < 0 ? " - " : " + ");
      s += magnitude == 1 ? "$" + dims[d] : fmt::format("{}*${}", magnitude, dims[d]);
    }
    if (s.empty()) return form(f);
    if (f.isConstant() && f.constant == 0) return s;
    const std::string rest = form(f);
    return s + (rest[0] == '-' ? " - " + rest.substr(1) : " + " + rest);
  }

  std::string patternText(const Pattern &p) const {
    const std::vector<std::string> dims{"0", "1", "2"};
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < p.index.size(); ++i) {
      parts.push_back(static_cast<int>(i) == p.indirectAt ? fmt::format("%{}", p.indirect)
                                                          : indexText(p.index[i].form, p.index[i].factors, dims));
    }
    return (p.array < 0 ? "index" : "load " + array(p.array)) + " [" + join(parts, ", ") + "]";
  }

  std::string nodeText(const Node &node) const {
    std::string s(name(node.kind));
    const auto args = [&] {
      std::vector<std::string> parts;
      for (const int a : node.args) parts.push_back(fmt::format("%{}", a));
      return join(parts, ", ");
    };
    switch (node.kind) {
      case NodeKind::kTensor:
        return fmt::format("{} {} {}", s, array(node.array), print(node.box, names_));
      case NodeKind::kCmp:
        return fmt::format("{} {} {} {}", s, name(node.op), name(node.type), args());
      case NodeKind::kMv:
        return fmt::format("{} {} dim {} by {}", s, args(), node.dim, form(node.distance));
      case NodeKind::kBc:
        return fmt::format("{} {} dim {} by {} count {}", s, args(), node.dim, form(node.distance), form(node.count));
      case NodeKind::kShrink:
        return fmt::format("{} {} {}", s, args(), print(node.box, names_));
      case NodeKind::kReduce:
        return fmt::format("{} {} dim {} {}", s, name(node.combine), node.dim, args());
      case NodeKind::kStrm:
        s = fmt::format("{} {} {} over {}", s, name(node.type), patternText(node.pattern), print(node.box, names_));
        return node.reason.empty() ? s : s + " reason " + quoted(node.reason);
      case NodeKind::kConst:
        break;
    }
    if (node.source == ConstantKind::kForm) return fmt::format("{} {} form {}", s, name(node.type), form(node.form));
    if (node.source == ConstantKind::kElement)
      return fmt::format("{} {} element {} {}", s, name(node.type), array(node.array), forms(node.index));
    return fmt::format("{} {} {}", s, name(node.type),
                       isFloat(node.type) ? floatText(node.constant) : std::to_string(node.integer));
  }

  /// A number the reader takes: infinities and NaN are words.
  static std::string floatText(double x) {
    if (x != x) return "nan";
    if (x - x != 0) return x < 0 ? "-inf" : "inf";
    return "\"" + numberText(x) + "\"";
  }

  std::string outputText(const Output &output) const {
    if (!output.isStream)
      return fmt::format("out {} = %{} over {}", array(output.array), output.node, print(output.box, names_));
    std::string s = fmt::format("strm store {} = %{} over {}", patternText(output.pattern).substr(5), output.node,
                                print(output.box, names_));
    if (output.combine != Combine::kAssign) s += fmt::format(" {}", name(output.combine));
    return output.reason.empty() ? s : s + " reason " + quoted(output.reason);
  }

  std::string accessText(const StreamAccess &access) const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < access.index.size(); ++i) {
      parts.push_back(static_cast<int>(i) == access.indirectAt
                          ? fmt::format("v{}", access.indirectIndex)
                          : indexText(access.index[i].form, access.index[i].factors, dims_));
    }
    return array(access.array) + " [" + join(parts, ", ") + "]";
  }

  std::string reuseText(const StreamAccess &access, const Streams &streams) const {
    std::string s;
    for (const int d : reusedIn(access, streams.dims.size()))
      s += (s.empty() ? "  # reused in " : ", ") + streams.dims[static_cast<std::size_t>(d)].name;
    return s;
  }

  void printStreams(const Region &region) {
    const Streams &s = region.streams;
    dims_.clear();
    for (const StreamDim &dim : s.dims) dims_.push_back(spellWord(dim.name));
    out_ += fmt::format("  streams {} {}\n", kStreamFormWords[static_cast<std::size_t>(s.nest.form)],
                        spellWord(s.nest.name));
    for (std::size_t d = 0; d < s.dims.size(); ++d)
      out_ += fmt::format("    dim {} {} {}\n", dims_[d], kDimWords[static_cast<std::size_t>(s.dims[d].kind)],
                          form(s.dims[d].extent));
    for (const StreamIndex &guard : s.guards)
      out_ += fmt::format("    guard {}\n", indexText(guard.form, guard.factors, dims_));
    for (const StreamAccess &load : s.loads)
      out_ += fmt::format("    load {}{}\n", accessText(load), reuseText(load, s));
    for (std::size_t v = 0; v < s.nest.body.size(); ++v)
      out_ += fmt::format("    v{} = {}\n", v, valueText(s, static_cast<int>(v)));
    for (const kernel::DataBounds &b : s.nest.bounds) {
      out_ += fmt::format("    bound {}", dims_[static_cast<std::size_t>(b.dim)]);
      if (b.first >= 0) out_ += fmt::format(" first v{}", b.first);
      if (b.end >= 0) out_ += fmt::format(" end v{}", b.end);
      out_ += "\n";
    }
    if (s.nest.predicate >= 0) {
      out_ += fmt::format("    select v{}", s.nest.predicate);
      out_ += s.nest.limit >= 0 ? fmt::format(" limit {}\n", s.nest.limit) : "\n";
    }
    for (std::size_t t = 0; t < s.targets.size(); ++t) {
      const kernel::Store &store = s.nest.stores[t];
      out_ += fmt::format("    {} {} = v{}", name(kindOfStore(s, t)), accessText(s.targets[t]), store.value);
      if (store.combine != Combine::kAssign) out_ += fmt::format(" {}", name(store.combine));
      if (store.follows >= 0) out_ += fmt::format(" follows {}", store.follows);
      out_ += reuseText(s.targets[t], s) + "\n";
    }
    out_ += "  end\n";
  }

  std::string valueText(const Streams &s, int v) const {
    const kernel::Value &value = s.nest.body[static_cast<std::size_t>(v)];
    const auto f = std::find_if(s.forms.begin(), s.forms.end(), [v](const auto &x) { return x.value == v; });
    const std::string type(name(value.type));
    if (f != s.forms.end()) return fmt::format("form {} {}", type, form(f->form));
    switch (value.op) {
      case Op::kConstant:
        return fmt::format("constant {} {}", type,
                           isFloat(value.type) ? floatText(value.constant) : std::to_string(value.integer));
      case Op::kLoad:
        return fmt::format("load {} {}", type, value.access);
      case Op::kIndex:
        return fmt::format("index {} {}", type, dims_[static_cast<std::size_t>(value.dim)]);
      default: {
        std::string text = fmt::format("{} {}", name(value.op), type);
        for (int a = 0; a < kernel::argumentCount(value.op); ++a)
          text += fmt::format("{}v{}", a == 0 ? " " : ", ", value.args[static_cast<std::size_t>(a)]);
        return text;
      }
    }
  }

  const Program &program_;
  Part part_;
  std::vector<Name> names_;
  std::vector<std::string> dims_;  ///< of the streams, spelled
  std::string out_;
};

}  // namespace

std::string print(const Program &program, Part part) {
  return Printer(program, part).run();
}

std::string print(const Schedule &schedule, const Program &program, const Region &region) {
  return Printer(program, Part::kAll).schedule(schedule, region);
}

}  // namespace pimento::tdfg
