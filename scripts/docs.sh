#!/usr/bin/env bash
# Builds the site in build/site from docs/ and the reference that scripts/reference.py makes of the tool and the source
# (build/docs), and checks its links. Open build/site/index.html; no server and no network is needed.
#
#   scripts/docs.sh [BUILD_DIR]     default: build
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}

rm -rf "$build/docs"
python3 scripts/reference.py "$build/bin/pimento" . "$build/docs"
# Debian's own Python has Debian's python3-markdown.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
"$python" scripts/site.py . "$build/docs" "$build/site"
python3 scripts/check_links.py . "$build/site"
