// Random linalg.generic ops against the affine loops mlir-opt lowers them to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "test/unit/frontend/support.h"

namespace pimento::frontend {
namespace {

/// One random op on memrefs as text.
class RandomOp {
 public:
  explicit RandomOp(unsigned seed) : random_(seed) {
    const std::vector<std::string> types{"f32", "f16", "f64", "bf16", "i32", "i8", "i64"};
    type_ = types[static_cast<std::size_t>(pick(0, 6))];
    const int loops = pick(1, 4);
    for (int l = 0; l < loops; ++l) {
      extents_.push_back(pick(1, 5));
      isReduction_.push_back(pick(0, 2) == 0);
    }
    makeInputs();
    makeOutput();
  }

  std::string text() {
    std::string args, ins, insTypes;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      args += fmt::format("{}%a{}: {}", i == 0 ? "" : ", ", i, operands_[i]);
      if (i + 1 == operands_.size()) break;
      ins += fmt::format("{}%a{}", i == 0 ? "" : ", ", i);
      insTypes += (i == 0 ? "" : ", ") + operands_[i];
    }
    const std::size_t out = operands_.size() - 1;
    std::vector<std::string> kinds;
    for (const bool r : isReduction_) kinds.push_back(r ? "\"reduction\"" : "\"parallel\"");
    std::string result = fmt::format("func.func @f({}) {{\n", args);
    if (pick(0, 1) == 1) {
      result += fmt::format(" %z = arith.constant {} : {}\n linalg.fill ins(%z : {}) outs(%a{} : {})\n",
                            isFloat() ? (pick(0, 1) ? "0.0" : "1.5") : "0", type_, type_, out, operands_[out]);
    }
    result +=
        fmt::format(" linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} ins({} : {}) outs(%a{} : {}) {{\n",
                    fmt::join(maps_, ", "), fmt::join(kinds, ", "), ins, insTypes, out, operands_[out]);
    return result + body(out) + " }\n return\n}\n";
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool isFloat() const { return type_.find('f') != std::string::npos; }

  void addOperand(const std::vector<std::string> &index, const std::vector<int> &shape) {
    std::vector<std::string> loops;
    for (std::size_t l = 0; l < extents_.size(); ++l) loops.push_back(fmt::format("d{}", l));
    maps_.push_back(fmt::format("affine_map<({}) -> ({})>", fmt::join(loops, ", "), fmt::join(index, ", ")));
    operands_.push_back(shape.empty() ? fmt::format("memref<{}>", type_)
                                      : fmt::format("memref<{}x{}>", fmt::join(shape, "x"), type_));
  }

  /// The first input has every loop as an index of its own; others what comes.
  void makeInputs() {
    std::vector<std::string> index;
    std::vector<int> shape, order(extents_.size());
    for (std::size_t l = 0; l < order.size(); ++l) order[l] = static_cast<int>(l);
    std::shuffle(order.begin(), order.end(), random_);
    for (const int l : order) {
      index.push_back(fmt::format("d{}", l));
      shape.push_back(extents_[static_cast<std::size_t>(l)]);
    }
    addOperand(index, shape);
    for (int extra = pick(0, 2); extra > 0; --extra) {
      index.clear();
      shape.clear();
      for (int rank = pick(0, 2); rank > 0; --rank) {
        const int l = pick(0, static_cast<int>(extents_.size()) - 1),
                  m = pick(0, static_cast<int>(extents_.size()) - 1);
        const int factor = pick(1, 2), offset = pick(0, 1);
        index.push_back(fmt::format("d{} * {} + d{} + {}", l, factor, m, offset));
        shape.push_back((extents_[static_cast<std::size_t>(l)] - 1) * factor + extents_[static_cast<std::size_t>(m)] -
                        1 + offset + 1);
      }
      addOperand(index, shape);
    }
  }

  /// The parallel loops in some order.
  void makeOutput() {
    std::vector<int> order;
    for (std::size_t l = 0; l < extents_.size(); ++l) {
      if (!isReduction_[l]) order.push_back(static_cast<int>(l));
    }
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::string> index;
    std::vector<int> shape;
    for (const int l : order) {
      index.push_back(fmt::format("d{}", l));
      shape.push_back(extents_[static_cast<std::size_t>(l)]);
    }
    addOperand(index, shape);
  }

  std::string binary() {
    const std::vector<std::string> reals{"addf", "subf", "mulf", "maximumf", "minimumf"};
    const std::vector<std::string> integers{"addi", "subi", "muli", "maxsi", "minsi"};
    return (isFloat() ? reals : integers)[static_cast<std::size_t>(pick(0, 4))];
  }

  std::string body(std::size_t inputs) {
    std::string arguments;
    for (std::size_t i = 0; i <= inputs; ++i) arguments += fmt::format("{}%v{}: {}", i == 0 ? "" : ", ", i, type_);
    std::string text = fmt::format(" ^bb0({}):\n", arguments), last = "%v0";
    for (int n = 0, steps = pick(0, 3); n < steps; ++n) {
      text += fmt::format("  %s{} = arith.{} {}, %v{} : {}\n", n, binary(), last, pick(0, static_cast<int>(inputs) - 1),
                          type_);
      last = fmt::format("%s{}", n);
    }
    const bool hasReduction = std::count(isReduction_.begin(), isReduction_.end(), true) > 0;
    if (hasReduction || pick(0, 1) == 1) {
      text += fmt::format("  %r = arith.{} %v{}, {} : {}\n", binary(), inputs, last, type_);
      last = "%r";
    }
    return text + fmt::format("  linalg.yield {} : {}\n", last, type_);
  }

  std::mt19937 random_;
  std::string type_;
  std::vector<int> extents_;
  std::vector<bool> isReduction_;
  std::vector<std::string> maps_, operands_;
};

TEST(AffineLowering, RandomGenericOpsComputeWhatTheirLoopsCompute) {
  if (!PIMENTO_HAS_MLIR_OPT) GTEST_SKIP() << "mlir-opt-19 was not found";
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    importGood(RandomOp(seed).text());  // compares
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AffineLowering, TheExamplesComputeWhatTheirLoopsCompute) {
  if (!PIMENTO_HAS_MLIR_OPT) GTEST_SKIP() << "mlir-opt-19 was not found";
  int compared = 0;
  for (const auto &file : std::filesystem::recursive_directory_iterator(PIMENTO_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".mlir") continue;
    std::stringstream read;
    read << std::ifstream(file.path()).rdbuf();
    std::string text = read.str();
    for (const char *large : {"4096", "1024"}) {
      for (std::size_t at = 0; (at = text.find(large)) != std::string::npos;) text.replace(at, 4, "16");
    }
    SCOPED_TRACE(file.path().string());
    const Result<kernel::Graph> graph = importMlir(text, "example.mlir", {});
    if (!graph || !isComparable(*graph, text, {})) continue;
    expectSameAsLoops(*graph, text);
    ++compared;
  }
  EXPECT_GE(compared, 2);
}

}  // namespace
}  // namespace pimento::frontend
