#include "pimento/frontend/nest/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "pimento/frontend/graph_builder.h"
#include "pimento/frontend/nest/conditions.h"
#include "pimento/frontend/nest/recorder.h"
#include "pimento/frontend/nest/schedule.h"
#include "pimento/kernel/type_rules.h"

namespace pimento::frontend {

namespace {

using Json = nlohmann::json;
using kernel::Affine;
using kernel::Op;

constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

std::optional<Op> opNamed(std::string_view text) {
  for (int op = 0; op <= static_cast<int>(Op::kCast); ++op)
    if (kernel::name(static_cast<Op>(op)) == text) return static_cast<Op>(op);
  return std::nullopt;
}

/// Fills in a program; the first mistake of the text stays in problem().
class TextReader : private NestRecorder {
 public:
  TextReader(NestProgram &program, std::vector<std::string> files, std::string file)
      : NestRecorder(program), files_(std::move(files)), file_(std::move(file)) {}

  void read(const Json &text) {
    each(text, "loops", kMaxNestItems, [&](const Json &j) { readLoop(j); });
    each(text, "buffers", kMaxNestItems, [&](const Json &j) { readBuffer(j); });
    each(text, "values", kMaxNestItems, [&](const Json &j) { readValue(j); });
    each(text, "statements", kMaxNestStatements, [&](const Json &j) { readStatement(j); });
  }

  const std::optional<Diagnostic> &problem() const { return problem_; }

  Location placeOf(const Json &j) const {
    const auto part = [&](std::size_t i) {
      return j.is_array() && i < j.size() && j[i].is_number_integer() ? j[i].get<std::int64_t>() : 0;
    };
    const auto inRange = [](std::int64_t x) { return static_cast<int>(std::clamp<std::int64_t>(x, 0, 1 << 30)); };
    const auto f = static_cast<std::size_t>(inRange(part(2)));
    return {f < files_.size() ? files_[f] : file_, inRange(part(0)), inRange(part(1))};
  }

 private:
  void fail(const char *code, std::string message) {
    if (!problem_)
      problem_ = error(code, {file_}, std::move(message), "pass what the Python package writes: kernel.nest(sizes)");
  }
  bool isFine() const { return !problem_; }

  static const Json &member(const Json &j, const char *key) {
    static const Json none;
    if (!j.is_object()) return none;
    const auto at = j.find(key);
    return at == j.end() ? none : *at;
  }
  template <typename F>
  void each(const Json &j, const char *key, std::size_t most, F &&f) {
    const Json &list = member(j, key);
    if (!list.is_array()) return fail("nest-syntax", fmt::format("'{}' is not a list", key));
    if (list.size() > most)
      return fail("nest-too-large", fmt::format("'{}' has {} entries, at most {} are read", key, list.size(), most));
    for (const Json &entry : list) {
      f(entry);
      if (!isFine()) return;
    }
  }
  std::string text(const Json &j, const char *key) {
    const Json &found = member(j, key);
    if (!found.is_string()) fail("nest-syntax", fmt::format("'{}' is not a text", key));
    return found.is_string() ? found.get<std::string>() : std::string();
  }
  std::optional<std::int64_t> integer(const Json &j, const char *what) {
    if (j.is_number_integer() && !(j.is_number_unsigned() && j.get<std::uint64_t>() > INT64_MAX))
      return j.get<std::int64_t>();
    fail("nest-syntax", fmt::format("{} is not an integer", what));
    return std::nullopt;
  }
  /// From 0 to below `end`.
  std::optional<std::int64_t> number(const Json &j, std::int64_t end, const char *what) {
    const auto n = integer(j, what);
    if (n && *n >= 0 && *n < end) return n;
    if (n) fail("nest-reference", fmt::format("there are {} entries of kind '{}'; {} is not one", end, what, *n));
    return std::nullopt;
  }
  std::optional<DType> type(const Json &j) {
    const auto found = j.is_string() ? parseDType(j.get_ref<const std::string &>()) : std::nullopt;
    if (!found) fail("nest-type", "a type is not one of " + dtypeNames());
    return found;
  }
  std::optional<int> value(const Json &j) {
    const auto n = number(j, static_cast<std::int64_t>(values_.size()), "value");
    return n ? std::optional(values_[static_cast<std::size_t>(*n)]) : std::nullopt;
  }

