#include "pimento/program/unit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "pimento/base/suggest.h"

namespace pimento::program {

using Kind = Instruction::Kind;
using kernel::Op;

namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

/// As Scanner::takeName() reads it back: shortest digits that give the number again.
std::string numberText(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::string out = fmt::format("{}", x);
  out.erase(std::remove(out.begin(), out.end(), '+'), out.end());
  return out;
}

const std::vector<std::string> &mnemonics() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const std::string &n : operationNames())
      if (n != "loop") names.push_back(upper(n));
    return names;
  }();
  return kNames;
}

}  // namespace

std::string printDeclarations(const Unit &unit) {
  std::string out;
  for (const Array &a : unit.arrays)
    out += fmt::format("  array {} {} {}[{}]{}\n", spellName(a.name),
                       a.space == Array::Space::kBank ? "bank" : "scratchpad", name(a.type), a.elements,
                       a.isShared ? " shared" : "");
  for (const Parameter &p : unit.parameters) out += fmt::format("  param {} {}\n", spellName(p.name), p.limit);
  return out;
}

std::string printInstruction(const Instruction &i, const Unit &unit, const std::vector<std::string> &variables) {
  const auto element = [&](int array, const Address &at) {
    const auto a = static_cast<std::size_t>(array);
    return fmt::format("{}[{}]", array >= 0 && a < unit.arrays.size() ? spellName(unit.arrays[a].name) : "?",
                       printAffine(at, variables, unit.parameters));
  };
  const auto datum = [&] {
    std::string out = element(i.array, i.at);
    if (i.data.from < 0) return out;
    out.back() = ',';
    out += fmt::format(" %{} of {}", i.data.from, i.data.limit);
    return out + (i.data.stride != 1 ? fmt::format(" by {}]", i.data.stride) : "]");
  };
  const std::string condition = i.condition >= 0 ? fmt::format(" if %{}", i.condition) : "";
  const std::string word = upper(operationName(i));
  switch (i.kind) {
    case Kind::kSet:
      return fmt::format("{} {} %{} {}", word, name(i.type), i.result,
                         isFloat(i.type) ? numberText(i.constant) : std::to_string(i.integer));
    case Kind::kIndex:
      return fmt::format("{} {} %{} {}", word, name(i.type), i.result, printAffine(i.at, variables, unit.parameters));
    case Kind::kTest:
      return fmt::format("{} %{} {}", word, i.result, printAffine(i.at, variables, unit.parameters));
    case Kind::kLoad:
      return fmt::format("{} %{} {}{}", word, i.result, datum(), condition);
    case Kind::kStore:
      return fmt::format("{} {} %{}{}", word, datum(), i.arguments[0], condition);
    case Kind::kMove:
      return fmt::format("{} {} {} {}", word, element(i.array, i.at), element(i.from, i.fromAt), i.count);
    default: {
      std::string out = fmt::format("{} {} %{}", word, name(i.type), i.result);
      for (int a = 0; a < kernel::argumentCount(i.op); ++a)
        out += fmt::format(" %{}", i.arguments[static_cast<std::size_t>(a)]);
      return out;
    }
  }
}

bool UnitReader::hasParameter(std::string_view name) const {
  return std::any_of(unit_.parameters.begin(), unit_.parameters.end(),
                     [&](const Parameter &p) { return p.name == name; });
}

bool UnitReader::declaration() {
  const std::string_view w = reader_.scan().peekWord();
  if (w != "array" && w != "param") return false;
  const bool isArray = w == "array";
  reader_.scan().takeWord();
  static_cast<void>((isArray ? array() : parameter()) && reader_.lineEnd());
  return true;
}

