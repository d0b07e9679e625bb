#!/usr/bin/env python3
"""Operations per second of a DPU with 16 tasklets, next to the published ones: the table of docs/models/upmem-vendor.md.

    scripts/operation_throughput.py TOOL           measures and writes the table
    scripts/operation_throughput.py TOOL --check   status 1 if the page has another table, or one programs with
                                                   --like=vendor differ by more than 15 %

Every row is a program: 16 tasklets go over 256 elements in WRAM, load, operation with a scalar, store. Passes begin with
fresh elements, and the time of a pass is the difference of runs of 4 and of 12 of them.
"""

import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models" / "upmem-vendor.md"
PUBLISHED = ROOT / "validation" / "prim" / "operation_throughput.csv"
BEGIN, END = "<!-- table: scripts/operation_throughput.py -->\n", "<!-- end of table -->\n"
TASKLETS, ELEMENTS, MHZ, FEW, MANY, LIMIT = 16, 256, 350, 4, 12, 0.15
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
# Elements from a random word `w` of 32 bits, and the scalar. Those of PrIM are not published. Products of words take 8
# slots and one per bit of the smaller factor, quotients about one per bit.
VALUES = {
    ("int32_t", "mul"): ("(int32_t)(w >> 11)", "1398101"),
    ("int32_t", "div"): ("(int32_t)(w >> 1)", "300007"),
    ("int64_t", "mul"): ("(int64_t)((uint64_t)w << 31 | w)", "5573589319906701683LL"),
    ("int64_t", "div"): ("(int64_t)((uint64_t)w << 29 | w)", "123456789123LL"),
    ("int32_t", None): ("(int32_t)w", "77777"),
    ("int64_t", None): ("(int64_t)((uint64_t)w << 29 | w)", "77777777777LL"),
    ("float", None): ("(float)(w >> 12) * 0.001f + 1.0f", "3.7f"),
    ("double", None): ("(double)(w >> 12) * 0.001 + 1.0", "3.7"),
}
PROGRAM = """
#include <attributes.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>
typedef %(type)s T;
__host uint32_t passes;
__host T scalar = %(scalar)s;
__mram_noinit T fresh[NR_TASKLETS][%(elements)d];
static __dma_aligned T buffers[NR_TASKLETS][%(elements)d];

static __attribute__((noinline)) void pass(T *buffer, T s) {
  for (int32_t i = 0; i < %(elements)d; i++) buffer[i] = buffer[i] %(sign)s s;
}

int main(void) {
  T *buffer = buffers[me()];
  uint32_t w = me() * 2654435761u + 12345;
  for (int i = 0; i < %(elements)d; i++) {
    w = w * 1664525u + 1013904223u;
    buffer[i] = %(element)s;
  }
  for (uint32_t b = 0; b < sizeof buffers[0]; b += 1024)
    mram_write((char *)buffer + b, (__mram_ptr char *)fresh[me()] + b, 1024);
  for (uint32_t p = 0; p < passes; p++) {
    for (uint32_t b = 0; b < sizeof buffers[0]; b += 1024)
      mram_read((__mram_ptr char *)fresh[me()] + b, (char *)buffer + b, 1024);
    pass(buffer, scalar);
  }
  return 0;
}
"""


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(map(str, words)), done.stderr))
    return done.stdout


def throughput(tool, kind, operation, flags):
    """Million operations per second of all tasklets together."""
    element, scalar = VALUES.get((kind, operation)) or VALUES[(kind, None)]
    text = PROGRAM % {"type": kind, "scalar": scalar, "elements": ELEMENTS, "element": element, "sign": SIGNS[operation]}
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "pass.c", pathlib.Path(folder) / "pass.elf"
        source.write_text(text)
        run(tool, "upmem-cc", "-O2", *flags, "-DNR_TASKLETS=%d" % TASKLETS, "-o", program, source)
        cycles = [json.loads(run(tool, "simulate", program, "--in", "passes=u32:%d" % n, "--json"))["cycles"] for n in (FEW, MANY)]
    return TASKLETS * ELEMENTS * (MANY - FEW) * MHZ / (cycles[1] - cycles[0])


def digits(mops):
    return "%.1f" % mops if mops >= 10 else "%.2f" % mops if mops >= 1 else "%.3f" % mops


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    tool = arguments[0]
    with PUBLISHED.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        like = list(pool.map(lambda r: throughput(tool, r["type"], r["operation"], ["--like=vendor"]), rows))
        own = list(pool.map(lambda r: throughput(tool, r["type"], r["operation"], []), rows))
    table = "| operation | published | `--like=vendor` | difference | our code |\n|---|---|---|---|---|\n"
    far = []
    for row, vendor, ours in zip(rows, like, own):
        published = float(row["mops"])
        error = vendor / published - 1
        name = "%s %s" % (row["type"].removesuffix("_t"), row["operation"])
        table += "| %s | %s | %s | %+.1f %% | %s |\n" % (name, row["mops"], digits(vendor), 100 * error, digits(ours))
        if abs(error) > LIMIT:
            far.append(name)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    made = before + BEGIN + table + END + rest.split(END)[1]
    if "--check" not in sys.argv:
        PAGE.write_text(made)
        print(table, end="")
    elif made != page:
        print("docs/models/upmem-vendor.md has another table; write it: scripts/operation_throughput.py build/bin/pimento\n" + table,
              file=sys.stderr)
    for name in far:
        print("%s differs by more than %d %%" % (name, 100 * LIMIT), file=sys.stderr)
    return int(bool(far) or ("--check" in sys.argv and made != page))


if __name__ == "__main__":
    sys.exit(main())
