// dpu_prepare_xfer, dpu_push_xfer, dpu_copy_*, dpu_broadcast_to, dpu_push_sg_xfer.
#include <dpu.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "memory.h"
#include "outcome.h"
#include "system.h"

namespace pimento::upmem {

namespace {

/// Host work of one call that transfers `bytes` per DPU.
evaluate::HostWork workOf(std::size_t dpus, std::size_t ranks, std::size_t bytes, bool isToDpu) {
  evaluate::HostWork work;
  work.dpus = static_cast<std::int64_t>(dpus);
  work.ranks = static_cast<std::int64_t>(ranks);
  const Bytes all(static_cast<std::int64_t>(bytes * dpus));
  (isToDpu ? work.placed : work.readBack) = all;
  (isToDpu ? work.placeCalls : work.readCalls) = 1;
  return work;
}

Outcome noBuffer(const char *what) {
  return failure(DPU_ERR_INVALID_MEMORY_TRANSFER, fmt::format("{} is NULL", what));
}

/// A variable by its name, or as dpu_get_symbol gave it.
struct Variable {
  const char *name = nullptr;
  const dpu_symbol_t *symbol = nullptr;
  std::uint32_t offset = 0;
  std::size_t length = 0;

  Outcome locate(const Selection &s, Area &area) const {
    return symbol != nullptr ? upmem::locate(s, *symbol, offset, length, area)
                             : upmem::locate(s, name, offset, length, area);
  }
};

Outcome checkDirection(dpu_xfer_t xfer) {
  if (xfer == DPU_XFER_TO_DPU || xfer == DPU_XFER_FROM_DPU) return {};
  return failure(DPU_ERR_INVALID_MEMORY_TRANSFER,
                 fmt::format("{} is not a direction: DPU_XFER_TO_DPU or DPU_XFER_FROM_DPU", static_cast<int>(xfer)));
}

std::size_t ranksOf(const std::vector<Part> &parts) {
  std::set<std::uint32_t> ranks;
  for (const Part &p : parts) ranks.insert(p.dpu->rank);
  return ranks.size();
}

/// Hardware moves nothing then, and says nothing; the usual cause is that a push forgets the buffers. Once per process.
void warnOfNothingPrepared() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::fputs(
        "warning: dpu_push_xfer transfers nothing: no DPU of the set has a buffer [dpu-xfer-unprepared]\n"
        "  hint: call dpu_prepare_xfer before every dpu_push_xfer, or use DPU_XFER_NO_RESET\n",
        stderr);
  });
}

/// Where a transfer may take place while the program runs.
Outcome checkParallel(const Variable &variable, const Area &area) {
  if (!area.isMram) return {};
  return failure(DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER,
                 fmt::format("'{}' is in MRAM; transfers with DPU_XFER_PARALLEL need a variable in WRAM",
                             variable.name == nullptr ? "the symbol" : variable.name));
}

/// Does it at once, between two instructions where the program runs.
Outcome moveParallel(const Selection &s, const std::vector<Part> &parts, const Area &area, bool isToDpu, Call call,
                     const evaluate::HostWork &work) {
  s.system->isOpen = true;
  std::vector<dpu_t *> dpus;
  for (const Part &p : parts) {
    if (p.dpu->door.isShut())
      return failure(DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER,
                     fmt::format("the program of {} runs, and was launched before the first transfer with "
                                 "DPU_XFER_PARALLEL\n  hint: set parallelXfer=true in the profile of dpu_alloc, or "
                                 "UPMEM_PROFILE_BASE=parallelXfer=true",
                                 s.system->nameOf(*p.dpu)));
    dpus.push_back(p.dpu);
  }
  visitAll(dpus, [&](std::size_t i, dpu_t &dpu) {
    isToDpu ? writeTo(dpu, area, parts[i].buffer) : readFrom(dpu, area, parts[i].buffer);
  });
  s.system->account.addTransfer({s.ranks, true, s.system->account.now()}, call, work);
  return {};
}

