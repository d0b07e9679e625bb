#!/usr/bin/env python3
"""DCC's Table 3 in our terms: drafts of one kernel on AttAcc without and with the paper's three rules, and the seconds that
`pimento tune` takes to find the best of them, proved. Heads are dealt to the devices of all GPUs; a row is what one device
has.

usage: dcc_table3.py PIMENTO
"""

import json
import re
import subprocess
import sys

# (kernel, devices per GPU, batch, GPUs, the paper's drafts without and with pruning, and its seconds)
ROWS = [("attn", 5, 4, 1, 32186, 4274, 9.57, 2.96), ("attn", 5, 64, 8, 33271, 4868, 16.20, 4.10),
        ("attn", 10, 4, 1, 79952, 6200, 29.90, 4.22), ("attn", 10, 64, 8, 83708, 7319, 54.51, 6.32),
        ("bgemv", 5, 4, 1, 32186, 4274, 19.75, 3.75), ("bgemv", 5, 64, 8, 33271, 4868, 36.86, 5.54),
        ("bgemv", 10, 4, 1, 79952, 6200, 57.66, 5.46), ("bgemv", 10, 64, 8, 83708, 7319, 109.92, 9.30)]
HEADS, DHEAD, LEN = 32, 128, 256


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout


def counted(listed):
    """Drafts in all, and those that the rules leave, of what `compile --emit drafts` prints."""
    return [int(n.replace(",", "")) for n in re.search(r"([\d,]+) in all.*?; ([\d,]+) are left", listed, re.S).groups()]


def main():
    pimento = sys.argv[1]
    print("| kernel | devices | batch | GPUs | heads of one | our drafts, with the rules | tuned of, with the rules | seconds | paper: drafts, pruned | seconds |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    for kernel, devices, batch, gpus, all_, pruned, slow, fast in ROWS:
        heads = -(-HEADS * batch // (devices * gpus))
        sizes = f"batch=1,heads={heads},dhead={DHEAD},len={LEN}"
        # The sets of attention's two products are those of one.
        listed = run([pimento, "compile", "bgemv", "--size", sizes, "--target", "attacc", "--emit", "drafts"])
        counts = counted(listed)
        tuned = [json.loads(run([pimento, "tune", kernel, "--size", sizes, "--target", "attacc", "--json", "--store", "none",
                                 "--quiet", *rules])) for rules in ([], ["--rules", "1,2,3"])]
        kept = [t["drafts"]["all"] - sum(t["drafts"][f"rule{r}"] for r in (1, 2, 3)) for t in tuned]
        worse = tuned[1]["best"]["total_cycles"] / tuned[0]["best"]["total_cycles"] - 1
        lost = f" ({100 * worse:.1f} % slower)" if worse > 0 else ""
        print(f"| {kernel} | {devices} | {batch} | {gpus} | {heads} | {counts[0]:,}, {counts[1]:,} | {kept[0]:,}, {kept[1]:,}{lost} "
              f"| {tuned[0]['seconds']:.2f}, {tuned[1]['seconds']:.2f} | {all_:,}, {pruned:,} | {slow}, {fast} |", flush=True)


if __name__ == "__main__":
    main()
