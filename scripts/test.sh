#!/usr/bin/env bash
# Builds and tests the project, in stages; stops at the first that fails and ends with what each ctest run said.
#
#   scripts/test.sh               all stages but `long`, `sanitize-all` and `no-llvm-all`
#   scripts/test.sh STAGE...      some of them
#
# Stages:
#   format    every C++ file is formatted
#   layers    rooms include only what layers.toml allows
#   release   all of it, optimised, warnings as errors, in build/; tests labelled fast, then those labelled once
#   sanitize  AddressSanitizer and UndefinedBehaviorSanitizer in build-sanitize/: fast unit and error tests and replayed
#             seeds, but those slow there (PIMENTO_SLOW_UNDER_SANITIZERS in test/CMakeLists.txt)
#   sanitize-all  the same with all tests labelled fast
#   no-llvm   -DPIMENTO_WITH_LLVM=OFF in build-no-llvm/: tests labelled fast of the rooms that are other there
#             (cmake/PimentoWithoutLlvm.cmake), what they need, and the documented commands of a quarter of the pages
#   no-llvm-all  the documented commands of all pages there
#   long      tests labelled long in build/: all of the validation, long fuzzing, 10,000-case properties
#
# The last line but one, `times:`, says how long each stage took, building and testing apart.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
# Three builds of the same files: paths relative to the sources let ccache serve one from another.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export UBSAN_OPTIONS=print_stacktrace=1
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# build DIR "TARGETS" [cmake options]
build() {
  local dir=$1 targets=$2 start=$SECONDS
  shift 2
  cmake -S . -B "$dir" -G Ninja -DPIMENTO_TESTS=ON "$@" >"$log/configure" || {
    cat "$log/configure"
    return 1
  }
  # shellcheck disable=SC2086
  cmake --build "$dir" -j "$jobs" --target $targets || return
  echo $((SECONDS - start)) >"$log/built"
}

# runTests NAME DIR [ctest options]; with options that leave nothing to run, something is wrong
runTests() {
  local name=$1 dir=$2
  shift 2
  ctest --test-dir "$dir" --output-on-failure --no-tests=error -j "$jobs" "$@" 2>&1 | tee "$log/ctest $name"
}

format() { scripts/check-format.sh; }
layers() { python3 scripts/check_layers.py; }
release() {
  build build all -DPIMENTO_WERROR=ON
  runTests 'release, fast' build -L '^fast$'
  runTests 'release, once' build -L '^once$'
}
# buildSanitized TARGET: no line numbers, with which 136 programs took 26 GB; CXXFLAGS=-g1 in the environment has them
buildSanitized() { build build-sanitize "$1" -DPIMENTO_SANITIZE=ON -DPIMENTO_WERROR=ON -DPIMENTO_BENCH=OFF; }
sanitize() {
  buildSanitized tests_sanitized
  runTests 'sanitizers' build-sanitize -L '^fast$' -L '^(unit|error|fuzz)$' -LE "$(<build-sanitize/slow-under-sanitizers)" \
    -E "$(<build-sanitize/slow-replays-under-sanitizers)"
}
sanitize-all() {
  buildSanitized tests_fast
  runTests 'sanitizers, all fast' build-sanitize -L '^fast$'
}
# buildWithoutLlvm TARGETS
buildWithoutLlvm() { build build-no-llvm "$1" -DPIMENTO_WITH_LLVM=OFF -DPIMENTO_BENCH=OFF; }
no-llvm() {
  buildWithoutLlvm "tests_without_llvm pimento pimento_host"
  runTests 'without LLVM, fast' build-no-llvm -L '^fast$' -L "$(<build-no-llvm/rooms-without-llvm)"
  runTests 'without LLVM, documented commands' build-no-llvm -R '^documented_commands$'
}
no-llvm-all() {
  buildWithoutLlvm "pimento pimento_host"
  runTests 'without LLVM, all documented commands' build-no-llvm -R '^documented_commands_all$'
}
long() {
  build build all -DPIMENTO_WERROR=ON
  runTests 'release, long' build -L '^long$'
}

(($#)) || set -- format layers release sanitize no-llvm
timings=()
for stage in "$@"; do
  case $stage in
    format | layers | release | sanitize | sanitize-all | no-llvm | no-llvm-all | long) ;;
    *)
      echo "test.sh: unknown stage '$stage'; stages: format layers release sanitize sanitize-all no-llvm no-llvm-all long" >&2
      exit 2
      ;;
  esac
done

summary() {
  local f
  echo
  echo '== summary'
  for f in "$log"/ctest\ *; do
    [[ -f $f ]] || continue
    echo "${f##*/}:"
    grep -E '^[0-9]+% tests passed|^Total Test time|^No tests were found|\((Failed|Timeout|SEGFAULT|Not Run|Subprocess)' "$f" | sed 's/^/  /' || true
  done
  printf -v f '%s, ' "${timings[@]}"
  echo "times: ${f}in all $SECONDS s"
}

for stage in "$@"; do
  echo
  echo "== $stage"
  start=$SECONDS
  rm -f "$log/built"
  # A child on its own line: behind || or in an `if`, `set -e` would not hold inside the stage.
  set +e
  (
    set -e
    "$stage"
  )
  status=$?
  set -e
  took=$((SECONDS - start))
  built=
  [[ ! -f $log/built ]] || built=" (build $(<"$log/built") s, tests $((took - $(<"$log/built"))) s)"
  timings+=("$stage $took s$built")
  if ((status)); then
    summary
    echo "test: FAILED in stage $stage"
    exit 1
  fi
done
summary
echo 'test: passed'
