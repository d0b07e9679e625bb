"""Files of golden vectors: their lines, and the command line of the scripts that compute them."""

import argparse
import pathlib


def tensor_lines(role, name, words):
    """`words`: of 16 bits, row-major."""
    lines = [f"{role} {name} {len(words)}"]
    for at in range(0, len(words), 32):
        lines.append("".join(f"{w:04x}" for w in words[at:at + 32]))
    return lines


def main(description, folder, texts):
    """Writes `texts` (by file name) to a folder of test/golden, or compares. Returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--folder", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent / "test" / "golden" / folder)
    options = parser.parse_args()
    if not options.check:
        for name, text in texts.items():
            (options.folder / name).write_text(text)
        return 0
    stored = {p.name: p.read_text() for p in options.folder.glob("*.txt") if p.name != "CMakeLists.txt"}
    wrong = sorted(n for n in texts.keys() | stored.keys() if texts.get(n) != stored.get(n))
    for name in wrong:
        print(f"{name}: {'differs' if name in texts and name in stored else 'is missing or has no case'}")
    print(f"{len(texts)} golden vectors, {len(wrong)} differ")
    return 1 if wrong else 0
