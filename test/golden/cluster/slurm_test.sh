#!/usr/bin/env bash
# The jobs of scripts/slurm on a Slurm cluster of two nodes, which this script starts on this machine and stops again: the
# array and the job with MPI run to their end, with a node drained and a node lost in the middle, and results are those of
# one process.
#
#   slurm_test.sh SOURCE PIMENTO WORDS...    WORDS: array, mpi: which jobs to run (default: array)
set -euo pipefail
source=$1 tool=$2
shift 2
jobs=("${@:-array}")

notRun() {
  echo "not run here: $*"
  exit 77
}
PATH=$PATH:/usr/sbin
for program in slurmctld slurmd sbatch scontrol srun munged mungekey python3; do
  command -v "$program" >/dev/null || notRun "no Slurm ($program; scripts/install-deps.sh --with mpi)"
done

work=$(mktemp -d)
chmod 755 "$work" # munge wants its socket reachable
daemons=()
stopAll() {
  local status=$?
  trap - EXIT
  set +e
  if ((status != 0)); then
    tail -n 20 "$work"/*.log "$work"/*/*.txt >&2
    squeue >&2
  fi
  if [[ -n ${SLURM_CONF:-} ]]; then
    timeout 20 scancel --user="$(id -un)" --full 2>/dev/null
    for _ in {1..20}; do
      [[ -n $(timeout 10 squeue --noheader 2>/dev/null) ]] || break
      sleep 0.5
    done
  fi
  for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null; done
  for _ in {1..50}; do
    [[ -n $(jobs -r) ]] || break
    sleep 0.2
  done
  for pid in "${daemons[@]}"; do kill -9 "$pid" 2>/dev/null; done
  wait
  rm -rf "$work"
  exit "$status"
}
trap stopAll EXIT
trap 'exit 1' INT TERM

# --- the cluster

read -r port0 port1 port2 < <(python3 - <<'END'
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
END
)
host=$(hostname -s) user=$(id -un)
mkdir "$work"/{munge,state,tmp,tmp-one,tmp-two}
mungekey --create --keyfile="$work/munge/key"
cat >"$work/slurm.conf" <<END
ClusterName=pimento
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port0
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
TmpFS=$work/tmp-%n
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
SlurmdParameters=config_overrides
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
KillWait=5
NodeName=one NodeHostName=$host NodeAddr=127.0.0.1 Port=$port1 CPUs=1
NodeName=two NodeHostName=$host NodeAddr=127.0.0.1 Port=$port2 CPUs=1
PartitionName=all Nodes=one,two Default=YES State=UP
END
export SLURM_CONF=$work/slurm.conf
munged --foreground --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --log-file="$work/munge.log" --seed-file="$work/munge/seed" 2>"$work/munged.log" &
daemons+=($!)
for _ in {1..50}; do
  [[ ! -S $work/munge/socket ]] || break
  sleep 0.1
done
slurmctld -D 2>/dev/null &
daemons+=($!)
for node in one two; do
  slurmd -D -N "$node" 2>/dev/null &
  daemons+=($!)
done

# waitFor SECONDS WHAT CONDITION...
waitFor() {
  local most=$1 what=$2 began=$SECONDS
  shift 2
  until "$@"; do
    if ((SECONDS - began > most)); then
      echo "$what: not within $most s" >&2
      exit 1
    fi
    sleep 0.2
  done
}
areIdle() { [[ $(timeout 10 sinfo --noheader --format='%T %D' 2>/dev/null) == 'idle 2' ]]; }
waitFor 60 "two idle nodes" areIdle

# --- jobs

export PIMENTO=$tool PIMENTO_STORE=none TMPDIR=$work/tmp PIMENTO_JOBS=$source/scripts/slurm
sweep=(explore gemv --size "m=1024,n=1024" --map auto --sweep tRP=10..89) # 80 points
"$tool" "${sweep[@]}" --jobs 2 --quiet -o "$work/one.csv" >/dev/null
"$tool" "${sweep[@]}" --jobs 2 --quiet -o "$work/one.json" >/dev/null

