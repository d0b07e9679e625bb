#!/usr/bin/env bash
# Installs the build into an empty prefix and uses it as strangers would: the tool, the headers, a client
# built with CMake and one with pkg-config, and the Debian package unpacked.
#
#   install_test.sh SOURCE BUILD with-llvm|no-llvm [alone]
# alone: every header compiles alone (four minutes); otherwise all of them together.
set -euo pipefail
source=$1 build=$2 llvm=$3 headers=${4-together}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
unset PIMENTO_MACHINES PIMENTO_POINTS

fail() {
  echo "install_test: $*" >&2
  exit 1
}
# expect TEXT COMMAND...: the command prints a line with TEXT
expect() {
  local text=$1
  shift
  "$@" >"$work/out" 2>&1 || { cat "$work/out"; fail "failed: $*"; }
  grep -qF -- "$text" "$work/out" || { cat "$work/out"; fail "no '$text' from: $*"; }
}

cmake --install "$build" --prefix "$prefix" >"$work/install.log"
cd "$work"

# useTool BIN: the tool with the data that were installed beside it
useTool() {
  local tool=$1/pimento share=$1/../share/pimento
  expect 'hbm-pim ' "$tool" targets
  expect '13,166 on the device' "$tool" estimate gemv --size m=4096,n=4096
  expect 'yes, bit for bit' "$tool" simulate gemv --size m=512,n=300
  expect '435' "$tool" validate hbm-pim
  [[ $llvm == no-llvm ]] || expect 'yes, bit for bit' "$tool" simulate "$share/examples/axpy.mlir" --size d0=5000
}
useTool "$prefix/bin"

# A copy can be moved, and names neither the sources nor the build.
mv "$prefix" "$work/moved"
prefix=$work/moved
useTool "$prefix/bin"
for file in "$prefix"/bin/pimento "$prefix"/lib*/libpimento.so "$prefix"/lib*/libpimento_dpu.so "$prefix"/lib*/libpimento_c.so \
  "$prefix"/lib*/pimento/*.so; do
  [[ -f $file ]] || continue
  for path in "$source" "$build"; do
    ! grep -qF "$path" "$file" || fail "$file contains $path"
  done
done

# Without its module the copy says so, and does what needs no LLVM.
if [[ $llvm == with-llvm ]]; then
  module=$(find "$prefix" -name PimentoLlvm.so)
  [[ -f $module ]] || fail 'the module is not installed'
  ! readelf -d "$prefix/bin/pimento" "$prefix"/lib*/libpimento*.so | grep -qE 'NEEDED.*(LLVM|MLIR|clang)' ||
    fail 'LLVM is loaded at the start'
  mv "$module" "$work/module"
  expect '13,166 on the device' "$prefix/bin/pimento" estimate gemv --size m=4096,n=4096
  ! "$prefix/bin/pimento" estimate "$prefix/share/pimento/examples/gemv.mlir" >"$work/out" 2>&1 &&
    grep -qF '[llvm-module]' "$work/out" || fail 'a copy without its module does not say so'
  mv "$work/module" "$module"
fi

