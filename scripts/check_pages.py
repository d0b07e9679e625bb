#!/usr/bin/env python3
"""Checks HTML pages of `pimento report`: as text, and in headless Chromium where it is installed.

usage: check_pages.py [--chromium PATH | --text-only] [--screenshots DIR] PAGE.html...

As text: tags are closed in order, ids are unique, links within the page lead somewhere, headings do not skip a level,
there is a language, a title and a viewport, and nothing is loaded from elsewhere.

In Chromium, at 360 and at 1200 pixels: no script error, no console error, no blocked load; no horizontal scrolling of
the page; axes have titles, and their labels do not lie on one another; buttons, keys and the wheel work without errors.

Exit status: 0 fine, 1 findings, 77 the text is fine but there is no Chromium to open it in ("not run here").
"""

import argparse
import html
import html.parser
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

WIDTHS = (360, 1200)
HEIGHT = 1000
NOT_RUN = 77
VOID = {"meta", "br", "link", "img", "input", "hr", "path", "rect", "line", "circle", "polyline"}

# Runs first in every page: collects what goes wrong, then tries the page and tells the frame around it.
PROBE = """<script>
(() => {
  const errors = [];
  addEventListener("error", (e) => errors.push("script error: " + (e.message || "a resource did not load")), true);
  addEventListener("unhandledrejection", (e) => errors.push("unhandled rejection: " + e.reason));
  addEventListener("securitypolicyviolation", (e) => errors.push("blocked: " + e.violatedDirective + " " + e.blockedURI));
  for (const level of ["error", "warn", "assert"])
    console[level] = (...words) => errors.push("console." + level + ": " + words.join(" "));
  const overlap = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;

  function look() {
    const root = document.scrollingElement;
    if (root.scrollWidth > root.clientWidth) {
      const wide = [...document.querySelectorAll("main *")].find((e) =>
        e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest(".scroll"));
      errors.push(`the page scrolls sideways: ${root.scrollWidth} > ${root.clientWidth}` +
        (wide ? `, at <${wide.tagName.toLowerCase()} class="${wide.getAttribute("class")}">` : ""));
    }
    for (const chart of document.querySelectorAll("svg.chart")) {
      if (!chart.getAttribute("aria-label")) errors.push("a chart without aria-label");
      const axes = chart.querySelectorAll("g.axis");
      if (!axes.length) errors.push("a chart without axes: " + chart.getAttribute("aria-label"));
      if (!chart.getBoundingClientRect().width) continue;
      for (const axis of axes) {
        const name = chart.getAttribute("aria-label");
        const title = axis.querySelector("text.axis-title");
        if (!title || !title.textContent.trim()) errors.push("an axis without title: " + name);
        const labels = [...axis.querySelectorAll("text")];
        const boxes = labels.map((t) => t.getBoundingClientRect());
        for (let i = 0; i < boxes.length; ++i)
          for (let j = i + 1; j < boxes.length; ++j)
            if (overlap(boxes[i], boxes[j]))
              errors.push(`labels '${labels[i].textContent}' and '${labels[j].textContent}' overlap: ${name}`);
      }
    }
    for (const canvas of document.querySelectorAll("canvas")) {
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      if (!pixels.some((p, i) => p !== pixels[i % 4])) errors.push("an empty canvas");
    }
  }
  function tryOut() {
    for (const button of document.querySelectorAll("thead button, .tools button")) {
      button.click();
      button.click();
    }
    const at = (element) => {
      const box = element.getBoundingClientRect();
      return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true };
    };
    for (const element of document.querySelectorAll("canvas, svg[data-zoom]")) {
      const plain = at(element);
      if (!element.getBoundingClientRect().width) continue;
      for (const deltaY of [-300, -300, 200]) element.dispatchEvent(new WheelEvent("wheel", { ...plain, deltaY, ctrlKey: true }));
      for (const key of ["+", "-", "ArrowLeft", "ArrowRight", "0", "a"])
        element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      for (let x = -200; x < 200; x += 7)
        element.dispatchEvent(new PointerEvent("pointermove", { ...plain, clientX: plain.clientX + x }));
      element.dispatchEvent(new MouseEvent("dblclick", plain));
    }
    for (const mark of [...document.querySelectorAll("[data-tip]")].slice(0, 50))
      mark.dispatchEvent(new PointerEvent("pointermove", at(mark)));
  }
  addEventListener("load", () => setTimeout(() => {
    look();
    const began = performance.now();
    try { tryOut(); } catch (e) { errors.push("script error: " + e); }
    setTimeout(() => {
      look();
      parent.postMessage({ name: window.name, errors: [...new Set(errors)], tryMs: Math.round(performance.now() - began) }, "*");
    }, 50);
  }, 50));
})();
</script>"""


