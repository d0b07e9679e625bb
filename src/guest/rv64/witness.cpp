#include "pimento/guest/rv64/witness.h"

#include <algorithm>

namespace pimento::guest::rv64 {

namespace {

constexpr std::size_t kA0 = 10;

/// Calls that write as many bytes as they return: getcwd, getdents64, read, readv, pread64, readlinkat, getrandom.
bool returnsItsBytes(std::uint64_t call) {
  constexpr std::array<std::uint64_t, 7> kCalls = {17, 61, 63, 65, 67, 78, 278};
  return std::ranges::find(kCalls, call) != kCalls.end();
}

}  // namespace

CallOutcome recordCall(Linux &linux, Hart &hart, Memory &memory, CallRecord &to) {
  std::copy_n(hart.x.begin() + kA0, CallRecord::kArguments, to.arguments.begin());
  struct Room {
    std::uint64_t address, bytes;
  };
  std::vector<Room> written;
  const auto bytesAt = [&](std::uint64_t address, std::uint64_t bytes) {
    const std::byte *from = memory.at(address, bytes, kRead);
    return from == nullptr ? std::string() : std::string(reinterpret_cast<const char *>(from), bytes);
  };
  memory.watch([&](std::uint64_t address, std::uint64_t bytes, bool isWrite) {
    if (isWrite)
      written.push_back({address, bytes});
    else
      to.read.push_back({address, bytesAt(address, bytes)});
  });
  const CallOutcome outcome = linux.call(hart);
  memory.watch(nullptr);
  to.result = hart.x[kA0];
  to.outcome = outcome.kind;
  std::uint64_t most = ~std::uint64_t{0};
  if (returnsItsBytes(to.number())) most = static_cast<std::int64_t>(to.result) < 0 ? 0 : to.result;
  for (const Room &r : written) {
    const std::uint64_t bytes = std::min(r.bytes, most);
    if (most != ~std::uint64_t{0}) most -= bytes;
    // What is not there any more was a mapping that a call took away.
    if (std::string now = bytesAt(r.address, bytes); !now.empty()) to.written.push_back({r.address, std::move(now)});
  }
  return outcome;
}

}  // namespace pimento::guest::rv64
