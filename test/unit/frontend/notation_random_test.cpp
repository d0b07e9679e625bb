// Random kernels written twice, in C and in index notation: both texts are the same function of the same data, by the
// interpreter and, for some, on UPMEM. What C computes is held against the host's compiler elsewhere (c_random_test).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "pimento/base/rng.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "test/support/cases.h"
#include "test/unit/frontend/c_support.h"
#include "test/unit/frontend/on_upmem.h"

namespace pimento::frontend {
namespace {

/// One function in both languages.
struct Twice {
  std::string kind, c, notation;
  kernel::Sizes sizes;  ///< of the notation
  DType type = DType::kI32;
};

/// Types whose operations C does not widen.
struct TypeName {
  DType type;
  const char *c;
};
constexpr TypeName kTypes[] = {{DType::kI32, "int"},           {DType::kU32, "unsigned"}, {DType::kI64, "long"},
                               {DType::kU64, "unsigned long"}, {DType::kF32, "float"},    {DType::kF64, "double"}};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : rng_(seed) {}

  Twice write() {
    const TypeName &type = kTypes[rng_.below(std::size(kTypes))];
    made_.type = type.type;
    t_ = type.c;
    n_ = 2 + static_cast<std::int64_t>(rng_.below(14));
    m_ = 2 + static_cast<std::int64_t>(rng_.below(9));
    static constexpr void (Writer::*kPieces[])() = {&Writer::stencil,   &Writer::product,    &Writer::triangle,
                                                    &Writer::gather,    &Writer::scatter,    &Writer::argument,
                                                    &Writer::rounds,    &Writer::scan,       &Writer::choice,
                                                    &Writer::selection, &Writer::elimination};
    (this->*kPieces[rng_.below(std::size(kPieces))])();
    return std::move(made_);
  }

