#include "pimento/program/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "pimento/base/scanner.h"
#include "pimento/base/suggest.h"
#include "pimento/program/text_reader.h"
#include "pimento/program/unit_text.h"

namespace pimento::program {

namespace {

class Printer {
 public:
  explicit Printer(const Program &program) : program_(program) {}

  std::string run() {
    put("program {}\n", spellName(program_.target));
    for (const NamedCommand &c : program_.commands)
      put("command {} {}\n", spellName(c.name), c.isWrite ? "write" : "read");
    for (const Image &i : program_.images)
      put("image {} bursts {}{}\n", spellName(i.name), i.bursts, i.isPerChannel ? " per-channel" : "");
    for (const Process &p : program_.processes) {
      put("process {} x{}{}", spellName(p.name), p.instances, p.isShared ? " shared" : "");
      std::visit([this](const auto &body) { print(body); }, p.body);
      put("}}\n");
    }
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void print(const CommandLoops &nodes) {
    put(" {{\n");
    unit_ = {};
    list(nodes);
  }
  void print(const UnitLoops &loops) {
    put(" threads {} {{\n{}", loops.unit.threads, printDeclarations(loops.unit));
    unit_ = loops.unit;
    list(loops.nodes);
  }
  void print(const MachineCode &m) { put(" {{\n  ? {} instructions of machine code\n", m.code->instructions.size()); }

  void indent() { out_.append(2 * variables_.size() + 2, ' '); }

  // A name for the loop's counter that no enclosing loop has.
  std::string variableFor(const std::string &label) const {
    std::string v = isIdentifier(label) ? label : "i";
    const auto isTaken = [this](const std::string &name) {
      return std::find(variables_.begin(), variables_.end(), name) != variables_.end() ||
             std::any_of(unit_.parameters.begin(), unit_.parameters.end(),
                         [&](const Parameter &p) { return p.name == name; });
    };
    if (isTaken(v)) v += fmt::format("_{}", variables_.size());
    while (isTaken(v)) v += '_';
    return v;
  }

  template <typename Statement>
  void list(const std::vector<Node<Statement>> &nodes) {
    for (const Node<Statement> &n : nodes) {
      indent();
      if (!n.isLoop) {
        statement(n.statement);
        continue;
      }
      const std::string variable = variableFor(n.label);
      put("loop {} {}", variable, n.trip);
      if (variable != n.label) put(" label {}", spellName(n.label));
      put(" {{\n");
      variables_.push_back(variable);
      list(n.children);
      variables_.pop_back();
      indent();
      put("}}\n");
    }
  }

  void affine(const Operand &o) { out_ += printAffine({o, {}}, variables_, {}); }

  void statement(const Instruction &i) { out_ += printInstruction(i, unit_, variables_) + '\n'; }

  void statement(const Command &c) {
    const auto part = [&](const char *what, const Operand &o) {
      if (c.named > 0 && o == Operand{}) return;  // of a named command, what is 0 is left out
      put(" {} ", what);
      affine(o);
    };
    const auto i = static_cast<std::size_t>(c.named) - 1;
    out_ += c.named == 0 ? (c.isWrite ? "WR" : "RD") : i < program_.commands.size() ? program_.commands[i].name : "?";
    if (c.channels.count > 0) {
      put(" channels {} x{}", c.channels.first, c.channels.count);
      if (c.channels.step != 1) put(" step {}", c.channels.step);
    }
    part("rank", {c.rank, {}});
    part("bank", {c.bank, {}});
    if (c.isLinear) {
      out_ += " at ";
      affine(c.column);
    } else {
      part("row", c.row);
      part("column", c.column);
    }
    if (c.length != 0) put(" length {}", c.length);
    if (c.isBarrier) out_ += " barrier";
    put(" {}", name(c.purpose));
    if (c.image >= 0) {
      const auto image = static_cast<std::size_t>(c.image);
      put(" data {}[", image < program_.images.size() ? spellName(program_.images[image].name) : "?");
      affine(c.burst);
      out_ += ']';
    }
    out_ += '\n';
  }

  const Program &program_;
  Unit unit_;  // of the process, where it has virtual instructions
  std::string out_;
  std::vector<std::string> variables_;  // of the enclosing loops, outermost first
};

constexpr std::int64_t kMaxStatements = std::int64_t{1} << 22;

const std::vector<std::string> &purposeNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (int p = 0; p < kPurposes; ++p) names.emplace_back(name(static_cast<Purpose>(p)));
    return names;
  }();
  return kNames;
}

/// Recursive descent. Parsing functions return false after reporting a mistake. A mistake inside a command costs its
/// line; one in a line that opens a block ends the parse, because what follows would be read at the wrong nesting.
class Parser : private TextReader {
 public:
  Parser(std::string_view text, std::string file) : TextReader(text, std::move(file)) {}

