"""TorchScript (.pt): read, never trained; its graph is run on shapes, and what it does with tensors is recorded."""

import json
import os
import zipfile

import torch

from ..errors import Error, diagnostic
from .trace import Recorder, Traced, leaves

EXTRA = "pimento.json"  # in the archive: sizes and types of inputs


def save(model, example, file):
    """Saves a model as TorchScript, with the sizes of its inputs, for `pimento VERB FILE.pt`.

    Args:
        model: a torch.nn.Module, in mode eval; it is traced with the example.
        example: its inputs: a tensor, or a tuple of tensors.
        file: a name that ends in .pt.
    """
    from .fx import example_inputs

    inputs = example_inputs(model, example)
    with torch.no_grad():
        traced = torch.jit.trace(model.eval(), inputs)
    ports = [{"shape": list(t.shape), "type": str(t.dtype)[len("torch."):]} for t in inputs]
    torch.jit.save(traced, os.fspath(file), _extra_files={EXTRA: json.dumps(ports)})


def _error(file, code, message, hint, kind="input"):
    return Error([diagnostic(code, message, hint, file=file, kind=kind)])


def load(file):
    """(module, what EXTRA says or None). A file that is no TorchScript is refused, not executed. Raises Error."""
    hint = "save the model with pimento.save(model, example, 'FILE.pt'), or with torch.jit.trace(...).save(...)"
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except FileNotFoundError:
        raise _error(file, "torchscript-file", "there is no such file", "") from None
    except (zipfile.BadZipFile, OSError):
        raise _error(file, "torchscript-file", "this is no TorchScript archive, or it was cut; a pickle is not loaded, "
                     "since that would run it", hint) from None
    if not any("/code/" in n for n in names) or not any(n.endswith("/constants.pkl") for n in names):
        what = "a torch.export archive" if any(n.endswith((".json", "serialized_exported_program.json")) for n in names) \
            else "pickled tensors or a pickled module, without code"
        raise _error(file, "torchscript-file", f"this is {what}, not TorchScript; it is not loaded", hint)
    extra = {EXTRA: ""}
    try:
        module = torch.jit.load(file, map_location="cpu", _extra_files=extra)
    except (RuntimeError, ValueError) as e:
        raise _error(file, "torchscript-file", f"PyTorch cannot load it: {str(e).strip().splitlines()[0]}", hint) from None
    module.eval()
    said = extra[EXTRA]
    said = said.decode() if isinstance(said, bytes) else said
    return module, json.loads(said) if said else None


def record(file, sizes):
    """A Recorder with the model in `file`. `sizes`: {"x_0": 1, ...}, dimension 0 of input x; "x" of one with one.
    Raises Error."""
    module, said = load(file)
    graph = module.inlined_graph
    ports = list(graph.inputs())[1:]
    names = [port.debugName().split(".")[0] for port in ports]
    shapes = _shapes(file, names, said, sizes)
    types = [getattr(torch, s["type"]) for s in said] if said else [torch.float32] * len(ports)
    while True:
        recorder = Recorder(os.path.splitext(os.path.basename(file))[0])
        inputs = [recorder.input(n, s, t) for n, s, t in zip(names, shapes, types)]
        run = _Run(recorder, module, file)
        try:
            with torch.no_grad():
                recorder.output(run.graph(graph, [module, *inputs]))
        except _Retype as found:
            if said or types[found.number] == torch.int64:
                raise _error(file, "model-type", f"input '{names[found.number]}' selects elements and is no integer", "") \
                    from None
            types[found.number] = torch.int64  # what selects rows is integers
            continue
        return recorder


