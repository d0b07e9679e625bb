// What stands behind pimento_inf.h: a machine with arrays and one configured program.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/l3_sram/runtime.h"

namespace pimento::capi {

/// An array of the user.
struct UserArray {
  std::byte *data = nullptr;
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;  ///< outermost first
  std::int64_t pitch = 0;           ///< elements from one row to the next

  std::int64_t rows() const;
  std::int64_t rowElements() const { return shape.empty() ? 1 : shape.back(); }
  /// Bytes from the first element to behind the last one.
  std::int64_t extentBytes() const;
  bool overlaps(const UserArray &other) const;
};

class InfProgram;

class InfSystem {
 public:
  explicit InfSystem(machine::Machine machine) : machine_(std::move(machine)) {}

  const machine::Machine &machine() const { return machine_; }
  /// Diagnostics: too-many-arrays, inf-array (again at one address).
  Status add(UserArray array);
  /// Diagnostic: inf-array.
  Status release(const void *data);
  const UserArray *find(const void *data) const;

  /// The program that is configured, or null.
  InfProgram *configured = nullptr;

 private:
  machine::Machine machine_;
  std::map<const void *, UserArray> arrays_;
};

class InfProgram {
 public:
  InfProgram(InfSystem &system, std::string file, tdfg::FatBinary binary)
      : system_(system), file_(std::move(file)), binary_(std::move(binary)) {}
  ~InfProgram();

  /// The system has no other one configured. Diagnostics: inf-operand (unknown, missing, of another type or shape),
  /// those of Runtime::make().
  Status configure(const std::map<std::string, std::int64_t> &sizes, const std::map<std::string, void *> &operands);
  /// It is the one that is configured. Diagnostics: index-out-of-range, overlap-form.
  Status run();
  bool uses(const void *data) const;

  const std::vector<std::string> &warnings() const { return warnings_; }
  std::optional<double> nanoseconds() const { return nanoseconds_; }
  std::optional<std::int64_t> count(const std::string &name) const;
  const std::string &report() const { return report_; }
  InfSystem &system() { return system_; }

 private:
  Status checkOperand(std::size_t array, const std::vector<std::int64_t> &shape, void *data);
  Status runInArrays();
  Status runOnCore();
  void finish(const targets::l3_sram::RuntimeReport &report);

  InfSystem &system_;
  std::string file_;
  tdfg::FatBinary binary_;
  std::optional<targets::l3_sram::Runtime> runtime_;
  std::vector<UserArray> arrays_;  ///< by array of the program; temporaries have no data
  bool hasOverlap_ = false;
  std::vector<std::string> warnings_;
  std::optional<double> nanoseconds_;
  std::map<std::string, std::int64_t> counts_;
  std::string report_;
};

}  // namespace pimento::capi