  Result<Program> run() {
    scan_.skipEmptyLines();
    if (header())
      while (found_.size() < kMaxDiagnostics && nextStatement() && topLevel()) {
      }
    if (!found_.empty()) return std::move(found_);
    return std::move(program_);
  }

  const Places &places() const { return places_; }

 private:
  bool header() {
    if (!word("program", "start the program with: program TARGET")) return false;
    return nameInto(program_.target, "the target's name") && lineEnd();
  }

  bool countStatement() {
    return ++statements_ <= kMaxStatements ||
           report("program-too-large", scan_.where(), fmt::format("more than {} statements", kMaxStatements),
                  "use loops instead of repeated statements");
  }

  bool topLevel() {
    if (!countStatement()) return false;
    if (scan_.takeWord("image")) {
      image();
      scan_.nextLine();
      return true;
    }
    if (scan_.takeWord("process")) return process();
    if (scan_.takeWord("command")) {
      command();
      scan_.nextLine();
      return true;
    }
    const std::string w(scan_.peekWord());
    return expected("'image' or 'process'",
                    w.empty() ? "choices: command, image, process" : suggest(w, {"image", "process", "command"}));
  }

  bool command() {
    NamedCommand c;
    const Location where = scan_.where();
    c.name = std::string(scan_.takeWord());
    if (c.name.empty()) return expected("a command's name", "as in the machine file: command MAC16 read");
    c.isWrite = scan_.takeWord("write");
    if (!c.isWrite && !scan_.takeWord("read"))
      return expected("'read' or 'write'", "a command is: command NAME read|write; those that send data are writes");
    if (!lineEnd()) return false;
    const std::vector<std::string> known = mnemonics();
    if (std::find(known.begin(), known.end(), c.name) != known.end())
      return report("program-duplicate-command", where, fmt::format("command {} already exists", c.name),
                    "name each command once; RD, WR and loop are taken");
    if (program_.commands.size() == 255)
      return report("program-too-large", where, "more than 255 commands", "declare only those that are used");
    program_.commands.push_back(std::move(c));
    return true;
  }

  /// What statements of commands begin with.
  std::vector<std::string> mnemonics() const {
    std::vector<std::string> words = {"RD", "WR"};
    for (const NamedCommand &c : program_.commands) words.push_back(c.name);
    words.emplace_back("loop");
    return words;
  }

  bool image() {
    Image i;
    const Location where = scan_.where();
    if (!nameInto(i.name, "the image's name") || !word("bursts", "an image is: image NAME bursts N [per-channel]") ||
        !number(i.bursts, "the number of bursts", 0, kLargest, "program-range"))
      return false;
    if (scan_.takeWord("per")) {
      if (!scan_.takePunctuation('-') || !scan_.takeWord("channel"))
        return expected("'per-channel'", "an image is: image NAME bursts N [per-channel]");
      i.isPerChannel = true;
    }
    if (!lineEnd()) return false;
    if (!images_.emplace(i.name, static_cast<int>(program_.images.size())).second)
      return report("program-duplicate-image", where, fmt::format("image {} already exists", spellName(i.name)),
                    "use another name");
    program_.images.push_back(std::move(i));
    return true;
  }

  bool process() {
    Process p;
    const Location where = scan_.where();
    places_.processes.push_back(where);
    if (!nameInto(p.name, "the process's name")) return false;
    if (!scan_.takePunctuation('x'))
      return expected("'x' and the number of channels", "a process is: process NAME x64 {");
    if (!number(p.instances, "the number of channels", 1, kLargest, "program-instances")) return false;
    p.isShared = scan_.takeWord("shared");
    unit_.reset();
    const std::string owner = fmt::format("process {}", spellName(p.name));
    bool isRead = false;
    if (scan_.takeWord("threads")) {
      UnitLoops &loops = p.body.emplace<UnitLoops>();
      unit_.emplace(static_cast<TextReader &>(*this), loops.unit);
      isRead = number(loops.unit.threads, "the number of threads", 1, kLargest, "program-threads") &&
               block(loops.nodes, owner, where);
    } else {
      isRead = block(p.body.emplace<CommandLoops>(), owner, where);
    }
    if (!isRead) return false;
    program_.processes.push_back(std::move(p));
    return true;
  }