# The headers compile with nothing but the prefix to include from.
(cd "$prefix/include" && find pimento -name '*.h' | LC_ALL=C sort) >"$work/headers"
[[ $(wc -l <"$work/headers") -gt 60 ]] || fail 'headers are missing'
# compileHeaders FOLDER: the text from standard input
compileHeaders() { g++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$1" -x c++ -; }
export -f compileHeaders
if [[ $headers == alone ]]; then
  xargs -P "$(nproc)" -I{} bash -c 'echo "#include \"{}\"" | compileHeaders '"$prefix/include" <"$work/headers" ||
    fail 'a header does not compile alone'
else
  sed 's/.*/#include "&"/' "$work/headers" | compileHeaders "$prefix/include" || fail 'the headers do not compile'
fi

# Clients.
cp -r "$prefix/share/pimento/examples/client" "$work/client"
cmake -S client -B client-build -DCMAKE_PREFIX_PATH="$prefix" >"$work/client.log" || { cat "$work/client.log"; fail 'client: cmake'; }
cmake --build client-build >"$work/client.log" || { cat "$work/client.log"; fail 'client: build'; }
expect 'hbm-pim 13166 cycles' client-build/client
if command -v pkg-config >/dev/null; then
  folder=$(dirname "$(find "$prefix" -name pimento.pc)")
  flags=$(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs pimento)
  # shellcheck disable=SC2086
  g++ -std=c++20 client/client.cpp -o client-pc $flags
  expect 'hbm-pim 13166 cycles' env LD_LIBRARY_PATH="$(dirname "$folder")" ./client-pc
else
  echo 'pkg-config: not run here'
fi

# The C interface: from C with pkg-config and with CMake, from Python; the header in C and in C++.
useC() {
  local lib=$1
  expect 'hbm-pim: offload it' env LD_LIBRARY_PATH="$lib" ./offload hbm-pim
  ! command -v python3 >/dev/null ||
    expect 'hbm-pim: offload it' env LD_LIBRARY_PATH="$lib" python3 "$prefix/share/pimento/examples/capi/offload.py"
}
# usePython ROOT: the Python package there finds the library by itself.
usePython() {
  ! command -v python3 >/dev/null ||
    expect '13166 cycles' env -u PIMENTO_LIBRARY PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$1/lib/python3/dist-packages" python3 -c \
      'import pimento; print(pimento.estimate("gemv", {"m": 4096, "n": 4096}, map="reference")["cycles"], "cycles")'
}
usePython "$prefix"
lib=$(dirname "$(find "$prefix" -name libpimento_c.so)")
flags="-I$prefix/include -L$lib -lpimento_c"
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs pimento-c)
fi
# shellcheck disable=SC2086
gcc -std=c99 -Wall -Wextra -Werror -pedantic "$prefix/share/pimento/examples/capi/offload.c" -o offload $flags
useC "$lib"
mkdir capi
cat >capi/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(Client LANGUAGES C)
find_package(Pimento 0.1 REQUIRED)
add_executable(offload $prefix/share/pimento/examples/capi/offload.c)
target_link_libraries(offload PRIVATE Pimento::c)
END
cmake -S capi -B capi-build -DCMAKE_PREFIX_PATH="$prefix" >"$work/capi.log" && cmake --build capi-build >>"$work/capi.log" ||
  { cat "$work/capi.log"; fail 'the C interface with CMake'; }
expect 'fastest: hbm-pim' capi-build/offload hbm-pim
echo '#include <pimento.h>' | g++ -std=c++11 -fsyntax-only -Wall -Wextra -Werror -pedantic -I"$prefix/include" -x c++ - ||
  fail 'pimento.h does not compile as C++'

# Infinity Stream's runtime: a fat binary of the zoo from a C program.
lib=$(dirname "$(find "$prefix" -name libpimento_inf.so)")
flags="-I$prefix/include -L$lib -lpimento_inf"
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs pimento-inf)
fi
# shellcheck disable=SC2086
gcc -std=c99 -Wall -Wextra -Werror -pedantic "$prefix/share/pimento/examples/infinity-stream/vec_add.c" -o vec_add $flags
! readelf -d "$lib/libpimento_inf.so" | grep -qE 'NEEDED.*(LLVM|MLIR|clang)' || fail 'libpimento_inf.so needs LLVM'
if [[ $llvm == with-llvm ]]; then
  "$prefix/bin/pimento" compile vec_add --emit inf >vec_add.inf || fail 'no fat binary of a kernel by its name'
  expect '5000 sums, 0 wrong' env LD_LIBRARY_PATH="$lib" ./vec_add vec_add.inf 5000
fi

# The plugin, in mlir-opt: a pipeline from linalg to LLVM IR, and a file of its own.
usePlugin() {
  local tool=$1 share=$2 plugin
  plugin=$(find "$(dirname "$tool")/../lib" -name PimentoPasses.so)
  expect 'declare { ptr, ptr, i64, [1 x i64], [1 x i64] } @mlp_device_matvec(' "$share/examples/mlir-plugin/run.sh" "$tool" "$plugin"
  expect 'pimento.offload = false' mlir-opt-19 --load-pass-plugin="$plugin" \
    --pass-pipeline='builtin.module(pimento-annotate{targets=hbm-pim,upmem map=reference},pimento-offload)' "$share/examples/ops/matmul.mlir"
}
if [[ $llvm == with-llvm ]] && command -v mlir-opt-19 >/dev/null; then
  usePlugin "$prefix/bin/pimento" "$prefix/share/pimento"
