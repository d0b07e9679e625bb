#!/usr/bin/env python3
"""Builds the documentation as a site that needs no network and no server: our Markdown pages and the generated reference.

usage: site.py SOURCE_DIR REFERENCE_DIR SITE_DIR

Needs Debian's python3-markdown. Links between pages become links between HTML files; files of the repository that pages
link to are copied. A link that leads nowhere is an error.
"""

import html
import re
import shutil
import sys
from pathlib import Path

import markdown

sys.path.insert(0, str(Path(__file__).resolve().parent))
import markdown_pages  # noqa: E402

source, reference, site = (Path(a).resolve() for a in sys.argv[1:4])

SECTIONS = [
    ("Begin", ["docs/index.md", "docs/tutorial.md", "docs/python-tutorial.md", "README.md"]),
    ("How to", ["docs/how-to/*.md"]),
    ("Guides", ["docs/explore.md", "docs/tune.md", "docs/explain.md", "docs/reports.md", "docs/networks.md", "docs/mlir.md"]),
    ("Reference", ["docs/cli.md", "reference/*.md"]),
    ("Models", ["docs/models/*.md"]),
    ("Papers", ["docs/papers/*.md"]),
    ("Decisions", ["docs/decisions/*.md"]),
    ("Working on it", ["HACKING.md", "CONTRIBUTING.md", "docs/add-a-target.md", "CHANGELOG.md", "docs/*.md"]),
]

STYLE = """
:root { color-scheme: light dark; --back: #fff; --fore: #1c2330; --soft: #5a6475; --line: #d9dee6; --code: #f4f6f9; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --back: #14181f; --fore: #dde3ec; --soft: #98a3b5; --line: #323a47; --code: #1d232d; --link: #7db7f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--fore); font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { border-right: 1px solid var(--line); padding: 1.2rem; font-size: .92rem; }
nav p { margin: 1rem 0 .2rem; color: var(--soft); font-weight: 600; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none; }
nav a:hover, nav [aria-current] { color: var(--link); }
summary { cursor: pointer; font-weight: 700; }
main { padding: 1.2rem 2rem 4rem; max-width: 62rem; overflow-wrap: break-word; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; }
pre { background: var(--code); padding: .8rem; overflow-x: auto; border-radius: 6px; }
code { font: .9em ui-monospace, monospace; background: var(--code); padding: .1em .25em; border-radius: 4px; }
pre code { padding: 0; background: none; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .7rem .35rem 0; text-align: left; vertical-align: top; }
@media (max-width: 50rem) { body { display: block; } nav { border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
@media print { nav { display: none; } body { display: block; } }
"""


def collect():
    """[(section, [(name in the site, file)])], every page once."""
    seen, out = set(), []
    for section, patterns in SECTIONS:
        pages = []
        for pattern in patterns:
            base, rest = (reference, pattern.removeprefix("reference/")) if pattern.startswith("reference/") else (source, pattern)
            for path in sorted(base.glob(rest)):
                if path not in seen:
                    seen.add(path)
                    pages.append((("reference/" if base == reference else "") + path.relative_to(base).as_posix(), path))
        out.append((section, pages))
    return out


def title_of(path):
    return next((m.group(2) for m in map(markdown_pages.HEADING.match, path.read_text(encoding="utf-8").split("\n")) if m), path.stem)


def up(name):
    return "../" * name.count("/")

# Open where there is room beside the page; on a phone the menu would be all one sees.
CLOSE_ON_PHONES = "<script>if(matchMedia('(max-width: 50rem)').matches)document.querySelector('nav details').open=false</script>"


class Site:
    def __init__(self):
        self.sections = collect()
        self.by_path = {path: name.removesuffix(".md") + ".html" for _, pages in self.sections for name, path in pages}
        self.by_path.setdefault(source / "docs/index.md", "docs/index.html")
        self.wrong = []

    def target(self, link, name, path):
        """Where a link of a page leads in the site."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        to, _, anchor = link.partition("#")
        # Pages of the reference stand beside docs/ in the site.
        origin = source / "reference" / path.name if path.parent == reference else path
        file = (origin.parent / to).resolve()
        if file.parent == source / "reference" and reference.joinpath(file.name).exists():
            file = reference / file.name
        if file.is_dir():
            inside = sorted(p for p in self.by_path if p.parent == file)
            file = inside[0] if inside else file / "nothing"
        if file in self.by_path:
            return up(name) + self.by_path[file] + (f"#{anchor}" if anchor else "")
        if not file.is_file() or source not in file.parents:
            self.wrong.append(f"{name}: {link} leads nowhere")
            return link
        copy = site / "files" / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)
        return f"{up(name)}files/{file.relative_to(source).as_posix()}"

    def navigation(self, name):
        parts = []
        for section, pages in self.sections:
            items = "".join(f'<li><a href="{up(name)}{self.by_path[p]}">'
                            f"{html.escape(title_of(p).replace('`', ''))}</a></li>" for _, p in pages)
            if items:
                parts.append(f"<p>{section}</p><ul>{items}</ul>")
        return f'<nav aria-label="Pages"><details open><summary>Pimento</summary>{"".join(parts)}</details></nav>{CLOSE_ON_PHONES}'

    def write(self, name, path):
        text = re.sub(r"^```+([\w-]*).*$", lambda m: "```" + m.group(1), path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        slugs = {}

        def slug(value, _separator):
            base = markdown_pages.slug(html.unescape(value))
            count = slugs.get(base, 0)
            slugs[base] = count + 1
            return f"{base}-{count}" if count else base

        body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                 extension_configs={"toc": {"slugify": slug}})
        body = re.sub(r'(<a [^>]*?href=")([^"]+)(")',
                      lambda m: m.group(1) + html.escape(self.target(html.unescape(m.group(2)), name, path)) + m.group(3), body)
        body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        out = site / self.by_path[path]
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
                       f'content="width=device-width, initial-scale=1"><title>{html.escape(title_of(path))} - Pimento</title>'
                       f'<link rel="stylesheet" href="{up(name)}style.css"></head><body>{self.navigation(name)}'
                       f"<main>{body}</main></body></html>\n", encoding="utf-8")

    def build(self):
        shutil.rmtree(site, ignore_errors=True)
        site.mkdir(parents=True)
        (site / "style.css").write_text(STYLE, encoding="utf-8")
        for _, pages in self.sections:
            for name, path in pages:
                self.write(name, path)
        first = self.by_path[self.sections[0][1][0][1]]
        (site / "index.html").write_text(f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Pimento</title>'
                                         f'<meta http-equiv="refresh" content="0; url={first}"></head>'
                                         f'<body><a href="{first}">Pimento</a></body></html>\n', encoding="utf-8")
        print(*self.wrong, sep="\n", end="\n" if self.wrong else "")
        print(f"site: {len(self.by_path)} pages in {site}")
        return 1 if self.wrong else 0


sys.exit(Site().build())