Outcome push(const dpu_set_t &set, dpu_xfer_t xfer, const Variable &variable, dpu_xfer_flags_t flags) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (Outcome o = checkDirection(xfer); !o) return o;
  Area area;
  if (Outcome o = variable.locate(s, area); !o) return o;
  if ((flags & DPU_XFER_PARALLEL) != 0)
    if (Outcome o = checkParallel(variable, area); !o) return o;
  std::vector<Part> parts;
  for (dpu_t *d : s.dpus) {
    if (d->buffer != nullptr) parts.push_back({d, d->buffer});
    if ((flags & DPU_XFER_NO_RESET) == 0) d->buffer = nullptr;
  }
  if (area.length == 0) return {};
  if (parts.empty()) {
    warnOfNothingPrepared();
    return {};
  }
  const bool isToDpu = xfer == DPU_XFER_TO_DPU;
  const evaluate::HostWork work = workOf(parts.size(), ranksOf(parts), area.length, isToDpu);
  if ((flags & DPU_XFER_PARALLEL) != 0)
    return moveParallel(s, parts, area, isToDpu, isToDpu ? Call::kPushTo : Call::kPushFrom, work);
  return perform(s, (flags & DPU_XFER_ASYNC) != 0,
                 [system = s.system, parts = std::move(parts), area, isToDpu, work](const Account::Place &place) {
                   moveAll(system->setup, parts, area, isToDpu);
                   system->account.addTransfer(place, isToDpu ? Call::kPushTo : Call::kPushFrom, work);
                   return Outcome{};
                 });
}

Outcome broadcast(const dpu_set_t &set, const Variable &variable, const void *src, dpu_xfer_flags_t flags) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  Area area;
  if (Outcome o = variable.locate(s, area); !o) return o;
  if (area.length == 0) return {};
  if (src == nullptr) return noBuffer("the buffer to copy from");
  evaluate::HostWork work = workOf(s.dpus.size(), s.ranks.count, area.length, true);
  const bool isOne = s.dpus.size() == 1;
  (isOne ? work.serialPlaced : work.broadcast) = work.placed;
  std::vector<Part> parts;
  for (dpu_t *d : s.dpus) parts.push_back({d, const_cast<void *>(src)});
  if ((flags & DPU_XFER_PARALLEL) != 0) {
    if (Outcome o = checkParallel(variable, area); !o) return o;
    return moveParallel(s, parts, area, true, isOne ? Call::kCopyTo : Call::kBroadcast, work);
  }
  return perform(s, (flags & DPU_XFER_ASYNC) != 0,
                 [system = s.system, parts = std::move(parts), area, isOne, work](const Account::Place &place) {
                   moveAll(system->setup, parts, area, true);
                   system->account.addTransfer(place, isOne ? Call::kCopyTo : Call::kBroadcast, work);
                   return Outcome{};
                 });
}

Outcome copyFrom(const dpu_set_t &set, const Variable &variable, void *dst) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (s.dpus.size() != 1)
    return failure(
        DPU_ERR_INVALID_DPU_SET,
        fmt::format(
            "the set has {} DPUs; dpu_copy_from needs a set of one\n  hint: use DPU_FOREACH, or dpu_prepare_xfer "
            "and dpu_push_xfer",
            s.dpus.size()));
  Area area;
  if (Outcome o = variable.locate(s, area); !o) return o;
  if (area.length == 0) return {};
  if (dst == nullptr) return noBuffer("the buffer to copy to");
  evaluate::HostWork work = workOf(1, 1, area.length, false);
  work.serialReadBack = work.readBack;
  return perform(s, false, [&](const Account::Place &place) {
    readFrom(*s.dpus.front(), area, dst);
    s.system->account.addTransfer(place, Call::kCopyFrom, work);
    return Outcome{};
  });
}

