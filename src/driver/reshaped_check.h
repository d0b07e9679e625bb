// `profile --check-reshaped`: executes the reshaped program beside the one that is profiled, and compares the two.
//
// Not here: how it is executed (guest/rv64/reshaped_guest.h).
#pragma once

#include <memory>
#include <vector>

#include "pimento/driver/options.h"

namespace pimento::evaluate {
class Target;
}
namespace pimento::guest::rv64 {
struct Witness;
}
namespace pimento::machine {
struct Machine;
}
namespace pimento::trace {
class Consumer;
}

namespace pimento::driver {

struct Executed;

class ReshapedCheck {
 public:
  /// `machines`, each of which has a reshaped program of its own, outlive this. Diagnostics: "check-reshaped-engine"
  /// (QEMU or a trace gives the instructions), "check-reshaped-part" (the program does not run from its begin to its
  /// end), those of guest::readElfImage, guest::rv64::ReshapedGuest and Target::execution.
  static Result<std::unique_ptr<ReshapedCheck>> make(const Options &options, const evaluate::Target &target,
                                                     const std::vector<const machine::Machine *> &machines);
  ~ReshapedCheck();
  ReshapedCheck(const ReshapedCheck &) = delete;
  ReshapedCheck &operator=(const ReshapedCheck &) = delete;

  /// Consumers of the program's stream.
  std::vector<trace::Consumer *> consumers();
  guest::rv64::Witness &witness();
  /// Of each machine. Diagnostic: "reshaped-differs", which is our mistake.
  Result<std::vector<Executed>> outcome() const;

 private:
  struct State;
  explicit ReshapedCheck(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pimento::driver
