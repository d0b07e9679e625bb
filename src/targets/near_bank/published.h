// The command streams of the published study of DCC, and the one of AttAcc's simulator. They compute nothing: some
// touch half of the banks, address elements in several units, and move as many results as operands. They are timed as
// they are.
#pragma once

#include <cstdint>

#include "pimento/machine/machine.h"
#include "pimento/program/program.h"
#include "pimento/targets/near_bank/draft.h"

namespace pimento::targets::near_bank {

/// Kernels that the study has streams for.
enum class StreamKernel : std::uint8_t { kBgemv, kAttention, kRed, kVa, kRelu };

/// Where operands come from: from the GPU's memory, or from its shared memory (as in the inference of a model).
enum class StreamMode : std::uint8_t { kKernel, kInference };

/// Does the machine have the commands that the stream of this kernel needs?
bool hasStream(StreamKernel kernel, const machine::Machine &machine);
/// Does it have AttAcc's commands? Its units take a burst of any elements, so that streams of narrower ones are
/// shorter.
bool isAttacc(const machine::Machine &machine);

/// DCC's stream for a rounded draft. `isEvaluated`: the first version of attention. The machine has the stream; its
/// generator knows elements of 2 bytes alone, of 1 byte a burst has twice as many.
program::Program publishedStream(StreamKernel kernel, const Draft &draft, StreamMode mode, bool isEvaluated,
                                 std::int64_t elementBytes, const machine::Machine &machine);

/// Bytes of a bank that the draft's operands and results span.
std::int64_t bytesPerBank(StreamKernel kernel, const Draft &draft, std::int64_t elementBytes);

/// AttAcc's own attention of one token: `heads` heads of `length` keys, elements of `elementBytes`.
program::Program attaccStream(std::int64_t heads, std::int64_t length, std::int64_t dhead, std::int64_t elementBytes,
                              const machine::Machine &machine);

}  // namespace pimento::targets::near_bank
