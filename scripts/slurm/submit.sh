#!/usr/bin/env bash
# Submits an exploration, a sweep or a tuning to Slurm: an array of tasks that compute a share each, and a job behind them
# that merges their stores and makes the report. Prints the numbers of both jobs.
#
#   scripts/slurm/submit.sh SHARES RESULTS explore|tune INPUT [options]
#
# RESULTS: a folder that all nodes see. Submitted again, the same command computes only what its stores lack.
# The tool: $PIMENTO, or `pimento` on the path, or that of this tree. Options of sbatch are given by Slurm's own variables:
# SBATCH_PARTITION, SBATCH_ACCOUNT, SBATCH_TIMELIMIT, ...
set -euo pipefail

if (($# < 4)) || [[ ! $1 =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: scripts/slurm/submit.sh SHARES RESULTS explore|tune INPUT [options]" >&2
  exit 2
fi
shares=$1 results=$2
shift 2
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/slurm/job.sh
source "$folder/job.sh"
notWithTheseOptions "$@"
for tool in "${PIMENTO:-}" "$(command -v pimento || true)" "$folder/../../build/bin/pimento"; do
  if [[ -n $tool && -x $tool ]]; then break; fi
done
if [[ ! -x $tool ]]; then
  echo "submit: there is no pimento; build it, or set PIMENTO" >&2
  exit 1
fi
PIMENTO=$(realpath "$tool")
export PIMENTO PIMENTO_JOBS=$folder

mkdir -p "$results"
results=$(cd "$results" && pwd)
known=$(cat "$results/shares.txt" 2>/dev/null || echo "$shares")
if [[ $known != "$shares" ]]; then
  echo "submit: $results has stores of $known shares, which do not merge with others; give $known, or another folder" >&2
  exit 1
fi
echo "$shares" >"$results/shares.txt"
array=$(sbatch --parsable --array="1-$shares" --output="$results/share-%a.txt" "$folder/explore-array.sbatch" \
  "$results" "$shares" "$@")
array=${array%%;*} # a cluster's name may follow
merge=$(sbatch --parsable --dependency="afterany:$array" --output="$results/merge.txt" "$folder/merge.sbatch" \
  "$results" "$@")
echo "shares: job $array; merge: job ${merge%%;*}; the page will be $results/result.html"