def _shapes(file, names, said, sizes):
    shapes, used = [], set()
    for n, name in enumerate(names):
        shape = []
        while f"{name}_{len(shape)}" in sizes:
            used.add(f"{name}_{len(shape)}")
            shape.append(sizes[f"{name}_{len(shape)}"])
        if not shape and name in sizes:
            used.add(name)
            shape = [sizes[name]]
        if not shape and said:
            shape = said[n]["shape"]
        shapes.append(shape)
    missing = [name for name, shape in zip(names, shapes) if not shape and not said]
    if missing:
        raise _error(file, "model-size", f"TorchScript does not say what shape {', '.join(missing)} "
                     f"{'has' if len(missing) == 1 else 'have'}",
                     "add " + " ".join(f"--size {name}=1x3x224x224" for name in missing) +
                     " with its numbers, or save the model with pimento.save(model, example, 'FILE.pt')")
    for name in sizes:
        if name not in used:
            raise _error("--size", "model-size", f"the model has no size '{name}'",
                         "its inputs: " + ", ".join(f"--size {n}=NxN..." for n in names), kind="usage")
    return shapes


class _Retype(Exception):
    def __init__(self, number):
        super().__init__(number)
        self.number = number


class _Run:
    """Runs a graph: numbers and constants as they are, tensors that depend on inputs as Traced."""

    def __init__(self, recorder, module, file):
        self.recorder, self.file = recorder, file
        # PyTorch makes a Python object for a tensor once, while one is alive.
        self.alive = [*module.named_parameters(), *module.named_buffers()]
        recorder._names = {id(t): name for name, t in self.alive}
        self.constants = {}

    def graph(self, graph, arguments):
        env = {}
        for port, value in zip(graph.inputs(), arguments):
            env[port.debugName()] = value
        self.block(graph, env)
        results = [env[port.debugName()] for port in graph.outputs()]
        return results[0] if len(results) == 1 else results

    def block(self, block, env):
        for node in block.nodes():
            self.node(node, env)

    def node(self, node, env):
        kind = node.kind()
        values = [env.get(v.debugName()) for v in node.inputs()]
        outputs = [v.debugName() for v in node.outputs()]
        if kind == "prim::Constant":
            made = self.constant(node)
        elif kind == "prim::GetAttr":
            made = getattr(values[0], node.s("name"))
        elif kind in ("prim::ListConstruct", "prim::TupleConstruct"):
            made = values if kind == "prim::ListConstruct" else tuple(values)
        elif kind in ("prim::ListUnpack", "prim::TupleUnpack"):
            for name, value in zip(outputs, values[0]):
                env[name] = value
            return
        elif kind == "prim::If":
            block = list(node.blocks())[0 if bool(self.known(values[0], node)) else 1]
            self.block(block, env)
            for name, value in zip(outputs, block.outputs()):
                env[name] = env[value.debugName()]
            return
        elif kind == "prim::Loop":
            self.loop(node, values, outputs, env)
            return
        elif kind in ("prim::NumToTensor", "aten::Int", "aten::Float", "aten::Bool", "aten::ScalarImplicit",
                      "aten::IntImplicit", "aten::FloatImplicit", "aten::item"):
            made = self.number(kind, self.known(values[0], node))
        elif kind == "prim::dtype":
            made = values[0].dtype
        elif kind == "prim::device":
            made = torch.device("cpu")
        elif kind in ("prim::unchecked_cast", "prim::data", "aten::detach"):
            made = values[0]
        elif kind == "aten::size" and len(values) > 1:
            made = values[0].shape[values[1]]
        elif kind == "aten::size":
            made = list(values[0].shape)
        elif kind in ("aten::dim", "aten::numel"):
            made = len(values[0].shape) if kind == "aten::dim" else values[0].numel()
        elif kind == "aten::len":
            made = len(values[0])
        elif kind == "aten::append":
            values[0].append(values[1])
            made = values[0]
        elif kind in ("aten::__getitem__", "aten::__is__", "aten::__isnot__", "aten::__not__"):
            made = {"aten::__getitem__": lambda a, i: a[i], "aten::__is__": lambda a, b: a is b,
                    "aten::__isnot__": lambda a, b: a is not b, "aten::__not__": lambda a: not a}[kind](*values)
        elif kind == "prim::RaiseException":
            raise _error(self.file, "model-shape", f"the model refuses these sizes: {values[0]}", "give others with --size")
        elif kind == "aten::warn":
            return
        elif kind in ("prim::min", "prim::max"):
            made = (min if kind == "prim::min" else max)(*values)
        elif kind.startswith("aten::"):
            made = self.call(node, kind[len("aten::"):], values)
        else:
            raise _error(self.file, "torchscript-form", f"{kind} is not followed{_at(node)}",
                         "trace the model (pimento.save), which leaves tensors alone in the graph", kind="unsupported")
        for name in outputs[:1]:
            env[name] = made
        if len(outputs) > 1:
            for name, value in zip(outputs, made):
                env[name] = value

    def constant(self, node):
        # One Python object for each, so that a constant is one tensor.
        key = node.output().debugName()
        if key not in self.constants:
            self.constants[key] = node.output().toIValue()
        return self.constants[key]

    def known(self, value, node):
        if isinstance(value, Traced):
            raise _error(self.file, "model-trace", f"the model asks what '{value.name}' contains, which is known only when "
                         f"it runs{_at(node)}", "decide by shapes and constants", kind="unsupported")
        return value

    @staticmethod
    def number(kind, value):
        if kind == "prim::NumToTensor":
            return torch.tensor(value)
        made = value.item() if isinstance(value, torch.Tensor) else value
        return {"aten::Int": int, "aten::IntImplicit": int, "aten::Float": float, "aten::FloatImplicit": float,
                "aten::Bool": bool}.get(kind, lambda x: x)(made)

    def loop(self, node, values, outputs, env):
        count, goes, carried = values[0], values[1], values[2:]
        block = next(iter(node.blocks()))
        ports = [v.debugName() for v in block.inputs()]
        n = 0
        while n < count and bool(self.known(goes, node)):
            for name, value in zip(ports, [n, *carried]):
                env[name] = value
            self.block(block, env)
            results = [env[v.debugName()] for v in block.outputs()]
            goes, carried = results[0], results[1:]
            n += 1
        for name, value in zip(outputs, carried):
            env[name] = value

    def call(self, node, name, values):
        if name in ("embedding", "index_select", "gather") and isinstance(values[-1 if name == "gather" else 1], Traced):
            index = values[1]
            if index.dtype == torch.float32 and index.name in [i["name"] for i in self.recorder.text.inputs]:
                raise _Retype([i["name"] for i in self.recorder.text.inputs].index(index.name))
        packet = getattr(torch.ops.aten, name)
        schema = torch._C.parse_schema(node.schema())
        overload = getattr(packet, schema.overload_name or "default", packet)
        names = [a.name for a in schema.arguments]
        only = [bool(getattr(a, "kwarg_only", False)) for a in schema.arguments]

        def function(*args, **kwargs):
            given = {**dict(zip(names, args)), **kwargs}
            return overload(*[given[n] for n, is_named in zip(names, only) if not is_named],
                            **{n: given[n] for n, is_named in zip(names, only) if is_named})

        if not any(isinstance(t, Traced) for t in leaves(values)):
            return overload(*[v for v, is_named in zip(values, only) if not is_named],
                            **{n: v for n, v, is_named in zip(names, values, only) if is_named})
        if name == "index":
            where = tuple(slice(None) if i is None else i for i in values[1])
            return self.recorder.apply("getitem", torch.Tensor.__getitem__, (values[0], where), {})
        # In place, the first argument is what changes.
        if name.endswith("_") and not name.endswith("__"):
            return self.recorder.apply(name, function, (values[0],), dict(zip(names[1:], values[1:])))
        return self.recorder.apply(name, function, (), dict(zip(names, values)))


def _at(node):
    text = node.sourceRange().strip().splitlines()
    return f" ({text[0].strip()})" if text else ""
