#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/mapping/lexer.h"
#include "pimento/mapping/mapping.h"
#include "pimento/mapping/passes.h"

namespace pimento::mapping {

namespace {

constexpr const char *kBy = "write by(DIM: TENSOR[AXIS]=a*DIM+c), as in by(i: A[0]=2*i-3)";
constexpr const char *kExample = "a mapping looks like M1:{(2,9),(64,1),(2,4),(2,32)}";

/// Recursive descent with one token of look-ahead:
///   spec      = head { ';' extension } ;  head = 'reference' | 'auto' | 'host' | subspace { ',' subspace } ;
///   subspace  = 'M' N ':' '{' tuple { ',' tuple } '}' ;  tuple = '(' N { ',' N } ')' ;
///   extension = 'cyclic' '(' level ',' N ')' | 'order' '(' dim { ',' dim } ')' | 'tail' '=' word | name '=' N
///             | 'by' '(' dim ':' tensor '[' N ']' '=' function ')' ;
///   function  = [ '-' ] ( N '*' dim | dim [ '*' [ '-' ] N ] ) [ ( '+' | '-' ) N ] ;
/// A step returns false once a diagnostic is there, and nothing is parsed after it.
class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : lexer_(text, file), token_(lexer_.next()) {}

  Result<MapSpec> run() {
    if (!parseHead()) return *problem_;
    while (token_.kind != Token::Kind::kEnd) {
      if (!expect(';', "';' before an extension, or the end")) return *problem_;
      if (token_.kind == Token::Kind::kEnd) break;  // a last ';' closes the list as well as it separates
      if (!parseExtension()) return *problem_;
    }
    spec_.mapping.text = print(spec_);
    return spec_;
  }

 private:
  bool fail(std::string code, Location where, std::string message, std::string hint) {
    problem_ = error(std::move(code), std::move(where), std::move(message), std::move(hint));
    return false;
  }

  bool unexpected(const std::string &wanted, const std::string &hint) {
    if (token_.kind == Token::Kind::kBad) {
      return fail("map-character", token_.where, token_.str() + " is not allowed in a mapping",
                  "expected " + wanted + "; " + kExample);
    }
    return fail("map-syntax", token_.where, "expected " + wanted + ", found " + token_.str(), hint);
  }

  void advance() { token_ = lexer_.next(); }

  bool expect(char mark, const std::string &wanted) {
    if (!token_.isMark(mark)) return unexpected(wanted, kExample);
    advance();
    return true;
  }

  /// A number of `least` to `most`; `text` may be the tail of a name ("1" of "M1").
  bool toNumber(std::string_view text, const Location &where, std::int64_t most, const char *what, std::int64_t &n,
                std::int64_t least = 1) {
    n = 0;
    for (const char c : text) n = std::min(most + 1, addSaturated(multiplySaturated(n, 10), c - '0'));
    if (n >= least && n <= most) return true;
    return fail("map-number", where, std::string(what) + " is " + (n < least ? "0" : "too large"),
                "legal: " + std::to_string(least) + " to " + std::to_string(most));
  }

  bool number(const char *what, std::int64_t &n, std::int64_t least = 1) {
    if (token_.kind != Token::Kind::kNumber) {
      return unexpected(std::string("a number (") + what + ")", "numbers are written in decimal, without a sign");
    }
    if (!toNumber(token_.text, token_.where, kMaxExtent, what, n, least)) return false;
    advance();
    return true;
  }

  bool parseHead() {
    for (const auto kind : {MapSpec::Kind::kReference, MapSpec::Kind::kAuto, MapSpec::Kind::kHost}) {
      if (token_.kind != Token::Kind::kName || token_.text != keyword(kind)) continue;
      spec_.kind = kind;
      advance();
      return true;
    }
    spec_.kind = MapSpec::Kind::kExplicit;
    if (!parseSubspace()) return false;
    while (token_.isMark(',')) {
      advance();
      if (!parseSubspace()) return false;
    }
    return true;
  }

