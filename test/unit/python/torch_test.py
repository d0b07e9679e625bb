#!/usr/bin/env python3
"""PyTorch: layers, set_model, models as inputs of verbs and of the command line, and what is told when they are wrong."""

import copy
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import NOT_RUN, numbered, pimento

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    print("not run here: this Python has no PyTorch")
    sys.exit(NOT_RUN)
import torch_zoo

HERE = Path(__file__).resolve()
PIMENTO = os.environ.get("PIMENTO", "pimento")


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(16, 24), nn.Linear(24, 8)
        self.unused = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x))) + 1


def close(test, a, b, bound):
    test.assertEqual(a.shape, b.shape)
    test.assertEqual(a.dtype, b.dtype)
    test.assertLessEqual(float((a.double() - b.double()).abs().max()), bound * float(b.double().abs().max()) + 1e-9)


class Layers(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.model, self.x = Two().eval(), torch.randn(3, 16)

    def placed(self, model=None, x=None, **options):
        options = {"target": "attacc", "map": "auto", **options}
        return pimento.set_model(self.model if model is None else model, self.x if x is None else x, **options)

    def test_a_model_keeps_what_it_is(self):
        on = self.placed()
        close(self, on(self.x).detach(), self.model(self.x).detach(), 2e-3)
        self.assertEqual({*on.state_dict()}, {*self.model.state_dict()})
        self.assertIs(on.fc1.weight, self.model.fc1.weight)
        self.assertIsInstance(on.fc1, pimento.Layer)
        self.assertNotIsInstance(self.model.fc1, pimento.Layer)
        self.assertEqual(list(on.pimento.layers), ["fc1", "fc2"])
        self.assertIn("relu", on.pimento.kept)
        self.assertGreater(on.pimento.time_ns, 0)
        self.assertRegex(str(on.pimento), r"fc1 +attacc +[\d.]+ us")
        self.assertTrue(on.fc1.report["checked"])

    def test_twice_is_once(self):
        on = self.placed()
        again = self.placed(on)
        self.assertIs(again.fc1, on.fc1)
        self.assertTrue(torch.equal(again(self.x), on(self.x)))
        other = self.placed(on, target="aim")
        self.assertEqual(other.fc1.target, "aim")
        close(self, other(self.x).detach(), self.model(self.x).detach(), 3e-2)

    def test_weights_that_change_are_placed_again(self):
        on = self.placed()
        with torch.no_grad():
            self.model.fc1.weight.mul_(2)
        close(self, on(self.x).detach(), self.model(self.x).detach(), 2e-3)
        state = {k: torch.randn_like(v) for k, v in self.model.state_dict().items()}
        on.load_state_dict(state)
        close(self, on(self.x).detach(), self.model(self.x).detach(), 2e-3)

    def test_other_shapes_are_tuned_when_they_come(self):
        on = self.placed()
        x = torch.randn(7, 16)
        close(self, on(x).detach(), self.model(x).detach(), 2e-3)
        self.assertEqual(len(on.fc1._bound), 2)

    def test_modes_of_modules(self):
        on = self.placed()
        on.train(False)
        on(self.x)
        on.train()
        with self.assertRaisesRegex(pimento.Error, "layer 'fc1' is in training mode.*layer-training"):
            on(self.x)
        on.eval()
        loss = on(self.x).sum()
        with self.assertRaisesRegex(pimento.Error, "runs on attacc, which computes no gradients"):
            loss.backward()
        with torch.no_grad():
            self.assertFalse(on(self.x).requires_grad)

    def test_layers_alone(self):
        layer = pimento.Layer(nn.Linear(16, 4).eval(), self.x, target="upmem", map="auto")
        close(self, layer(self.x).detach(), layer._inner[0](self.x).detach(), 1e-6)
        product = pimento.Layer(torch.matmul, target="attacc", map="auto").eval()
        a, b = torch.randn(4, 8), torch.randn(8, 5)
        close(self, product(a, b), a @ b, 2e-3)
        self.assertEqual(repr(product), "Layer(matmul on attacc)")
        self.assertRegex(repr(copy.deepcopy(layer)), "Linear on upmem")
        half = pimento.Layer(nn.Linear(16, 4).half().eval(), target="attacc", map="auto")
        self.assertEqual(half(self.x.half()).dtype, torch.float16)

    def test_types_of_models(self):
        for dtype, target, bound in ((torch.float16, "hbm-pim", 1e-2), (torch.bfloat16, "aim", 5e-2),
                                     (torch.float64, "upmem", 1e-12)):
            model = nn.Linear(16, 8).to(dtype).eval()
            x = self.x.to(dtype)
            expected = copy.deepcopy(model).double()(x.double())
            on = self.placed(model, x, target=target)
            self.assertEqual(on(x).dtype, dtype)
            close(self, on(x).detach().double(), expected.detach(), bound)

    def test_inputs_by_name_and_several_results(self):
        class Both(nn.Module):
            def forward(self, a, b, scale=2.0):
                product = torch.matmul(a, b)
                return {"product": product, "parts": torch.chunk(product, 2, -1)}, None

        a, b = torch.randn(2, 8), torch.randn(8, 4)
        on = self.placed(Both().eval(), {"a": a, "b": b})
        made, nothing = on(a, b)
        close(self, made["product"], a @ b, 2e-3)
        close(self, made["parts"][1], (a @ b)[:, 2:], 2e-3)
        self.assertIsNone(nothing)

    def test_skip_and_shared_modules(self):
        class Shared(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc, self.out = nn.Linear(8, 8), nn.Linear(8, 2)

            def forward(self, x):
                return self.out(self.fc(self.fc(x)))

        model, x = Shared().eval(), torch.randn(2, 8)
        on = self.placed(model, x, skip=["out"])
        close(self, on(x).detach(), model(x).detach(), 2e-3)
        self.assertEqual((list(on.pimento.layers), on.pimento.kept), (["fc"], {"out": "skip"}))

    def test_attention_of_torch(self):
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
        x = torch.randn(2, 5, 16)
        whole = pimento.init_kernel(layer, (x,), target="upmem", map="host", mode="estimate", offload="possible")
        close(self, torch.from_numpy(whole(x.numpy())), layer(x).detach(), 1e-5)

    def test_zoo_by_three_ways(self):
        for name, make in torch_zoo.MODELS.items():
            model, x = make()
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                pimento.save(model, x, f"{folder}/m.pt")
                files = [f"{folder}/m.pt"]
                try:
                    torch.onnx.export(model, (x,), f"{folder}/m.onnx", opset_version=17)
                    files.append(f"{folder}/m.onnx")
                except (ImportError, RuntimeError):
                    print("not run here: ONNX's exporter")
                texts = [pimento.init_kernel(model, (x,), target="attacc", map="host", offload="possible")]
                texts += [pimento.init_kernel(f, target="attacc", map="host", offload="possible") for f in files]
                expected = model(x).detach()
                for kernel in texts:
                    close(self, torch.from_numpy(kernel(x.numpy(), mode="estimate")), expected, 2e-6)
                graphs = {self.canonical(f) for f in files}
                self.assertEqual(len(graphs), 1)

    def canonical(self, file):
        """Its graph, with names numbered."""
        done = subprocess.run([PIMENTO, "compile", file, "--emit", "cnm", "--target", "attacc", "--map", "host"],
                              capture_output=True, text=True, env={**os.environ, "PIMENTO_PYTHON": sys.executable})
        self.assertEqual(done.returncode, 0, done.stderr)
        return numbered(done.stdout)


class Verbs(unittest.TestCase):
    def test_models_are_inputs(self):
        model, x = torch_zoo.bert_layer()
        r = pimento.estimate(model, (x,), target="upmem", map="host", offload="possible")
        self.assertGreater(r.time_ns, 0)
        r = pimento.compare(nn.Linear(64, 32).eval(), torch.randn(1, 64), targets=["attacc", "hbm-pim"], convert="f32=f16")
        self.assertEqual(len(r), 2)

    def command(self, *arguments):
        return subprocess.run([PIMENTO, *arguments], capture_output=True, text=True,
                              env={**os.environ, "PIMENTO_PYTHON": sys.executable})

    def test_files_on_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            model = nn.Sequential(nn.Embedding(10, 8), nn.Linear(8, 4)).eval()
            file = f"{folder}/plain.pt"
            torch.jit.save(torch.jit.script(model), file)  # without sizes, and tokens that the graph does not name
            done = self.command("estimate", file, "--target", "upmem", "--json")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"does not say what shape \w+ has \[model-size\]\n  hint: add --size \w+=")
            name = re.search(r"what shape (\w+) has", done.stderr).group(1)
            done = self.command("simulate", file, "--size", f"{name}=2x3", "--target", "upmem", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(json.loads(done.stdout)["checked"])
            done = self.command("estimate", file, "--size", f"{name}=2x3,q=2", "--target", "upmem")
            self.assertIn("the model has no size 'q'", done.stderr)


class Wrong(unittest.TestCase):
    """What is wrong is an Error with a code, a place where there is one, and a hint."""

    def fails(self, code, text, call, line=None):
        with self.assertRaises(pimento.Error) as raised:
            call()
        e = raised.exception
        self.assertEqual(e.code, code, str(e))
        self.assertIn(text, e.message)
        self.assertTrue(e.hint, str(e))
        if line is not None:
            self.assertTrue(e.file.endswith("torch_test.py"), str(e))
            self.assertIn(line, HERE.read_text().splitlines()[e.line - 1])

    def model(self, forward):
        module = type("M", (nn.Module,), {"forward": forward})()
        return module.eval()

    def test_models_that_cannot_be_followed(self):
        def by_contents(self, x):
            if x.sum() > 0:  # by contents
                return x * 2
            return x

        def by_loop(self, x):
            while x.mean() > 1:  # while
                x = x / 2
            return x

        def changes(self, x):
            x[0] = 0  # changes a part
            return x

        x = torch.randn(4, 4)
        place = lambda m: pimento.set_model(m, x, target="attacc", map="auto")
        self.fails("model-trace", "torch.fx cannot follow", lambda: place(self.model(by_contents)), "# by contents")
        self.fails("model-trace", "torch.fx cannot follow", lambda: place(self.model(by_loop)), "# while")
        self.fails("model-trace", "which is known only when it runs",
                   lambda: pimento.estimate(self.model(by_contents), x, target="attacc"), "# by contents")
        self.fails("model-trace", "changes a part", lambda: pimento.estimate(self.model(changes), x), "# changes a part")

    def test_examples_that_do_not_fit(self):
        fc = nn.Linear(16, 4).eval()
        self.fails("model-example", "sizes of the model's inputs are not known", lambda: pimento.set_model(fc, None))
        self.fails("model-example", "no input 'y'", lambda: pimento.set_model(fc, {"y": torch.randn(1, 16)}))
        self.fails("model-shape", "linear of [2, 3], [4, 16], [4]", lambda: pimento.estimate(fc, torch.randn(2, 3)))
        self.fails("model-shape", "shapes cannot be multiplied",
                   lambda: pimento.set_model(Two().eval(), torch.randn(2, 3)), "self.fc2(F.relu(self.fc1(x))) + 1")
        self.fails("model-example", "none of the example inputs", lambda: pimento.estimate(fc, (3,)))
        self.fails("model-example", "is no torch.nn.Module", lambda: pimento.set_model(3, torch.randn(2)))
        self.fails("model-example", "no module 'fcc'", lambda: pimento.set_model(Two().eval(), torch.randn(1, 16),
                                                                                skip=["fcc"]))
        self.fails("layer-training", "training mode", lambda: pimento.set_model(nn.Linear(2, 2), torch.randn(1, 2)))
        self.fails("unknown-target", "unknown machine", lambda: pimento.set_model(fc, torch.randn(1, 16), target="attac"))
        self.fails("python-argument", "a model states its own types",
                   lambda: pimento.estimate(fc, torch.randn(1, 16), dtype="f16"))

    def test_layers_that_no_machine_takes(self):
        self.fails("layer-host", "'cumsum' is no operator", lambda: pimento.Layer(
            self.model(lambda self, x: x.cumsum(0)), torch.randn(4), target="upmem", map="auto"))
        self.fails("layer-host", "indices", lambda: pimento.Layer(
            self.model(lambda self, x: x.max(0)), torch.randn(4, 2), target="upmem", map="auto"))
        self.fails("layer-host", "dropout that drops", lambda: pimento.Layer(
            self.model(lambda self, x: F.dropout(x)), torch.randn(4), target="upmem", map="auto"))
        self.fails("layer-host", "'round' has arguments here", lambda: pimento.Layer(
            self.model(lambda self, x: torch.round(x, decimals=2)), torch.randn(4), target="upmem", map="auto"))
        on = pimento.set_model(self.model(lambda self, x: x.cumsum(0) @ x), torch.randn(4, 4), target="attacc", map="auto")
        self.assertIn("cumsum", on.pimento.kept)
        self.assertEqual(len(on.pimento.layers), 1)
        self.fails("model-type", "complex", lambda: pimento.estimate(
            self.model(lambda self, x: x * 2), torch.randn(2, dtype=torch.complex64)))

    def test_memory_that_does_not_suffice(self):
        with self.assertRaises(pimento.Error) as raised:
            pimento.set_model(nn.Sequential(nn.Linear(8192, 8192, bias=False)).half().eval(),
                              torch.randn(1, 8192).half(), target="upmem", map="auto", set=["ranks=1", "dpus=1"])
        self.assertRegex(str(raised.exception), r"\d+ too many \[capacity\]")

    def test_tensors_elsewhere(self):
        layer = pimento.Layer(nn.Linear(4, 4).eval(), target="attacc", map="auto")
        self.fails("layer-device", "tensor on meta", lambda: layer(torch.empty(1, 4, device="meta")))

    def test_files_that_are_no_torchscript(self):
        from pimento.models.script import load

        class Evil:
            def __reduce__(self):
                return os.mkdir, ("executed",)

        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            Path("p.pt").write_bytes(pickle.dumps(Evil()))
            torch.save(nn.Linear(2, 2), "module.pt")
            torch.save(nn.Linear(2, 2).state_dict(), "state.pt")
            pimento.save(nn.Linear(2, 2).eval(), torch.randn(1, 2), "good.pt")
            whole = Path("good.pt").read_bytes()
            Path("cut.pt").write_bytes(whole[:len(whole) // 2])
            Path("empty.pt").write_bytes(b"")
            for file in ("p.pt", "module.pt", "state.pt", "cut.pt", "empty.pt", "nowhere.pt"):
                with self.subTest(file), self.assertRaises(pimento.Error) as raised:
                    load(file)
                self.assertEqual(raised.exception.code, "torchscript-file")
                self.assertEqual(raised.exception.file, file)
            self.assertFalse(os.path.exists("executed"))
            load("good.pt")
            os.chdir("/")

    def test_a_search_that_is_stopped(self):
        """Ctrl-C and kill in the middle of set_model: the model is what it was, and the store serves what was found."""
        program = ("import sys; sys.path[:0] = %r; import torch, pimento, torch_zoo\n"
                   "torch.manual_seed(1)\n"
                   "model, x = torch_zoo.bert_layer(128, 4, 512, 16)\n"
                   "print('start', flush=True)\n"
                   "try:\n"
                   "    on = pimento.set_model(model, x, target='hbm-pim')\n"
                   "    print('done', len(on.pimento.layers), flush=True)\n"
                   "except KeyboardInterrupt:\n"
                   "    print('stopped', type(model.query).__name__, flush=True)\n"
                   % [p for p in sys.path if "python" in p])
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "PIMENTO_STORE": f"{folder}/store"}
            for how in (signal.SIGINT, signal.SIGKILL):
                run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env, text=True)
                self.assertEqual(run.stdout.readline(), "start\n")
                time.sleep(1.0)
                run.send_signal(how)
                out = run.communicate()[0]
                if how == signal.SIGINT and "done" not in out:
                    self.assertEqual(out, "stopped Linear\n")
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=env, text=True)
            self.assertRegex(done.stdout, r"done \d+", done.stderr)


if __name__ == "__main__":
    unittest.main()