sharesDone() { (($(find "$1" -name 'share-*.db' | wc -l) >= $2)); }
isRunning() { [[ -n $(squeue --noheader --states=running) ]]; }
isBusy() { [[ -n $(squeue --noheader --states=running --nodelist="$1") ]]; }
isQueueEmpty() { [[ -z $(squeue --noheader) ]]; }
nodeState() { sinfo --noheader --nodes="$1" --format=%T; }
# The answer that a job gave, and a table from the store that it left.
isEqual() { # FOLDER STORE
  python3 - "$1" "$work/one.json" "$1/result.json" <<'END'
import json, sys
folder, *files = sys.argv[1:]
one, ours = ([(k, v) for k, v in json.load(open(f)).items() if k not in ("seconds", "ranks")] for f in files)
if json.dumps(one) != json.dumps(ours):
    sys.exit(f"{folder}: not the answer of one process")
END
  cp "$1/$2.db" "$work/copy.db"
  "$tool" "${sweep[@]}" --store "$work/copy.db" --quiet -o "$work/copy.csv" >/dev/null
  if ! cmp "$work/one.csv" "$work/copy.csv"; then
    echo "$1: not the bytes of one process" >&2
    exit 1
  fi
  grep -q '<html' "$1/result.html"
}
# In all of RESULTS' outputs of shares, how many began on a node.
begunOn() { cat "$1"/share-*.txt | grep -c "^share .* on $2\$"; }
setNode() { scontrol update nodename="$1" state="$2" reason=test; }
freeNodeTwo() {
  areIdle || setNode two resume || areIdle # a node that was down may be back by itself
  waitFor 60 "two idle nodes" areIdle
}

# Sets `second` to the process of the second rank.
isSecondThere() {
  local process
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/exe" 2>/dev/null) == "$(realpath "$tool")" ]] &&
      tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -q "^TMPDIR=$work/" &&
      tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qx 'PMIX_RANK=1'; then
      second=${process#/proc/}
      return 0
    fi
  done
  return 1
}

# runMpi LAUNCHER
runMpi() {
  local results=$work/${1%% *} second ranks lost
  waitFor 60 "two idle nodes" areIdle
  export PIMENTO_LAUNCH=$1
  mkdir "$results"
  # Both nodes are this machine, which may have no other network than the loopback.
  export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_btl=self,tcp PMIX_MCA_gds=hash
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  sbatch --nodes=2 --ntasks=2 --output="$results/job.txt" "$source/scripts/slurm/explore-mpi.sbatch" "$results" \
    "${sweep[@]}" >/dev/null
  waitFor 60 "the job with MPI" isRunning
  sleep 1
  setNode two drain
  waitFor 300 "the end of the job with MPI" isQueueEmpty
  [[ $(nodeState two) == drained ]]
  isEqual "$results" ranks
  ranks=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["ranks"]["ranks"])' "$results/result.json")
  [[ $ranks == 2 ]]
  echo "${1%% *} on 2 nodes, node two drained: $ranks ranks; same bytes"
  freeNodeTwo

  # The second rank is killed: its work is dealt out again.
  results+=-lost
  mkdir "$results"
  sbatch --nodes=2 --ntasks=2 --output="$results/job.txt" "$source/scripts/slurm/explore-mpi.sbatch" "$results" \
    "${sweep[@]}" >/dev/null
  waitFor 60 "the second rank" isSecondThere
  sleep 1
  kill -9 "$second"
  waitFor 300 "the end of the job with MPI" isQueueEmpty
  isEqual "$results" ranks
  lost=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["ranks"]["lost"])' "$results/result.json")
  [[ $lost == 1 ]]
  echo "${1%% *} on 2 nodes, a rank killed: $lost lost; same bytes"
}