 private:
  std::int64_t upTo(std::int64_t most) {
    return static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(most) + 1));
  }

  /// A chain of operations on operands that both languages write alike, numbers among them.
  std::string sum(std::vector<std::string> operands) {
    std::string text = operands.front();
    for (std::size_t i = 1; i < operands.size(); ++i) {
      static constexpr const char *kOps[] = {"+", "-", "*"};
      text = fmt::format("({} {} {})", text, kOps[rng_.below(3)], operands[i]);
      if (upTo(3) == 0) text = fmt::format("({} + {})", text, 1 + upTo(8));
    }
    return text;
  }

  void set(const char *kind, std::string c, std::string notation, kernel::Sizes sizes) {
    made_.kind = kind;
    made_.c = std::move(c);
    made_.notation = std::move(notation);
    made_.sizes = std::move(sizes);
  }

  void stencil() {
    const std::int64_t left = 1 + upTo(1), right = 1 + upTo(1), step = 1 + upTo(1), n = n_ + left + right;
    const std::string value = sum({fmt::format("x[i-{}]", left), fmt::format("x[i+{}]", right), "x[i]"});
    set("stencil",
        fmt::format(
            "void f(const {0} x[{1}], {0} y[{2}]) {{ for (int i = {3}; i < {1} - {4}; i++) y[{5} * i] = {6}; }}", t_, n,
            step * (n - 1) + 1, left, right, step, value),
        fmt::format("y[{}*i] = {} where i >= {}, i < {}", step, value, left, n - right), {{"i", n}});
  }

  void product() {
    static constexpr const char *kCombine[][2] = {{"+=", "y[i] += v"}, {"*=", "y[i] *= v"}};
    const auto &combine = kCombine[upTo(1)];
    const bool isDown = upTo(1) == 1;
    const std::string row = isDown ? fmt::format("{}-i", n_ - 1) : "i", c = fmt::format("A[{}][j]", row);
    set("product",
        fmt::format("void f({0} A[{1}][{2}], {0} x[{2}], {0} y[{1}]) {{ for (int i = 0; i < {1}; i++) {{ y[i] = {3}; "
                    "for (int j = 0; j < {2}; j++) {{ {0} v = {4} - x[j]; {5}; }} }} }}",
                    t_, n_, m_, combine[0][0] == '+' ? 0 : 1, c, combine[1]),
        fmt::format("y[i] {} A[{},j] - x[j]", combine[0], row), {{"i", n_}, {"j", m_}});
  }

  void triangle() {
    const std::int64_t shift = upTo(1);  // some points remain
    const std::string value = sum({"x[j]", "x[i]"});
    set("triangle",
        fmt::format(
            "void f(const {0} x[{1}], {0} y[{1}]) {{ for (int i = 0; i < {1}; i++) for (int j = 0; j < {1}; j++) "
            "if (j + {2} <= i) y[i] += {3}; }}",
            t_, n_, shift, value),
        fmt::format("y[i] = y[i]; y[i] += {} where j + {} <= i", value, shift), {{"i", n_}, {"j", n_}});
  }

  void gather() {
    set("gather",
        fmt::format("void f(const {0} x[{1}][{2}], const int p[{3}], {0} y[{3}][{2}]) {{ for (int i = 0; i < {3}; i++) "
                    "for (int j = 0; j < {2}; j++) y[i][j] = x[p[i]][j] * {4}; }}",
                    t_, m_, n_, n_ + 1, 2 + upTo(5)),
        fmt::format("y[i,j] = x[p[i],j] * {}", 2 + 0), {{"i", n_ + 1}, {"j", n_}, {"x_1", m_}});
    // The same factor in both.
    made_.notation =
        "y[i,j] = x[p[i],j]" + made_.c.substr(made_.c.find(" * "), made_.c.find("; }") - made_.c.find(" * "));
  }

  void scatter() {
    const char *op = upTo(1) == 0 ? "=" : "+=";
    set("scatter",
        fmt::format(
            "void f(const {0} x[{1}], const int p[{1}], {0} y[{2}]) {{ for (int i = 0; i < {1}; i++) y[p[i]] {3} "
            "x[i]; }}",
            t_, n_, m_, op),
        fmt::format("y[j] = y[j]; y[p[i]] {} x[i]", op), {{"i", n_}, {"j", m_}});
  }

  void argument() {
    const bool isLeast = upTo(1) == 0;
    set("argument",
        fmt::format(
            "void f(const {0} x[{1}][{2}], {0} m[{1}], int b[{1}]) {{ for (int i = 0; i < {1}; i++) {{ "
            "m[i] = x[i][0]; b[i] = 0; for (int j = 1; j < {2}; j++) if (x[i][j] {3} m[i]) {{ m[i] = x[i][j]; b[i] = "
            "j; }} }} }}",
            t_, n_, m_, isLeast ? "<" : ">"),
        fmt::format("m[i] {}= x[i,j] with b[i] = j", isLeast ? "min" : "max"), {{"i", n_}, {"j", m_}});
  }

  void rounds() {
    const std::int64_t steps = 1 + upTo(5);
    const std::string value = sum({"a[i-1]", "a[i+1]", "a[i]"});
    set("rounds",
        fmt::format(
            "void f({0} a[{1}], {0} b[{1}]) {{ for (int t = 0; t < {2}; t++) {{ for (int i = 1; i < {1} - 1; i++) "
            "b[i] = {3}; for (int i = 1; i < {1} - 1; i++) a[i] = b[i]; }} }}",
            t_, n_ + 2, steps, value),
        fmt::format("b[j] = b[j]; for t in 0..n {{ b[i] = {} where i >= 1, i < {}; a[i] = b[i] where i >= 1, i < {} }}",
                    value, n_ + 1, n_ + 1),
        {{"i", n_ + 2}, {"j", n_ + 2}, {"n", steps}});
  }

  void scan() {
    const std::int64_t back = 1 + upTo(2);
    set("scan",
        fmt::format(
            "void f(const {0} x[{1}], {0} y[{2}]) {{ for (int i = 0; i < {1}; i++) y[i + {3}] = y[i] + x[i]; }}", t_,
            n_, n_ + back, back),
        fmt::format("y[i+{}] = y[i] + x[i]", back), {{"i", n_}});
  }

  void choice() {
    const std::string yes = sum({"x[i]", "z[i]"}), no = sum({"z[i]", "x[i]"});
    set("choice",
        fmt::format(
            "void f(const {0} x[{1}], const {0} z[{1}], {0} y[{1}]) {{ for (int i = 0; i < {1}; i++) y[i] = x[i] > "
            "z[i] ? {2} : {3}; }}",
            t_, n_, yes, no),
        fmt::format("y[i] = x[i] > z[i] ? {} : {}", yes, no), {{"i", n_}});
  }

  void selection() {
    set("selection",
        fmt::format(
            "void f(const {0} x[{1}], {0} o[{1}], int c[1]) {{ int k = 0; for (int i = 0; i < {1}; i++) if (x[i] > "
            "{2}) o[k++] = x[i]; c[0] = k; }}",
            t_, n_ * m_, upTo(3)),
        "", {{"i", n_ * m_}});
    made_.notation = fmt::format("o[] append= x[i] if x[i] {} count c[]",
                                 made_.c.substr(made_.c.find("> "), made_.c.find(") o[") - made_.c.find("> ")));
  }

  void elimination() {
    set("elimination",
        fmt::format(
            "void f({0} A[{1}][{1}]) {{ for (int k = 0; k < {1} - 1; k++) for (int i = k + 1; i < {1}; i++) for (int "
            "j = k; j < {1}; j++) A[i][j] = A[i][j] - A[k][j] * {2}; }}",
            t_, n_, 1 + upTo(2)),
        "", {{"i", n_}, {"j", n_}, {"n", n_}});
    made_.notation = fmt::format("for k in 0..n-1 {{ A[i,j] = A[i,j] - A[k,j]{} where i > k, j >= k }}",
                                 made_.c.substr(made_.c.find(" * "), made_.c.find("; }") - made_.c.find(" * ")));
  }

  Rng rng_;
  Twice made_;
  std::string t_;
  std::int64_t n_ = 0, m_ = 0;
};

