// Allocation, iteration, loading, launches, callbacks.
#include <dpu.h>
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "memory.h"
#include "outcome.h"
#include "pimento/base/file.h"
#include "program.h"
#include "system.h"

namespace pimento::upmem {

namespace {

Outcome isNull(const char *what) {
  return failure(DPU_ERR_INVALID_MEMORY_TRANSFER, fmt::format("{} is NULL", what));
}

Outcome allocate(std::uint32_t count, bool isRanks, const char *profile, dpu_set_t *set) {
  if (set == nullptr) return failure(DPU_ERR_INVALID_DPU_SET, "the pointer for the set is NULL");
  Setup setup;
  if (Outcome o = readProfile(profile == nullptr ? "" : profile, setup); !o) return o;
  const std::optional<std::int64_t> wanted =
      count == DPU_ALLOCATE_ALL ? std::nullopt : std::optional<std::int64_t>(count);
  return isRanks ? Registry::get().allocateRanks(std::move(setup), wanted, *set)
                 : Registry::get().allocateDpus(std::move(setup), wanted, *set);
}

Outcome release(const dpu_set_t &set) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (!s.isWhole())
    return failure(DPU_ERR_INVALID_DPU_SET,
                   "a subset of an allocation\n  hint: pass dpu_free the set that dpu_alloc returned");
  if (s.system->queue.isInJob()) return failure(DPU_ERR_INVALID_DPU_SET, "a callback cannot free its own set");
  static_cast<void>(s.system->queue.sync(s.ranks));
  s.system->account.sync(s.ranks);
  return Registry::get().release(s);
}

Outcome loadBytes(const dpu_set_t &set, const std::uint8_t *bytes, std::size_t size, const std::string &name,
                  dpu_program_t **program) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (bytes == nullptr || size == 0)
    return failure(DPU_ERR_INVALID_BUFFER_SIZE, fmt::format("{}: no bytes to load", name));
  s.system->queue.wait();
  return load(s, {reinterpret_cast<const char *>(bytes), size}, name, program);
}

Outcome loadFile(const dpu_set_t &set, const char *path, dpu_program_t **program) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (path == nullptr) return failure(DPU_ERR_ELF_NO_SUCH_FILE, "the path of the program is NULL");
  const Result<std::string> contents = readFile(path);
  if (!contents) return failure(DPU_ERR_ELF_NO_SUCH_FILE, contents.diagnostics());
  s.system->queue.wait();
  return load(s, *contents, path, program);
}

Outcome launchAll(const dpu_set_t &set, dpu_launch_policy_t policy) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (policy != DPU_SYNCHRONOUS && policy != DPU_ASYNCHRONOUS)
    return failure(DPU_ERR_INVALID_LAUNCH_POLICY,
                   fmt::format("{} is not a policy: DPU_SYNCHRONOUS or DPU_ASYNCHRONOUS", static_cast<int>(policy)));
  for (const dpu_t *d : s.dpus)
    if (d->program == nullptr)
      return failure(DPU_ERR_NO_PROGRAM_LOADED,
                     fmt::format("{} has no program\n  hint: call dpu_load first", s.system->nameOf(*d)));
  const Selection plain = s;
  const bool isAsync = policy == DPU_ASYNCHRONOUS, isOpen = isAsync && s.system->isOpen;
  return perform(s, isAsync, [plain, isOpen](const Account::Place &place) { return launch(plain, place, isOpen); });
}

Outcome status(const dpu_set_t &set, bool *done, bool *fault) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (done != nullptr) *done = !s.system->queue.isBusy(s.ranks);
  if (fault != nullptr) {
    *fault = false;
    for (const dpu_t *d : s.dpus) *fault = *fault || d->isInFault;
  }
  return {};
}

Outcome sync(const dpu_set_t &set) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  Outcome outcome = s.system->queue.sync(s.ranks);
  if (s.system->queue.isInJob()) return outcome;
  s.system->account.sync(s.ranks);
  if (!outcome) return outcome;
  for (const dpu_t *d : s.dpus)
    if (d->isInFault) return failure(DPU_ERR_DPU_FAULT, d->fault);
  return {};
}

using Callback = dpu_error_t (*)(dpu_set_t, std::uint32_t, void *);

/// One call; what it returns is the outcome.
Outcome call(Callback callback, const dpu_set_t &set, std::uint32_t rank, void *args) {
  const dpu_error_t code = callback(set, rank, args);
  if (code == DPU_OK) return {};
  return failure(
      code, lastReason().empty() ? fmt::format("a callback returned {}", dpu_error_to_string(code)) : lastReason());
}

Outcome callAll(const dpu_set_t &set, Callback callback, void *args, dpu_callback_flags_t flags) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (callback == nullptr) return isNull("the callback");
  const bool isAsync = (flags & DPU_CALLBACK_ASYNC) != 0, isDetached = (flags & DPU_CALLBACK_NONBLOCKING) != 0;
  if (isDetached && !isAsync)
    return failure(DPU_ERR_NONBLOCKING_SYNC_CALLBACK,
                   "DPU_CALLBACK_NONBLOCKING needs DPU_CALLBACK_ASYNC: a synchronous callback blocks the caller");
  struct Call {
    RankRange ranks;
    dpu_set_t set;
    std::uint32_t number;
  };
  std::vector<Call> calls;
  if ((flags & DPU_CALLBACK_SINGLE_CALL) != 0 || set.kind == DPU_SET_DPU)
    calls.push_back({s.ranks, set, 0});
  else
    for (std::uint32_t r = 0; r < s.ranks.count; ++r)
      calls.push_back({{s.ranks.first + r, 1}, s.system->setOf({s.ranks.first + r, 1}), r});
  if (!isAsync) s.system->queue.wait();
  Outcome first;
  for (const Call &c : calls) {
    const auto job = [callback, c, args] { return call(callback, c.set, c.number, args); };
    if (isAsync)
      s.system->queue.push(c.ranks, job, isDetached);
    else if (Outcome o = job(); first && !o)
      first = std::move(o);
  }
  return first;
}

}  // namespace

}  // namespace pimento::upmem

