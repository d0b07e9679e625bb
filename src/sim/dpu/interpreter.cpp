#include "pimento/sim/dpu/interpreter.h"

#include <cstring>

#include "pimento/sim/dpu/core.h"

// Labels as values, an extension of GCC and Clang: with one indirect jump per piece the processor predicts each by what
// came after it before.
#pragma GCC diagnostic ignored "-Wpedantic"

namespace pimento::sim::dpu {

void Executions::addTo(std::vector<std::int64_t> &executed, const std::vector<FastOp> &ops) {
  for (std::size_t pc = 0; pc < taken_.size(); ++pc) {
    const std::int64_t n = taken_[pc];
    if (n == 0) continue;
    differences_[pc + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(ops[pc].jump))] += n;
    differences_[pc + 1] -= n;
    taken_[pc] = 0;
  }
  std::int64_t n = 0;
  for (std::size_t pc = 0; pc < executed.size(); ++pc) {
    n += differences_[pc];
    executed[pc] += n;
  }
  std::ranges::fill(differences_, 0);
}

namespace {

/// Is an access of `kBytes` at `address` aligned and inside `size` bytes of WRAM? One comparison says both.
template <std::uint32_t kBytes>
bool isPlainAccess(std::uint32_t address, std::uint32_t size) {
  return std::rotr(address, std::countr_zero(kBytes)) < size / kBytes;
}

}  // namespace

// One function, as long as the instruction set: pieces jump to each other. Flattened: each piece computes in place.
template <bool kIsGuarded>
[[gnu::flatten]]
Interpreter::Run Interpreter::run(int tasklet, Context &k, std::int64_t limit, Touched *touched, Access *access) {
  static const void *const kLabels[] = {
      &&pieceEvent,      &&pieceGeneric, &&pieceJump,     &&pieceCall,    &&pieceLoadOther,
      &&pieceStoreOther, &&pieceMulStep, &&pieceMulStepZ, &&pieceDivStep, &&pieceMovd,
#define PIMENTO_LOAD(op) &&piece##op,
#define PIMENTO_STORE(op) &&piece##op,
#define PIMENTO_PLAIN(op) &&piece##op,
#define PIMENTO_BRANCH(op, condition) &&piece##op##condition,
#define PIMENTO_SET(op, condition) &&piece##op##Set##condition,
#include "pimento/sim/dpu/fast_pieces.def"
  };
  const FastOp *const first = code_.ops().data();
  const FastOp *op = first + k.pc;
  std::uint32_t *const r = k.regs.data();
  std::uint8_t *const wram = wram_.data();
  const auto size = static_cast<std::uint32_t>(wram_.size());
  const std::uint32_t bit = 1U << tasklet;
  std::int64_t *const taken = executions_.taken();
  std::uint32_t z = k.z ? 0 : 1;  // Z is: z == 0
  bool c = k.c;
  End end = End::kEvent;
  // Instructions so far are n + pc - start: a taken branch adds what it jumps over.
  const std::int64_t start = k.pc;
  std::int64_t n = 0;
  executions_.enter(k.pc);

#define NEXT()                                          \
  do {                                                  \
    ++op;                                               \
    goto *kLabels[static_cast<std::size_t>(op->piece)]; \
  } while (false)
#define TAKE()                                          \
  do {                                                  \
    ++taken[op - first];                                \
    n += 1 - op->jump;                                  \
    op += op->jump;                                     \
    if (n >= limit) [[unlikely]]                        \
      goto atLimit;                                     \
    goto *kLabels[static_cast<std::size_t>(op->piece)]; \
  } while (false)

  goto *kLabels[static_cast<std::size_t>(op->piece)];

pieceEvent:
  goto done;
atLimit:
  end = End::kLimit;
  goto done;
refused:
  end = End::kRefused;
  goto done;

pieceGeneric: {
  const auto pc = static_cast<std::uint32_t>(op - first);
  k.pc = pc;
  k.z = z == 0;
  k.c = c;
  executeAlu(steps_[pc], k);
  z = k.z ? 0 : 1;
  c = k.c;
  if (k.pc == pc + 1) NEXT();
  TAKE();
}
pieceJump:
  r[op->dst] = static_cast<std::uint32_t>(op - first) + 1;
  TAKE();
pieceCall: {
  const std::uint32_t to = r[op->a] + r[op->b] + op->imm;
  if (to >= steps_.size()) goto refused;
  const auto pc = static_cast<std::uint32_t>(op - first);
  r[op->dst] = pc + 1;
  executions_.leave(pc + 1);
  executions_.enter(to);
  n += std::int64_t{pc} + 1 - to;
  op = first + to;
  if (n >= limit) goto atLimit;
  goto *kLabels[static_cast<std::size_t>(op->piece)];
}

// Loads and stores. What is no plain access of a line that was touched before goes to the slow ones.
#define LOAD_PIECE(name, type, ...)                                        \
  piece##name : {                                                          \
    const std::uint32_t address = r[op->a] + op->imm;                      \
    if (!isPlainAccess<sizeof(type)>(address, size)) [[unlikely]]          \
      goto pieceLoadOther;                                                 \
    if constexpr (kIsGuarded)                                              \
      if ((touched[address / kLineBytes].readers & bit) == 0) [[unlikely]] \
        goto pieceLoadOther;                                               \
    type v;                                                                \
    std::memcpy(&v, wram + address, sizeof v);                             \
    __VA_ARGS__;                                                           \
    NEXT();                                                                \
  }
