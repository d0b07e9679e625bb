// What a run leaves for another run of the same program: what the system did for it, and how it ended.
//
// The other run gets the same answers at the same calls, and so reads no file twice. Where it asks for anything else,
// the two have parted.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "pimento/guest/rv64/linux.h"
#include "pimento/guest/rv64/memory.h"

namespace pimento::guest::rv64 {

/// One call of the system.
struct CallRecord {
  struct Bytes {
    std::uint64_t address = 0;
    std::string bytes;
  };
  static constexpr std::size_t kArguments = 8;

  std::array<std::uint64_t, kArguments> arguments{};  ///< a0 to a7
  std::uint64_t result = 0;                           ///< a0 behind it
  CallOutcome::Kind outcome = CallOutcome::Kind::kReturned;
  std::vector<Bytes> read, written;  ///< of the program's memory, by the system

  std::uint64_t number() const { return arguments.back(); }
};

struct Witness {
  std::deque<CallRecord> calls;
  const Memory *memory = nullptr;  ///< of the guest, while it is there
  int signal = 0;                  ///< that ended it
};

/// Makes a record of a call that `linux` serves for `hart`.
CallOutcome recordCall(Linux &linux, Hart &hart, Memory &memory, CallRecord &to);

}  // namespace pimento::guest::rv64