else
  echo 'mlir-opt: not run here'
fi

# A host program for UPMEM, built in C with nothing but the prefix; its library needs no LLVM.
useHost() {
  local lib=$1 share=$2
  expect '65 DPUs, 0 wrong sums' env LD_LIBRARY_PATH="$lib" PIMENTO_REPORT=account.json ./host "$share/examples/upmem/sum.s"
  grep -qF '"launches": 1,' account.json || fail 'the host library wrote no account'
}
lib=$(dirname "$(find "$prefix" -name libpimento_dpu.so)")
strict='-std=c99 -Wall -Wextra -Werror -pedantic'
flags="-I$prefix/include/pimento-dpu -L$lib -lpimento_dpu"
if command -v pkg-config >/dev/null; then
  flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs pimento-dpu)
fi
# shellcheck disable=SC2086
gcc $strict "$prefix/share/pimento/examples/upmem/sum_host.c" -o host $flags
useHost "$lib" "$prefix/share/pimento"
! readelf -d "$lib/libpimento_dpu.so" | grep -qE 'NEEDED.*(LLVM|MLIR|clang)' || fail 'libpimento_dpu.so needs LLVM'
for header in "$prefix"/include/pimento-dpu/*.h; do
  # shellcheck disable=SC2086
  echo "#include <${header##*/}>" | gcc $strict -fsyntax-only -I"$prefix/include/pimento-dpu" -x c - ||
    fail "$header does not compile alone"
done

# The interface in C++ is a header of its own.
printf '#include <dpu>\nint main() { return dpu::DpuSet::allocate(1).dpus().size() != 1; }\n' >host.cpp
# shellcheck disable=SC2086
g++ -std=c++11 -Wall -Wextra -Werror -pedantic host.cpp -o host_cpp $flags || fail '#include <dpu> does not compile'
LD_LIBRARY_PATH="$lib" ./host_cpp || fail 'a host program in C++'

# A program of both halves by a Makefile as those of UPMEM programs are, with nothing of ours but the folder of the tool on
# the PATH.
useMakefile() {
  local bin=$1 share=$2
  rm -rf both
  cp -r "$share/examples/upmem/c/vecadd" both
  cat >both/Makefile <<'END'
TASKLETS ?= 16
HOST_FLAGS := -std=c11 -Wall -Wextra -O2 `dpu-pkg-config --cflags --libs dpu` -DNR_TASKLETS=$(TASKLETS)
DPU_FLAGS := -Wall -Wextra -O2 -DNR_TASKLETS=$(TASKLETS)
all: host dpu
host: host.c common.h
	$(CC) -o $@ $< $(HOST_FLAGS)
dpu: dpu.c common.h
	dpu-upmem-dpurte-clang $(DPU_FLAGS) -o $@ $<
END
  PATH="$bin:$PATH" make -s -C both >"$work/make.log" 2>&1 || { cat "$work/make.log"; fail 'make of a UPMEM program'; }
  (cd both && ./host) >"$work/host.log" 2>&1 || { cat "$work/host.log"; fail 'the UPMEM program'; }
}
[[ $llvm == no-llvm ]] || useMakefile "$prefix/bin" "$prefix/share/pimento"

# The package, unpacked.
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
  (cd "$build" && cpack -B "$work/packages" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; fail cpack; }
  package=$(find "$work/packages" -maxdepth 1 -name '*.deb')
  dpkg-deb -x "$package" "$work/root"
  useTool "$work/root/usr/bin"
  [[ $llvm == no-llvm ]] || useMakefile "$work/root/usr/bin" "$work/root/usr/share/pimento"
  useHost "$(dirname "$(find "$work/root" -name libpimento_dpu.so)")" "$work/root/usr/share/pimento"
  [[ $llvm == no-llvm ]] || usePlugin "$work/root/usr/bin/pimento" "$work/root/usr/share/pimento"
  useC "$(dirname "$(find "$work/root" -name libpimento_c.so)")"
  usePython "$work/root/usr"
  dpkg-deb --field "$package" Depends | grep -q libfmt || fail 'the package does not say what it needs'
else
  echo 'Debian package: not run here'
fi
echo "install_test: $(wc -l <"$work/headers") headers, two clients, tool and package work"
