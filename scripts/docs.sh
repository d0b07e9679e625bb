#!/usr/bin/env bash
# Writes the generated reference into build/docs: help of every verb, every machine with the source of every number,
# every kernel of the zoo, and how well the models reproduce their reference points.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=build/bin/pimento
out=build/docs
rm -rf "$out"
mkdir -p "$out/verbs" "$out/machines" "$out/kernels" "$out/validation"

"$tool" --help >"$out/pimento.txt"
for verb in $("$tool" --help | sed -n '/^Subcommands:/,/^$/p' | awk '/^  [a-z]/ {print $1}'); do
  "$tool" "$verb" --help >"$out/verbs/$verb.txt"
done
for file in machines/*.yaml; do
  name=$(basename "$file" .yaml)
  "$tool" targets "$name" >"$out/machines/$name.txt"
done
for name in $("$tool" kernels | awk '/^[a-z]/ {print $1}'); do
  "$tool" kernels "$name" >"$out/kernels/$name.txt"
done
for folder in validation/*/; do
  suite=$(basename "$folder")
  "$tool" validate "$suite" >"$out/validation/$suite.txt"
done
scripts/mlir_table.py "$tool" >"$out/mlir-ops.md"
echo "docs: $(find "$out" -type f | wc -l) files in $out"
