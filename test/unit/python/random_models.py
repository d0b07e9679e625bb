#!/usr/bin/env python3
"""Random models of PyTorch, 5 to 30 layers: as a graph (from torch.fx and from TorchScript, which must be the same) and
with their layers on a machine, they give what PyTorch gives, within the bound of the type that computes.

usage: random_models.py [COUNT [FIRST SEED]]        default: 10 models from seed 1
"""

import json
import random
import sys
import tempfile
from pathlib import Path

from support import NOT_RUN, has_llvm, np, numbered, pimento  # first: says "not run here" without NumPy

try:
    import torch
    import torch.fx
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    print("not run here: this Python has no PyTorch")
    sys.exit(NOT_RUN)

# Largest difference, relative to the largest element. f32 sums in another order than PyTorch; of f16 and bf16 each
# operation rounds, over up to 30 layers; normalisations and divisions enlarge what came before, and f16 ends at 65,504.
# A model that differs as much once PyTorch rounds what it computes in f32 to the type, step by step, has twice that as its bound.
BOUNDS = {"f32": 2e-4, "f16": 0.03, "bf16": 0.1}


class RandomModel(nn.Module):
    """Layers by a plan that was drawn beforehand: forward() only follows it."""

    def __init__(self, seed):
        super().__init__()
        self.r = random.Random(seed)
        self.plan, self.parts = [], nn.ModuleList()
        rank = self.r.choice([2, 3, 4, 4])
        self.start = {2: [self.r.randint(1, 4), self.r.randint(3, 16)],
                      3: [self.r.randint(1, 2), self.r.randint(2, 8), self.r.choice([4, 8, 12, 16])],
                      4: [self.r.randint(1, 2), self.r.choice([2, 3, 4]), self.r.choice([6, 8]), self.r.choice([6, 8])]}[rank]
        shape = list(self.start)
        kept = []  # (index of the step, shape): what later steps may add
        for step in range(self.r.randint(5, 30)):
            shape = self.draw(shape, kept)
            kept.append((len(self.plan) - 1, list(shape)))
            if np.prod(shape) > 4000:
                break
        self.shape = shape

    def part(self, module):
        self.parts.append(module)
        return len(self.parts) - 1

    def draw(self, s, kept):
        """One more step of the plan; the shape behind it."""
        r = self.r
        choices = ["linear", "relu", "gelu", "tanh", "sigmoid", "silu", "layer_norm", "scale", "softmax", "add_kept",
                   "cat", "slice", "mean", "square", "clamp", "sub", "leaky", "abs", "chunk_mul", "reduce_add"]
        if len(s) == 4:
            choices += ["conv", "conv", "conv", "batch_norm", "max_pool", "avg_pool", "flatten", "to_tokens", "depthwise",
                        "adaptive", "pad", "group_norm"]
        if len(s) == 3:
            choices += ["attention", "transpose", "bmm", "conv1d", "mean_token", "rms"]
        if len(s) == 2:
            choices += ["linear", "linear", "outer"]
        kind = r.choice(choices)
        last = s[-1]
        if kind == "linear":
            out = r.randint(2, 24)
            self.plan.append(("module", self.part(nn.Linear(last, out, bias=r.random() < 0.8))))
            return s[:-1] + [out]
        if kind in ("relu", "gelu", "tanh", "sigmoid", "silu", "abs"):
            if r.random() < 0.5 and kind != "abs":
                module = {"relu": nn.ReLU(inplace=r.random() < 0.3), "gelu": nn.GELU(), "tanh": nn.Tanh(),
                          "sigmoid": nn.Sigmoid(), "silu": nn.SiLU()}[kind]
                if getattr(module, "inplace", False):
                    module = nn.ReLU()  # what an earlier step kept stays as it is
                self.plan.append(("module", self.part(module)))
            else:
                self.plan.append((kind,))
            return s
        if kind == "leaky":
            self.plan.append(("module", self.part(nn.LeakyReLU(0.1))))
            return s
        if kind == "layer_norm" and last > 1:
            self.plan.append(("module", self.part(nn.LayerNorm(last))))
            return s
        if kind == "scale":
            self.plan.append(("scale", r.choice([0.5, 2.0, -1.0, 0.125])))
            return s
        if kind == "softmax":
            self.plan.append(("softmax", r.choice([-1, len(s) - 1])))
            return s
        if kind == "clamp":
            self.plan.append(("clamp", -1.0, r.choice([1.0, 2.0])))
            return s
        if kind in ("add_kept", "sub"):
            fits = [n for n, shape in kept if shape == s]
            if fits:
                self.plan.append((kind, r.choice(fits)))
                return s
        if kind == "cat":
            fits = [(n, shape) for n, shape in kept if shape[:-1] == s[:-1]]
            if fits:
                n, shape = r.choice(fits)
                self.plan.append(("cat", n))
                return s[:-1] + [last + shape[-1]]
        if kind == "slice" and last > 3:
            self.plan.append(("slice", last // 2))
            return s[:-1] + [last // 2]
        if kind == "mean" and len(s) > 2:
            self.plan.append(("mean", len(s) - 1))
            return s[:-1] + [1]
        if kind == "chunk_mul" and last % 2 == 0:
            self.plan.append(("chunk_mul",))
            return s[:-1] + [last // 2]
        if kind == "reduce_add":
            self.plan.append(("reduce_add", r.randint(0, len(s) - 1)))
            return s
        if kind == "conv":
            out, kernel, stride = r.randint(1, 6), r.choice([1, 3]), r.choice([1, 1, 2])
            module = nn.Conv2d(s[1], out, kernel, stride, padding=kernel // 2, bias=r.random() < 0.6)
            if r.random() < 0.4:
                norm = nn.BatchNorm2d(out)
                norm.running_mean.uniform_(-0.5, 0.5)
                norm.running_var.uniform_(0.5, 1.5)
                module = nn.Sequential(module, norm)
            self.plan.append(("module", self.part(module)))
            return [s[0], out] + [(n - 1) // stride + 1 for n in s[2:]]
        if kind == "depthwise":
            self.plan.append(("module", self.part(nn.Conv2d(s[1], s[1], 3, padding=1, groups=s[1]))))
            return s
        if kind == "batch_norm":
            self.plan.append(("module", self.part(nn.BatchNorm2d(s[1]))))
            return s
        if kind == "group_norm" and np.prod(s[2:]) > 1:
            groups = 2 if s[1] % 2 == 0 else 1
            self.plan.append(("module", self.part(nn.GroupNorm(groups, s[1]))))
            return s
        if kind in ("max_pool", "avg_pool") and min(s[2:]) >= 2:
            self.plan.append(("module", self.part((nn.MaxPool2d if kind == "max_pool" else nn.AvgPool2d)(2))))
            return s[:2] + [n // 2 for n in s[2:]]
        if kind == "adaptive":
            self.plan.append(("module", self.part(nn.AdaptiveAvgPool2d(1))))
            return s[:2] + [1, 1]
        if kind == "pad":
            self.plan.append(("pad",))
            return s[:2] + [s[2], s[3] + 2]
        if kind == "flatten":
            self.plan.append(("flatten",))
            return [s[0], int(np.prod(s[1:]))]
        if kind == "to_tokens":
            self.plan.append(("to_tokens",))
            return [s[0], s[2] * s[3], s[1]]
        if kind == "attention":
            self.plan.append(("attention",))
            return s
        if kind == "transpose":
            self.plan.append(("transpose",))
            return [s[0], s[2], s[1]]
        if kind == "bmm":
            self.plan.append(("bmm",))
            return [s[0], s[1], s[1]]
        if kind == "conv1d":
            out = r.randint(2, 6)
            self.plan.append(("module", self.part(nn.Conv1d(s[1], out, 3, padding=1))))
            return [s[0], out, s[2]]
        if kind == "mean_token":
            self.plan.append(("mean_token",))
            return [s[0], s[2]]
        if kind == "rms":
            self.plan.append(("rms",))
            return s
        if kind == "outer":
            self.plan.append(("outer",))
            return [s[0], last, 1]
        self.plan.append(("square",) if kind == "square" else ("relu",))
        return s

    def forward(self, x):
        made = []
        for step in self.plan:
            kind = step[0]
            if kind == "module":
                x = self.parts[step[1]](x)
            elif kind in ("relu", "gelu", "silu"):
                x = getattr(F, kind)(x)
            elif kind in ("tanh", "sigmoid", "abs"):
                x = getattr(torch, kind)(x)
            elif kind == "scale":
                x = x * step[1]
            elif kind == "softmax":
                x = F.softmax(x, dim=step[1])
            elif kind == "clamp":
                x = torch.clamp(x, step[1], step[2])
            elif kind == "add_kept":
                x = x + made[step[1]]
            elif kind == "sub":
                x = made[step[1]] - x
            elif kind == "cat":
                x = torch.cat([x, made[step[1]]], dim=-1)
            elif kind == "slice":
                x = x[..., :step[1]]
            elif kind == "mean":
                x = x.mean(step[1], keepdim=True)
            elif kind == "chunk_mul":
                a, b = torch.chunk(x, 2, dim=-1)
                x = a * b
            elif kind == "reduce_add":
                x = x + x.sum(step[1], keepdim=True)
            elif kind == "pad":
                x = F.pad(x, (1, 1))
            elif kind == "flatten":
                x = torch.flatten(x, 1)
            elif kind == "to_tokens":
                x = x.flatten(2).transpose(1, 2)
            elif kind == "attention":
                x = torch.matmul(F.softmax(torch.matmul(x, x.transpose(1, 2)) / x.shape[-1] ** 0.5, dim=-1), x)
            elif kind == "transpose":
                x = x.transpose(1, 2)
            elif kind == "bmm":
                x = torch.bmm(x, x.transpose(1, 2)) * 0.1
            elif kind == "mean_token":
                x = x.mean(dim=1)
            elif kind == "rms":
                x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
            elif kind == "outer":
                x = x.unsqueeze(-1)
            elif kind == "square":
                x = torch.tanh(x) ** 2
            made.append(x)
        return x


class Rounding(torch.fx.Interpreter):
    """A model in f32 whose every step rounds to a type."""

    def __init__(self, model, type):
        super().__init__(pimento.models.fx.symbolic(model))
        self.type = {"f16": torch.float16, "bf16": torch.bfloat16}[type]

    def run_node(self, node):
        made = super().run_node(node)
        return made.to(self.type).float() if isinstance(made, torch.Tensor) and made.dtype == torch.float32 else made


def difference(a, b):
    a, b = a.double(), b.double()
    return float((a - b).abs().max() / max(float(b.abs().max()), 1e-3))


def canonical(model, example, file):
    """The graph as CNM IR, with its names numbered; from memory, and from a file of TorchScript."""
    from pimento.models.fx import record
    from pimento.models.script import record as record_script

    texts = []
    for recorder in (record(model, example), record_script(file, {})):
        query = pimento.library.Query({"emit": "cnm", "map": "host", "target": "attacc"},
                                      ("model", recorder.text.data(), "m"))
        texts.append(numbered(json.loads(query.run("compile").json)))
    return texts


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    machines = ["attacc", "hbm-pim", "aim"] + (["upmem"] if has_llvm() else [])
    layers = placed = 0
    worst, wrong = {}, []
    for seed in range(first, first + count):
        torch.manual_seed(seed)
        model = RandomModel(seed).eval()
        example = torch.randn(*model.start)
        with torch.no_grad():
            expected = model(example)
        layers += len(model.plan)
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder) / "m.pt")
            pimento.save(model, example, file)
            ours, theirs = canonical(model, example, file)
        if ours != theirs:
            wrong.append(f"seed {seed}: TorchScript gives another graph")
        whole = pimento.init_kernel(model, (example,), target="attacc", map="host", mode="estimate", offload="possible")
        found = difference(torch.from_numpy(np.asarray(whole(example.numpy()))).reshape(expected.shape), expected)
        worst["graph f32"] = max(worst.get("graph f32", 0), found)
        if not found <= BOUNDS["f32"]:
            wrong.append(f"seed {seed}: the graph differs by {found}")
        target = machines[seed % len(machines)]
        on = pimento.set_model(model, example, target=target, map="auto", mode="simulate" if seed % 3 else "estimate")
        again = pimento.set_model(on, example, target=target, map="auto", mode="simulate" if seed % 3 else "estimate")
        placed += len(on.pimento.layers)
        with torch.no_grad():
            made, twice = on(example), again(example)
        found = difference(made, expected)
        type = {"upmem": "f32", "aim": "bf16"}.get(target, "f16")
        worst[f"{target} {type}"] = max(worst.get(f"{target} {type}", 0), found)
        own = 0
        if not found <= BOUNDS[type] and type != "f32":
            with torch.no_grad():
                own = difference(Rounding(model, type).run(example), expected)
            own = own if own == own else float("inf")
        if not found <= max(BOUNDS[type], 2 * own) and own < float("inf"):
            wrong.append(f"seed {seed}: on {target} it differs by {found}")
        if not torch.equal(made, twice) or list(on.pimento.layers) != list(again.pimento.layers):
            wrong.append(f"seed {seed}: set_model twice is something else")
        if {*on.state_dict()} != {*model.state_dict()}:
            wrong.append(f"seed {seed}: another state_dict")
    print(f"{count} models of {layers} steps; {placed} layers on machines; largest differences: " +
          ", ".join(f"{k} {v:.2g}" for k, v in sorted(worst.items())))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
