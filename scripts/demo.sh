#!/usr/bin/env bash
# The main job on real input: an MLIR file with a 4096 x 4096 f16 matrix-vector product, compiled for HBM-PIM, run on
# random data, its answer checked, its time and energy shown beside a processor's. Needs build/bin (make demo builds it).
set -euo pipefail
cd "$(dirname "$0")/.."

# show COMMAND...: the command, then what it prints
show() {
  printf '\n$'
  printf ' %q' "$@"
  printf '\n'
  "$@"
}

show build/bin/pimento compile examples/gemv.mlir --target hbm-pim --emit asm
show build/bin/pimento simulate examples/gemv.mlir --target hbm-pim
show build/bin/pimento compare examples/gemv.mlir --targets hbm-pim,hbm-pim-sound,aim,attacc,upmem,l3-sram

# A picture of 2,048 x 2,048 points through a 3 x 3 convolution in plain C, in the arrays of an L3 cache, bit by bit.
picture=$(mktemp --suffix=.npy)
trap 'rm -f "$picture"' EXIT
show python3 scripts/picture.py "$picture" 2048 2048
show build/bin/pimento simulate conv2d --target l3-sram --data "A=$picture"
printf '\nThe same product on a processor:\n'
show build/bin/host_gemv 4096 4096 hbm-pim