  bool parseSubspace() {
    std::vector<Subspace> &all = spec_.mapping.subspaces;
    if (token_.kind != Token::Kind::kName) return unexpected("'M1', 'reference', 'auto' or 'host'", kExample);
    const std::string_view digits = token_.text.substr(1);
    if (token_.text[0] != 'M' || digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
      return fail("map-unknown-keyword", token_.where, "unknown mapping " + token_.str(),
                  suggest(token_.text, {"reference", "auto", "host", "M1"}) + ":{...}; " + kExample);
    }
    Subspace subspace;
    subspace.where = token_.where;
    constexpr std::int64_t kMaxIndex = 1000000;
    std::int64_t index = 0;
    if (!toNumber(digits, token_.where, kMaxIndex, "the index of a subspace", index)) return false;
    subspace.index = static_cast<int>(index);
    for (const Subspace &other : all) {
      if (other.index != subspace.index) continue;
      return fail(
          "map-duplicate", token_.where, "M" + std::to_string(index) + " is defined twice",
          "first at column " + std::to_string(other.where.column) + "; the numbers give the order of execution");
    }
    if (all.size() == kMaxSubspaces) {
      return fail("map-too-large", token_.where, "more than " + std::to_string(kMaxSubspaces) + " subspaces",
                  "use larger subspaces");
    }
    advance();
    if (!expect(':', "':' after the name of a subspace") || !expect('{', "'{' before the tuples")) return false;
    do {
      if (!parseTuple(subspace)) return false;
    } while (takeComma());
    if (!expect('}', "',' or '}' after a tuple") || !checkShape(subspace)) return false;
    all.push_back(std::move(subspace));
    return true;
  }

  bool takeComma() { return takeMark(','); }

  bool parseTuple(Subspace &subspace) {
    const Location where = token_.where;
    if (subspace.factors.size() == kMaxRows) {
      return fail("map-too-large", where, "more than " + std::to_string(kMaxRows) + " tuples",
                  "one tuple per level of the machine, then the range");
    }
    if (!expect('(', "'(' of a tuple")) return false;
    std::vector<std::int64_t> row;
    do {
      if (row.size() == kMaxDims) {
        return fail("map-too-large", token_.where, "more than " + std::to_string(kMaxDims) + " elements in a tuple",
                    "one element per dim of the kernel");
      }
      std::int64_t n = 0;
      const Location at = token_.where;
      if (!number("a factor", n)) return false;
      row.push_back(n);
      if (!checkProduct(subspace, row, at)) return false;
    } while (takeComma());
    if (!expect(')', "',' or ')' after a factor")) return false;
    if (!subspace.factors.empty() && subspace.factors[0].size() != row.size()) {
      return fail("map-ragged", where,
                  "this tuple has " + std::to_string(row.size()) + " elements, the first one of M" +
                      std::to_string(subspace.index) + " has " + std::to_string(subspace.factors[0].size()),
                  "every tuple has one element per dim of the kernel");
    }
    subspace.factors.push_back(std::move(row));
    subspace.rowsWhere.push_back(where);
    return true;
  }

  bool checkProduct(const Subspace &subspace, const std::vector<std::int64_t> &row, const Location &where) {
    std::int64_t product = row.back();
    for (const auto &above : subspace.factors) {
      if (row.size() <= above.size()) product = multiplySaturated(product, above[row.size() - 1]);
    }
    if (product <= kMaxExtent) return true;
    return fail(
        "map-number", where,
        "the factors of dim " + std::to_string(row.size()) + " multiply to more than " + std::to_string(kMaxExtent),
        "the product of a column is the padded extent of that dim");
  }

  bool checkShape(const Subspace &subspace) {
    if (spec_.mapping.subspaces.empty()) return true;
    const Subspace &first = spec_.mapping.subspaces[0];
    const std::size_t rows = subspace.factors.size(), dims = subspace.factors[0].size();
    if (rows == first.factors.size() && dims == first.factors[0].size()) return true;
    const bool isRows = rows != first.factors.size();
    auto count = [&](const Subspace &s) {
      return std::to_string(isRows ? s.factors.size() : s.factors[0].size()) + (isRows ? " tuples" : " dims");
    };
    return fail("map-ragged", subspace.where,
                "M" + std::to_string(subspace.index) + " has " + count(subspace) + ", M" + std::to_string(first.index) +
                    " has " + count(first),
                "all subspaces have one tuple per level and the range, one element per dim");
  }

