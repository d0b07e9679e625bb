#!/usr/bin/env python3
"""The table of options in docs/cli.md, from `pimento options --json`.

    scripts/option_table.py TOOL           writes the table
    scripts/option_table.py TOOL --check   status 1 if the page has another one
"""

import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "cli.md"
BEGIN, END = "<!-- options: scripts/option_table.py -->\n", "<!-- end of options -->\n"


def cell(text):
    return text.replace("|", "\\|")


def row(option):
    name = (option["letter"] + ", " if option["letter"] else "") + option["name"]
    usual = " (default: %s)" % option["default"] if option["default"] else ""
    more = " ([more](%s))" % option["page"].removeprefix("cli.md") if option["page"] else ""
    return "| `%s` | %s | %s |" % (cell((name + " " + option["value"]).strip()), ", ".join(option["verbs"]),
                                   cell(option["help"] + usual) + more)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    listed = subprocess.run([arguments[0], "options", "--json"], capture_output=True, text=True, check=True)
    table = "| option | verbs | meaning |\n|---|---|---|\n"
    table += "".join(row(option) + "\n" for option in json.loads(listed.stdout)["options"])
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    made = before + BEGIN + table + END + after
    if "--check" not in sys.argv:
        PAGE.write_text(made)
        return 0
    if made != page:
        print("docs/cli.md has another table of options; write it: scripts/option_table.py build/bin/pimento", file=sys.stderr)
    return int(made != page)


if __name__ == "__main__":
    sys.exit(main())
