#!/usr/bin/env python3
"""Checks that links lead somewhere: files and anchors in README, HACKING, CONTRIBUTING and docs/, and in the site if it
is built. The site must not need a network, so nothing in it may be loaded from elsewhere.

usage: check_links.py [SOURCE_DIR [SITE_DIR]]
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markdown_pages

ELSEWHERE = ("http://", "https://", "mailto:")


def check_pages(source):
    anchors, wrong, count = {}, [], 0
    for page in markdown_pages.pages(source):
        text = page.read_text(encoding="utf-8")
        for line, target in markdown_pages.links(text):
            if target.startswith(ELSEWHERE):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            to = (page.parent / unquote(path)).resolve() if path else page.resolve()
            place = f"{page.relative_to(source)}:{line}"
            if source not in to.parents and to != source:
                wrong.append(f"{place}: {target} leaves the source tree")
            elif not to.exists():
                wrong.append(f"{place}: {target} does not exist")
            elif anchor and to.suffix == ".md":
                if to not in anchors:
                    anchors[to] = markdown_pages.anchors(to.read_text(encoding="utf-8"))
                if anchor not in anchors[to]:
                    wrong.append(f"{place}: {target}: no such heading; there are: {', '.join(sorted(anchors[to]))}")
    return count, wrong


class Page(HTMLParser):
    """Links, loads and anchors of one HTML page."""

    LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif (tag, name) in self.LOADED and dict(attrs).get("rel") != "canonical":
                self.loaded.append(value)
            elif tag == "a" and name == "href":
                self.targets.append(value)


def check_site(site):
    pages = {p.resolve(): Page(p.read_text(encoding="utf-8")) for p in sorted(site.rglob("*.html"))}
    wrong, count = [], 0
    for path, page in pages.items():
        place = path.relative_to(site.resolve())
        wrong += [f"site/{place}: loads {x} from elsewhere" for x in page.loaded if x.startswith((*ELSEWHERE, "//"))]
        for target in page.targets + page.loaded:
            if target.startswith((*ELSEWHERE, "//", "data:")):
                continue
            count += 1
            parts = urlsplit(target)
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if to.is_dir():
                to = to / "index.html"
            if not to.exists():
                wrong.append(f"site/{place}: {target} does not exist")
            elif parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].ids:
                wrong.append(f"site/{place}: {target}: no such anchor")
    return count, wrong


def main():
    source = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    site = Path(sys.argv[2]) if len(sys.argv) > 2 else source / "build" / "site"
    count, wrong = check_pages(source)
    said = f"{count} links in pages"
    if (site / "index.html").exists():
        more, also = check_site(site)
        wrong += also
        said += f", {more} in the site"
    else:
        said += ", no site built"
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"check_links: {said}, {len(wrong)} wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
