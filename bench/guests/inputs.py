"""Programs of a host to profile, and what they work on: the same bytes on each machine and in each run."""

import subprocess
from pathlib import Path

LCS = Path(__file__).resolve().parent / "lcs.c"
COMPILERS = {
    "aarch64": ["aarch64-linux-gnu-gcc"],
    "a32": ["arm-linux-gnueabihf-gcc", "-marm"],
    "t32": ["arm-linux-gnueabihf-gcc", "-mthumb"],
    "rv64": ["riscv64-linux-gnu-gcc"],
}


def text(size):
    """Words of an invented language, some more frequent than others."""
    state, out, length = 1, [], 0
    while length < size:
        state = (state * 1103515245 + 12345) % 2**31
        rank = (state >> 8) % 4096 * ((state >> 3) % 64) // 64
        word = "".join("etaoinshrdlucmfw"[rank >> shift & 15] for shift in (0, 4, 8))[: 1 + rank % 3 + rank % 2] + " "
        out.append(word)
        length += len(word)
    return "".join(out)[:size].encode()


def lua(fibonacci, numbers):
    """A recursion and a sort."""
    return f"""local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(fib({fibonacci}))
local t, x = {{}}, 7
for i = 1, {numbers} do x = (x * 1103515245 + 12345) % 2147483648; t[i] = x end
table.sort(t)
print(t[1], t[#t])
"""


def sql(rows):
    """A table, an index, a join and a sort."""
    return f"""create table t(a integer, b integer, c text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
insert into t select i, i * 7919 % {rows + 3}, 'x' || i from n;
create index tb on t(b);
select count(*), sum(x.a) from t x join t y on x.b = y.a;
select b, c from t order by c desc limit 3;
"""


def build_lcs(isa, program, is_static):
    """Whether there is a compiler for it."""
    try:
        subprocess.run([*COMPILERS[isa], "-O2", *(["-static"] if is_static else []), str(LCS), "-o", program], check=True)
    except FileNotFoundError:
        return False
    return True
