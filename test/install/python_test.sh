#!/usr/bin/env bash
# The Python package as strangers use it: installed with pip into a fresh virtual environment, which sees Debian's NumPy;
# and as `make install` leaves it. Neither knows the other, and neither is told where the library is.
#
#   python_test.sh SOURCE BUILD PYTHON
set -euo pipefail
source=$1 build=$2 python=$3
unset PIMENTO_LIBRARY PIMENTO_MACHINES PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1 PIMENTO_INSTALLED=1

notRun() {
  echo "not run here: $*"
  exit 77
}
"$python" -c 'import numpy' 2>/dev/null || notRun "$python has no NumPy"
"$python" -c 'import venv, ensurepip, setuptools, wheel' 2>/dev/null || notRun "$python lacks venv, setuptools or wheel"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
before=$(cd "$source" && git status --porcelain python 2>/dev/null || true)
cd "$work"

# The language, on the copy that the interpreter finds: not the one in the source tree.
use() {
  local interpreter=$1 where=$2
  "$interpreter" - "$where" <<'END'
import sys
import pimento
assert pimento.__file__.startswith(sys.argv[1]), pimento.__file__
assert pimento.version() == pimento.__version__
result = pimento.estimate("gemv", {"m": 4096, "n": 4096}, map="reference", constant=["A"])
assert result["cycles"] == 13166, result["cycles"]
import importlib.util
assert importlib.util.find_spec("pimento.models.layers") and importlib.util.find_spec("pimento.files")
END
  "$interpreter" "$source/test/unit/python/reader_test.py"
}

"$python" -m venv --system-site-packages env
env/bin/pip install --quiet --no-build-isolation --no-index --disable-pip-version-check "$source/python"
after=$(cd "$source" && git status --porcelain python 2>/dev/null || true)
[[ $before == "$after" ]] || { echo "python_test: pip left files in the tree: $after" >&2; exit 1; }
if [[ $build == "$source/build" ]]; then
  use env/bin/python "$work/env"
else # a build folder of another name is not where the package looks
  PIMENTO_LIBRARY=$(find "$build/lib" -name libpimento_c.so.1) use env/bin/python "$work/env"
fi
env/bin/pip uninstall --quiet --yes pimento

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
mv "$work/prefix" "$work/moved" # a copy can be moved
PYTHONPATH=$work/moved/lib/python3/dist-packages use "$python" "$work/moved"

# The installed tool finds the package that reads kernels in Python.
cat >"$work/kernel.py" <<'END'
import pimento

@pimento.kernel
def twice(x):
    y = pimento.Tensor.zero([x.size(0)])
    for i in range(x.size(0)):
        y[i] = x[i] + x[i]
    return y
END
PIMENTO_PYTHON=$python "$work/moved/bin/pimento" estimate "$work/kernel.py" --size x=64 >"$work/estimate.txt"
grep -q '^kernel x=64' "$work/estimate.txt"
