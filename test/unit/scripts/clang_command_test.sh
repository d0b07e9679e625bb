#!/bin/bash
# The command `clang` beside `pimento`: DPU programs are compiled here, everything else goes to the clang behind it.
# Arguments: the folder of the tool; "no-llvm" where there is no compiler for DPUs.
set -euo pipefail
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "clang_command_test: $*" >&2; exit 1; }

mkdir real
printf '#!/bin/sh\necho "the real one: $*"\n' >real/clang
chmod +x real/clang
[[ $(PATH="$bin:$work/real:/usr/bin:/bin" clang -c a.c) == 'the real one: -c a.c' ]] || fail 'a host compilation'
[[ $(PATH="$bin:$work/real:/usr/bin:/bin" clang --target=x86_64-linux-gnu a.c) == 'the real one: --target=x86_64-linux-gnu a.c' ]] ||
  fail 'another target'
if PATH="$bin" "$(command -v sh)" "$bin/clang" -c a.c 2>error; then fail 'no clang, but no error'; fi
mkdir tools
for tool in readlink dirname; do ln -s "$(command -v $tool)" tools/$tool; done
if PATH="$bin:$work/tools" /bin/sh "$bin/clang" -c a.c 2>error; then fail 'no clang, but no error'; fi
grep -q 'no other clang on PATH' error || fail "$(cat error)"

[[ ${2-} == no-llvm ]] && exit 0
printf 'int main(void) { return 0; }\n' >dpu.c
cat >Makefile <<'END'
dpu: dpu.c
	clang --target=dpu-upmem-dpurte -O2 -DNR_TASKLETS=4 -o $@ $<
END
PATH="$bin:$work/real:/usr/bin:/bin" make -s >log 2>&1 || fail "$(cat log)"
PATH="$bin:$work/real:/usr/bin:/bin" clang -O2 -target dpu-upmem-dpurte -c dpu.c -o dpu.o || fail '-target'
"$bin/pimento" simulate dpu >log || fail "$(cat log)"
grep -q 'tasklets=4' log || fail "$(cat log)"
