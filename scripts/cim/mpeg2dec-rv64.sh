#!/usr/bin/env bash
# Builds mpeg2dec for RV64, for which Debian 12 has no packages, from Debian's source package: a static program.
# Needs no root, and leaves the system's packages alone. The source is GPL and stays in the folder.
#
#   scripts/cim/mpeg2dec-rv64.sh [FOLDER]    prints the program (default folder: build/guests/rv64)
set -euo pipefail

folder=${1:-$(dirname "$0")/../../build/guests/rv64}
for tool in apt-get riscv64-linux-gnu-gcc make; do
  if ! command -v "$tool" >/dev/null; then
    echo "mpeg2dec-rv64: there is no $tool" >&2
    exit 1
  fi
done
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [[ ! -x $folder/mpeg2dec ]]; then
  state=$folder/apt
  mkdir -p "$state"/{lists,cache/archives}/partial
  : >>"$state/status"
  release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  echo "deb-src http://deb.debian.org/debian $release main" >"$state/sources.list"
  options=(
    -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::State::lists=$state/lists"
    -o "Dir::Cache=$state/cache" -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=-
    -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none
  )
  cd "$folder"
  apt-get "${options[@]}" -q update >&2
  apt-get "${options[@]}" -q source --tar-only mpeg2dec >&2
  tar xzf mpeg2dec_*.orig.tar.gz
  cd libmpeg2-*/
  # Its list of machines is older than RISC-V: any other one without code of its own will do.
  ./configure --host=mips-linux CC=riscv64-linux-gnu-gcc AR=riscv64-linux-gnu-ar RANLIB=riscv64-linux-gnu-ranlib \
    --disable-sdl --without-x --disable-shared >&2
  make LDFLAGS=-all-static >&2
  cp src/mpeg2dec "$folder/mpeg2dec"
fi
echo "$folder/mpeg2dec"
