"""The C library, loaded at the first call: queries, answers and kernels, by ctypes.

Found by, in this order: the environment variable PIMENTO_LIBRARY (a file), the folders beside an installed package
(PREFIX/lib/python3/dist-packages: PREFIX/lib), the build folder of the source tree, and the loader's own search.
ctypes releases the interpreter lock while the library works.
"""

import ctypes
import json
import os
import sys
import threading
from pathlib import Path

from .errors import Error, InternalError, caller, diagnostic, located

NAME = "libpimento_c.so.1"
API_VERSION = 3
_OK, _NO_ANSWER, _WRONG_USAGE, _NOT_FOUND, _NO_MEMORY, _INTERNAL = range(6)


def candidates():
    """Where the library may be, best first."""
    if os.environ.get("PIMENTO_LIBRARY"):
        yield os.environ["PIMENTO_LIBRARY"]
        return
    package = Path(__file__).resolve().parent
    try:
        from . import _build_tree  # written by setup.py: the tree that pip installed from

        trees = [Path(_build_tree.ROOT)]
    except ImportError:
        trees = []
    lib = package.parent.parent.parent  # PREFIX/lib of PREFIX/lib/python3/dist-packages/pimento
    if package.parent.name == "dist-packages":
        for folder in (lib, *sorted(lib.glob("*-linux-gnu*")), lib.parent / "lib64"):
            yield str(folder / NAME)
    if (package.parent / "setup.py").exists():
        trees.append(package.parent.parent)
    for tree in trees:
        yield str(tree / "build" / "lib" / NAME)
    yield NAME


def load():
    """The library with the types of its functions. Raises Error if it is nowhere, or too old."""
    tried = []
    for path in candidates():
        if os.sep in path and not os.path.exists(path):
            tried.append(path)
            continue
        try:
            library = ctypes.CDLL(path)
            break
        except OSError as e:
            tried.append(str(e))
    else:
        raise Error([diagnostic("python-library", f"{NAME} was not found: {'; '.join(tried)}",
                                "build it (cmake --build build), install Pimento, or set PIMENTO_LIBRARY to the file",
                                kind="usage")])
    # Who reads files of Python for the library, and with which package.
    os.environ.setdefault("PIMENTO_PYTHON", sys.executable)
    os.environ.setdefault("PIMENTO_PACKAGE", str(Path(__file__).resolve().parent.parent))
    text, size, pointer, status = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
    to_pointer = ctypes.POINTER(pointer)
    signatures = {
        "pimento_api_version": (status, []),
        "pimento_version": (text, []),
        "pimento_has": (status, [text]),
        "pimento_problem": (text, []),
        "pimento_problem_json": (text, []),
        "pimento_query_create": (pointer, []),
        "pimento_query_copy": (pointer, [pointer]),
        "pimento_query_stop": (None, [pointer]),
        "pimento_query_destroy": (None, [pointer]),
        "pimento_query_set": (status, [pointer, text, text]),
        "pimento_query_add": (status, [pointer, text, text]),
        "pimento_query_text": (status, [pointer, text, text, size, text]),
        "pimento_run": (status, [pointer, text, to_pointer]),
        "pimento_answer_destroy": (None, [pointer]),
        "pimento_answer_json": (text, [pointer]),
        "pimento_answer_table": (text, [pointer]),
        "pimento_kernel_create": (status, [pointer, to_pointer]),
        "pimento_kernel_destroy": (None, [pointer]),
        "pimento_kernel_json": (text, [pointer]),
        "pimento_kernel_run": (status, [pointer, text, pointer, size, to_pointer]),
    }
    version = library.pimento_api_version() if hasattr(library, "pimento_api_version") else 0
    if version < API_VERSION:
        raise Error([diagnostic("python-library", f"{path} has version {version} of the interface, {API_VERSION} is "
                                "needed", "install a Pimento of the package's version", kind="usage")])
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library, _root = None, None
_lock = threading.Lock()


def library():
    """The library, loaded once."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = load()
    return _library


def _root_query():
    """The query that all others are copies of, so that they share what they read and compile."""
    global _root
    c = library()
    with _lock:
        if _root is None:
            _root = c.pimento_query_create()
    return _root


def failure(status, place=None):
    """The Error of this thread's last failed call. `place`: of the caller, where that is another thread."""
    c = library()
    if status == _NO_MEMORY:
        return MemoryError("Pimento is out of memory")
    found = json.loads(c.pimento_problem_json().decode())
    if not found:
        found = [diagnostic("api-internal", c.pimento_problem().decode(), kind="ours")]
    place = place or caller()
    return (InternalError if status == _INTERNAL else Error)([located(d, place) for d in found])