class Structure(html.parser.HTMLParser):
    """Findings about one page as text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.findings, self.open, self.ids, self.targets, self.seen = [], [], set(), set(), set()
        self.level, self.title, self.style = 0, "", ""

    def find(self, what):
        self.findings.append(f"line {self.getpos()[0]}: {what}")

    def handle_starttag(self, tag, attributes):
        self.start(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)
        elif tag not in ("path", "rect"):  # these may hold a title
            self.find(f"<{tag}> is not closed")
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.start(tag, attributes)

    def start(self, tag, attributes):
        self.seen.add(tag)
        values = dict(attributes)
        if len(values) != len(attributes):
            self.find(f"<{tag}> has an attribute twice")
        if tag == "html" and not values.get("lang"):
            self.find("the page says no language")
        if "id" in values:
            if values["id"] in self.ids:
                self.find(f"the id '{values['id']}' is there twice")
            self.ids.add(values["id"])
        for key, value in attributes:
            if key.startswith("on"):
                self.find(f"<{tag} {key}>: scripts stand in script elements only")
            if key in ("src", "href", "srcset", "data", "action", "poster", "xlink:href"):
                if key == "href" and (value or "").startswith("#"):
                    self.targets.add(value[1:])
                else:
                    self.find(f"<{tag} {key}=\"{value}\"> loads something")
            if key in ("aria-labelledby", "aria-describedby"):
                self.targets.update((value or "").split())
            if "url(" in (value or "") and not value.startswith("url(#"):
                self.find(f"<{tag} {key}=\"{value}\"> loads something")
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.level + 1:
                self.find(f"<{tag}> after <h{self.level}>")
            self.level = int(tag[1])

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.find(f"</{tag}> where {'</' + self.open[-1] + '>' if self.open else 'nothing'} should be closed")
            if tag in self.open:
                while self.open.pop() != tag:
                    pass
            return
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "title" and "svg" not in self.open:
            self.title += data
        if self.open and self.open[-1] == "style":
            self.style += data

    def finish(self):
        if self.open:
            self.find("not closed: " + ", ".join(self.open))
        for needed in ("html", "head", "body", "main", "h1", "nav", "meta"):
            if needed not in self.seen:
                self.find(f"there is no <{needed}>")
        if not self.title.strip():
            self.find("the page has no title")
        for target in sorted(self.targets - self.ids):
            self.find(f"nothing has the id '{target}'")
        if re.search(r"@import|@font-face|url\((?!#)", self.style):
            self.find("the style sheet loads something")
        return self.findings


def text_findings(text):
    structure = Structure()
    structure.feed(text)
    structure.close()
    findings = structure.finish()
    if not text.startswith("<!DOCTYPE html>"):
        findings.append("line 1: no doctype")
    if 'name="viewport"' not in text:
        findings.append("there is no viewport")
    return findings


def run_chromium(chromium, folder, arguments):
    command = [
        chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
        "--disable-extensions", "--allow-file-access-from-files", f"--user-data-dir={folder}/profile",
        "--virtual-time-budget=60000", *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300, check=False)
    return done.stdout


def ask(chromium, folder, frames):
    """What the pages in these frames say of themselves, by frame."""
    around = "<!DOCTYPE html><meta charset='utf-8'><title>check</title><body>" + "".join(
        f"<iframe name='{name}' src='{file}' style='width:{width}px;height:{HEIGHT}px;border:0'></iframe>"
        for name, file, width in frames
    )
    around += """<script>addEventListener("message", (e) => {
      const line = document.createElement("pre");
      line.className = "answer";
      line.textContent = JSON.stringify(e.data);
      document.body.append(line);
    });</script></body>"""
    check = Path(folder) / "check.html"
    check.write_text(around, encoding="utf-8")
    dom = run_chromium(chromium, folder, ["--window-size=1300,1000", "--dump-dom", check.as_uri()])
    found = [json.loads(html.unescape(a)) for a in re.findall(r'<pre class="answer">(.*?)</pre>', dom, re.DOTALL)]
    return {answer["name"]: answer for answer in found}


def browser_findings(chromium, pages, folder):
    """Findings of every page at every width, each opened in a frame of its own."""
    frames = []
    for number, page in enumerate(pages):
        text = page.read_text(encoding="utf-8")
        copy = Path(folder) / f"page{number}.html"
        copy.write_text(text.replace("<head>", "<head>" + PROBE, 1), encoding="utf-8")
        for width in WIDTHS:
            frames.append((f"{number} {width}", copy.name, width))
    answers = {}
    # On a busy machine Chromium may end before all frames have loaded: those that are missing get another chance.
    for frames_at_once in (len(frames), 4, 1, 1):
        missing = [f for f in frames if f[0] not in answers]
        for begin in range(0, len(missing), frames_at_once):
            answers |= ask(chromium, folder, missing[begin : begin + frames_at_once])
    for name, _, width in frames:
        page = pages[int(name.split()[0])]
        if name not in answers:
            yield page, f"{width} px: the page did not answer"
            continue
        for finding in answers[name]["errors"]:
            yield page, f"{width} px: {finding}"


def screenshots(chromium, pages, folder, out):
    out.mkdir(parents=True, exist_ok=True)
    for page in pages:
        for theme, setting in (("light", 1), ("dark", 0)):
            run_chromium(chromium, folder, [
                f"--blink-settings=preferredColorScheme={setting}", "--window-size=1240,3000",
                f"--screenshot={out / (page.stem + '-' + theme + '.png')}", page.resolve().as_uri(),
            ])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--text-only", action="store_true", help="do not look for Chromium")
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the pages, light and dark")
    options = parser.parse_args()

    count = 0
    for page in options.pages:
        for finding in text_findings(page.read_text(encoding="utf-8")):
            print(f"{page.name}: {finding}")
            count += 1
    if options.text_only:
        print(f"{len(options.pages)} pages, {count} findings in the text")
        return 1 if count else 0
    if not options.chromium:
        print(f"{len(options.pages)} pages, {count} findings in the text; in the browser: not run here (no chromium)")
        return 1 if count else NOT_RUN
    with tempfile.TemporaryDirectory() as folder:
        for page, finding in browser_findings(options.chromium, options.pages, folder):
            print(f"{page.name}: {finding}")
            count += 1
        if options.screenshots:
            screenshots(options.chromium, options.pages, folder, options.screenshots)
    print(f"{len(options.pages)} pages, {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
