// Checks programs, one kind of body at a time. Internal to the room; program::verify puts it together.
#pragma once

#include "pimento/program/program.h"

namespace pimento::program {

/// Mistakes found so far, each with the place of the process or statement it is in; at most 20.
class Mistakes {
 public:
  explicit Mistakes(const Places *places) : places_(places) {}

  void enterProcess() { where_ = placeOf(&Places::processes, processes_++); }
  void enterStatement() { where_ = placeOf(&Places::commands, statements_++); }
  void report(std::string code, std::string message, std::string hint, DiagnosticKind kind = DiagnosticKind::kInput);
  bool isFull() const { return found_.size() >= 20; }
  Status take() {
    if (!found_.empty()) return std::move(found_);
    return okStatus();
  }

 private:
  Location placeOf(std::vector<Location> Places::*list, std::size_t i) const;

  const Places *places_;
  std::size_t processes_ = 0, statements_ = 0;
  Location where_;
  Diagnostics found_;
};

/// Of a process of virtual instructions on a machine with a section 'compute'. Mistakes: program-threads,
/// program-capacity, program-array, program-parameter, program-register, program-type, program-operation,
/// program-bounds, program-shared, program-trip, program-depth, program-count.
void verifyUnit(const UnitLoops &loops, const std::string &process, const machine::Machine &machine,
                Mistakes &mistakes);

}  // namespace pimento::program