#define STORE_PIECE(name, type, ...)                                       \
  piece##name : {                                                          \
    const std::uint32_t address = r[op->a] + op->imm;                      \
    if (!isPlainAccess<sizeof(type)>(address, size)) [[unlikely]]          \
      goto pieceStoreOther;                                                \
    if constexpr (kIsGuarded)                                              \
      if ((touched[address / kLineBytes].writers & bit) == 0) [[unlikely]] \
        goto pieceStoreOther;                                              \
    const type v = static_cast<type>(__VA_ARGS__);                         \
    std::memcpy(wram + address, &v, sizeof v);                             \
    NEXT();                                                                \
  }

  LOAD_PIECE(Lbs, std::int8_t, r[op->dst] = static_cast<std::uint32_t>(std::int32_t{v}))
  LOAD_PIECE(Lbu, std::uint8_t, r[op->dst] = v)
  LOAD_PIECE(Lhs, std::int16_t, r[op->dst] = static_cast<std::uint32_t>(std::int32_t{v}))
  LOAD_PIECE(Lhu, std::uint16_t, r[op->dst] = v)
  LOAD_PIECE(Lw, std::uint32_t, r[op->dst] = v)
  LOAD_PIECE(Ld, std::uint64_t, r[op->dst + 1] = static_cast<std::uint32_t>(v);
             r[op->dst] = static_cast<std::uint32_t>(v >> 32))
  STORE_PIECE(Sb, std::uint8_t, r[op->b])
  STORE_PIECE(Sh, std::uint16_t, r[op->b])
  STORE_PIECE(Sw, std::uint32_t, r[op->b])
  STORE_PIECE(Sd, std::uint64_t, (std::uint64_t{r[op->b]} << 32) | r[op->b + 1])

pieceLoadOther: {
  const std::uint32_t address = r[op->a] + op->imm;
  if (address > size - op->bytes) goto refused;
  if constexpr (kIsGuarded)
    if (!access->may(tasklet, address, op->bytes, false)) goto refused;
  Core::loadFrom(wram + address, steps_[static_cast<std::size_t>(op - first)], k);
  NEXT();
}
pieceStoreOther: {
  const std::uint32_t address = r[op->a] + op->imm;
  if (address > size - op->bytes) goto refused;
  if constexpr (kIsGuarded)
    if (!access->may(tasklet, address, op->bytes, true)) goto refused;
  const std::uint64_t value = Core::stored(steps_[static_cast<std::size_t>(op - first)], k);
  std::memcpy(wram + address, &value, op->bytes);
  NEXT();
}

pieceMulStep: {
  const std::uint32_t even = r[op->b];
  r[op->dst + 1] = r[op->b + 1] + ((even & 1) != 0 ? r[op->a] << op->shift : 0);
  r[op->dst] = z = even >> 1;
  NEXT();
}
pieceMulStepZ: {
  const std::uint32_t even = r[op->b];
  r[op->dst + 1] = r[op->b + 1] + ((even & 1) != 0 ? r[op->a] << op->shift : 0);
  r[op->dst] = z = even >> 1;
  if (z == 0) TAKE();
  NEXT();
}
pieceDivStep: {
  const std::uint32_t v = r[op->a] << op->shift, even = r[op->b], odd = r[op->b + 1];
  const bool ge = odd >= v;
  r[op->dst + 1] = ge ? odd - v : odd;
  r[op->dst] = (even << 1) | (ge ? 1U : 0U);
  NEXT();
}
pieceMovd: {
  const std::uint32_t even = r[op->b], odd = r[op->b + 1];
  r[op->dst] = even;
  r[op->dst + 1] = odd;
  NEXT();
}

#define PIMENTO_PLAIN(name)                                                                 \
  piece##name : {                                                                           \
    const AluResult got = compute(Op::k##name, r[op->a], r[op->b] + op->imm, c, op->shift); \
    r[op->dst] = z = got.t;                                                                 \
    c = got.c;                                                                              \
    NEXT();                                                                                 \
  }
#define PIMENTO_BRANCH(name, condition)                                     \
  piece##name##condition : {                                                \
    const std::uint32_t x = r[op->a], y = r[op->b] + op->imm;               \
    const AluResult got = compute(Op::k##name, x, y, c, op->shift);         \
    const bool isTaken = holds(Condition::k##condition, got, z == 0, x, y); \
    r[op->dst] = z = got.t;                                                 \
    c = got.c;                                                              \
    if (isTaken) TAKE();                                                    \
    NEXT();                                                                 \
  }
#define PIMENTO_SET(name, condition)                                        \
  piece##name##Set##condition : {                                           \
    const std::uint32_t x = r[op->a], y = r[op->b] + op->imm;               \
    const AluResult got = compute(Op::k##name, x, y, c, op->shift);         \
    r[op->dst] = holds(Condition::k##condition, got, z == 0, x, y) ? 1 : 0; \
    z = got.t;                                                              \
    c = got.c;                                                              \
    NEXT();                                                                 \
  }
#include "pimento/sim/dpu/fast_pieces.def"

done:
  k.pc = static_cast<std::uint32_t>(op - first);
  k.z = z == 0;
  k.c = c;
  executions_.leave(k.pc);
  return {end, n + k.pc - start};
}

Interpreter::Run Interpreter::guarded(int tasklet, Context &k, std::int64_t limit, std::span<Touched> touched,
                                      Access &access) {
  return run<true>(tasklet, k, limit, touched.data(), &access);
}
Interpreter::Run Interpreter::alone(int tasklet, Context &k, std::int64_t limit) {
  return run<false>(tasklet, k, limit, nullptr, nullptr);
}

}  // namespace pimento::sim::dpu
