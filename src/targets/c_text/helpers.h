// C functions that a program needs besides C's operators: the corners of kernel.h, conversions, transfers.
//
// Each is written into a program only if it is used.
#pragma once

#include <set>
#include <string>

#include "pimento/base/dtype.h"
#include "pimento/kernel/kernel.h"

namespace pimento::targets::c_text {

/// "int32_t"; small floating formats are computed in float.
std::string valueType(DType t);
/// The type in memory: small floating formats are uint16_t there.
std::string memoryType(DType t);
/// "u32", of the same width.
std::string unsignedType(DType t);
/// A constant of type `t`.
std::string literal(DType t, double real, std::int64_t integer);
/// Where an accumulation starts.
std::string identityOf(kernel::Combine c, DType t);

/// `name` with what C does not take in names replaced, and a number behind it where `taken` has it already.
std::string uniqueName(const std::string &name, std::set<std::string> &taken);

class Helpers {
 public:
  /// What a body value computes of values before it, which are called v0, v1, ...: all but loads and indices.
  std::string computed(const kernel::Kernel &kernel, const kernel::Value &value);
  /// `op` of one or two arguments that have been computed. Two times the argument is harmless: they are names.
  std::string operation(kernel::Op op, DType t, const std::string &a, const std::string &b);
  /// A value of type `from` as one of type `to`.
  std::string convert(DType from, DType to, const std::string &x);
  /// The value of what memory holds, and the other way round.
  std::string fromMemory(DType t, const std::string &x);
  std::string toMemory(DType t, const std::string &x);
  /// Same of 32 bits of a pair.
  std::string fromWord(DType t, const std::string &x);
  std::string toWord(DType t, const std::string &x);
  std::string call(const std::string &name);  ///< a function by its name, which is then there

  /// All functions that were asked for, those they call before them.
  const std::string &text() const { return text_; }
  bool needsMath() const { return needsMath_; }  ///< something of <math.h> was asked for

 private:
  std::string need(const std::string &name, const std::string &text);
  std::string ofConstant(const kernel::Kernel &kernel, const kernel::Value &value, const std::string &a,
                         const std::string &b);
  std::string floatOperation(kernel::Op op, DType t, const std::string &a, const std::string &b);
  std::string integerOperation(kernel::Op op, DType t, const std::string &a, const std::string &b);
  std::string rounded(DType t, const std::string &x);
  std::string bits(DType t);                    ///< name of the function that gives a float's bits
  std::string fromBits(DType t);                ///< and of its inverse
  std::string library(kernel::Op op, DType t);  ///< name of a function of math.h

  std::set<std::string> names_;
  std::string text_;
  bool needsMath_ = false;
};

}  // namespace pimento::targets::c_text
