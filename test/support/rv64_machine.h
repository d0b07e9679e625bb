// Guests of RV64 made of instructions (rv64_program.h), ready to run.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "pimento/guest/rv64/machine.h"
#include "test/support/rv64_program.h"

namespace pimento::test::rv64 {

/// Reaches no files; "f" is the function of all its code.
inline std::unique_ptr<guest::rv64::Machine> guestOf(const std::string &bytes, bool reachesHost = false) {
  guest::ElfImage image;
  image.file = "program";
  image.isa = trace::Isa::kRv64;
  image.functions = {{"f", kCodeAt, 0x1000}};
  auto machine = guest::rv64::Machine::make(image, bytes, {{"one", "two"}, 2, reachesHost, true});
  EXPECT_TRUE(machine.ok()) << machine.diagnostics()[0].str();
  return machine.ok() ? std::move(*machine) : nullptr;
}

/// Runs to the end; the code of what stopped it otherwise, "" if nothing did, "endless" after a million blocks.
inline std::string finish(guest::rv64::Machine &machine) {
  constexpr std::int64_t kMost = 1000000;
  const Status s = machine.run(kMost);
  if (!s) return s.diagnostics()[0].code;
  return machine.hasEnded() ? "" : "endless";
}

}  // namespace pimento::test::rv64
