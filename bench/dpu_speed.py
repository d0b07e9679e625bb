"""Rows of speed.py for programs of DPUs: instructions per second of CPU time, and estimates against simulations.

The programs are compiled once, by the tool that is measured, and run by both.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TASKLETS = 16
HEAD = """#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <stdint.h>
__mram_noinit uint32_t data[1 << 16];
__host uint32_t results[NR_TASKLETS];
"""
PROGRAMS = {
    # A loop over blocks of 1 KiB: 10 instructions a word.
    "blocks": """
int main(void) {
  static __dma_aligned uint32_t buffers[NR_TASKLETS][256];
  uint32_t *block = buffers[me()], sum = 0;
  for (int round = 0; round < 160; ++round)
    for (uint32_t i = me() * 256; i < 1 << 16; i += NR_TASKLETS * 256) {
      mram_read(&data[i], block, 1024);
      for (int j = 0; j < 256; ++j) {
        const uint32_t v = block[j];
        sum += (v >> 3) ^ (v * 5 + j);
        block[j] = sum;
      }
      mram_write(block, &data[i], 1024);
    }
  results[me()] = sum;
  return 0;
}""",
    # A table that all tasklets read.
    "table": """
BARRIER_INIT(ready, NR_TASKLETS)
uint32_t table[4096];
int main(void) {
  for (uint32_t i = me(); i < 4096; i += NR_TASKLETS) table[i] = i * 2654435761u;
  barrier_wait(&ready);
  uint32_t x = me() * 77 + 1, sum = 0;
  for (int i = 0; i < 300000; ++i) {
    x = x * 5 + 1013904223;
    sum += table[(x >> 18) & 4095];
  }
  results[me()] = sum;
  return 0;
}""",
    # Transfers of 8 bytes.
    "words": """
int main(void) {
  __dma_aligned uint32_t word[2];
  uint32_t sum = 0;
  for (int round = 0; round < 4; ++round)
    for (uint32_t i = 2 * me(); i < 1 << 16; i += 2 * NR_TASKLETS) {
      mram_read(&data[i], word, 8);
      sum += word[0] * 3;
      mram_write(word, &data[i], 8);
    }
  results[me()] = sum;
  return 0;
}""",
    # One lock.
    "lock": """
MUTEX_INIT(lock);
uint32_t histogram[256];
int main(void) {
  uint32_t x = me() * 77 + 1;
  for (int i = 0; i < 6000; ++i) {
    x = x * 1664525 + 1013904223;
    mutex_lock(lock);
    ++histogram[x >> 24];
    mutex_unlock(lock);
  }
  results[me()] = x;
  return 0;
}""",
    # A loop that proofs say all of.
    "counted": """
int main(void) {
  uint32_t sum = me();
  for (int i = 0; i < 400000; ++i) __asm__ volatile("add %0, %0, 3" : "+r"(sum));
  results[me()] = sum;
  return 0;
}""",
}
HOST = """#include <dpu.h>
#include <stdio.h>
int main(int argc, char **argv) {
  struct dpu_set_t set;
  DPU_ASSERT(dpu_alloc(1, NULL, &set));
  DPU_ASSERT(dpu_load(set, argv[1], NULL));
  for (int i = 0; i < 4; ++i) DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
  DPU_ASSERT(dpu_free(set));
  return 0;
}
"""


def cpu_us(command, environment=None):
    """CPU time of a process, and what it printed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, text=True, env={**os.environ, **(environment or {})})
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode != 0:
            sys.exit(f"speed: {' '.join(command)}: status {child.returncode}\n{err.read()}")
        return (used.ru_utime + used.ru_stime) * 1e6, out.read()


class Programs:
    """The programs, compiled into a folder."""

    def __init__(self, compiler):
        self.folder = tempfile.TemporaryDirectory()
        self.files = {}
        for name, text in PROGRAMS.items():
            source = Path(self.folder.name) / f"{name}.c"
            source.write_text(HEAD + text, encoding="utf-8")
            self.files[name] = str(source.with_suffix(".elf"))
            flags = ["-O2", f"-DNR_TASKLETS={TASKLETS}", "-o", self.files[name], str(source)]
            subprocess.run([compiler, "upmem-cc", *flags], check=True)

    def run(self, tool, verb, name):
        spent, text = cpu_us([tool, verb, self.files[name], "--target", "upmem", "--jobs", "1", "--json"])
        return spent, json.loads(text)

    def host(self, tool):
        """The host program, linked with the tool's library."""
        binaries = Path(tool).resolve().parent
        built = Path(self.folder.name) / f"host{abs(hash(str(binaries)))}"
        if not built.exists():
            source = Path(self.folder.name) / "host.c"
            source.write_text(HOST, encoding="utf-8")
            asked = [str(binaries / "dpu-pkg-config"), "--cflags", "--libs", "dpu"]
            flags = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
            subprocess.run(["cc", "-O2", "-o", str(built), str(source), *flags], check=True)
        return str(built)


def simulated(programs, name):
    """Million instructions per second of CPU time, the process with all that it does included."""

    def measure(tool):
        spent, report = programs.run(tool, "simulate", name)
        return report["counts"]["instructions"] / spent

    return measure


def untimed(programs, name):
    """The same for a host program without times; a library that knows no such thing takes its time."""

    def measure(tool):
        report = Path(programs.folder.name) / "report.json"
        settings = {"PIMENTO_TIMING": "off", "PIMENTO_JOBS": "1", "PIMENTO_REPORT": str(report)}
        spent, _ = cpu_us([programs.host(tool), programs.files[name]], settings)
        return json.loads(report.read_text())["counts"]["instructions"] / spent

    return measure


def estimated(programs, name):
    """CPU time of an estimate, as a share of that of a simulation."""

    def measure(tool):
        pairs = [[programs.run(tool, verb, name)[0] for verb in ("estimate", "simulate")] for _ in range(3)]
        estimates, simulations = zip(*pairs)
        return statistics.median(estimates) / statistics.median(simulations)

    return measure


def cases(compiler):
    """Label, measuring function of a tool, unit, limit, whether that is the least."""
    programs = Programs(compiler)
    rows = [
        ("DPU, blocks of 1 KiB", simulated(programs, "blocks"), "M instr/s", 150, True),
        ("DPU, a table for all", simulated(programs, "table"), "M instr/s", 150, True),
        ("DPU, one lock", simulated(programs, "lock"), "M instr/s", 50, True),
        ("DPU, 8-byte transfers", simulated(programs, "words"), "M instr/s", 20, True),
        ("DPU, blocks, PIMENTO_TIMING=off", untimed(programs, "blocks"), "M instr/s", 500, True),
        ("DPU, a table, PIMENTO_TIMING=off", untimed(programs, "table"), "M instr/s", 500, True),
    ]
    rows += [(f"estimate of simulate, {name}", estimated(programs, name), "x", 1.1, False) for name in PROGRAMS]
    return rows
