"""Every ctest entry has the label of the promise that its folder makes, and beside it at most one of `fast`, `long`.

usage: labels_test.py CTEST BUILD_DIR TEST_DIR
"""

import json
import subprocess
import sys
from pathlib import Path


def folder_of(test, graph, tests):
    """The folder below `tests` whose CMakeLists.txt asked for the entry: the functions that make entries lie above it."""
    at = test.get("backtrace")
    while at is not None:
        node = graph["nodes"][at]
        file = Path(graph["files"][node["file"]])
        if file.is_relative_to(tests) and file.parent != tests:
            return file.parent.relative_to(tests)
        at = node.get("parent")
    return None


def wrong_labels(shown, tests):
    """A line for every entry whose labels are not those of its folder."""
    for test in shown["tests"]:
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        folder = folder_of(test, shown["backtraceGraph"], tests)
        if folder is None:
            yield f"{test['name']}: lies in no folder below {tests}"
        elif sorted(labels) not in ([folder.parts[0]], *(sorted([folder.parts[0], more]) for more in ("fast", "long"))):
            yield f"{test['name']}: its labels are {', '.join(labels) or 'none'}; it lies in {folder}"


def main():
    ctest, build, tests = sys.argv[1:]
    listed = subprocess.run([ctest, "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True)
    shown = json.loads(listed.stdout)
    wrong = list(wrong_labels(shown, Path(tests)))
    # The check itself: a label too many, and one of another folder, are found out.
    changed = json.loads(listed.stdout)
    for test, labels in zip(changed["tests"], (["unit", "error"], ["nowhere"], [])):
        test["properties"] = [{"name": "LABELS", "value": labels}]
    if len(list(wrong_labels(changed, Path(tests)))) < len(wrong) + 3:
        wrong.append("wrong labels are not found out")
    print(*wrong, f"labels: {len(shown['tests'])} tests, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not shown["tests"] else 0


if __name__ == "__main__":
    sys.exit(main())
