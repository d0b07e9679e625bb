#!/usr/bin/env bash
# From linalg to LLVM IR, with the ops that are worth it on a memory-centric machine: annotate and decide, outline, check
# the device functions on the machine's simulator, lower the rest for the host by MLIR's own passes.
#
#   run.sh [PIMENTO [PLUGIN]]      default: pimento on the PATH, and the plugin that was installed with it
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
pimento=${1:-$(command -v pimento)}
plugin=${2:-$(dirname "$(dirname "$(readlink -f "$pimento")")")/lib/pimento/PimentoPasses.so}
opt() { mlir-opt-19 --load-pass-plugin="$plugin" --pass-pipeline="builtin.module($1)" "${@:2}"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo '== decide'
opt 'pimento-annotate{targets=hbm-pim}' "$here/mlp.mlir" -o "$work/decided.mlir"
sed -nE 's/.*(linalg\.[a-z]+) .*pimento\.offload = ([a-z]+), pimento\.reason = "([^";]*).*/\1 offload=\2: \3/p' "$work/decided.mlir"

echo '== outline'
opt 'pimento-offload' "$work/decided.mlir" -o "$work/mlp.mlir"
grep -E '(call|func\.func).*_device_' "$work/mlp.mlir" | sed -E 's/^ +//; s/ : .*//; s/ attributes .*//'

echo '== a device function, on the simulated machine, with the mapping that was chosen'
"$pimento" simulate "$work/mlp.mlir" --function mlp_device_matvec | head -4

echo '== the host, down to LLVM IR'
opt 'one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},
     pimento-offload{declare},func.func(convert-linalg-to-affine-loops),lower-affine,convert-scf-to-cf,
     expand-strided-metadata,finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,
     reconcile-unrealized-casts' "$work/mlp.mlir" | mlir-translate-19 --mlir-to-llvmir -o "$work/mlp.ll"
grep -E '^(define|declare).*@mlp' "$work/mlp.ll" | sed -E 's/\(.*/(...)/'
