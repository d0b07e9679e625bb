"""Models of PyTorch in memory: walked with torch.fx, at the sizes of an example input."""

import dis
import inspect
import os
import re
import sys
import traceback

import torch
import torch.fx

from ..errors import NOT_THE_USERS, Error, diagnostic, misuse
from .trace import Recorder, Traced, leaves


def example_inputs(model, example):
    """Positional inputs of `model`: a tensor, a sequence of inputs in order, or a dict by name."""
    if isinstance(example, torch.Tensor):
        return (example,)
    if isinstance(example, dict):
        names = list(inspect.signature(model.forward).parameters)
        for name in example:
            if name not in names:
                from ..errors import suggestion

                raise misuse("model-example", f"the model has no input '{name}'", suggestion(name, names))
        last = max((names.index(name) for name in example), default=-1)
        signature = inspect.signature(model.forward).parameters
        out = []
        for name in names[:last + 1]:
            value = example.get(name, signature[name].default)
            if value is inspect.Parameter.empty:
                raise misuse("model-example", f"the example has no '{name}'", "give an example of each input")
            out.append(value)
        return tuple(out)
    if isinstance(example, (tuple, list)):
        return tuple(torch.zeros(tuple(e)) if _is_shape(e) else e for e in example)
    raise misuse("model-example", "the sizes of the model's inputs are not known" if example is None else
                 f"{type(example).__name__} is no example of the model's inputs",
                 "pass a tensor, a tuple of tensors, or a dict of tensors by name, as the model is called with")


def _is_shape(x):
    return isinstance(x, (tuple, list, torch.Size)) and len(x) > 0 and all(isinstance(n, int) for n in x)


class _Unpacked:
    """Proxies that are taken apart as `a, b = x`; fx itself looks for the instruction at a place that Python 3.11 moved."""

    def __iter__(self):
        return self.tracer.iter(self)


class _Attribute(_Unpacked, torch.fx.proxy.Attribute):
    pass


class _Proxy(_Unpacked, torch.fx.Proxy):
    def __getattr__(self, name):
        return _Attribute(self, name)


class Tracer(torch.fx.Tracer):
    """Modules of torch.nn are leaves, and so are those whose class says `pimento_leaf = True`."""

    record_stack_traces = True  # where the model's text makes each node

    def is_leaf_module(self, module, name):
        return getattr(module, "pimento_leaf", False) or super().is_leaf_module(module, name)

    def proxy(self, node):
        return _Proxy(node, self)

    def iter(self, proxy):
        """`batch, length, width = x.shape`: as many elements as the text takes."""
        frame = sys._getframe(1)
        while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(tuple(NOT_THE_USERS)):
            frame = frame.f_back
        for instruction in dis.get_instructions(frame.f_code) if frame is not None else ():
            if instruction.offset == frame.f_lasti and instruction.opname == "UNPACK_SEQUENCE":
                return iter([proxy[n] for n in range(instruction.argval)])
        return super().iter(proxy)


def symbolic(model):
    """The model as a torch.fx.GraphModule. Raises Error where fx stops, with the line of the model."""
    if isinstance(model, torch.fx.GraphModule):
        return model
    try:
        return torch.fx.GraphModule(model, Tracer().trace(model), type(model).__name__)
    except Error:
        raise
    except Exception as e:
        file, line = _stopped_at(e)
        raise Error([diagnostic(
            "model-trace", f"torch.fx cannot follow the model: {str(e).splitlines()[0] if str(e) else type(e).__name__}",
            "the model decides by the contents or shapes of its inputs here; pass the modules around this line one by "
            "one, or mark the class of this module with pimento_leaf = True, and it is recorded as it runs",
            file=file, line=line, kind="unsupported")]) from None


def _stopped_at(error):
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = os.path.abspath(frame.filename)
        if not frame.filename.startswith("<") and not file.startswith(tuple(NOT_THE_USERS)):
            return frame.filename, frame.lineno
    return "", 0


def names_of(model):
    """{id: name} of parameters and buffers."""
    return {id(t): name for name, t in (*model.named_parameters(), *model.named_buffers())}


class _Recording(torch.fx.Interpreter):
    """Runs a graph with Traced inputs; operators stand where the model's text made their nodes."""

    def __init__(self, graph, recorder):
        super().__init__(graph)
        self.recorder = recorder

    def run_node(self, node):
        self.recorder.place = made_at(node)
        return super().run_node(node)


def made_at(node):
    """(file, line) of the model's text, or None."""
    frames = re.findall(r'File "([^"]+)", line (\d+), in (\S+)', node.stack_trace or "")
    if not frames or frames[-1][2] != "<module>":
        frames.reverse()  # from the innermost out, as older versions have it
    for file, line, _ in frames:
        if not file.startswith("<") and not os.path.abspath(file).startswith(tuple(NOT_THE_USERS)):
            return file, int(line)
    return None


def record(model, example, name=None):
    """A Recorder with all of a model, its parameters as constants.

    The graph is that of torch.fx; a model that fx cannot follow is recorded as it runs on the example's sizes, where
    branches on shapes have an answer.
    """
    inputs = example_inputs(model, example)
    recorder = Recorder(name or type(model).__name__, names=names_of(model))
    names = [p for p in inspect.signature(model.forward).parameters]
    given = [recorder.input(names[n] if n < len(names) else f"input{n}", x.shape, x.dtype)
             if isinstance(x, torch.Tensor) else x for n, x in enumerate(inputs)]
    if not any(isinstance(t, Traced) for t in given):
        raise misuse("model-example", "none of the example inputs is a tensor", "pass what the model is called with")
    try:
        run = _Recording(symbolic(model), recorder).run
    except Error:
        run = model
    try:
        with torch.no_grad():
            recorder.output(run(*given))
    except Error as e:
        raise Error(e.diagnostics) from None  # without what fx adds to its text
    if not recorder.text.outputs or not list(leaves(recorder.text.operators)):
        raise misuse("model-empty", "the model gives no tensor that it computes", "return a tensor that operators make")
    return recorder
