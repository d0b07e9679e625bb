// Errors in words, the log, the account, probes.
#include <dpu.h>
#include <dpu_log.h>
#include <dpu_probe.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <string>

#include "account.h"
#include "outcome.h"
#include "pimento/targets/upmem/log.h"
#include "report.h"
#include "system.h"

namespace pimento::upmem {

namespace {

double ms(Picoseconds t) {
  return t.value / 1e9;
}

Outcome account(const dpu_set_t &set, pimento_dpu_account_t *out) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (out == nullptr) return failure(DPU_ERR_INVALID_MEMORY_TRANSFER, "the pointer for the account is NULL");
  s.system->queue.wait();
  const Totals t = s.system->account.totals();
  const auto unsignedOf = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  *out = {};
  out->launches = unsignedOf(t.launches);
  out->kernel_cycles = unsignedOf(t.kernelCycles.value);
  out->kernel_ms = ms(t.kernel);
  out->launch_ms = ms(t.launch);
  out->to_dpu_ms = ms(t.toDpu);
  out->from_dpu_ms = ms(t.fromDpu);
  out->total_ms = ms(t.total);
  out->to_dpu_bytes = unsignedOf(t.toDpuBytes.value);
  out->from_dpu_bytes = unsignedOf(t.fromDpuBytes.value);
  out->instructions = unsignedOf(t.counts.instructions);
  out->dma_bytes = unsignedOf(t.counts.mramReadBytes + t.counts.mramWriteBytes);
  out->energy_pj = t.energyTotal.value;
  out->energy_low_pj = t.energyLow.value;
  out->energy_high_pj = t.energyHigh.value;
  if (!t.isTimed) {
    out->kernel_cycles = 0;
    for (double *time : {&out->kernel_ms, &out->total_ms, &out->energy_pj, &out->energy_low_pj, &out->energy_high_pj})
      *time = std::numeric_limits<double>::quiet_NaN();
  }
  return {};
}

/// The host reads how much the log of one DPU holds, and that.
evaluate::HostWork workOfLog(std::int64_t bytes) {
  evaluate::HostWork work;
  work.dpus = work.ranks = work.readCalls = 1;
  work.readBack = work.serialReadBack = Bytes(4 + bytes);
  return work;
}

/// A program that prints into a log of other tools: an empty log would look as if it printed nothing. Once per process.
void noteForeignLog(const program::Code &code) {
  const bool prints = std::ranges::any_of(std::initializer_list<const char *>{"printf", "puts", "putchar"},
                                          [&](const char *name) { return code.symbolNamed(name) != nullptr; });
  static std::once_flag once;
  if (!prints) return;
  std::call_once(once, [] {
    std::fputs(
        "warning: what the program prints cannot be read: it was linked by other tools, and the format of their log is "
        "not public [dpu-log-foreign]\n  hint: link the program by pimento upmem-cc\n",
        stderr);
  });
}

Outcome readLog(const dpu_set_t &set, FILE *stream) {
  Selected s;
  if (Outcome o = Registry::get().select(set, s); !o) return o;
  if (stream == nullptr) return failure(DPU_ERR_INVALID_MEMORY_TRANSFER, "the stream is NULL");
  s.system->queue.wait();
  Outcome outcome;
  for (dpu_t *d : s.dpus) {
    if (d->program == nullptr)
      return failure(DPU_ERR_NO_PROGRAM_LOADED,
                     fmt::format("{} has no program\n  hint: call dpu_load first", s.system->nameOf(*d)));
    targets::upmem::DpuLog log(d->program->code());
    if (log.size() == 0) noteForeignLog(d->program->code());
    log.take(*d->engine);
    s.system->account.addTransfer({{d->rank, 1}, false, {}}, Call::kLog, workOfLog(log.taken()));
    std::fprintf(stream, "=== DPU#0x%x ===\n", static_cast<unsigned>(d->index));
    std::fwrite(log.text().data(), 1, log.text().size(), stream);
    if (outcome && log.lost() > 0)
      outcome = failure(DPU_ERR_LOG_BUFFER_TOO_SMALL, fmt::format("{} bytes of the log of {} did not fit into its {}",
                                                                  log.lost(), s.system->nameOf(*d), log.size()));
  }
  return outcome;
}

struct Names {
  dpu_error_t code;
  const char *text;
};
constexpr Names kErrors[] = {
    {DPU_OK, "success"},
    {DPU_ERR_INTERNAL, "internal error of the library"},
    {DPU_ERR_SYSTEM, "the operating system refused memory, a thread or a file"},
    {DPU_ERR_DRIVER, "the driver failed"},
    {DPU_ERR_ALLOCATION, "not enough free DPUs or ranks"},
    {DPU_ERR_INVALID_DPU_SET, "invalid set of DPUs"},
    {DPU_ERR_INVALID_THREAD_ID, "invalid tasklet"},
    {DPU_ERR_INVALID_NOTIFY_ID, "invalid notification"},
    {DPU_ERR_INVALID_WRAM_ACCESS, "invalid access to WRAM"},
    {DPU_ERR_INVALID_IRAM_ACCESS, "invalid access to IRAM"},
    {DPU_ERR_INVALID_MRAM_ACCESS, "invalid access to MRAM"},
    {DPU_ERR_INVALID_SYMBOL_ACCESS, "access beyond the end of a symbol"},
    {DPU_ERR_MRAM_BUSY, "the DPU is using its MRAM"},
    {DPU_ERR_TRANSFER_ALREADY_SET, "the DPU has a buffer already"},
    {DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER, "invalid parallel transfer"},
    {DPU_ERR_WRAM_FIFO_FULL, "the queue in WRAM is full"},
    {DPU_ERR_NO_PROGRAM_LOADED, "no program is loaded"},
    {DPU_ERR_DIFFERENT_DPU_PROGRAMS, "the DPUs of the set have different programs"},
    {DPU_ERR_CORRUPTED_MEMORY, "memory is corrupted"},
    {DPU_ERR_DPU_DISABLED, "the DPU is disabled"},
    {DPU_ERR_DPU_ALREADY_RUNNING, "the DPU is running already"},
    {DPU_ERR_INVALID_MEMORY_TRANSFER, "invalid transfer"},
    {DPU_ERR_INVALID_LAUNCH_POLICY, "invalid launch policy"},
    {DPU_ERR_DPU_FAULT, "a DPU is in fault"},
    {DPU_ERR_ELF_INVALID_FILE, "invalid program file"},
    {DPU_ERR_ELF_NO_SUCH_FILE, "the program file cannot be read"},
    {DPU_ERR_ELF_NO_SUCH_SECTION, "the program file is missing a section"},
    {DPU_ERR_TIMEOUT, "the program did not end in time"},
    {DPU_ERR_INVALID_PROFILE, "invalid profile"},
    {DPU_ERR_UNKNOWN_SYMBOL, "unknown symbol"},
    {DPU_ERR_LOG_FORMAT, "the log cannot be read"},
    {DPU_ERR_LOG_CONTEXT_MISSING, "the program has no log"},
    {DPU_ERR_LOG_BUFFER_TOO_SMALL, "the log was too small for the output"},
    {DPU_ERR_VPD_INVALID_FILE, "invalid module description"},
    {DPU_ERR_VPD_NO_REPAIR, "the module cannot be repaired"},
    {DPU_ERR_NO_THREAD_PER_RANK, "ranks have no threads"},
    {DPU_ERR_INVALID_BUFFER_SIZE, "invalid size of a buffer"},
    {DPU_ERR_NONBLOCKING_SYNC_CALLBACK, "a nonblocking callback must be asynchronous"},
    {DPU_ERR_TOO_MANY_TASKLETS, "the program needs more tasklets than the DPU has"},
    {DPU_ERR_SG_TOO_MANY_BLOCKS, "too many blocks for one DPU"},
    {DPU_ERR_SG_LENGTH_MISMATCH, "the blocks of a DPU do not have the length of the transfer"},
    {DPU_ERR_SG_NOT_ACTIVATED, "scatter/gather is not enabled in the profile"},
    {DPU_ERR_SG_NOT_MRAM_SYMBOL, "scatter/gather is for variables in MRAM"},
    {DPU_ERR_ASYNC_JOBS, "asynchronous work failed"},
};

/// Both quantities of everything so far.
void measure(double (&values)[2]) {
  const Totals t = Registry::get().totals();
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  values[DPU_ENERGY] = t.isTimed ? t.energyTotal.value / 1e12 : kUnknown;
  values[DPU_TIME] = t.isTimed ? t.total.value / 1e12 : kUnknown;
}

Outcome stop(dpu_probe_t &probe) {
  if (probe.is_running == 0) return failure(DPU_ERR_INTERNAL, "the probe was not started");
  double now[2];
  measure(now);
  for (int q = 0; q < 2; ++q) {
    const double spent = now[q] - probe.begin[q];
    probe.total[q] += spent;
    probe.least[q] = probe.intervals == 0 ? spent : std::min(probe.least[q], spent);
    probe.most[q] = std::max(probe.most[q], spent);
  }
  ++probe.intervals;
  probe.is_running = 0;
  return {};
}

}  // namespace

}  // namespace pimento::upmem

