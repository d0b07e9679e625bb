// The scalar body of a kernel as arith and math ops. Internal to the MLIR writer.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"

namespace pimento::emit {

/// "f16", "f8E4M3FN", "i32": unsigned types are those of their width, with unsigned ops.
std::string mlirType(DType type);
/// A floating constant's literal, with bits where decimal digits cannot say it.
std::string mlirLiteral(DType type, double x);

class MlirBody {
 public:
  /// Gives (and, before that, writes) what access number n loads.
  using Loads = std::function<std::string(const kernel::Access &, int)>;

  /// Lines go to `out`, each behind `indent`; `loads` and `indices` say how loads and loops are called, `prefix` how
  /// values are.
  MlirBody(const kernel::Kernel &kernel, std::string indent, Loads loads, std::vector<std::string> indices,
           std::string &out, std::string prefix = "%v")
      : kernel_(kernel),
        indent_(std::move(indent)),
        loads_(std::move(loads)),
        indices_(std::move(indices)),
        out_(out),
        prefix_(std::move(prefix)) {}

  /// Writes the body; afterwards every value has a name.
  void write();
  /// These values only, in the order of the body.
  void write(const std::vector<int> &values);
  /// The name of a value in `type`, converted where it has another.
  std::string as(int value, DType type);
  /// A fresh line "%n = OP : TYPE"; returns "%n".
  std::string line(const std::string &op);
  /// An integer value as an index.
  std::string index(int value);
  /// A value as i1.
  std::string bit(int value);
  const std::string &indent() const { return indent_; }
  /// What follows stands deeper, or no longer.
  void open(const std::string &line);
  void close();
  /// old combined with term, in `type`.
  std::string combine(kernel::Combine how, const std::string &old, const std::string &term, DType type);

 private:
  std::string writeValue(const kernel::Value &v, std::size_t number);
  std::string writeCast(const std::string &from, DType fromType, DType to);
  std::string binary(kernel::Op op, DType type, const std::string &a, const std::string &b);
  bool isBit(int value) const { return isBit_[static_cast<std::size_t>(value)]; }
  std::string wide(int value);

  const kernel::Kernel &kernel_;
  std::string indent_;
  Loads loads_;
  std::vector<std::string> indices_;
  std::string &out_;
  std::string prefix_;
  std::vector<std::string> names_;
  std::vector<bool> isBit_;  ///< the value is an i1
  int next_ = 0;
};

}  // namespace pimento::emit
