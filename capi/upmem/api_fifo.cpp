// dpu_fifo.h: queues in WRAM that the host fills and empties while programs run.
#include <dpu.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "memory.h"
#include "outcome.h"
#include "system.h"

/// The queues of a link.
struct pimento_dpu_fifos {
  /// Of one DPU: where its elements are, and what was fetched last.
  struct Fifo {
    std::uint32_t data = 0;
    void *buffer = nullptr;
    std::uint64_t first = 0;
    std::uint16_t count = 0;
  };
  std::map<const dpu_t *, Fifo> ofDpu;
  std::uint32_t address = 0;  ///< of the variable, in WRAM
  std::uint32_t slots = 0, bytes = 0;
  std::uint32_t maxRetries = 10'000, microseconds = 100;
};

namespace pimento::upmem {

namespace {

using Fifos = pimento_dpu_fifos;

/// As the program has it (wramfifo.h), up to what the host needs.
struct Layout {
  std::uint64_t taken = 0, put = 0;
  std::uint32_t data = 0, copies = 0, slotsLog = 0, bytes = 0;
};

Layout layoutOf(const dpu_t &dpu, std::uint32_t address) {
  Layout l;
  dpu.engine->readWram(address, std::as_writable_bytes(std::span(&l, 1)));
  return l;
}

void setCounter(const dpu_t &dpu, std::uint32_t address, std::size_t offset, std::uint64_t value) {
  dpu.engine->writeWram(address + static_cast<std::uint32_t>(offset), std::as_bytes(std::span(&value, 1)));
}

Outcome noLink() {
  return failure(DPU_ERR_INTERNAL, "the link is NULL or was not made by dpu_link_input_fifo or dpu_link_output_fifo");
}

bool isLinked(const dpu_fifo_link_t *link) {
  return link != nullptr && link->fifos != nullptr;
}

Outcome link(const dpu_set_t &set, dpu_fifo_link_t *out, const char *name, dpu_fifo_direction_t direction) {
  if (out == nullptr) return noLink();
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  Area area;
  if (Outcome o = locate(s, name, 0, sizeof(Layout), area); !o) return o;
  const std::uint64_t wram = static_cast<std::uint64_t>(s.system->setup.machine.dpu->wram.value);
  auto made = std::make_unique<Fifos>();
  made->address = area.address;
  std::vector<Layout> layouts(s.dpus.size());
  visitAll(s.dpus, [&](std::size_t i, dpu_t &dpu) { layouts[i] = layoutOf(dpu, area.address); });
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const Layout &l = layouts[i];
    const std::uint64_t end = l.slotsLog <= 10 ? l.data + (std::uint64_t{l.bytes} << l.slotsLog) : UINT64_MAX;
    if (area.isMram || l.bytes == 0 || l.bytes % 8 != 0 || end > wram)
      return failure(DPU_ERR_INVALID_WRAM_ACCESS,
                     fmt::format("'{}' is not a queue\n  hint: define it by INPUT_FIFO_INIT or OUTPUT_FIFO_INIT of "
                                 "wramfifo.h",
                                 name));
    made->slots = 1U << l.slotsLog;
    made->bytes = l.bytes;
    made->ofDpu[s.dpus[i]].data = l.data;
  }
  out->direction = direction;
  if (Outcome o = findSymbol(*s.dpus.front()->program, name, out->fifo_symbol); !o) return o;
  out->fifos = made.release();
  s.system->isOpen = true;
  return {};
}

Outcome prepare(const dpu_set_t &set, dpu_fifo_link_t *link, void *buffer) {
  if (!isLinked(link)) return noLink();
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  for (const dpu_t *d : s.dpus) {
    const auto at = link->fifos->ofDpu.find(d);
    if (at == link->fifos->ofDpu.end())
      return failure(DPU_ERR_INVALID_DPU_SET, fmt::format("{} is not in the set of the link", s.system->nameOf(*d)));
    at->second.buffer = buffer;
  }
  return {};
}

/// Puts one element; false where the queue is full.
bool put(const dpu_t &dpu, const Fifos &fifos, const Fifos::Fifo &fifo) {
  const Layout l = layoutOf(dpu, fifos.address);
  if (l.put - l.taken >= fifos.slots) return false;
  const auto at = static_cast<std::uint32_t>(l.put % fifos.slots) * fifos.bytes;
  dpu.engine->writeWram(fifo.data + at, {static_cast<const std::byte *>(fifo.buffer), fifos.bytes});
  setCounter(dpu, fifos.address, offsetof(Layout, put), l.put + 1);
  return true;
}

Outcome putAll(const Selection &s, std::vector<dpu_t *> dpus, const Fifos &fifos) {
  for (std::uint32_t tries = 0;; ++tries) {
    std::vector<char> isPut(dpus.size());
    visitAll(dpus, [&](std::size_t i, dpu_t &dpu) { isPut[i] = put(dpu, fifos, fifos.ofDpu.at(&dpu)) ? 1 : 0; });
    std::vector<dpu_t *> left;
    for (std::size_t i = 0; i < dpus.size(); ++i)
      if (isPut[i] == 0) left.push_back(dpus[i]);
    if (left.empty()) return {};
    const bool mayGetRoom = left.front()->door.isRunning() || s.system->queue.isBusy(s.ranks);
    if (!mayGetRoom || tries >= fifos.maxRetries)
      return failure(DPU_ERR_WRAM_FIFO_FULL,
                     fmt::format("the queue of {} holds {} elements, all that fit{}", s.system->nameOf(*left.front()),
                                 fifos.slots, mayGetRoom ? "" : ", and its program does not run"));
    dpus = std::move(left);
    std::this_thread::sleep_for(std::chrono::microseconds(fifos.microseconds));
  }
}

/// Takes everything.
void fetch(const dpu_t &dpu, const Fifos &fifos, Fifos::Fifo &fifo) {
  const Layout l = layoutOf(dpu, fifos.address);
  const std::size_t all = std::size_t{fifos.slots} * fifos.bytes;
  dpu.engine->readWram(fifo.data, {static_cast<std::byte *>(fifo.buffer), all});
  fifo.first = l.taken;
  fifo.count = static_cast<std::uint16_t>(std::min<std::uint64_t>(l.put - l.taken, fifos.slots));
  setCounter(dpu, fifos.address, offsetof(Layout, taken), l.put);
}

void account(const Selection &s, std::int64_t dpus, const Fifos &fifos, bool isInput) {
  evaluate::HostWork work;
  work.dpus = dpus;
  work.ranks = s.ranks.count;
  (isInput ? work.placed : work.readBack) = Bytes(dpus * fifos.bytes * (isInput ? 1 : fifos.slots));
  (isInput ? work.placeCalls : work.readCalls) = 1;
  s.system->account.addTransfer({s.ranks, true, s.system->account.now()}, isInput ? Call::kFifoTo : Call::kFifoFrom,
                                work);
}

Outcome push(const dpu_set_t &set, dpu_fifo_link_t *link, int flags) {
  if (!isLinked(link)) return noLink();
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  Fifos &fifos = *link->fifos;
  const bool isInput = link->direction == DPU_INPUT_FIFO;
  std::vector<dpu_t *> dpus;
  for (dpu_t *d : s.dpus)
    if (const auto at = fifos.ofDpu.find(d); at != fifos.ofDpu.end() && at->second.buffer != nullptr) dpus.push_back(d);
  if (dpus.empty()) return {};
  if (isInput) {
    if (Outcome o = putAll(s, dpus, fifos); !o) return o;
  } else {
    visitAll(dpus, [&](std::size_t, dpu_t &dpu) { fetch(dpu, fifos, fifos.ofDpu.at(&dpu)); });
  }
  if ((flags & DPU_XFER_NO_RESET) == 0)
    for (const dpu_t *d : dpus) fifos.ofDpu.at(d).buffer = nullptr;
  account(s, static_cast<std::int64_t>(dpus.size()), fifos, isInput);
  return {};
}

const Fifos::Fifo *fifoOf(const dpu_fifo_link_t *link, const dpu_set_t &dpu) {
  if (!isLinked(link) || dpu.kind != DPU_SET_DPU) return nullptr;
  const auto at = link->fifos->ofDpu.find(dpu.dpu);
  return at == link->fifos->ofDpu.end() ? nullptr : &at->second;
}

Outcome set(dpu_fifo_link_t *link, std::uint32_t Fifos::*member, std::uint32_t value) {
  if (!isLinked(link)) return noLink();
  link->fifos->*member = value;
  return {};
}

}  // namespace

}  // namespace pimento::upmem