  /// From '{' through the line of the matching '}'.
  template <typename Statement>
  bool block(std::vector<Node<Statement>> &into, const std::string &owner, const Location &where) {
    if (!scan_.takePunctuation('{')) return expected("'{'", "'{' must end the line that opens a block");
    if (!lineEnd()) return false;
    while (nextStatement()) {
      if (found_.size() >= kMaxDiagnostics || !countStatement()) return false;
      if (scan_.takePunctuation('}')) {
        const bool isClean = lineEnd();
        scan_.nextLine();
        return isClean;
      }
      if (scan_.takeWord("loop")) {
        if (!loop(into)) return false;
        continue;
      }
      statement(into);
      scan_.nextLine();
    }
    return report("program-unclosed", where, fmt::format("{} is not closed", owner), "add a line with '}'");
  }

  template <typename Statement>
  bool loop(std::vector<Node<Statement>> &into) {
    const Location where = scan_.where();
    const std::string variable(scan_.takeWord());
    if (variable.empty()) return expected("a loop variable", "a loop is: loop j 8 {");
    if (unit_ && unit_->hasParameter(variable))
      return report("program-duplicate-variable", where, fmt::format("a parameter is already called '{}'", variable),
                    "rename the loop variable");
    if (std::find(variables_.begin(), variables_.end(), variable) != variables_.end())
      return report(
          "program-duplicate-variable", where, fmt::format("an enclosing loop already has the variable '{}'", variable),
          fmt::format("rename it and keep the label: loop {}_{} N label {} {{", variable, variables_.size(), variable));
    if (variables_.size() >= kMaxDepth)
      return report("program-depth", where, fmt::format("loops nest deeper than {}", kMaxDepth),
                    "merge loops, or repeat commands");
    auto n = Node<Statement>::loop(variable, 1, {});
    if (!number(n.trip, "the trip count", 1, kLargest, "program-trip")) return false;
    if (scan_.takeWord("label") && !nameInto(n.label, "the loop's label")) return false;
    variables_.push_back(variable);
    const bool isRead = block(n.children, fmt::format("loop '{}'", variable), where);
    variables_.pop_back();
    if (isRead) into.push_back(std::move(n));
    return isRead;
  }

  bool statement(std::vector<InstructionNode> &into) {
    if (unit_->declaration()) return true;
    places_.commands.push_back(scan_.where());
    std::optional<Instruction> i = unit_->instruction();
    if (!i || !lineEnd()) return false;
    into.emplace_back(std::move(*i));
    return true;
  }

  bool statement(CommandLoops &into) {
    static constexpr const char *kForm =
        "a command is: RD [channels N xN [step N]] rank N bank N row AFFINE column AFFINE [barrier] PURPOSE [data "
        "IMAGE[AFFINE]]; 'at AFFINE', an address in the bank, may stand for row and column";
    Command c;
    places_.commands.push_back(scan_.where());
    if (!mnemonic(c)) return false;
    const auto has = [&](const char *part, bool &isThere) {  // of a named command, what is left out is 0
      isThere = c.named == 0 || scan_.peekWord() == part;
      return !isThere || word(part, kForm);
    };
    bool isThere = false;
    std::int64_t rank = 0, bank = 0;
    if (scan_.peekWord() == "channels" && !channels(c.channels)) return false;
    if (!has("rank", isThere) || (isThere && !number(rank, "the rank", 0, 255, "program-range"))) return false;
    if (!has("bank", isThere) || (isThere && !number(bank, "the bank", 0, 255, "program-range"))) return false;
    c.rank = static_cast<std::uint8_t>(rank);
    c.bank = static_cast<std::uint8_t>(bank);
    c.isLinear = scan_.takeWord("at");
    if (c.isLinear) {
      if (!affine(c.column)) return false;
    } else {
      if (!has("row", isThere) || (isThere && !affine(c.row))) return false;
      if (!has("column", isThere) || (isThere && !affine(c.column))) return false;
    }
    if (std::int64_t length = 0; scan_.takeWord("length")) {
      if (!number(length, "the length", 1, kMostLength, "program-range")) return false;
      c.length = static_cast<std::int32_t>(length);
    }
    c.isBarrier = scan_.takeWord("barrier");
    if (!purpose(c.purpose)) return false;
    if (!data(c) || !lineEnd()) return false;
    into.emplace_back(std::move(c));
    return true;
  }

