#!/usr/bin/env python3
"""What offload.c asks, from Python by ctypes: no bindings, no process.

usage: offload.py [LIBRARY [TARGET...]]      default: libpimento_c.so.1, where the loader finds it, and HBM-PIM
"""

import ctypes
import sys


class Pimento:
    """The functions of pimento.h that this needs, with their types."""

    def __init__(self, library):
        text, size, pointer = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p
        signatures = {
            "pimento_problem": (text, []),
            "pimento_query_create": (pointer, []),
            "pimento_query_destroy": (None, [pointer]),
            "pimento_query_add": (ctypes.c_int, [pointer, text, text]),
            "pimento_query_set": (ctypes.c_int, [pointer, text, text]),
            "pimento_ask": (ctypes.c_int, [pointer, ctypes.POINTER(pointer)]),
            "pimento_answer_destroy": (None, [pointer]),
            "pimento_answer_rows": (size, [pointer]),
            "pimento_answer_ok": (ctypes.c_int, [pointer, size]),
            "pimento_answer_number": (ctypes.c_int, [pointer, size, text, ctypes.POINTER(ctypes.c_double)]),
            "pimento_answer_text": (text, [pointer, size, text]),
        }
        loaded = ctypes.CDLL(library)
        for name, (result, arguments) in signatures.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
        self.c = loaded

    def checked(self, status):
        if status != 0:
            raise RuntimeError(self.c.pimento_problem().decode())

    def ask(self, kernel, targets, **lists):
        """One dictionary per target."""
        query, answer = self.c.pimento_query_create(), ctypes.c_void_p()
        try:
            self.checked(self.c.pimento_query_set(query, b"kernel", kernel.encode()))
            for key, values in {"target": targets, **lists}.items():
                for value in values:
                    self.checked(self.c.pimento_query_add(query, key.encode(), value.encode()))
            self.checked(self.c.pimento_ask(query, answer))
            return [self.row(answer, i) for i in range(self.c.pimento_answer_rows(answer))]
        finally:
            self.c.pimento_answer_destroy(answer)
            self.c.pimento_query_destroy(query)

    def row(self, answer, row):
        text = lambda path: (self.c.pimento_answer_text(answer, row, path) or b"").decode()
        out = {"target": text(b"target"), "error": text(b"error")}
        if self.c.pimento_answer_ok(answer, row):
            for key in (b"where", b"why", b"mapping"):
                out[key.decode()] = text(b"stages[0]." + key)
            for key in (b"time_ns", b"energy_pj", b"stages[0].host_time_ns"):
                value = ctypes.c_double()
                self.checked(self.c.pimento_answer_number(answer, row, key, value))
                out[key.decode()] = value.value
        return out


def main():
    pimento = Pimento(sys.argv[1] if len(sys.argv) > 1 else "libpimento_c.so.1")
    rows = pimento.ask("y[i] += A[i,j] * x[j]", sys.argv[2:] or ["hbm-pim"], size=["i=4096,j=1024"], constant=["A"])
    for row in rows:
        if row["error"]:
            print(f"{row['target']}: {row['error']}")
        elif row["where"] == "pim":
            print(f"{row['target']}: offload it: {row['time_ns']:.0f} ns, {row['energy_pj']:.0f} pJ\n"
                  f"  mapping {row['mapping']}")
        else:
            print(f"{row['target']}: keep it on the host, {row['stages[0].host_time_ns']:.0f} ns: {row['why']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