using namespace pimento::upmem;

dpu_error_t dpu_link_input_fifo(dpu_set_t dpu_set, dpu_fifo_link_t *link, const char *fifo_name) {
  return answer([&] { return pimento::upmem::link(dpu_set, link, fifo_name, DPU_INPUT_FIFO); });
}

dpu_error_t dpu_link_output_fifo(dpu_set_t dpu_set, dpu_fifo_link_t *link, const char *fifo_name) {
  return answer([&] { return pimento::upmem::link(dpu_set, link, fifo_name, DPU_OUTPUT_FIFO); });
}

dpu_error_t dpu_fifo_link_free(dpu_fifo_link_t *fifo_link) {
  return answer([&]() -> Outcome {
    if (!isLinked(fifo_link)) return noLink();
    delete fifo_link->fifos;
    fifo_link->fifos = nullptr;
    return {};
  });
}

dpu_error_t dpu_fifo_prepare_xfer(dpu_set_t dpu_set, dpu_fifo_link_t *fifo_link, void *buffer) {
  return answer([&] { return prepare(dpu_set, fifo_link, buffer); });
}

dpu_error_t dpu_fifo_push_xfer(dpu_set_t dpu_set, dpu_fifo_link_t *fifo_link, int flags) {
  return answer([&] { return push(dpu_set, fifo_link, flags); });
}

uint16_t get_fifo_size(dpu_fifo_link_t *fifo_link, dpu_set_t dpu) {
  const auto *fifo = fifoOf(fifo_link, dpu);
  return fifo == nullptr ? 0 : fifo->count;
}

uint8_t *get_fifo_elem(dpu_fifo_link_t *fifo_link, dpu_set_t dpu, uint8_t *buffer, uint16_t index) {
  const auto *fifo = fifoOf(fifo_link, dpu);
  if (fifo == nullptr || buffer == nullptr) return nullptr;
  const pimento_dpu_fifos &fifos = *fifo_link->fifos;
  return buffer + static_cast<std::size_t>((fifo->first + index) % fifos.slots) * fifos.bytes;
}

dpu_error_t dpu_fifo_set_push_max_retries(dpu_fifo_link_t *fifo_link, dpu_set_t, uint32_t retries) {
  return answer([&] { return set(fifo_link, &pimento_dpu_fifos::maxRetries, retries); });
}

dpu_error_t dpu_fifo_set_time_for_push_retries(dpu_fifo_link_t *fifo_link, dpu_set_t, uint32_t microseconds) {
  return answer([&] { return set(fifo_link, &pimento_dpu_fifos::microseconds, microseconds); });
}