bool UnitReader::array() {
  constexpr const char *kForm = "an array is: array NAME bank|scratchpad TYPE[N] [shared]";
  Array a;
  const Location where = reader_.scan().where();
  if (!reader_.nameInto(a.name, "the array's name")) return false;
  a.space = reader_.scan().takeWord("scratchpad") ? Array::Space::kScratchpad : Array::Space::kBank;
  if (a.space == Array::Space::kBank && !reader_.word("bank", kForm)) return false;
  if (!type(a.type)) return false;
  if (!reader_.scan().takePunctuation('[')) return reader_.expected("'['", kForm);
  if (!reader_.number(a.elements, "the number of elements", 1, TextReader::kLargest, "program-range")) return false;
  if (!reader_.scan().takePunctuation(']')) return reader_.expected("']'", kForm);
  a.isShared = reader_.scan().takeWord("shared");
  if (std::any_of(unit_.arrays.begin(), unit_.arrays.end(), [&](const Array &b) { return a.name == b.name; }))
    return reader_.report("program-duplicate-array", where, fmt::format("array {} already exists", spellName(a.name)),
                          "use another name");
  unit_.arrays.push_back(std::move(a));
  return true;
}

bool UnitReader::parameter() {
  Parameter p;
  const Location where = reader_.scan().where();
  p.name = reader_.scan().takeWord();
  if (p.name.empty()) return reader_.expected("a parameter's name", "a parameter is: param NAME LIMIT");
  if (!reader_.number(p.limit, "the limit", 1, TextReader::kLargest, "program-range")) return false;
  if (hasParameter(p.name) || reader_.hasVariable(p.name))
    return reader_.report("program-duplicate-variable", where, fmt::format("'{}' already exists", p.name),
                          "rename the parameter or loop variable");
  unit_.parameters.push_back(std::move(p));
  return true;
}

bool UnitReader::type(DType &into) {
  const std::string w(reader_.scan().peekWord());
  if (w.empty()) return reader_.expected("an element type", "choices: " + dtypeNames());
  const std::optional<DType> t = parseDType(w);
  if (!t) {
    std::vector<std::string> names;
    for (const DType d : allDTypes()) names.emplace_back(name(d));
    return reader_.report("program-unknown-type", reader_.scan().where(),
                          fmt::format("unknown type {}", reader_.scan().found()), suggest(w, names));
  }
  reader_.scan().takeWord();
  into = *t;
  return true;
}

bool UnitReader::registerNumber(int &into, const char *what) {
  if (!reader_.scan().takePunctuation('%')) return reader_.expected(what, "registers are written %0, %1, ...");
  std::int64_t n = 0;
  if (!reader_.number(n, "the register's number", 0, kMaxRegisters - 1, "program-range")) return false;
  into = static_cast<int>(n);
  return true;
}

bool UnitReader::arrayElement(int &array, Address &at, DataIndex *data) {
  const Location where = reader_.scan().where();
  std::string wanted;
  if (!reader_.nameInto(wanted, "an array's name")) return false;
  const auto known =
      std::find_if(unit_.arrays.begin(), unit_.arrays.end(), [&](const Array &a) { return a.name == wanted; });
  if (known == unit_.arrays.end()) {
    std::vector<std::string> names;
    for (const Array &a : unit_.arrays) names.push_back(a.name);
    return reader_.report("program-unknown-array", where, fmt::format("unknown array {}", spellName(wanted)),
                          names.empty() ? "declare it first: array NAME bank TYPE[N]" : suggest(wanted, names));
  }
  array = static_cast<int>(known - unit_.arrays.begin());
  if (!reader_.scan().takePunctuation('[')) return reader_.expected("'['", "an element is: a[4*j+k]");
  if (!reader_.affine(at, unit_.parameters)) return false;
  if (data != nullptr && reader_.scan().takePunctuation(',') && !dataIndex(*data)) return false;
  return reader_.scan().takePunctuation(']') || reader_.expected("']'", "an element is: a[4*j+k]");
}

bool UnitReader::dataIndex(DataIndex &data) {
  return registerNumber(data.from, "the index's register") &&
         reader_.word("of", "an index from data is: a[k, %1 of 64], with its upper bound") &&
         reader_.number(data.limit, "the upper bound of the index", 1, TextReader::kLargest, "program-range") &&
         (!reader_.scan().takeWord("by") ||
          reader_.number(data.stride, "distance in elements between consecutive indices", 1, TextReader::kLargest,
                         "program-range"));
}