using namespace pimento::upmem;

const char *dpu_error_to_string(dpu_error_t status) {
  for (const auto &e : kErrors)
    if (e.code == status) return e.text;
  return "unknown code";
}

dpu_error_t dpu_log_read(dpu_set_t set, FILE *stream) {
  return answer([&] { return readLog(set, stream); });
}

dpu_error_t pimento_dpu_account(dpu_set_t set, pimento_dpu_account_t *account) {
  return answer([&] { return pimento::upmem::account(set, account); });
}

dpu_error_t pimento_dpu_report(const char *file) {
  return answer(
      [&] { return file == nullptr ? failure(DPU_ERR_SYSTEM, "the file name is missing") : writeReport(file); });
}

const char *pimento_dpu_reason(void) {
  return lastReason().c_str();
}

void pimento_dpu_print_failure(const char *file, int line, const char *call, dpu_error_t status) {
  const std::string &reason = lastReason();
  std::fprintf(stderr, "%s:%d: %s: %s\n%s%s", file, line, call, dpu_error_to_string(status), reason.c_str(),
               reason.empty() ? "" : "\n");
}

dpu_error_t dpu_probe_init(const char *name, dpu_probe_t *probe) {
  return answer([&]() -> Outcome {
    if (probe == nullptr) return failure(DPU_ERR_INTERNAL, "the probe is NULL");
    *probe = {};
    probe->name = name;
    return {};
  });
}

