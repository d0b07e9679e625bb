"""The benchmark M2D: mpeg2dec, a free program, decodes a clip that ffmpeg makes.

Debian has it for arm64 and armhf; for RV64 it is built from Debian's source. Its frames must be the same on all, and
within 2 steps of the frames that ffmpeg's own decoder gives (the two transform back in different ways, both within
IEEE 1180).
"""

import re
import shutil
import subprocess
from pathlib import Path

from .toolchain import ISAS, ROOT

NAME = "m2d"
DEBIAN = {"a32": "armhf", "aarch64": "arm64"}
SIZE = 352, 288
FRAMES = 25
STEPS = 2
END_OF_SEQUENCE = b"\x00\x00\x01\xb7"  # which ffmpeg leaves out, so that mpeg2dec would keep its last frames


class NotHere(Exception):
    """What is missing on this machine."""


def make_clip(folder):
    """The clip, and its frames as ffmpeg decodes them: planes Y, U, V."""
    if not shutil.which("ffmpeg"):
        raise NotHere("there is no ffmpeg")
    folder.mkdir(parents=True, exist_ok=True)
    clip, frames = folder / "clip.m2v", folder / "frames.yuv"
    width, height = SIZE
    ffmpeg = ["ffmpeg", "-v", "error", "-y"]
    source = f"testsrc=size={width}x{height}:rate=25:duration={FRAMES // 25}"
    encoder = ["-c:v", "mpeg2video", "-threads", "1", "-f", "mpeg2video"]
    subprocess.run([*ffmpeg, "-f", "lavfi", "-i", source, *encoder, clip], check=True)
    clip.write_bytes(clip.read_bytes() + END_OF_SEQUENCE)
    subprocess.run([*ffmpeg, "-i", clip, "-f", "rawvideo", "-pix_fmt", "yuv420p", frames], check=True)
    size = width * height * 3 // 2
    raw = frames.read_bytes()
    return clip, [raw[i:i + size] for i in range(0, len(raw), size)]


def fetch(isa):
    """(program, root of its libraries or None)."""
    if isa == "host":
        raise NotHere("for guests only")
    missing = ISAS[isa].emulator[0]
    if not shutil.which(missing):
        raise NotHere(f"there is no {missing}")
    if isa in DEBIAN:
        root = ROOT / "build" / "guests" / DEBIAN[isa]
        program = root / "usr" / "bin" / "mpeg2dec"
        if not program.exists():
            script(ROOT / "scripts" / "guest-root.sh", DEBIAN[isa], "mpeg2dec")
        return program, root
    return Path(script(ROOT / "scripts" / "cim" / "mpeg2dec-rv64.sh")), None


def script(*command):
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise NotHere(f"{Path(command[0]).name}: " + (made.stderr.strip().splitlines() or ["failed"])[-1])
    return made.stdout.strip()


def decode(isa, clip):
    """All frames as mpeg2dec writes them: PGM pictures, U and V side by side below Y."""
    program, root = fetch(isa)
    libraries = ["-L", root] if root else []
    return subprocess.run([*ISAS[isa].emulator, *libraries, program, "-o", "pgmpipe", clip], check=True,
                          capture_output=True).stdout


def planes(pictures):
    """The frames of a stream of PGM pictures, as make_clip gives them."""
    width, height = SIZE
    head = re.compile(rb"P5\s+(\d+)\s+(\d+)\s+255\s")
    frames, at = [], 0
    while at < len(pictures):
        match = head.match(pictures, at)
        if not match or (int(match[1]), int(match[2])) != (width, height * 3 // 2):
            raise ValueError(f"no picture of {width} x {height * 3 // 2} at byte {at}")
        begin = match.end()
        at = begin + width * height * 3 // 2
        chroma = [pictures[i:i + width] for i in range(begin + width * height, at, width)]
        frames.append(pictures[begin:begin + width * height] + b"".join(row[:width // 2] for row in chroma)
                      + b"".join(row[width // 2:] for row in chroma))
    return frames


def complaints(pictures, reference):
    """What is wrong with the decoded frames."""
    frames = planes(pictures)
    if len(frames) != len(reference) or len(frames) != FRAMES:
        return [f"{len(frames)} frames, ffmpeg decodes {len(reference)} of {FRAMES}"]
    worst = [max(abs(a - b) for a, b in zip(mine, theirs)) for mine, theirs in zip(frames, reference)]
    return [f"frame {i} is {far} steps off ffmpeg's" for i, far in enumerate(worst) if far > STEPS]