  std::optional<Affine> form(const Json &j) {
    if (!j.is_array() || j.size() % 2 != 1) {
      fail("nest-syntax", "a form is not a list of a constant, and pairs of loop and coefficient");
      return std::nullopt;
    }
    Affine made;
    const auto constant = integer(j[0], "a constant");
    if (!constant) return std::nullopt;
    made.constant = *constant;
    for (std::size_t i = 1; i < j.size(); i += 2) {
      const auto loop = number(j[i], static_cast<std::int64_t>(program_.loops.size()), "loop");
      const auto factor = integer(j[i + 1], "a coefficient");
      if (!loop || !factor) return std::nullopt;
      const auto sum = plus(made, unit(static_cast<int>(*loop)), *factor);
      if (!sum) {
        fail("nest-too-large", "a sum of loops does not fit 64 bits");
        return std::nullopt;
      }
      made = *sum;
    }
    made = trimmed(std::move(made));
    if (!rangeOf(made, program_.extents())) {
      fail("nest-too-large", "a sum of loops does not fit 64 bits");
      return std::nullopt;
    }
    return made;
  }
  /// One form per dimension of a buffer.
  std::optional<std::vector<Affine>> index(const Json &j, std::int64_t buffer) {
    const NestBuffer &b = program_.buffers[static_cast<std::size_t>(buffer)];
    if (!j.is_array() || j.size() != b.shape.size()) {
      fail("nest-syntax", fmt::format("an element of '{}' does not have {} indices", b.name, b.shape.size()));
      return std::nullopt;
    }
    std::vector<Affine> made;
    for (const Json &one : j) {
      auto f = form(one);
      if (!f) return std::nullopt;
      made.push_back(std::move(*f));
    }
    return made;
  }
  std::optional<DataIndex> data(const Json &dim, const Json &from, std::int64_t buffer) {
    const auto rank = program_.buffers[static_cast<std::size_t>(buffer)].shape.size();
    const auto at = number(dim, static_cast<std::int64_t>(rank), "dimension");
    const auto v = value(from);
    if (!at || !v) return std::nullopt;
    if (isFloat(pool_[*v].type)) {
      fail("nest-type", "an index is not an integer");
      return std::nullopt;
    }
    return DataIndex{static_cast<int>(*at), *v};
  }

  void readLoop(const Json &j) {
    NestLoop loop;
    loop.name = text(j, "name");
    loop.where = placeOf(member(j, "at"));
    const auto extent = integer(member(j, "extent"), "an extent");
    if (extent && (*extent < 1 || *extent > kMostElements)) fail("nest-too-large", "a loop runs never, or too often");
    if (!isFine()) return;
    loop.extent = *extent;
    program_.loops.push_back(std::move(loop));
  }

  void readBuffer(const Json &j) {
    using Kind = NestBuffer::Kind;
    NestBuffer b;
    b.name = text(j, "name");
    b.where = placeOf(member(j, "at"));
    b.isRestrict = true;
    const std::string kind = text(j, "kind");
    const auto t = type(member(j, "type"));
    if (!isFine()) return;
    b.type = *t;
    if (kind == "argument") {
      b.kind = Kind::kArgument;
    } else if (kind == "local" || kind == "result") {
      b.kind = kind == "local" ? Kind::kLocal : Kind::kResult;
    } else if (kind == "carried" || kind == "kept") {
      b.kind = Kind::kCarried;
      b.isKept = kind == "kept";
    } else {
      return fail("nest-syntax", fmt::format("'{}' is not a kind of buffer", kind));
    }
    std::int64_t elements = 1;
    each(j, "shape", kMaxNestRank, [&](const Json &one) {
      const auto extent = integer(one, "an extent");
      if (!extent) return;
      const bool isTooLarge = *extent < 1 || __builtin_mul_overflow(elements, *extent, &elements);
      if (isTooLarge || elements > kMostElements)
        return fail("nest-too-large", fmt::format("'{}' has no elements, or too many", b.name));
      b.shape.push_back(*extent);
    });
    if (isFine() && b.shape.empty()) fail("nest-syntax", fmt::format("'{}' has no dimensions", b.name));
    if (isFine()) addBuffer(std::move(b));
  }

  void readValue(const Json &j) {
    const int made = valueOf(j);
    if (isFine()) values_.push_back(made);
  }

