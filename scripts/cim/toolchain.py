"""How the programs of kernels/cim are compiled for an instruction set, and run: in QEMU, or on this machine."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# No contraction: then floating point gives the same everywhere.
FLAGS = ["-std=c11", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
SCALAR = ["-fno-tree-vectorize"]


@dataclass(frozen=True)
class Isa:
    compiler: str
    flags: tuple
    emulator: tuple
    triple: str = ""

    def missing(self):
        """The first tool that is not here, or None."""
        return next((tool for tool in (self.compiler, *self.emulator[:1]) if not shutil.which(tool)), None)


# The paper's A32 code divides in hardware with armv7ve; the hard-float ABI needs a floating-point unit to be named.
ISAS = {
    "a32": Isa("arm-linux-gnueabihf-gcc", ("-marm", "-march=armv7ve+fp", "-static"), ("qemu-arm",)),
    "aarch64": Isa("aarch64-linux-gnu-gcc", ("-static",), ("qemu-aarch64",)),
    "rv64": Isa("riscv64-linux-gnu-gcc", ("-static",), ("qemu-riscv64",)),
    "host": Isa("cc", (), ()),
}


def program_path(folder, isa, is_vectorized, name):
    return Path(folder) / (isa + ("-vectorized" if is_vectorized else "")) / name


def build(benchmark, isa, folder, is_vectorized=False, compiler=None, more=()):
    """Compiles one program, and returns its path. Raises CalledProcessError with the compiler's words."""
    program = program_path(folder, isa, is_vectorized, benchmark.name)
    program.parent.mkdir(parents=True, exist_ok=True)
    flags = [*FLAGS, *ISAS[isa].flags, *([] if is_vectorized else SCALAR), *more]
    subprocess.run([compiler or ISAS[isa].compiler, *flags, benchmark.source, "-o", program], check=True,
                   capture_output=True, text=True)
    return program


def run(program, isa, arguments):
    """What the program prints. Raises CalledProcessError if it fails."""
    return subprocess.run([*ISAS[isa].emulator, program, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout
