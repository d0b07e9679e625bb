#!/usr/bin/env bash
# Builds the libFuzzer targets with clang in build-fuzz/ and runs each for a while; stops at the first finding.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]     60 seconds, all targets
#
# A target NAME starts from test/fuzz/seeds/NAME where that folder exists, and keeps what it learns in
# build-fuzz/corpus/NAME. A finding is written to build-fuzz/findings/.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=${1:-60}
shift || true
targets=("$@")
if ((${#targets[@]} == 0)); then
  for f in test/fuzz/*_fuzz.cpp; do
    f=${f##*/}
    targets+=("${f%.cpp}")
  done
fi

export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DPIMENTO_FUZZ=ON -DPIMENTO_WERROR=OFF \
  -DPIMENTO_BENCH=OFF >/dev/null
cmake --build build-fuzz -j "$(nproc)" --target "${targets[@]}"
mkdir -p build-fuzz/findings
for t in "${targets[@]}"; do
  echo "== $t, $limit s"
  mkdir -p "build-fuzz/corpus/$t"
  folders=("build-fuzz/corpus/$t")
  [[ -d test/fuzz/seeds/$t ]] && folders+=("test/fuzz/seeds/$t")
  "build-fuzz/bin/$t" -max_total_time="$limit" -max_len=4096 -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="build-fuzz/findings/$t-" "${folders[@]}"
done
echo "fuzz: no finding in ${#targets[@]} targets, $limit s each"