  int valueOf(const Json &j) {
    if (!j.is_array() || j.size() < 2 || !j[0].is_string()) {
      fail("nest-syntax", "a value is not a list that begins with the name of an operation");
      return -1;
    }
    const std::string &what = j[0].get_ref<const std::string &>();
    if (what == "true" || what == "false") {
      const auto v = value(j[1]);
      if (!v) return -1;
      return what == "true" ? pool_.isTrue(*v) : pool_.isFalse(*v);
    }
    const auto t = type(j[1]);
    if (!t) return -1;
    if (what == "constant") return constant(*t, j);
    if (what == "index") {
      const auto f = j.size() == 3 ? form(j[2]) : std::nullopt;
      if (!f) {
        fail("nest-syntax", "an index is not a form");
        return -1;
      }
      if (isFloat(*t) || !program_.fits(*f, *t)) fail("nest-type", "a sum of loops does not fit its type");
      return isFine() ? pool_.form(*t, *f) : -1;
    }
    if (what == "load") return load(*t, j);
    const auto op = opNamed(what);
    if (!op) {
      fail("nest-syntax", fmt::format("'{}' is not an operation", what));
      return -1;
    }
    return operation(*op, *t, j);
  }

  int constant(DType t, const Json &j) {
    if (j.size() != 3 || !j[2].is_number()) {
      // JSON has no infinity and no NaN.
      const bool isText = j.size() == 3 && j[2].is_string() && isFloat(t);
      const std::string_view said = isText ? j[2].get_ref<const std::string &>() : std::string_view();
      const double infinity = std::numeric_limits<double>::infinity();
      if (said == "inf" || said == "-inf") return pool_.real(t, said == "inf" ? infinity : -infinity);
      if (said == "nan") return pool_.real(t, std::numeric_limits<double>::quiet_NaN());
      fail("nest-syntax", "a constant is not a number");
      return -1;
    }
    if (isFloat(t)) return pool_.real(t, j[2].get<double>());
    if (t == DType::kU64 && j[2].is_number_unsigned())
      return pool_.integer(t, static_cast<std::int64_t>(j[2].get<std::uint64_t>()));
    const auto n = integer(j[2], "a constant");
    return n ? pool_.integer(t, *n) : -1;
  }

  int load(DType t, const Json &j) {
    if (j.size() != 5 && j.size() != 7) {
      fail("nest-syntax", "a load does not have a buffer, indices and a place");
      return -1;
    }
    const auto b = number(j[2], static_cast<std::int64_t>(program_.buffers.size()), "buffer");
    if (!b) return -1;
    if (program_.buffers[static_cast<std::size_t>(*b)].type != t) fail("nest-type", "a load has another type");
    auto i = index(j[3], *b);
    const auto from = j.size() == 7 ? data(j[5], j[6], *b) : std::optional(DataIndex{});
    if (!i || !from || !isFine()) return -1;
    if (from->isThere()) (*i)[static_cast<std::size_t>(from->at)] = {};
    return pool_.load(t, static_cast<int>(*b), std::move(*i), *from, placeOf(j[4]));
  }

  int operation(Op op, DType t, const Json &j) {
    const bool hasArguments = kernel::argumentCount(op) > 0;
    if (!hasArguments || j.size() != 2 + static_cast<std::size_t>(kernel::argumentCount(op))) {
      fail("nest-syntax", fmt::format("'{}' has {} arguments", kernel::name(op), kernel::argumentCount(op)));
      return -1;
    }
    std::array<int, 3> args{-1, -1, -1};
    std::array<DType, 3> types{};
    for (std::size_t a = 0; a + 2 < j.size(); ++a) {
      const auto v = value(j[a + 2]);
      if (!v) return -1;
      args[a] = *v;
      types[a] = pool_[*v].type;
    }
    if (op == Op::kCast) return pool_.cast(t, args[0]);
    if (const auto fault = kernel::typeFault(op, t, types)) {
      fail("nest-type", kernel::describe(*fault, op, "a value", "its argument"));
      return -1;
    }
    return pool_.op(op, t, args[0], args[1], args[2]);
  }

  void readStatement(const Json &j) {
    NestStatement s;
    s.where = placeOf(member(j, "at"));
    s.function = text(j, "in");
    const auto buffer = number(member(j, "buffer"), static_cast<std::int64_t>(program_.buffers.size()), "buffer");
    if (!buffer) return;
    s.buffer = static_cast<int>(*buffer);
    auto i = index(member(j, "index"), *buffer);
    const auto v = value(member(j, "value"));
    if (!i || !v) return;
    s.index = std::move(*i);
    s.value = *v;
    const NestBuffer &b = program_.buffers[static_cast<std::size_t>(s.buffer)];
    if (pool_[s.value].type != b.type) return fail("nest-type", fmt::format("'{}' has another type", b.name));
    if (const Json &from = member(j, "data"); !from.is_null()) {
      if (!from.is_array() || from.size() != 2) return fail("nest-syntax", "'data' is not a dimension and a value");
      const auto d = data(from[0], from[1], *buffer);
      if (!d) return;
      s.data = *d;
      s.index[static_cast<std::size_t>(d->at)] = {};
    }
    readPlace(j, s);
    if (isFine()) emitGuarded(std::move(s));
  }

