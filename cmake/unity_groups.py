"""Which sources can be compiled as one: groups of those of which none says a name that another defines for itself.

usage: unity_groups.py SIZE < LIST

LIST has a line `TARGET<tab>SOURCE` for each C++ source; printed is `TARGET<tab>GROUP<tab>SOURCE`, groups numbered from 0 in
each target, of at most SIZE sources. A source that must stay alone has no line.

Looked at are the names at the left margin of unnamed namespaces, by the layout that .clang-format gives them, and what a
file would leave behind for the next one: macros, `using namespace`, aliases of namespaces.
"""

import re
import sys
from pathlib import Path

STAYS_ALONE = re.compile(r"^\s*#\s*define|^using namespace|^extern \"C\"", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace\n", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^(?:struct|class|enum class|enum|union|using|namespace) (\w+)")
DEFINED = re.compile(r"^(?!TEST|INSTANTIATE|TYPED_TEST|return|public|private|protected|template)[\w:].*?\b(\w+) ?(?:\(|\{|\[| =|;)")


def names_of(text):
    """Name to what it is, for aliases that may stand twice if they say the same."""
    names = {}
    for block in UNNAMED.findall(text):
        for line in block.split("\n"):
            found = NAMED.match(line) or DEFINED.match(line)
            if found:
                names[found.group(1)] = line if line.startswith("using ") else object()
    for line in re.findall(r"^(?:namespace \w+ = .*|using \w+ = .*)", text, re.MULTILINE):
        names.setdefault(NAMED.match(line).group(1), line)
    return names


def go_together(a, words_of_a, b, words_of_b):
    """Whether neither says a name that the other defines, unless both define it alike."""
    said = (a.keys() & words_of_b) | (b.keys() & words_of_a)
    return all(name in a and name in b and a[name] == b[name] for name in said)


def groups(sources, size):
    """(group, source) of those that do not stay alone."""
    made = []  # [names, sources, words]
    for source in sources:
        text = Path(source).read_text(encoding="utf-8")
        if STAYS_ALONE.search(text):
            continue
        names, words = names_of(text), set(re.findall(r"\w+", text))
        group = next((g for g in made if len(g[1]) < size and go_together(names, words, g[0], g[2])), None)
        if group is None:
            group = [{}, [], set()]
            made.append(group)
        group[2].update(words)
        group[0].update(names)
        group[1].append(source)
    return [(i, s) for i, (_, members, _) in enumerate(made) for s in members if len(members) > 1]


def main():
    targets = {}
    for line in sys.stdin.read().splitlines():
        target, source = line.split("\t")
        targets.setdefault(target, []).append(source)
    for target, sources in targets.items():
        for group, source in groups(sources, int(sys.argv[1])):
            print(target, group, source, sep="\t")


if __name__ == "__main__":
    main()
