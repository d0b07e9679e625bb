"""Reads our Markdown pages: their blocks of code, headings and links. Shared by the tests of the documentation and by
the generator of the site; knows as much Markdown as the pages use.

Blocks of code are fenced with three backticks. What stands behind them says what a block is:

    ```sh                 commands, one per line; they are run
    ```sh long            ... but not in the everyday tests
    ```sh status=1        ... and end with this status
    ```sh not-run: WHY    ... never, for the reason given
    ```output             what the last command before prints; a line `...` stands for any lines
    ```yaml file=a.yaml   a file of this name, here, for the commands that follow

Indented blocks hold commands where a line begins with four blanks and `pimento VERB`; behind two or more blanks stands an
explanation. `<!-- long -->` before an indented block is `long` for it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```+")
HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: +#+)?$")
INLINE_CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]: +(\S+)", re.MULTILINE)


@dataclass
class Block:
    """A block of code. `info` is what stands behind the fence; None where the block is indented."""

    info: str | None
    lines: list[str]
    line: int
    is_long: bool = False

    @property
    def language(self):
        return (self.info or "").split(" ")[0]

    def option(self, name):
        """The value of NAME=VALUE in the info, or None."""
        found = re.search(rf"(?:^| ){name}=(\S+)", self.info or "")
        return found.group(1) if found else None


def pages(source: Path):
    """Every page of the project that a user or a contributor reads."""
    named = [source / name for name in ("README.md", "HACKING.md", "CONTRIBUTING.md")]
    return [p for p in named if p.exists()] + sorted((source / "docs").rglob("*.md"))


def blocks(text: str):
    """All blocks of code, in order."""
    found = []
    current, fence, is_long, was_blank = None, None, False, True
    for number, line in enumerate(text.split("\n"), 1):
        if fence is not None:
            if line.rstrip() == fence:
                found.append(current)
                current = fence = None
            else:
                current.lines.append(line)
            continue
        opened = FENCE.match(line)
        if opened:
            fence = opened.group(0)
            info = line[len(fence) :].strip()
            current = Block(info, [], number, is_long="long" in info.split(" ")[1:])
            continue
        if line.startswith("    ") and line.strip() and (current is not None or was_blank):
            if current is None:
                current = Block(None, [], number, is_long)
                found.append(current)
            current.lines.append(line[4:])
            continue
        if line.strip():
            current = None
            is_long = line.strip() == "<!-- long -->"
        elif current is not None:
            current.lines.append("")
        was_blank = not line.strip()
    return found


def without_code(text: str):
    """The text with code blanked out, lines kept."""
    lines, fence = [], None
    for line in text.split("\n"):
        opened = FENCE.match(line)
        if fence is None and opened:
            fence = opened.group(0)
            lines.append("")
        elif fence is not None:
            if line.rstrip() == fence:
                fence = None
            lines.append("")
        else:
            lines.append("" if line.startswith("    ") else line)
    return INLINE_CODE.sub("code", "\n".join(lines))


def links(text: str):
    """(line, target) of every link and image."""
    plain = without_code(text)
    for found in LINK.finditer(plain):
        yield plain.count("\n", 0, found.start()) + 1, found.group(1) or found.group(2)


def slug(heading: str):
    """The anchor of a heading, as GitHub and our site form it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", "").replace("*", ""))
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str):
    """All anchors of a page."""
    found, seen, fence = set(), {}, None
    for line in text.split("\n"):
        opened = FENCE.match(line)
        if fence is not None:
            fence = None if line.rstrip() == fence else fence
        elif opened:
            fence = opened.group(0)
        elif heading := HEADING.match(line):
            name = slug(heading.group(2))
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
    found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    return found
