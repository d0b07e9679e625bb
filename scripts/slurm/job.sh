# shellcheck shell=bash
# For the jobs of this folder, which source it: a result store on the node's own disk, kept in the folder of results;
# running a command on it; the report.
#
# SQLite's locks do not hold on many shared file systems (NFS, Lustre), so nothing but whole copies of stores is put
# there. Jobs say `trap dropStore EXIT` behind openStore.

pimento=${PIMENTO:-pimento}

notWithTheseOptions() {
  local word
  for word; do
    case $word in
      --share | --share=* | --store | --store=* | --json | -o | -o?* | --output | --output=* | --jobs | --jobs=*)
        echo "$word is said by the job; omit it" >&2
        exit 2
        ;;
    esac
  done
}

# openStore FOLDER NAME: $store, which has what an earlier run of this job has left in FOLDER/NAME.db.
openStore() {
  mkdir -p "$1"
  kept=$1/$2.db
  here=$(mktemp -d "${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/pimento.XXXXXX")
  store=$here/$2.db
  if [[ -e $kept ]]; then cp "$kept" "$store"; fi
}

# Puts what the store has now into the folder of results: all of it or, where the job is killed meanwhile, nothing.
keepStore() {
  [[ -e $store ]] || return 0
  rm -f "$here/whole.db"
  "$pimento" store merge "$here/whole.db" "$store" >/dev/null
  cp "$here/whole.db" "$kept.part.$$"
  mv "$kept.part.$$" "$kept"
}

dropStore() {
  keepStore
  rm -rf "$here"
}

# Runs a command, and keeps the store each $PIMENTO_KEEP_S seconds (default: 300), so that a lost node loses no more.
# Slurm's TERM, a while before the job's time ends, is handed on: the command ends what it is at, and the store has it.
# The same command goes on from there.
runKeeping() {
  "$@" &
  local command=$! waited=0 status=0
  trap 'kill -TERM "$command" 2>/dev/null' TERM
  while kill -0 "$command" 2>/dev/null; do
    sleep 1 &
    wait $! || true # TERM ends this wait
    if ((++waited % ${PIMENTO_KEEP_S:-300} == 0)); then keepStore; fi
  done
  wait "$command" || status=$?
  trap - TERM
  return "$status"
}

# makeReport FOLDER VERB INPUT OPTIONS...: the whole command on the store, started by the words of `launch` (empty: as it
# is). FOLDER gets result.json and result.html.
launch=()
makeReport() {
  local results=$1 json=() status=0
  shift
  if [[ $1 != explore ]]; then json=(--json); fi # explore goes by the file's ending, and prints its table as well
  # To a file: launchers may drop the end of what is printed where a rank was lost.
  runKeeping "${launch[@]}" "$pimento" "$@" --store "$store" --jobs "${SLURM_CPUS_PER_TASK:-1}" "${json[@]}" \
    -o "$here/result.json" || status=$?
  # Launchers have the status of a rank that was lost, though the first one may have answered.
  if ((status != 0)) && [[ ${#launch[@]} == 0 || ! -s $here/result.json ]]; then return "$status"; fi
  "$pimento" report "$here/result.json" -o "$here/result.html"
  cp "$here"/result.* "$results/"
  echo "the page is $results/result.html"
}
