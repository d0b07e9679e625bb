"""Layers of PyTorch that a simulated machine computes, and models in which they stand."""

import copy
import math

import torch
import torch.fx

from ..dtypes import dtype as dtype_of
from ..errors import Error, diagnostic, misuse
from ..functions import native_dtype
from ..kernels import Kernel
from .fx import example_inputs, made_at, symbolic
from .trace import TYPES, Recorder, Traced, leaves, mapped, model_error

_TORCH_TYPES = {name: dtype for dtype, name in TYPES.items() if dtype != torch.bool}
# Functions that only look at tensors in another way: not worth a machine's time.
_MOVES = {"view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "transpose", "permute", "t", "contiguous",
          "expand", "expand_as", "chunk", "split", "getitem", "getattr", "size", "to", "type", "float", "half", "clone",
          "detach", "dropout", "unbind", "select", "narrow"}


class _NoTraining(torch.autograd.Function):
    """Results of a layer, where gradients are recorded: who asks for them is told why there are none."""

    @staticmethod
    def forward(context, layer, compute, *tensors):
        context.layer = layer
        made = compute()
        context.is_tuple = isinstance(made, tuple)
        return made

    @staticmethod
    def backward(context, *gradients):
        raise misuse("layer-training", f"layer '{context.layer.name}' runs on {context.layer.target}, which computes no "
                     "gradients", "train the model that set_model was given, then call set_model again")


class _Bound:
    """A layer at some shapes: its kernel, and what stays on the machine."""

    def __init__(self, kernel, sources, results, structure):
        self.kernel, self.sources, self.results, self.structure = kernel, sources, results, structure
        self.handles, self.versions = {}, {}


