#!/bin/sh
# Builds the programs of symbols_test.cpp again: build.sh (needs clang-19 and lld-19).
set -e
cd "$(dirname "$0")"
for version in 4 5; do
  for target in aarch64 riscv64; do
    clang-19 --target=$target-linux-gnu -O2 -gdwarf-$version -ffreestanding -fno-asynchronous-unwind-tables \
      -ffile-compilation-dir=/src -mno-relax -c inlined.c -o inlined.o 2>/dev/null ||
      clang-19 --target=$target-linux-gnu -O2 -gdwarf-$version -ffreestanding -fno-asynchronous-unwind-tables \
        -ffile-compilation-dir=/src -c inlined.c -o inlined.o
    ld.lld-19 -e entry -Ttext=0x10000 -z norelro -z max-page-size=4096 --build-id=none inlined.o -o $target-dwarf$version.elf
    rm inlined.o
  done
done
# Split: the program names the file with the rest.
clang-19 --target=aarch64-linux-gnu -O2 -gdwarf-5 -gsplit-dwarf -ffreestanding -fno-asynchronous-unwind-tables \
  -ffile-compilation-dir=. -c inlined.c -o split.o
ld.lld-19 -e entry -Ttext=0x10000 -z max-page-size=4096 --build-id=none split.o -o split.elf
rm split.o