/// A scatter/gather transfer, ready to be done.
class ScatterGather {
 public:
  /// The caller's arguments may be gone when an asynchronous transfer begins: they are copied if their size is known.
  ScatterGather(const Selection &s, const Area &area, bool isToDpu, const get_block_t &blocks, bool isExact)
      : s_(s), area_(area), isToDpu_(isToDpu), blocks_(blocks), isExact_(isExact) {
    if (blocks.args == nullptr || blocks.args_size == 0) return;
    const auto *bytes = static_cast<const std::byte *>(blocks.args);
    arguments_ = std::make_shared<std::vector<std::byte>>(bytes, bytes + blocks.args_size);
    blocks_.args = arguments_->data();
  }

  Outcome operator()(const Account::Place &place) const {
    for (std::size_t i = 0; i < s_.dpus.size(); ++i)
      if (Outcome o = transfer(static_cast<std::uint32_t>(i)); !o) return o;
    evaluate::HostWork work = workOf(s_.dpus.size(), s_.ranks.count, area_.length, isToDpu_);
    (isToDpu_ ? work.rearrangedIn : work.rearrangedOut) = isToDpu_ ? work.placed : work.readBack;
    s_.system->account.addTransfer(place, isToDpu_ ? Call::kGather : Call::kScatter, work);
    return {};
  }

 private:
  Outcome collect(std::uint32_t index, std::vector<sg_block_info> &blocks) const {
    const std::int64_t most = s_.system->setup.maxBlocks;
    std::uint64_t sum = 0;
    sg_block_info block{};
    for (std::uint32_t n = 0; sum < area_.length && blocks_.f(&block, index, n, blocks_.args); ++n, block = {}) {
      if (static_cast<std::int64_t>(n) >= most)
        return failure(DPU_ERR_SG_TOO_MANY_BLOCKS,
                       fmt::format("{} has more than {} blocks\n  hint: sgXferMaxBlocksPerDpu=N in the profile",
                                   s_.system->nameOf(*s_.dpus[index]), most));
      if (block.length > 0 && block.addr == nullptr) return noBuffer("the address of a block");
      blocks.push_back(block);
      sum += block.length;
    }
    if (sum > area_.length || (isExact_ && sum != area_.length))
      return failure(DPU_ERR_SG_LENGTH_MISMATCH, fmt::format("the blocks of {} total {} bytes, the transfer {}",
                                                             s_.system->nameOf(*s_.dpus[index]), sum, area_.length));
    return {};
  }

  Outcome transfer(std::uint32_t index) const {
    std::vector<sg_block_info> blocks;
    if (Outcome o = collect(index, blocks); !o) return o;
    std::vector<std::byte> bytes(area_.length);
    if (!isToDpu_) readFrom(*s_.dpus[index], area_, bytes.data());
    std::size_t at = 0;
    for (const sg_block_info &b : blocks) {
      if (b.length == 0) continue;
      if (isToDpu_)
        std::memcpy(&bytes[at], b.addr, b.length);
      else
        std::memcpy(b.addr, &bytes[at], b.length);
      at += b.length;
    }
    if (isToDpu_) writeTo(*s_.dpus[index], area_, bytes.data());
    return {};
  }

  Selection s_;
  Area area_;
  bool isToDpu_;
  get_block_t blocks_;
  bool isExact_;
  std::shared_ptr<std::vector<std::byte>> arguments_;
};

Outcome pushBlocks(const dpu_set_t &set, dpu_xfer_t xfer, const Variable &variable, const get_block_t *blocks,
                   dpu_sg_xfer_flags_t flags) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (Outcome o = checkDirection(xfer); !o) return o;
  if (!s.system->setup.hasScatterGather)
    return failure(DPU_ERR_SG_NOT_ACTIVATED, "the profile of dpu_alloc does not set sgXferEnable=true");
  Area area;
  if (Outcome o = variable.locate(s, area); !o) return o;
  if (!area.isMram) return failure(DPU_ERR_SG_NOT_MRAM_SYMBOL, "scatter/gather transfers need a variable in MRAM");
  if (blocks == nullptr || blocks->f == nullptr) return noBuffer("the function that returns the blocks");
  if (area.length == 0) return {};
  const bool isExact = (flags & DPU_SG_XFER_DISABLE_LENGTH_CHECK) == 0;
  return perform(s, (flags & DPU_SG_XFER_ASYNC) != 0,
                 ScatterGather(s, area, xfer == DPU_XFER_TO_DPU, *blocks, isExact));
}

Outcome prepare(const dpu_set_t &set, void *buffer) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  for (dpu_t *d : s.dpus) d->buffer = buffer;
  return {};
}

}  // namespace

}  // namespace pimento::upmem

using namespace pimento::upmem;

dpu_error_t dpu_prepare_xfer(dpu_set_t dpu_set, void *buffer) {
  return answer([&] { return prepare(dpu_set, buffer); });
}

dpu_error_t dpu_push_xfer(dpu_set_t dpu_set, dpu_xfer_t xfer, const char *symbol_name, uint32_t symbol_offset,
                          size_t length, dpu_xfer_flags_t flags) {
  return answer([&] { return push(dpu_set, xfer, {symbol_name, nullptr, symbol_offset, length}, flags); });
}

dpu_error_t dpu_push_xfer_symbol(dpu_set_t dpu_set, dpu_xfer_t xfer, dpu_symbol_t symbol, uint32_t symbol_offset,
                                 size_t length, dpu_xfer_flags_t flags) {
  return answer([&] { return push(dpu_set, xfer, {nullptr, &symbol, symbol_offset, length}, flags); });
}

dpu_error_t dpu_broadcast_to(dpu_set_t dpu_set, const char *symbol_name, uint32_t symbol_offset, const void *src,
                             size_t length, dpu_xfer_flags_t flags) {
  return answer([&] { return broadcast(dpu_set, {symbol_name, nullptr, symbol_offset, length}, src, flags); });
}

dpu_error_t dpu_broadcast_to_symbol(dpu_set_t dpu_set, dpu_symbol_t symbol, uint32_t symbol_offset, const void *src,
                                    size_t length, dpu_xfer_flags_t flags) {
  return answer([&] { return broadcast(dpu_set, {nullptr, &symbol, symbol_offset, length}, src, flags); });
}

dpu_error_t dpu_copy_to(dpu_set_t dpu_set, const char *symbol_name, uint32_t symbol_offset, const void *src,
                        size_t length) {
  return dpu_broadcast_to(dpu_set, symbol_name, symbol_offset, src, length, DPU_XFER_DEFAULT);
}

dpu_error_t dpu_copy_to_symbol(dpu_set_t dpu_set, dpu_symbol_t symbol, uint32_t symbol_offset, const void *src,
                               size_t length) {
  return dpu_broadcast_to_symbol(dpu_set, symbol, symbol_offset, src, length, DPU_XFER_DEFAULT);
}

dpu_error_t dpu_copy_from(dpu_set_t dpu_set, const char *symbol_name, uint32_t symbol_offset, void *dst,
                          size_t length) {
  return answer([&] { return copyFrom(dpu_set, {symbol_name, nullptr, symbol_offset, length}, dst); });
}

dpu_error_t dpu_copy_from_symbol(dpu_set_t dpu_set, dpu_symbol_t symbol, uint32_t symbol_offset, void *dst,
                                 size_t length) {
  return answer([&] { return copyFrom(dpu_set, {nullptr, &symbol, symbol_offset, length}, dst); });
}

dpu_error_t dpu_push_sg_xfer(dpu_set_t dpu_set, dpu_xfer_t xfer, const char *symbol_name, uint32_t symbol_offset,
                             size_t length, get_block_t *get_block_info, dpu_sg_xfer_flags_t flags) {
  return answer(
      [&] { return pushBlocks(dpu_set, xfer, {symbol_name, nullptr, symbol_offset, length}, get_block_info, flags); });
}

dpu_error_t dpu_push_sg_xfer_symbol(dpu_set_t dpu_set, dpu_xfer_t xfer, dpu_symbol_t symbol, uint32_t symbol_offset,
                                    size_t length, get_block_t *get_block_info, dpu_sg_xfer_flags_t flags) {
  return answer(
      [&] { return pushBlocks(dpu_set, xfer, {nullptr, &symbol, symbol_offset, length}, get_block_info, flags); });
}