  /// The loops and conditions of a statement; it never happens where a condition never holds.
  void readPlace(const Json &j, NestStatement &s) {
    loops_.clear();
    guards_.clear();
    predicates_.clear();
    each(j, "loops", kMaxNestRank, [&](const Json &one) {
      const auto l = number(one, static_cast<std::int64_t>(program_.loops.size()), "loop");
      if (!l) return;
      const int loop = static_cast<int>(*l);
      if (std::find(loops_.begin(), loops_.end(), loop) != loops_.end())
        return fail("nest-reference", "a loop is around itself");
      loops_.push_back(loop);
    });
    each(j, "guards", kMaxNestItems, [&](const Json &one) {
      if (auto f = form(one)) guards_.push_back({{{std::move(*f)}}, -1});
    });
    each(j, "if", kMaxNestItems, [&](const Json &one) {
      const auto v = value(one);
      if (!v) return;
      if (pool_[*v].type != DType::kU8) return fail("nest-type", "a condition is not a u8");
      if (auto cases = disjointGuards(pool_, *v))
        guards_.push_back({std::move(*cases), *v});
      else
        predicates_.push_back(*v);
    });
    s.loops = loops_;
    s.predicate = predicateFrom(0);
    checkLoops(s);
  }

  /// Every loop that the statement names is around it.
  void checkLoops(const NestStatement &s) {
    const auto see = [&](const Affine &f) {
      for (std::size_t l = 0; l < f.coefficients.size(); ++l)
        if (f.coefficients[l] != 0 && std::find(s.loops.begin(), s.loops.end(), static_cast<int>(l)) == s.loops.end())
          fail("nest-reference", fmt::format("loop {} is not around the statement that names it", l));
    };
    const auto seeAll = [&](int root) {
      pool_.visit(root, [&](int e) {
        see(pool_[e].form);
        for (const Affine &f : pool_[e].index) see(f);
      });
    };
    for (const Affine &f : s.index) see(f);
    for (const Guard &g : guards_)
      for (const auto &all : g.cases)
        for (const Affine &f : all) see(f);
    for (const int root : {s.value, s.predicate, s.data.value}) seeAll(root);
  }

  std::vector<std::string> files_;
  std::string file_;
  std::vector<int> values_;  ///< of the pool, by number in the text
  std::optional<Diagnostic> problem_;
};

Diagnostic noNest(const std::string &file, std::string message) {
  return error("nest-syntax", {file}, std::move(message), "pass what the Python package writes: kernel.nest(sizes)");
}

}  // namespace

Result<NestKernels> readNest(std::string_view text, std::string_view file) {
  const std::string name(file);
  if (text.size() > kMaxNestBytes)
    return error("nest-too-large", {name},
                 fmt::format("the text has {} bytes, at most {} are read", text.size(), kMaxNestBytes),
                 "split the function");
  const Json json = Json::parse(text, nullptr, false);
  const bool isNest = json.is_object() && json.contains("nest") && json["nest"] == 1;
  if (!isNest) return noNest(name, "this is not a nest of version 1");
  std::vector<std::string> files;
  if (json.contains("files") && json["files"].is_array())
    for (const Json &f : json["files"]) files.push_back(f.is_string() ? f.get<std::string>() : name);
  if (!json.contains("function") || !json["function"].is_string()) return noNest(name, "'function' is not a text");

  const Location at{files.empty() ? name : files.front()};
  NestProgram program(json["function"].get<std::string>(), at, true);
  TextReader reader(program, std::move(files), name);
  if (json.contains("at")) program.where = reader.placeOf(json["at"]);
  reader.read(json);
  if (reader.problem()) return *reader.problem();

  tidy(program);
  GraphBuilder builder(program.name, program.where);
  std::vector<int> buffers;
  if (Status s = emitKernels(program, schedule(program), builder, buffers); !s) return std::move(s.diagnostics());
  for (std::size_t b = 0; b < program.buffers.size(); ++b)
    if (program.buffers[b].kind == NestBuffer::Kind::kResult) builder.returned(buffers[b], program.buffers[b].where);
  Result<kernel::Graph> graph =
      builder.finish("it needs a loop or statement that stores to a parameter or to a tensor that it returns");
  if (!graph) return std::move(graph.diagnostics());
  return NestKernels{std::move(*graph), std::move(program.warnings)};
}

}  // namespace pimento::frontend
