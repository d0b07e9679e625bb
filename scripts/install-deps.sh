#!/usr/bin/env bash
# Installs the Debian 12 packages that building and testing need and this machine lacks. With all of them present it
# does nothing and needs no network.
#
#   scripts/install-deps.sh                 install what is missing (asks sudo for root where needed)
#   scripts/install-deps.sh --with guests   and what programs of other processors need: QEMU, cross compilers, a clip
#   scripts/install-deps.sh --with torch    and PyTorch, for models
#   scripts/install-deps.sh --with mpi      and what shares work on clusters: Open MPI, Slurm, Dask
#   scripts/install-deps.sh --list          print the packages, one per line
set -euo pipefail

packages=(
  # compiler and build
  g++ cmake ninja-build ccache mold
  # libraries: command line, formatting, YAML, JSON, tests, benchmarks
  libcli11-dev libfmt-dev libyaml-cpp-dev nlohmann-json3-dev libgtest-dev libbenchmark-dev
  # results of explorations that can be resumed; compressed points; traces
  libsqlite3-dev zlib1g-dev libzstd-dev
  # the predictor of tune, loaded at run time where it is there
  libxgboost-dev
  # the MLIR front end; libmlir-19-dev alone does not declare the other two
  libmlir-19-dev llvm-19-dev mlir-19-tools
  # C for DPUs: Clang as a library (clang-19 holds what CMake finds it by)
  libclang-19-dev libclang-cpp19-dev clang-19
  # kernels as programs of a host's core
  lld-19
  # ONNX models; the test of its operators
  libonnx-dev libprotobuf-dev python3-onnx
  # formatting, fuzzing
  clang-format-19 libclang-rt-19-dev
  # packages and their test
  dpkg-dev file pkg-config
  # scripts; golden vectors; the Python package and its test in a virtual environment
  python3 python3-numpy python3-markdown python3-pip python3-setuptools python3-venv python3-wheel
)

guests=(qemu-user gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu
  libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-riscv64-cross
  ffmpeg) # makes the clip that mpeg2dec decodes
torch=(python3-torch)
mpi=(libopenmpi-dev openmpi-bin slurm-wlm munge python3-distributed)

isList=
while (($#)); do
  case $1 in
    --list) isList=1 ;;
    --with)
      case ${2:-} in
        guests) packages+=("${guests[@]}") ;;
        torch) packages+=("${torch[@]}") ;;
        mpi) packages+=("${mpi[@]}") ;;
        *)
          echo "install-deps: --with takes: guests, torch, mpi" >&2
          exit 2
          ;;
      esac
      shift
      ;;
    *)
      echo "install-deps: unknown option '$1'; options: --list, --with guests, --with torch, --with mpi" >&2
      exit 2
      ;;
  esac
  shift
done

if [[ -n $isList ]]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

isInstalled() {
  [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == 'install ok installed' ]]
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps: this is no Debian system; install the equivalents of: ${packages[*]}" >&2
  exit 1
fi

missing=()
for p in "${packages[@]}"; do
  isInstalled "$p" || missing+=("$p")
done
if ((${#missing[@]} == 0)); then
  echo "install-deps: all ${#packages[@]} packages are installed"
  exit 0
fi

asRoot=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: not root and no sudo; as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  asRoot=(sudo)
fi
echo "install-deps: installing ${missing[*]}"
"${asRoot[@]}" apt-get update -q
"${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