class Answer:
    """An answer of the library."""

    def __init__(self, address):
        self._c, self._address = library(), address

    def __del__(self):
        self._c.pimento_answer_destroy(self._address)

    @property
    def json(self):
        return self._c.pimento_answer_json(self._address).decode()

    @property
    def table(self):
        return self._c.pimento_answer_table(self._address).decode()


class Query:
    """A kernel and options.

    `options`: names of the command line with _ for -, and values: strings, numbers, booleans, lists or dicts of sizes;
    None leaves an option out.
    """

    def __init__(self, options, text=None, place=None):
        """`text`: (language, text, name) of a kernel in memory. `place`: (file, line) that asks (default: the caller)."""
        self._c, self._place = library(), place or caller()
        self._address = self._c.pimento_query_copy(_root_query())
        for key, value in options.items():
            self.set(key.replace("_", "-"), value)
        if text is not None:
            language, contents, name = text
            contents = contents if isinstance(contents, bytes) else contents.encode()
            self._check(self._c.pimento_query_text(self._address, language.encode(), contents, len(contents),
                                                   name.encode()))

    def __del__(self):
        if hasattr(self, "_address"):
            self._c.pimento_query_destroy(self._address)

    def _check(self, status):
        if status != _OK:
            raise failure(status, self._place)

    def set(self, key, value):
        if value is None:
            return
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, dict):
            value = [f"{k}={v}" for k, v in value.items()]
        if isinstance(value, (list, tuple)):
            for entry in value:
                self._check(self._c.pimento_query_add(self._address, key.encode(), str(entry).encode()))
            return
        self._check(self._c.pimento_query_set(self._address, key.encode(), str(value).encode()))

    def run(self, verb):
        """The Answer of a verb. Ctrl-C ends a search early; it has kept what it finished, and KeyboardInterrupt is
        raised once it has ended."""
        if verb in ("tune", "explore") and _is_main():
            return self._in_thread(verb, lambda: self._run(verb))
        return self._run(verb)

    def _run(self, verb):
        address = ctypes.c_void_p()
        status = self._c.pimento_run(self._address, verb.encode(), ctypes.byref(address))
        if status != _OK:
            problem = failure(status, self._place)
            if address:
                self._c.pimento_answer_destroy(address)
            raise problem
        return Answer(address)

    def _in_thread(self, verb, ask):
        done, is_over = {}, threading.Event()

        def work():
            try:
                done["answer"] = ask()
            except BaseException as e:  # handed to the thread that waits
                done["error"] = e
            finally:
                is_over.set()

        threading.Thread(target=work, name=f"pimento {verb}").start()
        interrupt = None
        while not is_over.is_set():
            try:
                is_over.wait()
            except KeyboardInterrupt as e:
                interrupt = e
                self._c.pimento_query_stop(self._address)
        if interrupt is not None:
            raise interrupt
        if "error" in done:
            raise done["error"]
        return done["answer"]

    def kernel(self, is_search=False):
        """The compiled kernel of the query, as Native. `is_search`: with the best mapping, which may have to be
        searched for; Ctrl-C as in run()."""
        if not is_search:
            return self._kernel()
        self.set("map", "kept")
        found = self._kernel(may_fail=_NOT_FOUND)
        if found is not None:
            return found
        self.set("map", "tune")
        return self._in_thread("tune", self._kernel) if _is_main() else self._kernel()

    def _kernel(self, may_fail=None):
        address = ctypes.c_void_p()
        status = self._c.pimento_kernel_create(self._address, ctypes.byref(address))
        if status == may_fail:
            return None
        self._check(status)
        return Native(address)


def _is_main():
    return threading.current_thread() is threading.main_thread()


class Native:
    """A kernel that was compiled for one machine."""

    def __init__(self, address):
        self._c, self._address = library(), address
        self.description = json.loads(self._c.pimento_kernel_json(address).decode())
        self.tensors = self.description["tensors"]
        self._arrays = ctypes.c_void_p * len(self.tensors)

    def __del__(self):
        self._c.pimento_kernel_destroy(self._address)

    def run(self, mode, addresses):
        """The Answer of a run on arrays at these addresses, in the order of `tensors`."""
        answer = ctypes.c_void_p()
        status = self._c.pimento_kernel_run(self._address, mode, self._arrays(*addresses), len(addresses),
                                            ctypes.byref(answer))
        if status != _OK:
            raise failure(status)
        return Answer(answer)
