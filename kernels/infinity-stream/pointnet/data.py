#!/usr/bin/env python3
"""Data for PointNet++ as .npy files: data.py ssg|msg FOLDER [--points 4096] [--seed 1]

Points are uniform in [0, 1)^3, weights uniform in +-sqrt(3 / inputs) with as many inputs as the layer has before padding.
Prints what `pimento simulate ssg.c --size p=POINTS --data` wants.
"""

import argparse
import math
import random
import re
from array import array
from pathlib import Path

# Inputs of first layers, which are padded to 16.
INPUTS = {"w11": 3, "w21": 131, "w31": {"ssg": 259, "msg": 643}, "w41": 3, "w51": 3, "w61": 3, "w71": 323, "w81": 323, "w91": 323}


def shapes_of(network):
    """Of the parameters that the program only reads, by name; the first is `p` in x."""
    text = (Path(__file__).parent / f"{network}.c").read_text(encoding="utf-8")
    defines = dict(re.findall(r"#define (\w+) (.+)", text))
    head = text[text.index("void pointnet"):text.index(") {")]

    def number(expression):
        expression = defines.get(expression, expression)
        padded = re.fullmatch(r"PADDED\((.+)\)", expression)
        return (eval(padded[1], {}) + 15) // 16 * 16 if padded else eval(expression, {"p": 0})  # sums of constants

    return {name: [number(n) for n in (first, *re.findall(r"\[([^]]+)\]", rest))]
            for name, first, rest in re.findall(r"const float (\w+)\[restrict ([^]]+)\]((?:\[[^]]+\])*)", head)}


def write(path, shape, values):
    """A file of f32 in NumPy's format, version 1."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + array("f", values).tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network", choices=["ssg", "msg"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(args.seed)
    spec = []
    for name, shape in shapes_of(args.network).items():
        if name == "x":
            shape = [args.points, 3]
            low, high = 0.0, 1.0
        else:
            inputs = INPUTS.get(name, shape[0])
            inputs = inputs[args.network] if isinstance(inputs, dict) else inputs
            low, high = -math.sqrt(3 / inputs), math.sqrt(3 / inputs)
        write(args.folder / f"{name}.npy", shape, (draw.uniform(low, high) for _ in range(math.prod(shape))))
        spec.append(f"{name}={args.folder / name}.npy")
    print(",".join(spec))


main()
