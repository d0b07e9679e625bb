#!/usr/bin/env bash
# Fetches programs of another architecture from Debian, with what they need, into a folder for `pimento profile --sysroot`.
# Needs no root, and leaves the system's packages alone: apt gets a state of its own, and the system's list of sources.
#
#   scripts/guest-root.sh [-o FOLDER] ARCHITECTURE PACKAGE...    prints FOLDER (default: build/guests/ARCHITECTURE)
#
#   root=$(scripts/guest-root.sh arm64 gzip)
#   pimento profile "$root/bin/gzip" --sysroot "$root" -- -6 <text >text.gz
set -euo pipefail

folder=
if [[ ${1:-} == -o && $# -ge 2 ]]; then
  folder=$2
  shift 2
fi
if (($# < 2)) || [[ $1 == -* ]]; then
  echo "guest-root: usage: guest-root.sh [-o FOLDER] arm64|armhf PACKAGE..." >&2
  exit 2
fi
architecture=$1
shift
for tool in apt-get dpkg-deb; do
  if ! command -v "$tool" >/dev/null; then
    echo "guest-root: this is no Debian system: there is no $tool" >&2
    exit 1
  fi
done
[[ -n $folder ]] || folder=$(dirname "$0")/../build/guests/$architecture
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
state=$folder.apt
mkdir -p "$state"/{lists,cache/archives,log}/partial
: >>"$state/status"

options=(
  -o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture"
  -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::State::lists=$state/lists"
  -o "Dir::Cache=$state/cache" -o "Dir::Log=$state/log"
  -o "APT::Sandbox::User=$(id -un)" -o Acquire::Languages=none -o APT::Get::List-Cleanup=false
)
# A source that lacks the architecture, or is out of step, is no reason to stop: what then is missing is told below.
apt-get "${options[@]}" -q update >&2 || echo "guest-root: not all sources of this system could be read" >&2
# What is there already stays; `--reinstall` is not needed, since nothing ever counts as installed.
apt-get "${options[@]}" -q -y --no-install-recommends --download-only install "${@/%/:$architecture}" >&2
shopt -s nullglob
for package in "$state"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$folder"
done
# Programs that ask for random numbers get the same ones in every run, so that equal inputs give equal traces.
mkdir -p "$folder/dev"
seq 20000 | head -c 65536 >"$folder/dev/urandom" || true  # seq is told that nobody reads on
echo "$folder"
