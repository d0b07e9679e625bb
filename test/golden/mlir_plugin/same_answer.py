#!/usr/bin/env python3
"""A module computes the same with its ops outlined as without: both are lowered by MLIR's own passes and run.

usage: same_answer.py MLIR_OPT MLIR_CPU_RUNNER LLVM_LIBRARIES PLUGIN
"""

import re
import subprocess
import sys
from pathlib import Path

PASSES = ("pimento-offload,one-shot-bufferize{bufferize-function-boundaries "
          "function-boundary-type-conversion=identity-layout-map},func.func(convert-linalg-to-affine-loops),lower-affine,"
          "convert-scf-to-cf,expand-strided-metadata,finalize-memref-to-llvm,convert-arith-to-llvm,"
          "func.func(llvm-request-c-wrappers),convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts")


def main():
    mlir_opt, runner, libraries, plugin = sys.argv[1:]
    text = (Path(__file__).parent / "layer.mlir.in").read_text(encoding="utf-8")
    answers, calls = [], []
    for offload in ("true", "false"):
        lowered = subprocess.run([mlir_opt, f"--load-pass-plugin={plugin}", f"--pass-pipeline=builtin.module({PASSES})"],
                                 input=text.replace("OFFLOAD", offload), check=True, capture_output=True, text=True).stdout
        calls.append(len(re.findall(r"call @layer_device_\w+", lowered)))
        shared = ",".join(f"{libraries}/libmlir_{name}runner_utils.so" for name in ("", "c_"))
        printed = subprocess.run([runner, "-e", "main", "--entry-point-result=void", f"--shared-libs={shared}"],
                                 input=lowered, check=True, capture_output=True, text=True).stdout
        answers.append(printed.split("data =")[1].split())
    print(f"{answers[0]}, {calls[0]} calls; {answers[1]}, {calls[1]} calls")
    return 0 if answers == [["[117,", "237,", "0]"]] * 2 and calls[0] >= 2 and calls[1] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
