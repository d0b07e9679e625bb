"""Every ctest entry has the labels of its place and one speed: the promise and the room that its folder is named after,
and `fast`, `once` or `long`.

usage: labels_test.py CTEST BUILD_DIR TEST_DIR
"""

import json
import subprocess
import sys
from pathlib import Path

SPEEDS = ("fast", "once", "long")


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
        elif sorted(labels) not in [sorted([*folder.parts, speed]) for speed in SPEEDS]:
            yield (f"{test['name']}: its labels are {', '.join(labels) or 'none'}; those of its folder are "
                   f"{', '.join(folder.parts)} and one of {', '.join(SPEEDS)}")


def main():
    ctest, build, tests = sys.argv[1:]
    listed = subprocess.run([ctest, "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True)
    shown = json.loads(listed.stdout)
    wrong = list(wrong_labels(shown, Path(tests)))
    # The check itself: labels too many, too few, and of another folder are found out.
    changed = json.loads(listed.stdout)
    right = next(p["value"] for p in shown["tests"][0]["properties"] if p["name"] == "LABELS")
    bad = ([*right, "long"], right[1:], ["nowhere", *right[1:]], [label for label in right if label not in SPEEDS], [])
    changed["tests"] = [json.loads(json.dumps(changed["tests"][0])) for _ in bad]
    for test, labels in zip(changed["tests"], bad):
        test["properties"] = [{"name": "LABELS", "value": labels}]
    if len(list(wrong_labels(changed, Path(tests)))) != len(bad):
        wrong.append("wrong labels are not found out")
    print(*wrong, f"labels: {len(shown['tests'])} tests, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not shown["tests"] else 0


if __name__ == "__main__":
    sys.exit(main())
