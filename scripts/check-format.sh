#!/usr/bin/env bash
# Checks that every C++ file of the project, and the C of kernels/cim, is formatted as .clang-format says; with --fix,
# formats them.
set -euo pipefail
cd "$(dirname "$0")/.."

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  listed=$(git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.cpp' 'kernels/cim/*.c')
else
  listed=$(find src tools test bench kernels/cim -name '*.h' -o -name '*.hpp' -o -name '*.cpp' \
    -o -path 'kernels/cim/*.c')
fi
files=()
while IFS= read -r f; do
  [[ -f $f ]] && files+=("$f")
done <<<"$listed"

if [[ ${1:-} == --fix ]]; then
  clang-format-19 -i "${files[@]}"
  exit 0
fi
if ! clang-format-19 --dry-run -Werror "${files[@]}"; then
  echo "check-format: not formatted; 'make format' repairs it" >&2
  exit 1
fi
echo "check-format: ${#files[@]} files"