  bool parseExtension() {
    std::vector<std::string> names = {"by", "cyclic", "merge", "mode", "order", "part", "program", "tail"};
    names.insert(names.end(), parameterNames().begin(), parameterNames().end());
    if (token_.kind != Token::Kind::kName) return unexpected("an extension", suggest("", names));
    const std::string name(token_.text);
    const Location where = token_.where;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return fail("map-unknown-extension", where, "unknown extension " + token_.str(), suggest(name, names));
    }
    advance();
    if (name == "by") return parseBy(where);
    if (name == "cyclic") return parseCyclic(where);
    if (!remember(name, where)) return false;
    if (name == "order") return parseOrder();
    if (!expect('=', "'=' after '" + name + "'")) return false;
    Mapping &m = spec_.mapping;
    if (name == "tail") return oneOf(name, m.tail, {{"pad", Tail::kPad}, {"truncate", Tail::kTruncate}});
    if (name == "merge") return oneOf(name, m.mergeAt, {{"device", MergeAt::kDevice}, {"host", MergeAt::kHost}});
    if (name == "program") return oneOf(name, m.program, programKinds());
    if (name == "mode")
      return oneOf(name, m.mode, {{"kernel", StreamMode::kKernel}, {"inference", StreamMode::kInference}});
    if (name == "part")
      return oneOf(name, m.part, {{"compute", StreamPart::kCompute}, {"movement", StreamPart::kMovement}});
    return number(name.c_str(), spec_.mapping.parameters[name], leastOf(name));
  }

  bool remember(const std::string &key, const Location &where) {
    const auto [earlier, isNew] = spec_.mapping.where.emplace(key, where);
    if (isNew) return true;
    return fail("map-duplicate", where, key + " is given twice",
                "first at column " + std::to_string(earlier->second.column) + "; remove one");
  }

  bool parseCyclic(const Location &where) {
    if (!expect('(', "'(' after 'cyclic'")) return false;
    if (token_.kind != Token::Kind::kName) return unexpected("the name of a level", "write cyclic(LEVEL,CHUNK)");
    const std::string level(token_.text);
    if (!remember("cyclic(" + level + ")", where)) return false;
    advance();
    return expect(',', "',' and a chunk after the level") && number("a chunk", spec_.mapping.cyclic[level]) &&
           expect(')', "')' after the chunk");
  }

  bool parseBy(const Location &where) {
    if (spec_.kind != MapSpec::Kind::kExplicit)
      return fail("map-by", where, "by(...) says how a mapping that is written out is cut",
                  "write the mapping: M1:{...};by(DIM: TENSOR[AXIS]=a*DIM+c)");
    if (!expect('(', "'(' after 'by'")) return false;
    if (token_.kind != Token::Kind::kName) return unexpected("the name of a dim", kBy);
    const std::string dim(token_.text);
    if (!remember("by(" + dim + ")", where)) return false;
    advance();
    Borders borders;
    lexer_.setExpression(true);
    if (!expect(':', "':' after the dim")) return false;
    if (token_.kind != Token::Kind::kName) return unexpected("the name of a tensor", kBy);
    borders.tensor = token_.text;
    borders.tensorWhere = token_.where;
    advance();
    if (!expect('[', "'[' after the tensor")) return false;
    borders.axisWhere = token_.where;
    std::int64_t axis = 0;
    constexpr std::int64_t kMostAxis = 1000;
    if (token_.kind != Token::Kind::kNumber) return unexpected("the number of an axis", kBy);
    if (!toNumber(token_.text, token_.where, kMostAxis, "the number of an axis", axis, 0)) return false;
    borders.axis = static_cast<int>(axis);
    advance();
    if (!expect(']', "']' after the axis") || !expect('=', "'=' before the function")) return false;
    borders.functionWhere = token_.where;
    if (!parseFunction(dim, borders.function)) return false;
    lexer_.setExpression(false);
    if (!expect(')', "'+', '-' or ')' after the function")) return false;
    spec_.mapping.by.emplace(dim, std::move(borders));
    return true;
  }

