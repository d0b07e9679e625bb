"""Loops, and the scalars that they carry.

A carried scalar lives in a buffer, with one element for each iteration of the loops around it if the loop does no more
than accumulate, else with one for each of its own iterations as well.
"""

import ast

from .. import dtypes
from ..nest import Affine, Value
from ..dtypes import DTYPES
from .text import accumulates, assigned_names, first_use
from .values import Bound, Cell, Lost, TensorRef, is_scalar, kind_of


class Loops:
    """A part of Reader."""

    def loop(self, s):
        if s.orelse:
            self.fail(s.orelse[0], "python-statement", "'for' has an 'else'", "write it after the loop")
        if not isinstance(s.target, ast.Name):
            self.fail(s.target, "python-loop", "a loop has one variable", "write for i in range(...)")
        start, ends, step = self.range_of(s.iter)
        trip = self.trip(start, ends, step)
        assigned = assigned_names(s.body) | {s.target.id}
        if trip is None:  # it never runs
            for name in assigned - set(self.names):
                self.names[name] = Lost(f"'{name}' is assigned in a loop that never runs", "assign it before the loop")
            return
        extent, guards = trip
        carried = [n for n in sorted(assigned - {s.target.id}) if self.is_carried(n, s.body)]
        for name in carried:
            if not is_scalar(self.names[name]):
                what = kind_of(self.names[name])
                self.fail(s, "python-loop", f"'{name}' is {what} before the loop and assigned in it",
                          "use one name for each tensor")
        types_of = self.try_body(s, extent, guards, start, step, carried)
        for name in [n for n in carried if n not in types_of]:  # an inner loop leaves it without a value
            carried.remove(name)
            self.names[name] = self.lost_in(name, s)
        self.run_body(s, extent, guards, start, step, carried, types_of)
        for name in assigned:
            if name not in carried and not isinstance(self.names.get(name), Cell):
                self.names[name] = self.lost_in(name, s)

    @staticmethod
    def lost_in(name, s):
        return Lost(f"'{name}' is assigned in the loop over '{s.target.id}', and read after it",
                    "assign it before the loop as well, or use it inside")

    def range_of(self, node):
        is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and \
            self.look_up(node.func) is range
        if not is_range:
            self.fail(node, "python-loop", f"'{self.source(node)}' is not a range",
                      "write for i in range(end), range(start, end) or range(start, end, step)")
        if node.keywords or not 1 <= len(node.args) <= 3:
            self.fail(node, "python-loop", "range takes one to three arguments", "write range(start, end, step)")
        values = [self.expression(a) for a in node.args]
        for value, a in zip(values, node.args):
            if not isinstance(value, (Affine, Bound)):
                why = "depends on data" if isinstance(value, Value) and value.reads else f"is {kind_of(value)}"
                self.fail(a, "python-loop", f"'{self.source(a)}' {why}, so the loop has no known bounds",
                          "use sizes, numbers and sums of the loops around; put conditions on data into an if")
        start, end, step = (Affine(0), values[0], Affine(1)) if len(values) == 1 else \
            (values[0], values[1], values[2] if len(values) == 3 else Affine(1))
        if not isinstance(step, Affine) or not step.is_number or step.constant == 0:
            self.fail(node.args[2], "python-loop", "the step of a range is not a number other than 0",
                      "use a number, or a size")
        step = step.constant
        wanted = "min" if step > 0 else "max"
        if isinstance(start, Bound) or (isinstance(end, Bound) and end.op != wanted):
            self.fail(node, "python-loop", "this range does not start at a sum of loops, or ends at a "
                      f"'{'max' if step > 0 else 'min'}'", f"start at a sum; end at a sum or a {wanted}() of sums")
        return start, end.forms if isinstance(end, Bound) else [end], step

    def trip(self, start, ends, step):
        """(most iterations, spans), or None: it never runs. A span less |step| times the loop, which counts from 0,
        must be >= 0."""
        most, open_ends = None, []
        for end in ends:
            span = end.plus(start, -1) if step > 0 else start.plus(end, -1)
            low, high = self.nest.range(span)
            count = -(-high // abs(step))
            if count <= 0:
                return None
            most = count if most is None else min(most, count)
            if low != high or len(ends) > 1:
                open_ends.append(span.plus(Affine(-1)))  # span - 1 - |step| * loop >= 0
        return most, open_ends

    def enter(self, s, extent, guards, start, step):
        loop = self.nest.loop(s.target.id, extent, self.at(s.target))
        if len(self.loops) >= 31:
            self.fail(s, "python-loop", "loops are nested too deeply", "use at most 31 nested loops")
        self.loops.append(loop)
        for span in guards:
            self.guards.append(span.plus(Affine(0, {loop: abs(step)}), -1))
        self.frames[-1].names[s.target.id] = start.plus(Affine(0, {loop: step}))
        return loop

    def leave(self, guards):
        self.loops.pop()
        if guards:
            del self.guards[-len(guards):]

    def is_carried(self, name, body):
        value = self.names.get(name)
        if value is None or isinstance(value, (Lost, Cell)):
            return False
        return first_use(body, name) != "store"

    def try_body(self, s, extent, guards, start, step, carried):
        """Looks at the body once for what it stores and what types carried scalars have. Values from before the loop
        that are read from what it stores get a place of their own."""
        live = [v for f in self.frames for v in f.names.values() if isinstance(v, Value) and v.reads]
        if not carried and not live and not any(c.reads for c in self.conditions):
            return {}
        state = self.save()
        stored, self.stored = self.stored, set()
        self.enter(s, extent, guards, start, step)
        before = {name: self.names[name] for name in carried}
        self.block(s.body)
        after = {name: self.names.get(name) for name in carried}
        self.leave(guards)
        seen, self.stored = self.stored, stored
        self.restore(state)
        self.keep(frozenset(seen), s)
        found = {}
        for name in carried:
            if is_scalar(after[name]):
                found[name] = self.common_type(before[name], after[name], s)
        return found

    def common_type(self, a, b, node):
        a, b = self.typed_or_weak(a), self.typed_or_weak(b)
        if isinstance(a, Value) and isinstance(b, Value):
            both = dtypes.promoted(a.type, b.type)
            if both is None:
                self.fail(node, "python-type", f"a variable is {a.type.name} before the loop and {b.type.name} in it",
                          f"convert it: pimento.{b.type.name}(...)")
            return both
        typed, weak = (a, b) if isinstance(a, Value) else (b, a)
        if isinstance(typed, Value):
            if isinstance(weak, float) and not typed.type.is_float:
                self.fail(node, "python-type", f"a variable is the float {weak} before the loop, and "
                          f"{typed.type.name} in it", "start from an integer")
            return typed.type
        return DTYPES["f32"] if isinstance(a, float) or isinstance(b, float) else DTYPES["i32"]

    def run_body(self, s, extent, guards, start, step, carried, types_of):
        timed = []
        outer = [Affine(0, {l: 1}) for l in self.loops]
        extents = [self.nest.loops[l]["extent"] for l in self.loops]
        for name in carried:
            type = types_of[name]
            first = self.convert(self.names[name], type, s)
            if accumulates(s.body, name):
                buffer = self.nest.buffer(name, "carried", type, extents or [1], self.at(s))
                index = outer or [Affine(0)]
                self.initial(buffer, index, first, s)
                self.names[name] = Cell(buffer, index, len(self.conditions))
            else:
                if guards:
                    self.fail(s, "python-loop", f"'{name}' goes from one iteration to the next in a loop whose number "
                              "of iterations depends on another loop", "store it in a tensor, one element for each "
                              "iteration")
                buffer = self.nest.buffer(name, "carried", type, extents + [extent + 1], self.at(s))
                self.initial(buffer, outer + [Affine(0)], first, s)
                timed.append((name, buffer))
        loop = self.enter(s, extent, guards, start, step)
        at = Affine(0, {loop: 1})
        for name, buffer in timed:
            self.names[name] = self.nest.load(buffer, outer + [at], self.at(s))
        depth = len(self.conditions)
        self.block(s.body)
        # What an iteration reads of these is the element before the one that it stores.
        for name, buffer in timed:
            ref = TensorRef(buffer, outer + [at.plus(Affine(1))])
            self.store(ref, self.convert(self.names[name], buffer.type, s), s, depth, keeps=False)
        self.leave(guards)
        for name in carried:
            cell = self.names[name]
            if isinstance(cell, Cell):
                self.names[name] = self.nest.load(cell.buffer, cell.index, self.at(s))
        for name, buffer in timed:
            self.names[name] = self.nest.load(buffer, outer + [Affine(extent)], self.at(s))

    def initial(self, buffer, index, value, s):
        self.store(TensorRef(buffer, index), value, s, len(self.conditions), keeps=False)

    def save(self):
        return ([dict(f.names) for f in self.frames], list(self.conditions), len(self.nest.statements),
                len(self.nest.buffers), [list(h) for h in self.held])

    def restore(self, state):
        names, conditions, statements, buffers, held = state
        for frame, saved in zip(self.frames, names):
            frame.names = dict(saved)
        self.conditions[:] = conditions
        del self.nest.statements[statements:]
        self.nest.forget(buffers)
        for values, saved in zip(self.held, held):
            values[:] = saved