dpu_error_t dpu_probe_start(dpu_probe_t *probe) {
  return answer([&]() -> Outcome {
    if (probe == nullptr) return failure(DPU_ERR_INTERNAL, "the probe is NULL");
    measure(probe->begin);
    probe->is_running = 1;
    return {};
  });
}

dpu_error_t dpu_probe_stop(dpu_probe_t *probe) {
  return answer([&]() -> Outcome {
    if (probe == nullptr) return failure(DPU_ERR_INTERNAL, "the probe is NULL");
    return stop(*probe);
  });
}

dpu_error_t dpu_probe_get(dpu_probe_t *probe, dpu_probe_quantity_t quantity, dpu_probe_statistic_t statistic,
                          double *value) {
  return answer([&]() -> Outcome {
    if (probe == nullptr || value == nullptr) return failure(DPU_ERR_INTERNAL, "the probe or the value is NULL");
    if (quantity != DPU_ENERGY && quantity != DPU_TIME) return failure(DPU_ERR_INTERNAL, "not a quantity of a probe");
    const auto n = static_cast<double>(std::max<std::uint64_t>(1, probe->intervals));
    *value = statistic == DPU_MIN     ? probe->least[quantity]
             : statistic == DPU_MAX   ? probe->most[quantity]
             : statistic == DPU_TOTAL ? probe->total[quantity]
                                      : probe->total[quantity] / n;
    return {};
  });
}

dpu_error_t dpu_probe_deinit(dpu_probe_t *) {
  return DPU_OK;
}
