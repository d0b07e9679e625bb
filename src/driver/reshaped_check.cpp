#include "pimento/driver/reshaped_check.h"

#include <fmt/format.h>

#include "pimento/base/file.h"
#include "pimento/driver/program_run.h"
#include "pimento/driver/verbs/profile.h"
#include "pimento/evaluate/target.h"
#include "pimento/guest/rv64/reshaped_guest.h"

namespace pimento::driver {

struct ReshapedCheck::State {
  guest::rv64::Witness witness;
  std::vector<std::unique_ptr<guest::rv64::ReshapedGuest>> guests;
  std::vector<std::unique_ptr<trace::Consumer>> consumers;
};

ReshapedCheck::ReshapedCheck(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReshapedCheck::~ReshapedCheck() = default;

Result<std::unique_ptr<ReshapedCheck>> ReshapedCheck::make(const Options &options, const evaluate::Target &target,
                                                           const std::vector<const machine::Machine *> &machines) {
  const Result<std::string> engine = engineOfProgram(options);
  if (!engine) return engine.diagnostics();
  if (*engine != "interpreter")
    return usageError("check-reshaped-engine", "--check-reshaped",
                      *engine == "trace"
                          ? fmt::format("'{}' is a saved trace, which runs nothing", options.input)
                          : std::string("QEMU runs the program; the interpreter alone runs reshaped ones"),
                      "add --engine interpreter, and give it a static program for RISC-V 64");
  for (const auto &[isGiven, option] :
       {std::pair{!options.start.empty(), "--start"}, {!options.stop.empty(), "--stop"}, {options.skip != 0, "--skip"}})
    if (isGiven)
      return usageError("check-reshaped-part", "--check-reshaped",
                        fmt::format("with {} a part of the program is profiled, and the rest never ran", option),
                        fmt::format("omit {}", option));
  const Result<guest::ElfImage> image = guest::readElfImage(options.input);
  if (!image) return image.diagnostics();
  const Result<std::string> bytes = readFile(options.input);
  if (!bytes) return bytes.diagnostics();
  auto state = std::make_unique<State>();
  for (const machine::Machine *m : machines) {
    auto guest = guest::rv64::ReshapedGuest::make(*image, *bytes, options.arguments, state->witness);
    if (!guest) return guest.diagnostics();
    Result<std::unique_ptr<trace::Consumer>> consumer = target.execution(*m, **guest);
    if (!consumer) return consumer.diagnostics();
    state->guests.push_back(std::move(*guest));
    state->consumers.push_back(std::move(*consumer));
  }
  return std::unique_ptr<ReshapedCheck>(new ReshapedCheck(std::move(state)));
}

std::vector<trace::Consumer *> ReshapedCheck::consumers() {
  std::vector<trace::Consumer *> out;
  for (const std::unique_ptr<trace::Consumer> &c : state_->consumers) out.push_back(c.get());
  return out;
}

guest::rv64::Witness &ReshapedCheck::witness() {
  return state_->witness;
}

Result<std::vector<Executed>> ReshapedCheck::outcome() const {
  std::vector<Executed> out;
  for (const std::unique_ptr<guest::rv64::ReshapedGuest> &g : state_->guests) {
    if (Status s = g->outcome(); !s) return s.diagnostics();
    out.push_back({g->counts().instructions, g->counts().computed, g->counts().gone});
  }
  return out;
}

}  // namespace pimento::driver
