#!/usr/bin/env bash
# Builds and tests the project, in stages; stops at the first that fails and ends with what each ctest run said.
#
#   scripts/test.sh               all stages but `long`
#   scripts/test.sh STAGE...      some of them
#
# Stages:
#   format    every C++ file is formatted
#   layers    rooms include only what layers.toml allows
#   release   optimised build in build/, warnings as errors; tests labelled fast, then the others but `long`
#   sanitize  AddressSanitizer and UndefinedBehaviorSanitizer in build-sanitize/; tests labelled fast
#   no-llvm   -DPIMENTO_WITH_LLVM=OFF in build-no-llvm/; tests labelled fast
#   long      tests labelled long in build/: all of the validation, long fuzzing, 10,000-case properties
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
# Three builds of the same files: paths relative to the sources let ccache serve one from another.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export UBSAN_OPTIONS=print_stacktrace=1
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# build DIR [cmake options]
build() {
  local dir=$1
  shift
  cmake -S . -B "$dir" -G Ninja -DPIMENTO_TESTS=ON "$@" >"$log/configure" || {
    cat "$log/configure"
    return 1
  }
  cmake --build "$dir" -j "$jobs"
}

# runTests NAME DIR [ctest options]
runTests() {
  local name=$1 dir=$2
  shift 2
  ctest --test-dir "$dir" --output-on-failure -j "$jobs" "$@" 2>&1 | tee "$log/ctest $name"
}

format() { scripts/check-format.sh; }
layers() { python3 scripts/check_layers.py; }
release() {
  build build -DPIMENTO_WERROR=ON
  runTests 'release, fast' build -L '^fast$' -LE '^long$' --no-tests=error
  runTests 'release, others' build -LE '^(fast|long)$'
}
sanitize() {
  # The release build has seen all warnings; under a sanitizer g++ 12 gives false ones.
  build build-sanitize -DPIMENTO_SANITIZE=ON -DPIMENTO_WERROR=OFF -DPIMENTO_BENCH=OFF -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1 -D_GLIBCXX_ASSERTIONS'
  runTests 'sanitizers, fast' build-sanitize -L '^fast$' -LE '^long$' --no-tests=error
}
no-llvm() {
  build build-no-llvm -DPIMENTO_WITH_LLVM=OFF -DPIMENTO_BENCH=OFF
  runTests 'without LLVM, fast' build-no-llvm -L '^fast$' -LE '^long$' --no-tests=error
}
long() {
  build build -DPIMENTO_WERROR=ON
  runTests 'release, long' build -L '^long$' --no-tests=error
}

(($#)) || set -- format layers release sanitize no-llvm
timings=()
for stage in "$@"; do
  case $stage in
    format | layers | release | sanitize | no-llvm | long) ;;
    *)
      echo "test.sh: unknown stage '$stage'; stages: format layers release sanitize no-llvm long" >&2
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
  printf 'times: %s\n' "${timings[*]}"
}

for stage in "$@"; do
  echo
  echo "== $stage"
  start=$SECONDS
  # A child on its own line: behind || or in an `if`, `set -e` would not hold inside the stage.
  set +e
  (
    set -e
    "$stage"
  )
  status=$?
  set -e
  timings+=("$stage $((SECONDS - start)) s")
  if ((status)); then
    summary
    echo "test: FAILED in stage $stage"
    exit 1
  fi
done
summary
echo 'test: passed'