/// Contents by name after the run, of what is there for both.
std::map<std::string, kernel::TensorData> results(const kernel::Graph &graph, kernel::DataSet data) {
  std::map<std::string, kernel::TensorData> named;
  if (const Status s = kernel::interpret(graph, data); !s) {
    ADD_FAILURE() << s.diagnostics().front().str();
    return named;
  }
  for (std::size_t t = 0; t < graph.tensors.size(); ++t)
    if (graph.tensors[t].role == kernel::Role::kOutput || graph.tensors[t].role == kernel::Role::kInOut)
      named[graph.tensors[t].name] = std::move(data[t]);
  return named;
}

/// Operands of the second graph that hold what those of the first do, by name; what only one reads starts at 0 in both.
void share(const kernel::Graph &a, kernel::DataSet &x, const kernel::Graph &b, kernel::DataSet &y) {
  for (std::size_t t = 0; t < b.tensors.size(); ++t) {
    const int other = a.tensorNamed(b.tensors[t].name);
    kernel::TensorData *const own = other < 0 ? nullptr : &x[static_cast<std::size_t>(other)];
    const bool isShared = own != nullptr && !own->bytes.empty() && !y[t].bytes.empty();
    if (isShared && own->bytes.size() == y[t].bytes.size())
      y[t].bytes = own->bytes;
    else
      for (kernel::TensorData *data : {own, &y[t]})
        if (data != nullptr) std::fill(data->bytes.begin(), data->bytes.end(), std::byte{0});
  }
}

TEST(NotationRandom, CAndNotationOfOneFunctionComputeTheSame) {
  const std::int64_t cases = test::caseCount(200),
                     every = test::isLongRun() ? 1 : std::max<std::int64_t>(1, cases / 12);
  std::map<std::string, int> kinds;
  std::map<std::string, int> refused;
  int ran = 0;
  for (std::int64_t n = 0; n < cases; ++n) {
    const Twice k = Writer(static_cast<std::uint64_t>(n) + 1).write();
    SCOPED_TRACE(testing::Message() << k.kind << ", kernel " << n << ":\n" << k.c << "\n" << k.notation);
    ++kinds[k.kind];
    const kernel::Graph c = importGoodC(k.c);
    const Result<kernel::Graph> notation = kernel::parseNotation(k.notation, k.sizes, k.type);
    ASSERT_TRUE(notation.ok()) << notation.diagnostics().front().str();
    const kernel::DataSpec spec{.seed = static_cast<std::uint64_t>(n)};
    kernel::DataSet x = kernel::makeData(*notation, spec), y = kernel::makeData(c, spec);
    share(*notation, x, c, y);
    const auto mine = results(*notation, x), theirs = results(c, y);
    for (const auto &[name, contents] : theirs) {
      ASSERT_TRUE(mine.contains(name)) << name;
      const std::size_t common = std::min(mine.at(name).bytes.size(), contents.bytes.size());
      EXPECT_TRUE(std::equal(contents.bytes.begin(), contents.bytes.begin() + static_cast<std::ptrdiff_t>(common),
                             mine.at(name).bytes.begin()))
          << name;
    }
    if (n % every == 0) {
      const UpmemOutcome upmem = runsOnUpmem(*notation, static_cast<std::uint64_t>(n));
      ++(upmem.isChecked ? ran : refused[k.kind + ": " + upmem.refusal]);
    }
    if (HasFailure()) return;
  }
  for (const auto &[kind, count] : kinds) std::printf("  %-12s %5d\n", kind.c_str(), count);
  std::printf("  %d run on UPMEM\n", ran);
  for (const auto &[what, count] : refused) std::printf("  refused there, %s: %d\n", what.c_str(), count);
  EXPECT_GE(ran, 4);
}

}  // namespace
}  // namespace pimento::frontend