bool UnitReader::condition(Instruction &i) {
  return !reader_.scan().takeWord("if") || registerNumber(i.condition, "the condition's register");
}

bool UnitReader::constant(Instruction &i) {
  if (!type(i.type) || !registerNumber(i.result, "the result")) return false;
  if (!isFloat(i.type)) {
    if (!reader_.number(i.integer, "the constant", INT64_MIN, INT64_MAX, "program-range")) return false;
    if (wrapInteger(i.type, i.integer) == i.integer) return true;
    return reader_.report("program-range", reader_.scan().where(),
                          fmt::format("{} is not a value of type {}", i.integer, name(i.type)),
                          fmt::format("it would wrap to {}", wrapInteger(i.type, i.integer)));
  }
  const Location where = reader_.scan().where();
  std::string text;
  if (!reader_.nameInto(text, "a number")) return false;
  if (text == "nan") {
    i.constant = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), i.constant);
  if (status == std::errc() && end == text.data() + text.size() && !std::isnan(i.constant)) return true;
  return reader_.report("program-number", where, fmt::format("'{}' is not a number", text),
                        "for example 1.5, -2, 1e-3, 1e6, inf, -inf or nan");
}

bool UnitReader::store(Instruction &i) {
  return arrayElement(i.array, i.at, &i.data) && registerNumber(i.arguments[0], "the register to store") &&
         condition(i);
}

bool UnitReader::move(Instruction &i) {
  return arrayElement(i.array, i.at) && arrayElement(i.from, i.fromAt) &&
         reader_.number(i.count, "the number of elements", 1, TextReader::kLargest, "program-count");
}

bool UnitReader::operation(Instruction &i, const std::string &word) {
  for (int op = static_cast<int>(Op::kAdd); op <= static_cast<int>(Op::kCast); ++op)
    if (upper(kernel::name(static_cast<Op>(op))) == word) i.op = static_cast<Op>(op);
  if (!type(i.type) || !registerNumber(i.result, "the result")) return false;
  for (int a = 0; a < kernel::argumentCount(i.op); ++a)
    if (!registerNumber(i.arguments[static_cast<std::size_t>(a)], "an argument's register")) return false;
  return true;
}

std::optional<Instruction> UnitReader::instruction() {
  Scanner &scan = reader_.scan();
  const std::string w(scan.peekWord());
  if (w.empty() || std::find(mnemonics().begin(), mnemonics().end(), w) == mnemonics().end()) {
    std::vector<std::string> choices = mnemonics();
    choices.insert(choices.end(), {"loop", "array", "param"});
    reader_.expected("an instruction, 'loop', 'array', 'param' or '}'",
                     w.empty() ? "for example LOAD %0 a[k], ADD i32 %1 %0 %0, STORE a[k] %1" : suggest(w, choices));
    return std::nullopt;
  }
  scan.takeWord();
  Instruction i;
  i.type = DType::kI32;
  bool isRead = false;
  if (w == "SET") {
    i.kind = Kind::kSet;
    isRead = constant(i);
  } else if (w == "INDEX") {
    i.kind = Kind::kIndex;
    isRead = type(i.type) && registerNumber(i.result, "the result") && reader_.affine(i.at, unit_.parameters);
  } else if (w == "TEST") {
    i.kind = Kind::kTest;
    isRead = registerNumber(i.result, "the result") && reader_.affine(i.at, unit_.parameters);
  } else if (w == "LOAD") {
    i.kind = Kind::kLoad;
    isRead = registerNumber(i.result, "the result") && arrayElement(i.array, i.at, &i.data) && condition(i);
  } else if (w == "STORE") {
    i.kind = Kind::kStore;
    isRead = store(i);
  } else if (w == "MOVE") {
    i.kind = Kind::kMove;
    isRead = move(i);
  } else {
    isRead = operation(i, w);
  }
  if (!isRead) return std::nullopt;
  return i;
}

}  // namespace pimento::program
