// dpu_checkpoint.h: what a DPU holds between launches, and that as bytes.
#include <dpu_checkpoint.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>

#include "outcome.h"
#include "system.h"

namespace pimento::upmem {

namespace {

constexpr std::uint32_t kMagic = 0x4b434d50, kVersion = 1, kRegisters = 24;

Outcome noContext() {
  return failure(DPU_ERR_INVALID_MEMORY_TRANSFER, "the pointer for the checkpoint is NULL");
}

/// Zeros from the C library, as dpu_checkpoint_free gives them back.
template <typename T>
Outcome make(T *&at, std::size_t count) {
  at = static_cast<T *>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)));
  return at != nullptr
             ? Outcome{}
             : failure(DPU_ERR_SYSTEM, fmt::format("no memory for {} bytes of a checkpoint", count * sizeof(T)));
}

Outcome selectOne(const dpu_set_t &set, Selected &s) {
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (s.dpus.size() != 1)
    return failure(
        DPU_ERR_INVALID_DPU_SET,
        fmt::format("the set has {} DPUs; a checkpoint needs a set of one\n  hint: use DPU_FOREACH", s.dpus.size()));
  if (s.dpus.front()->program == nullptr)
    return failure(DPU_ERR_NO_PROGRAM_LOADED,
                   fmt::format("{} has no program\n  hint: call dpu_load first", s.system->nameOf(*s.dpus.front())));
  s.system->queue.wait();
  return {};
}

/// The arrays of a checkpoint, with their sizes: `f(array, elements, flag)`, until it fails. Arrays that the flags of
/// dpu_checkpoint_save leave out are null.
template <typename F>
Outcome forArrays(dpu_context_t &c, F &&f) {
  const std::size_t threads = c.info.nr_threads;
  Outcome o = f(c.iram, c.info.iram_size, DPU_CHECKPOINT_IRAM);
  if (o) o = f(c.mram, c.info.mram_size, DPU_CHECKPOINT_MRAM);
  if (o) o = f(c.wram, c.info.wram_size, DPU_CHECKPOINT_WRAM);
  if (o) o = f(c.registers, threads * c.info.nr_registers, DPU_CHECKPOINT_INTERNAL);
  if (o) o = f(c.pcs, threads, DPU_CHECKPOINT_INTERNAL);
  if (o) o = f(c.atomic_register, c.info.nr_atomic_bits, DPU_CHECKPOINT_INTERNAL);
  if (o) o = f(c.zero_flags, threads, DPU_CHECKPOINT_INTERNAL);
  if (o) o = f(c.carry_flags, threads, DPU_CHECKPOINT_INTERNAL);
  if (o) o = f(c.scheduling, threads, DPU_CHECKPOINT_INTERNAL);
  return o;
}

void release(dpu_context_t &context) {
  static_cast<void>(forArrays(context, [](auto *&array, std::size_t, dpu_checkpoint_flags_t) {
    std::free(array);
    array = nullptr;
    return Outcome{};
  }));
}

Outcome save(const dpu_set_t &set, dpu_checkpoint_flags_t flags, dpu_context_t *context) {
  if (context == nullptr) return noContext();
  Selected s;
  if (Outcome o = selectOne(set, s); !o) return o;
  const machine::Dpu &machine = *s.system->setup.machine.dpu;
  const dpu_t &dpu = *s.dpus.front();
  *context = {};
  dpu_context_t &c = *context;
  c.info.iram_size = static_cast<std::uint32_t>(machine.instructions);
  c.info.mram_size = static_cast<std::uint32_t>(machine.mram.value);
  c.info.wram_size = static_cast<std::uint32_t>(machine.wram.value / 4);
  c.info.nr_registers = kRegisters;
  c.info.nr_threads = static_cast<std::uint8_t>(s.system->setup.tasklets);
  c.info.nr_atomic_bits = static_cast<std::uint32_t>(machine.atomicBits);
  Outcome made = forArrays(c, [&](auto *&array, std::size_t elements, dpu_checkpoint_flags_t flag) {
    return (flags & flag) != 0 ? make(array, elements) : Outcome{};
  });
  if (!made) {
    release(c);
    return made;
  }
  if (c.iram != nullptr) std::ranges::copy(dpu.program->code().instructions, c.iram);
  if (c.mram != nullptr) dpu.engine->readMram(0, std::as_writable_bytes(std::span(c.mram, c.info.mram_size)));
  if (c.wram != nullptr) dpu.engine->readWram(0, std::as_writable_bytes(std::span(c.wram, c.info.wram_size)));
  c.bkp_fault = (flags & DPU_CHECKPOINT_INTERNAL) != 0 && dpu.isInFault;
  return {};
}

