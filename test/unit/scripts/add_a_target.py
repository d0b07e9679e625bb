"""Does what docs/add-a-target.md says, in a copy of the tree: its files, then its commands that need a build, in order.

usage: add_a_target.py SOURCE_DIR [--keep FOLDER]

The commands must succeed and print something, `simulate` must say that the answer is right, `validate` that the points
are met, and the page must touch nothing but the toy's directory and one line of the list of targets.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

source = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(source / "scripts"))
import markdown_pages  # noqa: E402

PARTS = ("CMakeLists.txt", "capi", "cmake", "docs", "examples", "layers.toml", "machines", "scripts", "src", "test",
         "tools", "validation", "README.md", "CHANGELOG.md", "LICENSE", "HACKING.md", ".clang-format")
MARK = "not-run: test add_a_target does"


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, check=False, capture_output=True, text=True)
    print(f"$ {command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}", flush=True)
    if done.returncode != 0:
        sys.exit(f"add_a_target: status {done.returncode} from: {command}")
    return done.stdout


def follow(folder):
    for part in PARTS:
        if (source / part).is_dir():
            shutil.copytree(source / part, folder / part)
        elif (source / part).exists():
            shutil.copy2(source / part, folder / part)
    # Paths relative to the sources: ccache has what did not change.
    environment = {**os.environ, "CCACHE_BASEDIR": str(folder), "CCACHE_NOHASHDIR": "1"}
    for name in ("PIMENTO_MACHINES", "PIMENTO_POINTS"):
        environment.pop(name, None)
    before = contents(folder)
    files, outputs = 0, {}
    for block in markdown_pages.blocks((source / "docs/add-a-target.md").read_text(encoding="utf-8")):
        name = block.option("file")
        if name and name.startswith("src/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            files += 1
        elif block.language == "sh" and MARK in block.info:
            for command in block.lines:
                outputs[command] = run(command, folder, environment)
    changed = {name for name, text in contents(folder).items() if before.get(name) != text}
    outside = sorted(n for n in changed if not n.startswith("src/targets/toy/") and n != "src/targets/targets.def")
    lines = len((folder / "src/targets/targets.def").read_text().splitlines())
    if outside or lines != len(before["src/targets/targets.def"].decode().splitlines()) + 1:
        sys.exit(f"add_a_target: a target is one directory and one line, this touches {outside}")
    simulated = [text for command, text in outputs.items() if " simulate " in command and "--json" not in command]
    if files < 5 or not simulated or not all("yes, bit for bit" in text for text in simulated):
        sys.exit("add_a_target: the page's toy was not simulated and checked")
    validated = next(text for command, text in outputs.items() if "validate toy" in command)
    if " 2 of 2" not in validated and not re.search(r"\bva\s+2\s+2\b", validated):
        sys.exit(f"add_a_target: the points are not met:\n{validated}")
    layers = subprocess.run([sys.executable, "scripts/check_layers.py"], cwd=folder, check=False, capture_output=True, text=True)
    if "toy" in layers.stdout + layers.stderr:
        sys.exit(f"add_a_target: {layers.stdout}{layers.stderr}")
    print(f"add_a_target: {files} files, {len(outputs)} commands")


def contents(folder):
    """Every source file of the copy, by its name."""
    return {p.relative_to(folder).as_posix(): p.read_bytes()
            for part in ("src", "test", "machines", "cmake", "scripts", "tools", "capi") for p in (folder / part).rglob("*")
            if p.is_file() and "__pycache__" not in p.parts}


if "--keep" in sys.argv:
    kept = Path(sys.argv[sys.argv.index("--keep") + 1])
    kept.mkdir(parents=True)
    follow(kept)
else:
    with tempfile.TemporaryDirectory() as temporary:
        follow(Path(temporary))