using namespace pimento::upmem;

dpu_error_t dpu_alloc(uint32_t nr_dpus, const char *profile, dpu_set_t *dpu_set) {
  return answer([&] { return allocate(nr_dpus, false, profile, dpu_set); });
}

dpu_error_t dpu_alloc_ranks(uint32_t nr_ranks, const char *profile, dpu_set_t *dpu_set) {
  return answer([&] { return allocate(nr_ranks, true, profile, dpu_set); });
}

dpu_error_t dpu_free(dpu_set_t dpu_set) {
  return answer([&] { return release(dpu_set); });
}

dpu_error_t dpu_get_nr_ranks(dpu_set_t dpu_set, uint32_t *nr_ranks) {
  return answer([&]() -> Outcome {
    Selected s;
    if (Outcome o = Registry::get().select(dpu_set, s); !o) return o;
    if (nr_ranks == nullptr) return isNull("the pointer for the number");
    *nr_ranks = s.ranks.count;
    return {};
  });
}

dpu_error_t dpu_get_nr_dpus(dpu_set_t dpu_set, uint32_t *nr_dpus) {
  return answer([&]() -> Outcome {
    Selected s;
    if (Outcome o = Registry::get().select(dpu_set, s); !o) return o;
    if (nr_dpus == nullptr) return isNull("the pointer for the number");
    *nr_dpus = static_cast<std::uint32_t>(s.dpus.size());
    return {};
  });
}

pimento_dpu_iterator_t pimento_dpu_iterate(dpu_set_t set, bool is_over_ranks) {
  pimento_dpu_iterator_t it{};
  it.is_over_ranks = is_over_ranks;
  Selected s;
  // A set that is not valid has no elements; the first call that gets it says so.
  if (remember(attempt([&] { return Registry::get().select(set, s); })) != DPU_OK) return it;
  if (set.kind == DPU_SET_DPU && is_over_ranks)
    it.set = s.system->setOf(s.ranks);
  else
    it.set = set;
  it.count = is_over_ranks ? s.ranks.count : static_cast<std::uint32_t>(s.dpus.size());
  it.first = s.dpus.front();
  return it;
}

bool pimento_dpu_at(const pimento_dpu_iterator_t *iterator, dpu_set_t *one) {
  if (iterator->index >= iterator->count) return false;
  dpu_set_t at{};
  if (iterator->is_over_ranks) {
    at.kind = DPU_SET_RANKS;
    at.list.nr_ranks = 1;
    at.list.ranks = iterator->set.list.ranks + iterator->index;
  } else {
    // DPUs of a set lie side by side.
    at.kind = DPU_SET_DPU;
    at.dpu = iterator->first + iterator->index;
  }
  *one = at;
  return true;
}

void pimento_dpu_next(pimento_dpu_iterator_t *iterator) {
  ++iterator->index;
}

dpu_error_t dpu_load(dpu_set_t dpu_set, const char *binary_path, dpu_program_t **program) {
  return answer([&] { return loadFile(dpu_set, binary_path, program); });
}

dpu_error_t dpu_load_from_memory(dpu_set_t dpu_set, uint8_t *buffer_start, size_t buffer_size,
                                 dpu_program_t **program) {
  return answer([&] { return loadBytes(dpu_set, buffer_start, buffer_size, "program in memory", program); });
}

dpu_error_t dpu_load_from_incbin(dpu_set_t dpu_set, dpu_incbin_t *incbin, dpu_program_t **program) {
  return answer([&]() -> Outcome {
    if (incbin == nullptr) return failure(DPU_ERR_INVALID_BUFFER_SIZE, "the embedded program is NULL");
    return loadBytes(dpu_set, incbin->buffer, incbin->size, incbin->path == nullptr ? "program" : incbin->path,
                     program);
  });
}

dpu_error_t dpu_get_symbol(dpu_program_t *program, const char *symbol_name, dpu_symbol_t *symbol) {
  return answer([&]() -> Outcome {
    if (program == nullptr) return failure(DPU_ERR_NO_PROGRAM_LOADED, "the program is NULL");
    if (symbol_name == nullptr || symbol == nullptr)
      return failure(DPU_ERR_UNKNOWN_SYMBOL, "the symbol name or the pointer for the symbol is NULL");
    return findSymbol(*program, symbol_name, *symbol);
  });
}

dpu_error_t dpu_launch(dpu_set_t dpu_set, dpu_launch_policy_t policy) {
  return answer([&] { return launchAll(dpu_set, policy); });
}

dpu_error_t dpu_status(dpu_set_t dpu_set, bool *done, bool *fault) {
  return answer([&] { return status(dpu_set, done, fault); });
}

dpu_error_t dpu_sync(dpu_set_t dpu_set) {
  return answer([&] { return sync(dpu_set); });
}

dpu_error_t dpu_callback(dpu_set_t dpu_set, dpu_error_t (*callback)(struct dpu_set_t, uint32_t, void *), void *args,
                         dpu_callback_flags_t flags) {
  return answer([&] { return callAll(dpu_set, callback, args, flags); });
}