  bool parseFunction(const std::string &dim, MappingFunction &f) {
    bool isNegative = takeMark('-');
    const auto isDim = [&] { return token_.kind == Token::Kind::kName && token_.text == dim; };
    if (token_.kind == Token::Kind::kNumber) {
      if (!number("the factor of a dim", f.scale) || !expect('*', "'*' after the factor")) return false;
      if (!isDim()) return unexpected("'" + dim + "'", kBy);
      advance();
    } else {
      if (!isDim()) return unexpected("a function of '" + dim + "'", kBy);
      advance();
      if (takeMark('*')) {
        if (takeMark('-')) isNegative = !isNegative;
        if (!number("the factor of a dim", f.scale)) return false;
      }
    }
    if (isNegative) f.scale = -f.scale;
    const bool isLess = token_.isMark('-');
    if (!isLess && !token_.isMark('+')) return true;
    advance();
    if (!number("the offset", f.offset, 0)) return false;
    if (isLess) f.offset = -f.offset;
    return true;
  }

  bool takeMark(char mark) {
    if (!token_.isMark(mark)) return false;
    advance();
    return true;
  }

  bool parseOrder() {
    std::vector<std::string> &order = spec_.mapping.order;
    if (!expect('(', "'(' after 'order'")) return false;
    do {
      if (token_.kind != Token::Kind::kName) return unexpected("the name of a dim", "write order(OUTER,...,INNER)");
      const std::string dim(token_.text);
      if (std::find(order.begin(), order.end(), dim) != order.end()) {
        return fail("map-duplicate", token_.where, "dim '" + dim + "' appears twice in order(...)",
                    "name every dim once, outermost first");
      }
      if (order.size() == kMaxDims) {
        return fail("map-too-large", token_.where, "more than " + std::to_string(kMaxDims) + " dims in order(...)",
                    "name every dim once, outermost first");
      }
      order.push_back(dim);
      advance();
    } while (takeComma());
    return expect(')', "',' or ')' after a dim");
  }

  template <typename Value>
  bool oneOf(const std::string &extension, Value &into,
             const std::vector<std::pair<std::string_view, std::type_identity_t<Value>>> &choices) {
    std::vector<std::string> words;
    for (const auto &[word, value] : choices) {
      if (token_.kind == Token::Kind::kName && token_.text == word) {
        into = value;
        advance();
        return true;
      }
      words.emplace_back(word);
    }
    if (token_.kind == Token::Kind::kBad) return unexpected("'" + join(words, "' or '") + "'", "");
    return fail("map-unknown-value", token_.where, extension + " cannot be " + token_.str(),
                suggest(token_.text, words));
  }

  Lexer lexer_;
  Token token_;
  MapSpec spec_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

const std::vector<std::string> &parameterNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = {"append", "buffer", "direct", "dpus", "resident", "t0", "t1", "tasklets"};
    names.insert(names.end(), passNames().begin(), passNames().end());
    std::ranges::sort(names);
    return names;
  }();
  return kNames;
}

std::int64_t leastOf(std::string_view parameter) {
  static constexpr std::array<std::string_view, 4> kCounts = {"append", "buffer", "dpus", "tasklets"};
  return std::ranges::count(kCounts, parameter) == 0 ? 0 : 1;
}

const std::vector<std::string> &passNames() {
  static const std::vector<std::string> kNames = {"on_chip_blocks", "bank_group_order", "row_alignment", "group_loads",
                                                  "group_merge",    "batch_reuse",      "kv_append"};
  return kNames;
}

std::string_view name(Pass pass) {
  return passNames()[static_cast<std::size_t>(pass)];
}

Result<MapSpec> parseMapSpec(std::string_view text, std::string_view file) {
  if (text.size() > kMaxTextLength) {
    return error(
        "map-too-large", {std::string(file), 1, 1},
        "the mapping has " + std::to_string(text.size()) + " bytes, more than " + std::to_string(kMaxTextLength),
        "use larger subspaces");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return error("map-empty", {std::string(file), 1, 1}, "the mapping is empty",
                 std::string("choices: reference, auto, host; ") + kExample);
  }
  return Parser(text, file).run();
}

}  // namespace pimento::mapping
