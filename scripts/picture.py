#!/usr/bin/env python3
"""Writes a picture of rings and a slope as an .npy file of f32: picture.py FILE ROWS COLUMNS. Needs nothing installed."""

import array
import math
import struct
import sys


def main():
    path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    across = [(column - columns / 2) ** 2 for column in range(columns)]
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in range(rows):
            down = (row - rows / 2) ** 2
            line = array.array("f", (math.sin(math.sqrt(down + x) / 16) + row / rows for x in across))
            if sys.byteorder == "big":
                line.byteswap()
            out.write(line.tobytes())


main()