Outcome restore(const dpu_set_t &set, dpu_checkpoint_flags_t flags, dpu_context_t *context) {
  if (context == nullptr) return noContext();
  Selected s;
  if (Outcome o = selectOne(set, s); !o) return o;
  const machine::Dpu &machine = *s.system->setup.machine.dpu;
  dpu_t &dpu = *s.dpus.front();
  const dpu_context_t &c = *context;
  if (c.info.mram_size != machine.mram.value || c.info.wram_size * 4 != machine.wram.value ||
      c.info.iram_size != machine.instructions)
    return failure(
        DPU_ERR_INVALID_BUFFER_SIZE,
        fmt::format("the checkpoint has {} bytes of MRAM, {} words of WRAM and {} instructions; machine '{}' "
                    "has other sizes",
                    c.info.mram_size, c.info.wram_size, c.info.iram_size, s.system->setup.machine.name));
  const std::vector<std::uint64_t> &loaded = dpu.program->code().instructions;
  if ((flags & DPU_CHECKPOINT_IRAM) != 0 && c.iram != nullptr && !std::equal(loaded.begin(), loaded.end(), c.iram))
    return failure(DPU_ERR_DIFFERENT_DPU_PROGRAMS,
                   fmt::format("{} has another program than the checkpoint\n  hint: dpu_load the program first",
                               s.system->nameOf(dpu)));
  if ((flags & DPU_CHECKPOINT_MRAM) != 0 && c.mram != nullptr)
    dpu.engine->writeMram(0, std::as_bytes(std::span(c.mram, c.info.mram_size)));
  if ((flags & DPU_CHECKPOINT_WRAM) != 0 && c.wram != nullptr)
    dpu.engine->writeWram(0, std::as_bytes(std::span(c.wram, c.info.wram_size)));
  if ((flags & DPU_CHECKPOINT_INTERNAL) != 0 && c.registers != nullptr) {
    dpu.isInFault = c.bkp_fault;
    dpu.fault = c.bkp_fault ? "the checkpoint is of a DPU in fault" : "";
  }
  return {};
}

/// What stands before the arrays.
struct Header {
  std::uint32_t magic = kMagic, version = kVersion, flags = 0, isInFault = 0;
  std::uint32_t iram = 0, mram = 0, wram = 0, registers = 0, threads = 0, atomicBits = 0;
};

std::uint32_t sizeOf(dpu_context_t &context) {
  std::size_t size = sizeof(Header);
  static_cast<void>(forArrays(context, [&](auto *&array, std::size_t elements, dpu_checkpoint_flags_t) {
    if (array != nullptr) size += elements * sizeof *array;
    return Outcome{};
  }));
  return static_cast<std::uint32_t>(size);
}