class Layer(torch.nn.Module):
    """A layer that a simulated machine computes: a torch.nn.Module in the place of another one, or of a function.

    It has the parameters and buffers of the module it stands for, under the same names, so that state_dict,
    load_state_dict and to go on working. Parameters lie on the machine (they are placed again after they change). A call
    with new shapes tunes the layer for them; what was tuned is kept (PIMENTO_STORE). Results have the types that
    PyTorch's have; the machine computes in `dtype`.

    Args:
        module: a torch.nn.Module, or a function of tensors (torch.matmul, torch.nn.functional.relu).
        example: what it will be called with: a tensor or a tuple. None: the first call decides.
        target: a machine, by name or file.
        dtype: the element type that the machine computes in (default: that of the tensors where the machine has it, else
            its native one).
        map, mode, objective, set, budget, store, jobs, machines: as init_kernel.
        name: for messages and reports.

    Attributes: name, target, kernel (the Kernel of the last call), report, time_ns, energy_pj: of it.

    Raises Error, of itself or when it is called: the machine cannot compute the layer, or not hold it.
    """

    pimento_leaf = True

    def __init__(self, module, example=None, *, target="hbm-pim", dtype=None, map="tune", mode="simulate", name=None,
                 objective=None, set=None, budget=None, store=None, jobs=None, machines=None):
        super().__init__()
        self._inner = (module,)  # in a tuple, so that it is no submodule of this one
        self.name = name or getattr(module, "__name__", type(module).__name__)
        self.target, self.mode, self.dtype, self._map = target, mode, dtype_of(dtype) if dtype else None, map
        self._options = {"target": target, "objective": objective, "set": set, "machines": machines}
        self._search = {"budget": budget, "store": store, "jobs": jobs}
        self._bound, self.kernel = {}, None
        if isinstance(module, torch.nn.Module):
            self._parameters, self._buffers, self._modules = module._parameters, module._buffers, module._modules
            self.training = module.training
        if example is not None:
            self._bind(example if isinstance(example, tuple) else (example,), {})

    def extra_repr(self):
        return f"{self.name} on {self.target}"

    @property
    def options(self):
        """What a layer of another model must have in common with this one to be kept by set_model."""
        return (self.target, self.mode, self.dtype.name if self.dtype else None, self._map, str(self._options))

    # --- binding ---

    def _bind(self, args, kwargs):
        """The layer at these shapes. Raises Error."""
        key = _signature((args, kwargs))
        if key in self._bound:
            return self._bound[key]
        inner = self._inner[0]
        is_module = isinstance(inner, torch.nn.Module)
        named = {id(t): n for n, t in (*inner.named_parameters(), *inner.named_buffers())} if is_module else {}
        recorder = Recorder(self.name.replace(".", "_"), as_inputs=named)
        tensors = [t for t in leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        given = iter([recorder.input(f"in{n}", t.shape, t.dtype) for n, t in enumerate(tensors)])
        traced_args, traced_kwargs = mapped((args, kwargs), lambda t: next(given))
        with torch.no_grad():
            made = inner(*traced_args, **traced_kwargs)
        recorder.output(made)
        if recorder.hosts:
            name, why = recorder.hosts[0]
            raise Error([diagnostic("layer-host", f"layer '{self.name}': {why}", "keep it in PyTorch: set_model does",
                                    kind="unsupported")])
        weights = [p["name"] for p in recorder.text.inputs[len(tensors):]]
        kernel = self._kernel(recorder, tensors, weights)
        at = {f"in{n}": n for n in range(len(tensors))}
        sources = [at.get(n, recorder.given.get(n)) for n in kernel.inputs]
        results = dict(zip(recorder.text.outputs, (t for t in leaves(made) if isinstance(t, (Traced, torch.Tensor)))))
        bound = _Bound(kernel, sources, [results[n].dtype for n in recorder.text.outputs], made)
        self._bound[key] = bound
        return bound

    def _kernel(self, recorder, tensors, weights):
        """Bound in the first type that the machine has."""
        given = [*tensors, *self.parameters(), *self.buffers()]
        own = next((TYPES.get(t.dtype) for t in given if t.dtype.is_floating_point), None)
        native = native_dtype(self.target)
        types = [self.dtype.name] if self.dtype else [own]
        if own is not None and not self.dtype and native.name != own and native.is_float:
            types.append(native.name)
        problem = None
        for type in types:
            options = {**self._options, "convert": None if type == own else f"{own}={type}"}
            search = self._search if self._map == "tune" else {"jobs": self._search["jobs"]}
            try:
                return Kernel(self.name, options, ("model", recorder.text.data(), recorder.text.name), None, self._map,
                              weights, self.mode, None, search)
            except Error as e:
                problem = e if problem is None or problem.diagnostics[0]["kind"] == "unsupported" else problem
        raise problem

    # --- calls ---

    def forward(self, *args, **kwargs):
        if self.training:
            raise misuse("layer-training", f"layer '{self.name}' is in training mode, and {self.target} computes no "
                         "gradients", "call model.eval(); to train, use the model that set_model was given")
        tensors = [t for t in leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        for t in tensors:
            if t.device.type != "cpu":
                raise misuse("layer-device", f"layer '{self.name}' is given a tensor on {t.device}",
                             "pass tensors in CPU memory: t.cpu()")
        if torch.is_grad_enabled() and any(t.requires_grad for t in (*tensors, *self.parameters())):
            return _NoTraining.apply(self, lambda: self._compute(args, kwargs, tensors), *tensors, *self.parameters())
        with torch.no_grad():
            return self._compute(args, kwargs, tensors)

    def _compute(self, args, kwargs, tensors):
        bound = self._bind(args, kwargs)
        kernel = self.kernel = bound.kernel
        values = []
        for parameter, source in zip(kernel._parameters, bound.sources):
            if isinstance(source, int):
                values.append(_array(parameter, tensors[source]))
            else:
                values.append(self._handle(bound, parameter, source))
        made = kernel(*values)
        made = list(made) if isinstance(made, tuple) else [made]
        if bound.structure is None or not made:
            return None
        given = iter([_tensor(array, result.type, dtype)
                      for array, result, dtype in zip(made, kernel._results, bound.results)])
        return mapped(bound.structure, lambda t: next(given).reshape(tuple(t.shape)))

    def _handle(self, bound, parameter, tensor):
        """The handle of a parameter, as it is now."""
        tensor = self._current(tensor)
        version = (tensor.data_ptr(), tensor._version)
        if bound.versions.get(parameter.name) != version:
            if parameter.name in bound.handles:
                bound.handles.pop(parameter.name).free()
            bound.handles[parameter.name] = bound.kernel.preload(_array(parameter, tensor), parameter.name)
            bound.versions[parameter.name] = version
        return bound.handles[parameter.name]

    def _current(self, name):
        """A parameter by its name, which load_state_dict or assignment may have replaced."""
        found = self
        for part in name.split("."):
            found = getattr(found, part)
        return found

    @property
    def report(self):
        return self._last().report

    @property
    def time_ns(self):
        return self._last().time_ns

    @property
    def energy_pj(self):
        return self._last().energy_pj

    def _last(self):
        if self.kernel is None:
            raise misuse("python-not-called", f"layer '{self.name}' has not been called yet", "call the model first")
        return self.kernel

    def __deepcopy__(self, memo):
        made = Layer(copy.deepcopy(self._inner[0], memo), target=self.target, dtype=self.dtype, map=self._map,
                     mode=self.mode, name=self.name)
        made._options, made._search, made.training = self._options, self._search, self.training
        return made


def _signature(arguments):
    """What decides the kernel: shapes, types, and everything that is no tensor."""
    return str(mapped(arguments, lambda t: (tuple(t.shape), str(t.dtype))))


def _array(parameter, tensor):
    """A tensor in the type and layout of a kernel's parameter; itself where it is right."""
    wanted = _TORCH_TYPES[parameter.type.name] if parameter.type.name in _TORCH_TYPES else None
    if wanted is None:
        return parameter.type.encode(tensor.detach().float().numpy())
    tensor = tensor.detach()
    if tensor.dtype != wanted and not (tensor.dtype == torch.bool and wanted == torch.uint8):
        tensor = tensor.to(wanted)
    tensor = tensor.contiguous()
    if wanted == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view("uint16").reshape(parameter.shape)
    array = tensor.numpy()
    return (array.view("uint8") if array.dtype == bool else array).reshape(parameter.shape)


def _tensor(array, type, dtype):
    """An array of the machine's `type` as a tensor of PyTorch's `dtype`."""
    import numpy

    array = numpy.asarray(array)
    return torch.from_numpy(type.decode(array) if type.is_bits else array).to(dtype)


class Placed:
    """What set_model did, as `model.pimento`.

    Attributes:
        layers: {name: Layer}, in the order of the model.
        kept: {name: reason}: what PyTorch goes on computing.
        time_ns, energy_pj: sums over the layers' last calls.
    """

    def __init__(self, layers, kept):
        self.layers, self.kept = layers, kept

    def _sum(self, what):
        return math.fsum(getattr(layer, what) for layer in self.layers.values() if layer.kernel is not None)

    @property
    def time_ns(self):
        return self._sum("time_ns")

    @property
    def energy_pj(self):
        return self._sum("energy_pj")

    def rows(self):
        """A dict for each layer: name, where, mapping, time_ns, energy_pj; or why PyTorch computes it."""
        out = []
        for name, layer in self.layers.items():
            row = {"name": name, "where": layer.target, "why": ""}
            if layer.kernel is not None and layer.kernel._answer is not None:
                row.update(mapping="; ".join(p["mapping"] or "host" for p in layer.kernel.description["parts"]), time_ns=layer.time_ns, energy_pj=layer.energy_pj)
            out.append(row)
        return out + [{"name": name, "where": "host", "why": why} for name, why in self.kept.items()]

    def __str__(self):
        lines = []
        for row in self.rows():
            time = f"{row['time_ns'] / 1e3:,.3f} us" if "time_ns" in row else ""
            energy = f"{row['energy_pj'] / 1e6:,.3f} uJ" if "energy_pj" in row else ""
            lines.append(f"{row['name']:24} {row['where']:14} {time:>16} {energy:>16}  "
                         f"{row.get('mapping') or row['why']}".rstrip())
        total = f"{'on the machine':39} {self.time_ns / 1e3:>13,.3f} us {self.energy_pj / 1e6:>13,.3f} uJ"
        return "\n".join([*lines, total])


def set_model(model, example, *, target="hbm-pim", dtype=None, map="tune", mode="simulate", objective=None, set=None,
              budget=None, store=None, jobs=None, machines=None, skip=()):
    """Puts every layer of a PyTorch model that a machine can compute on it.

    The model is walked with torch.fx and run once on the example, which gives every size. Each call of a module or
    function is tuned for the machine, and replaced by a Layer where that works. PyTorch goes on computing the others, and
    views. Weights are shared with `model`, which itself is not changed; nothing is if an Error is raised or Ctrl-C
    pressed, and what was tuned by then is kept.

    Args:
        model: a torch.nn.Module in mode eval, or what set_model returned: layers with the same options are kept.
        example: its inputs: a tensor, a tuple, or a dict by name.
        target, dtype, map, mode, objective, set, budget, store, jobs, machines: as Layer.
        skip: names of modules that stay with PyTorch.

    Returns a torch.fx.GraphModule with the same state_dict. Its attribute `pimento` says where each layer is (print it).
    Raises Error: fx cannot follow the model (with the line where it stopped), or a layer does not fit into the machine's
    memory, and by how much.
    """
    if not isinstance(model, torch.nn.Module):
        raise misuse("model-example", f"{type(model).__name__} is no torch.nn.Module", "pass a model")
    if model.training:
        raise misuse("layer-training", "the model is in training mode", "call model.eval() first")
    inputs = example_inputs(model, example)
    graph = symbolic(model)
    for name in skip:
        if name not in dict(model.named_modules()):
            from ..errors import suggestion

            raise misuse("model-example", f"the model has no module '{name}'",
                         suggestion(name, [n for n, _ in model.named_modules() if n]))
    options = dict(target=target, dtype=dtype, map=map, mode=mode, objective=objective, set=set, budget=budget,
                   store=store, jobs=jobs, machines=machines)
    walk = _Walk(graph, options, skip)
    try:
        with torch.no_grad():
            walk.run(*inputs)
    except Error as e:
        raise Error(e.diagnostics) from None  # without what fx adds to its text
    made = _replaced(model, graph, walk)
    made.pimento = Placed(walk.layers, walk.kept)
    return made.eval()


def _in_f32(t):
    return t.float() if t.dtype == torch.float16 else t


class _Method:
    """A method of tensors as a function."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, tensor, *args, **kwargs):
        return getattr(tensor, self.__name__)(*args, **kwargs)


class _Walk(torch.fx.Interpreter):
    """Runs the model on the example, and makes a Layer of each call that the machine can compute."""

    def __init__(self, graph, options, skip):
        super().__init__(graph)
        self.options, self.skip = options, {*skip}
        self.layers, self.kept, self.at = {}, {}, {}  # at: {node: layer's name}

    def run_node(self, node):
        if node.op not in ("call_module", "call_function", "call_method"):
            return super().run_node(node)
        args, kwargs = self.fetch_args_kwargs_from_env(node)
        name, inner = self._called(node)
        result = self._run(node, args, kwargs)
        short = name if node.op == "call_module" else inner.__name__.strip("_")
        if isinstance(inner, Layer):
            name = inner.name
            same = Layer(inner._inner[0], **self.options).options == inner.options
            self.layers[name] = inner if same else self._layer(name, inner._inner[0], args, kwargs)
            self.at[node] = name
            return result
        tensors = [t for t in leaves(result) if isinstance(t, torch.Tensor)]
        if not tensors or not any(isinstance(t, torch.Tensor) for t in leaves((args, kwargs))):
            return result
        if node.op != "call_module" and short in _MOVES or isinstance(inner, (torch.nn.Dropout, torch.nn.Identity,
                                                                              torch.nn.Flatten, torch.nn.Unflatten)):
            return result
        if name in self.skip:
            self.kept[name] = "skip"
            return result
        try:
            self.layers[name] = self._layer(name, inner, args, kwargs)
            self.at[node] = name
        except Error as e:
            if e.diagnostics[0]["kind"] not in ("unsupported",):
                raise
            self.kept[name] = e.message
        return result

    def _called(self, node):
        if node.op == "call_module":
            return node.target, self.module.get_submodule(node.target)
        name = node.name
        while name in self.submodules:  # a module may have the name of a function's result
            name += "_"
        return name, _Method(node.target) if node.op == "call_method" else node.target

    def _run(self, node, args, kwargs):
        """PyTorch's result, which decides the sizes that follow."""
        inner = self._called(node)[1]
        inner = inner._inner[0] if isinstance(inner, Layer) else inner
        try:
            return inner(*args, **kwargs)
        except (RuntimeError, ValueError, IndexError, TypeError) as e:
            if "not implemented for 'Half'" not in str(e):
                raise model_error("model-shape", str(e).splitlines()[0] if str(e) else type(e).__name__,
                                  "the example inputs do not fit the model", kind="input", at=made_at(node)) from None
        # PyTorch's CPUs may lack functions of f16: only the sizes matter here.
        inner = copy.deepcopy(inner).float() if isinstance(inner, torch.nn.Module) else inner
        made = inner(*mapped(args, _in_f32), **mapped(kwargs, _in_f32))
        return mapped(made, lambda t: t.half() if t.dtype == torch.float32 else t)

    def _layer(self, name, inner, args, kwargs):
        known = self.layers.get(name)
        if known is None:
            known = Layer(inner, name=name, **self.options)
        known.eval()
        known._bind(args, kwargs)
        return known


def _replaced(model, graph, walk):
    """The graph with layers in it: a GraphModule of its own, with the parameters of the first."""
    made_graph = torch.fx.Graph()
    env = {}
    result = made_graph.graph_copy(graph.graph, env)
    for node, name in walk.at.items():
        new = env[node]
        if new.op != "call_module":
            new.op, new.target = "call_module", _submodule(graph, name)
    if result is not None:
        made_graph.output(result)
    root = {}
    for node in graph.graph.nodes:
        if node.op == "get_attr":
            root[node.target] = _attribute(graph, node.target)
        elif node.op == "call_module":
            root[node.target] = walk.layers.get(node.target, graph.get_submodule(node.target))
    for node, name in walk.at.items():
        root[env[node].target] = walk.layers[name]
    made = torch.fx.GraphModule(root, made_graph, graph.__class__.__name__)
    # What the graph does not use belongs to the state_dict too.
    there = {*made.state_dict()}
    for path, tensor in (*model.named_parameters(), *model.named_buffers()):
        if path not in there and path in model.state_dict():
            *folders, last = path.split(".")
            module = made
            for folder in folders:
                if not hasattr(module, folder):
                    module.add_module(folder, torch.nn.Module())
                module = getattr(module, folder)
            if isinstance(tensor, torch.nn.Parameter):
                module.register_parameter(last, tensor)
            else:
                module.register_buffer(last, tensor)
    return made


def _submodule(graph, name):
    taken = {n for n, _ in graph.named_modules()}
    made = f"pim_{name}"
    while made in taken:
        made += "_"
    return made


def _attribute(graph, path):
    found = graph
    for part in path.split("."):
        found = getattr(found, part)
    return found
