// One kernel of a graph in scaled integers, value by value. Internal to the room: see quantize.h.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "pimento/kernel/quantize.h"

namespace pimento::kernel {

inline constexpr double kMost8 = 127, kMost32 = 2147483647;

/// What a tensor of the source type becomes.
struct Stored {
  DType type = DType::kI8;
  bool follows = false;      ///< its scale is that of what is stored, whatever that is
  bool isOwn = false;        ///< its scale is given, or from data
  double scale = 0;          ///< 0: not known yet
  double bound = 0;          ///< no element is larger
  double constantBound = 0;  ///< largest constant that is stored
};

/// A value of the source type, in integers.
struct Quantity {
  int value = -1;  ///< an i32 of the body; -1: a constant
  double scale = 1, bound = 0;
  double constant = 0;

  bool isConstant() const { return value < 0; }
};

/// The whole graph: what its tensors become, and which scales they have.
class Quantizer {
 public:
  Quantizer(const Graph &graph, DType from, const GivenScales &given, const std::vector<const DataSet *> &runs)
      : graph_(graph), from_(from), given_(given), runs_(runs), stored_(graph.tensors.size()) {}

  Result<Converted> quantize();

 private:
  friend class BodyQuantizer;

  bool isMeant(int tensor) const { return graph_.tensors[static_cast<std::size_t>(tensor)].type == from_; }
  Stored &stored(int tensor) { return stored_[static_cast<std::size_t>(tensor)]; }
  const std::string &nameOf(int tensor) const { return graph_.tensors[static_cast<std::size_t>(tensor)].name; }

  void chooseTypes();
  Status chooseScales();
  Status checkGiven() const;
  double magnitude(int tensor) const;
  Result<double> ownScale(int tensor);
  Status startBounds();
  Status setOwn(int tensor);
  Status discover();
  bool isSum(int tensor) const;
  Status pass(Graph *out);

  const Graph &graph_;
  DType from_;
  const GivenScales &given_;
  const std::vector<const DataSet *> &runs_;
  std::vector<Stored> stored_;
  std::set<std::string> scaled_;  ///< tensors with scales of their own
};

/// One kernel.
class BodyQuantizer {
 public:
  BodyQuantizer(Quantizer &all, const Kernel &kernel) : all_(all), kernel_(kernel), out_(kernel) {
    out_.body.clear();
    findFactors();
  }

  Result<Kernel> run();

 private:
  const Value &value(int v) const { return kernel_.body[static_cast<std::size_t>(v)]; }
  bool isMeant(int v) const { return value(v).type == all_.from_; }
  const Quantity &quantity(int v) const { return quantities_[static_cast<std::size_t>(v)]; }

  void findFactors();
  Status add(int v);
  Status copy(int v);
  Result<Quantity> quantify(int v);
  Result<Quantity> load(int v);
  Result<Quantity> fromInteger(int v);
  Result<Quantity> unary(int v);
  Result<Quantity> sum(int v);
  Result<Quantity> product(int v);
  Result<Quantity> quotient(int v);
  Status compare(int v);
  Status narrow(int target, const Quantity &q);
  Status store(Store &store);
  Status storeWide(const Store &store, const Quantity &q, Stored &to, int &value);

  int emit(Op op, DType type, int a, int b = -1, int c = -1);
  int integer(DType type, std::int64_t x);
  Result<Quantity> rescaled(const Quantity &q, double scale);
  Quantity clamped(const Quantity &q, double most);
  Result<Quantity> materialised(const Quantity &q, double scale);
  Status unify(Quantity &a, Quantity &b);
  Result<Quantity> checked(Quantity q) const;
  Diagnostic refused(const std::string &what) const;
  Diagnostic tooLarge() const;

  void renumber(int &v) const {
    if (v >= 0) v = numbers_[static_cast<std::size_t>(v)];
  }

  Quantizer &all_;
  const Kernel &kernel_;
  Kernel out_;
  std::vector<int> numbers_;          ///< by value of the original; of the source type: -1
  std::vector<Quantity> quantities_;  ///< by value of the original
  std::vector<bool> isFactor_;        ///< whether a value becomes an operand of a product
};

}  // namespace pimento::kernel