Outcome serialize(dpu_context_t *context, std::uint8_t **bytes, std::uint32_t *size) {
  if (context == nullptr || bytes == nullptr || size == nullptr) return noContext();
  const std::uint32_t needed = sizeOf(*context);
  if (*bytes == nullptr) {
    if (Outcome o = make(*bytes, needed); !o) return o;
  } else if (*size < needed) {
    return failure(DPU_ERR_INVALID_BUFFER_SIZE,
                   fmt::format("the checkpoint takes {} bytes, the buffer has {}", needed, *size));
  }
  *size = needed;
  const auto &info = context->info;
  Header h{.isInFault = context->bkp_fault,
           .iram = info.iram_size,
           .mram = info.mram_size,
           .wram = info.wram_size,
           .registers = info.nr_registers,
           .threads = info.nr_threads,
           .atomicBits = info.nr_atomic_bits};
  std::uint8_t *at = *bytes + sizeof h;
  static_cast<void>(forArrays(*context, [&](auto *&array, std::size_t elements, dpu_checkpoint_flags_t flag) {
    if (array == nullptr) return Outcome{};
    h.flags |= static_cast<std::uint32_t>(flag);
    std::memcpy(at, array, elements * sizeof *array);
    at += elements * sizeof *array;
    return Outcome{};
  }));
  std::memcpy(*bytes, &h, sizeof h);
  return {};
}

Outcome deserialize(const std::uint8_t *bytes, std::uint32_t size, dpu_context_t *context) {
  if (bytes == nullptr || context == nullptr) return noContext();
  const Outcome wrong = failure(DPU_ERR_INVALID_BUFFER_SIZE,
                                fmt::format("the {} bytes are not those of a checkpoint of this library", size));
  Header h;
  if (size < sizeof h) return wrong;
  std::memcpy(&h, bytes, sizeof h);
  constexpr std::uint32_t kMost = 1U << 30;  // of any number: their sums cannot overflow
  if (h.magic != kMagic || h.version != kVersion || h.threads > UINT8_MAX ||
      std::max({h.iram, h.mram, h.wram, h.registers, h.atomicBits}) > kMost)
    return wrong;
  *context = {};
  dpu_context_t &c = *context;
  c.info.iram_size = h.iram;
  c.info.mram_size = h.mram;
  c.info.wram_size = h.wram;
  c.info.nr_registers = h.registers;
  c.info.nr_threads = static_cast<std::uint8_t>(h.threads);
  c.info.nr_atomic_bits = h.atomicBits;
  c.bkp_fault = h.isInFault != 0;
  std::size_t at = sizeof h;
  Outcome outcome = forArrays(c, [&](auto *&array, std::size_t elements, dpu_checkpoint_flags_t flag) -> Outcome {
    const std::size_t length = elements * sizeof *array;
    if ((h.flags & static_cast<std::uint32_t>(flag)) == 0) return {};
    if (length > size - at) return wrong;
    if (Outcome o = make(array, elements); !o) return o;
    if constexpr (std::is_same_v<decltype(array), bool *&>)
      for (std::size_t i = 0; i < elements; ++i) array[i] = bytes[at + i] != 0;
    else
      std::memcpy(array, bytes + at, length);
    at += length;
    return {};
  });
  if (!outcome) release(c);
  return outcome;
}

}  // namespace

}  // namespace pimento::upmem

using namespace pimento::upmem;

dpu_error_t dpu_checkpoint_save(dpu_set_t set, dpu_checkpoint_flags_t flags, dpu_context_t *context) {
  return answer([&] { return save(set, flags, context); });
}

dpu_error_t dpu_checkpoint_restore(dpu_set_t set, dpu_checkpoint_flags_t flags, dpu_context_t *context) {
  return answer([&] { return restore(set, flags, context); });
}

uint32_t dpu_checkpoint_get_serialized_context_size(dpu_context_t *context) {
  return context == nullptr ? 0 : sizeOf(*context);
}

dpu_error_t dpu_checkpoint_serialize(dpu_context_t *context, uint8_t **bytes, uint32_t *size) {
  return answer([&] { return serialize(context, bytes, size); });
}

dpu_error_t dpu_checkpoint_deserialize(uint8_t *bytes, uint32_t size, dpu_context_t *context) {
  return answer([&] { return deserialize(bytes, size, context); });
}

dpu_error_t dpu_checkpoint_free(dpu_context_t *context) {
  return answer([&]() -> Outcome {
    if (context == nullptr) return noContext();
    release(*context);
    return {};
  });
}