  /// "channels FIRST xCOUNT [step N]".
  bool channels(Channels &into) {
    scan_.takeWord("channels");
    std::int64_t first = 0, count = 0, step = 1;
    if (!number(first, "the first channel", 0, 255, "program-range")) return false;
    if (!scan_.takePunctuation('x'))
      return expected("'x' and the number of channels", "channels of a command are: channels 0 x16 [step 2]");
    if (!number(count, "the number of channels", 1, 255, "program-range")) return false;
    if (scan_.takeWord("step") && !number(step, "the step between channels", 1, 255, "program-range")) return false;
    into = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(count), static_cast<std::uint8_t>(step)};
    return true;
  }

  /// RD, WR or the name of a command.
  bool mnemonic(Command &c) {
    const std::string w(scan_.peekWord());
    const auto named = std::find_if(program_.commands.begin(), program_.commands.end(),
                                    [&](const NamedCommand &n) { return n.name == w; });
    if (named != program_.commands.end()) {
      c.named = static_cast<std::uint8_t>(named - program_.commands.begin() + 1);
      c.isWrite = named->isWrite;
    } else if (w == "RD" || w == "WR") {
      c.isWrite = w == "WR";
    } else {
      const std::vector<std::string> known = mnemonics();
      return expected(program_.commands.empty() ? "'RD', 'WR', 'loop' or '}'" : "a command, 'loop' or '}'",
                      w.empty() ? fmt::format("choices: {}, }}", fmt::join(known, ", ")) : suggest(w, known));
    }
    scan_.takeWord();
    return true;
  }

  bool purpose(Purpose &into) {
    const std::vector<std::string> &names = purposeNames();
    const std::string w(scan_.peekWord());
    if (w.empty()) return expected("a purpose", "choices: " + fmt::format("{}", fmt::join(names, ", ")));
    const auto known = std::find(names.begin(), names.end(), w);
    if (known == names.end())
      return report("program-unknown-purpose", scan_.where(), fmt::format("unknown purpose {}", scan_.found()),
                    suggest(w, names));
    scan_.takeWord();
    into = static_cast<Purpose>(known - names.begin());
    return true;
  }

  bool data(Command &c) {
    const Location start = scan_.where();
    if (!scan_.takeWord("data")) return true;
    if (!c.isWrite)
      return report("program-read-data", start, "a read sends no data", "remove 'data', or write with WR");
    const Location where = scan_.where();
    std::string image;
    if (!nameInto(image, "an image's name")) return false;
    const auto known = images_.find(image);
    if (known == images_.end()) {
      std::vector<std::string> names;
      for (const Image &i : program_.images) names.push_back(i.name);
      return report("program-unknown-image", where, fmt::format("unknown image {}", spellName(image)),
                    names.empty() ? "declare it first: image NAME bursts N" : suggest(image, names));
    }
    c.image = known->second;
    if (!scan_.takePunctuation('[')) return expected("'['", "which burst is sent: data weights[4*j+k]");
    if (!affine(c.burst)) return false;
    return scan_.takePunctuation(']') || expected("']'", "which burst is sent: data weights[4*j+k]");
  }

  Program program_;
  Places places_;
  std::unordered_map<std::string, int> images_;
  std::optional<UnitReader> unit_;  // of the process, where it has virtual instructions
  std::int64_t statements_ = 0;
};

}  // namespace

std::string print(const Program &program) {
  return Printer(program).run();
}

std::string targetOf(std::string_view text, Location *where) {
  Scanner scan(text, {});
  scan.skipEmptyLines();
  if (!scan.takeWord("program")) return "";
  if (where != nullptr) *where = scan.where();
  return scan.takeName().value_or("");
}

Result<Program> parse(std::string_view text, std::string file, Places *places) {
  Parser parser(text, std::move(file));
  Result<Program> program = parser.run();
  if (places != nullptr) *places = parser.places();
  return program;
}

}  // namespace pimento::program