for job in "${jobs[@]}"; do
  case $job in
    array)
      # Drained: node two finishes the share that it has, and begins no other.
      results=$work/drained
      "$source/scripts/slurm/submit.sh" 8 "$results" "${sweep[@]}"
      waitFor 120 "two shares" sharesDone "$results" 2
      waitFor 60 "a share on node two" isBusy two
      setNode two drain
      waitFor 300 "the end of the array" isQueueEmpty
      [[ $(nodeState two) == drained ]]
      isEqual "$results" all
      echo "array, node two drained: $(begunOn "$results" one) shares on one, $(begunOn "$results" two) on two; same bytes"
      freeNodeTwo

      # Lost: Slurm gives the share of node two to node one, two minutes later.
      results=$work/lost
      "$source/scripts/slurm/submit.sh" 8 "$results" "${sweep[@]}"
      waitFor 120 "two shares" sharesDone "$results" 2
      waitFor 60 "a share on node two" isBusy two
      sleep 1
      setNode two down
      waitFor 300 "the end of the array" isQueueEmpty
      isEqual "$results" all
      (($(begunOn "$results" one) + $(begunOn "$results" two) == 9)) # one twice
      echo "array, node two lost: $(begunOn "$results" one) shares on one, $(begunOn "$results" two) on two; same bytes"
      freeNodeTwo

      # All stores are there: nothing is computed.
      "$source/scripts/slurm/submit.sh" 8 "$results" "${sweep[@]}" >/dev/null
      waitFor 300 "the end of the second array" isQueueEmpty
      isEqual "$results" all

      # Another number of shares, another folder.
      if "$source/scripts/slurm/submit.sh" 4 "$results" "${sweep[@]}" 2>"$work/refused"; then exit 1; fi
      grep -q 'has stores of 8 shares' "$work/refused"
      # What jobs say themselves is refused.
      if "$source/scripts/slurm/submit.sh" 8 "$results" "${sweep[@]}" --store x.db 2>"$work/refused"; then exit 1; fi
      grep -q -- '--store is said by the job' "$work/refused"

      # At the end of its time a task gets TERM: it keeps what it has, and goes on from there.
      results=$work/stopped
      job=$(sbatch --parsable --array=1 --output="$work/stopped-%a.txt" "$source/scripts/slurm/explore-array.sbatch" \
        "$results" 1 "${sweep[@]}")
      waitFor 60 "the task" isRunning
      sleep 3
      scancel --batch --signal=TERM "$job"
      waitFor 60 "the end of the stopped task" isQueueEmpty
      isPartlyDone() { # FILE: its points are neither none nor all
        local points
        points=$("$tool" store show "$1" --json | python3 -c '
import json, sys
(problem,) = json.load(sys.stdin)["problems"]
print(0 if problem["plans"][0]["done"] else problem["results"].get("point", 0))')
        ((points > 0 && points < 80)) && echo "a task was stopped with $points of 80 points"
      }
      isPartlyDone "$results/share-1.db"
      "$source/scripts/slurm/submit.sh" 1 "$results" "${sweep[@]}" >/dev/null
      waitFor 300 "the end of the array of one" isQueueEmpty
      isEqual "$results" all
      results=$work/lost

      # A share that nobody computed is computed by the merge.
      rm "$results"/share-3.db "$results"/all.db "$results"/result.*
      sbatch --output="$results/merge-2.txt" "$source/scripts/slurm/merge.sbatch" "$results" "${sweep[@]}" >/dev/null
      waitFor 300 "the end of the merge" isQueueEmpty
      isEqual "$results" all
      grep -q 'shares 3 of 8 are missing' "$results/merge-2.txt"
      echo "merge without share 3: said, computed; same bytes"
      ;;
    mpi)
      for launch in 'srun --mpi=pmix --kill-on-bad-exit=0' 'mpirun --enable-recovery'; do runMpi "$launch"; done
      ;;
    *)
      echo "slurm_test: there is no job '$job'" >&2
      exit 2
      ;;
  esac
done
[[ -z $(ls "$work/tmp") ]] # jobs leave nothing on nodes
