#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models through each framework's converter: what they compute is what the framework computes.

One model per thing that a road must carry. A road whose converter is not installed is skipped; `make models` has them all.
`roads_test.py Jax.test_sort` runs one.
"""

import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy; run scripts/setup.sh check", file=sys.stderr)
    raise SystemExit(77)

import stowage
from stowage import _roads
from testing.torch_module import around


def floats(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def whole(limit, *shape, kind=np.int32):
    return np.random.default_rng(limit).integers(0, limit, shape).astype(kind)


def installed(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


class Road(unittest.TestCase):
    """What all roads are tested by; a class of its own per road."""

    def same(self, made, expected):
        made = made if isinstance(made, tuple) else (made,)
        self.assertEqual(len(made), len(expected))
        for index, (a, b) in enumerate(zip(made, expected)):
            b = np.asarray(b)
            with self.subTest(result=index):
                self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
                share = 1e-5 if b.dtype.itemsize > 2 else 2e-3  # half floats are summed in another order
                np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), share, share)

    @classmethod
    def setUpClass(cls):
        missing = [module for module in cls.modules if not installed(module)]
        if missing:
            raise unittest.SkipTest(f"{', '.join(missing)}: not installed")


def cases(**functions):
    """A class with a test per function, which gives a model and its inputs, or several lists of inputs."""

    def test_of(make):
        return lambda self: self.check(*make(self))

    return lambda cls: [setattr(cls, f"test_{name}", test_of(make)) for name, make in functions.items()] and cls


# JAX: the ops that converters leave are those of REWRITES in from_stablehlo.py


def jax_loop(self):
    from jax import lax
    return lambda x: lax.fori_loop(0, 5, lambda i, c: c * 0.5 + i, x), floats(4)


def jax_scan(self):
    from jax import lax
    return lambda h, x: lax.scan(lambda c, row: (c + row, c * row), h, x), floats(3), floats(5, 3)


def jax_while(self):
    from jax import lax
    return lambda x, n: lax.while_loop(lambda s: s[1] < n, lambda s: (s[0] * 2, s[1] + 1), (x, 0))[0], floats(4), np.int32(6)


def jax_swap(self):
    from jax import lax
    return lambda x, y: lax.fori_loop(0, 3, lambda i, c: (c[1], c[0] + c[1]), (x, y)), floats(4), floats(4) + 1


def jax_condition(self):
    from jax import lax
    return lambda x, t: lax.cond(t, lambda y: y * 2, lambda y: y - 1, x), floats(4), np.bool_(True)


def jax_switch(self):
    from jax import lax
    return lambda x, n: lax.switch(n, [lambda y: y * 2, lambda y: y - 1, lambda y: -y], x), floats(4), np.int32(2)


def jax_random(self):
    import jax
    return lambda key: (jax.random.uniform(key, (9,)), jax.random.normal(key, (9,))), np.array([1, 7], np.uint32)


def jax_sort(self):
    import jax
    return lambda x, y: (*jax.lax.sort((x, y), num_keys=1), jax.numpy.argsort(-x)), floats(4, 9), floats(4, 9)


def jax_scatter(self):
    return lambda x, i, u: (x.at[i].set(u), x.at[i].add(u), x.at[i, 1].max(2.0)), floats(6, 3), whole(6, 4), floats(4, 3)


def jax_gather(self):
    return lambda x, i: (x[i], x[i, 1], x[1:3, ::-1]), floats(6, 3), whole(6, 4)


def jax_sums(self):
    import jax
    return lambda x: (x.cumsum(1), jax.lax.cumprod(x, 0), jax.lax.cummax(x, 1)), floats(3, 7)


def jax_pads(self):
    from jax import lax
    return lambda x: lax.pad(lax.pad(x, np.float32(0), [(1, 1, 0)]), np.float32(0), [(0, 0, 1)]), floats(4)


def jax_transposed_convolution(self):
    from jax import lax
    return lambda x, w: lax.conv_transpose(lax.pad(x, np.float32(0), [(0, 0, 0), (1, 1, 0), (1, 1, 0), (0, 0, 0)]), w, (2, 3), "SAME"), \
        floats(1, 3, 3, 1), floats(3, 2, 1, 2)


def jax_top(self):
    import jax
    return lambda x: jax.lax.top_k(x, 3), floats(4, 9)


def jax_small_integers(self):
    import jax
    def product(x, y):
        return jax.lax.dot(x.astype("int8"), y, preferred_element_type="int32"), x // 3, x > 100, y.astype("uint8") >> 1
    return product, whole(256, 3, 5, kind=np.uint8), whole(100, 5, 2, kind=np.int8)


def jax_small_floats(self):
    return lambda x, y: (x * 3, (y + 1) ** 2, x.astype("float16") @ y), floats(3, 4).astype("bfloat16"), floats(4, 2).astype("f2")


def jax_unsigned(self):
    return lambda x, y: (x // 3, x % y, x > y, (x * y).astype("float32")), whole(2**32, 9, kind=np.uint32), whole(99, 9, kind=np.uint32) + 1


def jax_barrier(self):
    import jax
    return lambda x: jax.lax.optimization_barrier(x * 2) + 1, floats(4)


def jax_no_reduction(self):
    import jax
    return lambda x: jax.lax.reduce(x, np.float32(0), jax.lax.add, ()), floats(4)


def jax_results_that_are_inputs(self):
    return lambda x, unused: (x, 2 * x, x), floats(4), floats(3)


@cases(loop=jax_loop, scan=jax_scan, while_loop=jax_while, carried_change_places=jax_swap, condition=jax_condition,
       switch=jax_switch, random=jax_random, sort=jax_sort, scatter=jax_scatter, gather=jax_gather, sums=jax_sums, pads=jax_pads,
       transposed_convolution=jax_transposed_convolution, top_k=jax_top, small_integers=jax_small_integers, small_floats=jax_small_floats,
       unsigned=jax_unsigned, barrier=jax_barrier, no_reduction=jax_no_reduction,
       results_that_are_inputs=jax_results_that_are_inputs)
class Jax(Road):
    modules = _roads.ROADS["jax"].modules

    def check(self, function, *inputs):
        import jax
        expected = jax.jit(function)(*inputs)
        self.same(stowage.compile(function, *inputs)(*inputs), expected if isinstance(expected, (tuple, list)) else [expected])

    def test_names_reach_the_map(self):
        import jax

        def net(x):
            with jax.named_scope("first_layer"):
                y = jax.nn.softmax(x @ x)
            return y @ x

        program = stowage.compile(net, floats(8, 8), reduce_peak=False)
        self.assertIn("first_layer", str(program.map))
        self.assertTrue(any("roads_test.py" in str(buffer.get("location")) for arena in program.report["arenas"] for buffer in arena["buffers"]),
                        program.report["arenas"])

    def test_open_sizes_are_refused(self):
        import jax
        import jax.export
        shape = jax.ShapeDtypeStruct(jax.export.symbolic_shape("n, 4"), np.float32)
        text = jax.export.export(jax.jit(lambda x: jax.numpy.tanh(x) + 1))(shape).mlir_module()
        with self.assertRaisesRegex(stowage.CompileError, r"convert: \S*roads_test.py:\d+:\d+: error: .*the op stablehlo\.\w+: .*size that is open.*largest size"):
            stowage.compile(text)

    def test_dims_are_refused(self):
        with self.assertRaisesRegex(stowage.CompileError, "jaxlib converts no model whose sizes are open\ncompile for the largest size"):
            stowage.compile(lambda x: x * 2, floats(4), dims={"0.0": (1, 4)}, dynamic="exact")

    def test_every_rewrite_is_tested(self):
        text = (_roads.CONVERTERS / "from_stablehlo.py").read_text()
        seen = {"while": "while_loop", "if": "condition", "case": "switch", "sort": "sort", "scatter": "scatter", "reduce": "no_reduction",
                "optimization_barrier": "barrier"}
        rewrites = text[text.index("REWRITES = {"):].split("}")[0]
        self.assertEqual(sorted(part.split('"')[0] for part in rewrites.split("stablehlo.")[1:]), sorted(seen))
        for test in seen.values():
            self.assertTrue(hasattr(self, f"test_{test}"))


# PyTorch: sort, scatter and scans are a dialect of torch-mlir's own, which from_torch.py turns into loops


def torch_lstm(self):
    import torch
    return around(lambda self, x: self.lstm(x)[0], lstm=torch.nn.LSTM(5, 4, 2, batch_first=True)), floats(1, 6, 5)


def torch_gru(self):
    import torch
    return around(lambda self, x: self.gru(x), gru=torch.nn.GRU(5, 4)), floats(6, 1, 5)


def torch_sort(self):
    return around(lambda self, x: (*x.sort(1), *x.sort(0, descending=True))), floats(4, 9)


def torch_transposed_convolution(self):
    import torch

    def forward(self, x):
        pads = torch.nn.functional.pad(x, (1, 1, 1, 1))
        return self.plain(x), self.stride(pads), self.all(pads), self.groups(torch.cat([pads, pads], 1))

    kind = torch.nn.ConvTranspose2d
    parts = {"plain": kind(1, 2, 3), "stride": kind(1, 1, 3, stride=2),
             "all": kind(1, 2, (3, 2), stride=(2, 3), padding=1, output_padding=(1, 0), dilation=2),
             "groups": kind(2, 4, 3, stride=2, groups=2)}
    return around(forward, **parts), floats(1, 1, 3, 3)


def torch_top(self):
    return around(lambda self, x: tuple(x.topk(3))), floats(4, 9)


def torch_sums(self):
    return around(lambda self, x: (x.cumsum(1), x.cumsum(0))), floats(3, 7)


def torch_gather(self):
    import torch
    return around(lambda self, x, i: (x.gather(1, i), x[i[:, 0]], torch.index_select(x, 0, i[:, 1]))), floats(6, 3), whole(3, 4, 2, kind=np.int64)


def torch_scatter(self):
    return around(lambda self, x, i, u: (x.scatter(0, i, u), x.scatter_add(0, i, u))), floats(6, 3), whole(6, 4, 3, kind=np.int64), floats(4, 3)


def torch_bytes(self):
    return around(lambda self, x, y: (x, x.float() * 2, y.int() + 1, y.float())), whole(256, 3, 5, kind=np.uint8), whole(100, 5, kind=np.int8)


def torch_f16(self):
    return around(lambda self, x: (x * 3, x @ x.T)), floats(3, 4).astype(np.float16)


def torch_bf16(self):
    return around(lambda self, x: ((x.bfloat16() * 2).exp().float(), x.bfloat16())), floats(2, 8)


def torch_results_that_are_inputs(self):
    return around(lambda self, x: (x, 2 * x, x)), floats(4)


def array_of(tensor):
    import torch
    if tensor.dtype == torch.bfloat16:
        import ml_dtypes
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


@cases(lstm=torch_lstm, gru=torch_gru, transposed_convolution=torch_transposed_convolution, sort=torch_sort, top_k=torch_top,
       sums=torch_sums, gather=torch_gather, scatter=torch_scatter, bytes=torch_bytes, f16=torch_f16, bf16=torch_bf16,
       results_that_are_inputs=torch_results_that_are_inputs)
class Torch(Road):
    modules = _roads.ROADS["torch"].modules

    def check(self, model, *inputs):
        import torch
        with torch.no_grad():
            expected = model.eval()(*map(torch.as_tensor, inputs))
        expected = expected if isinstance(expected, (tuple, list)) else [expected]
        self.same(stowage.compile(model, *inputs)(*inputs), [array_of(tensor) for tensor in expected])

    def test_open_sizes(self):
        import torch

        def forward(self, x, y):
            return self.lstm(x)[0], y.softmax(1)

        torch.manual_seed(0)
        model = around(forward, lstm=torch.nn.LSTM(5, 4, batch_first=True)).eval()
        program = stowage.compile(model, floats(3, 6, 5), floats(3, 4), dims={"0.0": (2, 16), "1.0": (2, 16)}, dynamic="exact")
        for n in (3, 16, 2):
            inputs = [floats(n, 6, 5), floats(n, 4)]
            with torch.no_grad():
                expected = model(*map(torch.as_tensor, inputs))
            self.same(program(*inputs), [array_of(tensor) for tensor in expected])
        with self.assertRaisesRegex(ValueError, "input 0 is 17; it was compiled for 2 to 16"):
            program(floats(17, 6, 5), floats(17, 4))

    def test_open_length(self):
        """Whose scores are of length by length, behind torch-mlir's checks of sizes that are divided."""
        import torch
        torch.manual_seed(0)
        model = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
        program = stowage.compile(model, floats(1, 6, 16), dims={"src.1": (2, 32)}, dynamic="bound")
        for n in (6, 32, 2):
            with torch.no_grad():
                self.same(program(floats(1, n, 16)), [model(torch.as_tensor(floats(1, n, 16))).numpy()])

    def test_open_sizes_side_by_side(self):
        """A concatenation of two, one of which was reshaped."""
        import torch

        def forward(self, x, y):
            return torch.cat([self.lstm(x)[0][:, -1], y]), y.softmax(1)

        torch.manual_seed(0)
        model = around(forward, lstm=torch.nn.LSTM(5, 4, batch_first=True)).eval()
        for dynamic in ("exact", "bound"):
            program = stowage.compile(model, floats(3, 6, 5), floats(5, 4), dims={"0.0": (2, 16), "1.0": (2, 16)}, dynamic=dynamic)
            for n, m in ((3, 5), (16, 2), (2, 16)):
                with self.subTest(dynamic=dynamic, n=n, m=m), torch.no_grad():
                    inputs = [floats(n, 6, 5), floats(m, 4)]
                    self.same(program(*inputs), [tensor.numpy() for tensor in model(*map(torch.as_tensor, inputs))])

    def test_sizes_that_values_decide_are_refused(self):
        """At the line of the model; sorting with sizes that change, too, which torch-mlir gives as loops over memrefs."""
        import torch
        for model, more in ((around(lambda self, x: torch.softmax(x[(x > 0).nonzero()[:, 0]], 0).sum()), {}),
                            (around(lambda self, x: x.sort(0)[0]), {"dims": {"0.0": (2, 9)}, "dynamic": "exact"})):
            with self.assertRaisesRegex(stowage.CompileError, r"(?s)plan: \S+\.py:\d+:\d+: error: .*size"):
                stowage.compile(model, floats(5), **more)

    def test_wrong_dims(self):
        model = around(lambda self, x: x * 2)
        for dims, said in (({"y.0": (1, 4)}, "no input has a dimension 'y.0'; there are: 0.0, 0.1"), ({"0.0": 4}, "has the sizes of the inputs that are given")):
            with self.assertRaisesRegex(stowage.CompileError, said):
                stowage.compile(model, floats(3, 4), dims=dims, dynamic="exact")

    def test_what_pytorch_cannot_export(self):
        with self.assertRaisesRegex(stowage.CompileError, "(?s)torch.export ended with an error: .*Conditions on values become torch.where"):
            stowage.compile(around(lambda self, x: x * 2 if x.sum() > 0 else x), floats(3))

    def test_branches_are_refused(self):
        """With the place in the model: torch-mlir has no form for functions inside of it."""
        import torch
        from torch._higher_order_ops.while_loop import while_loop
        condition = around(lambda self, x: torch.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, (x,)))
        loop = around(lambda self, x, n: while_loop(lambda n, y: n < 5, lambda n, y: (n + 1, y * 2), (n, x)))
        for model, inputs, op in ((condition, [floats(4)], "cond"), (loop, [floats(4), np.array(0)], "while_loop")):
            with self.subTest(op), self.assertRaisesRegex(stowage.CompileError, rf"torch_module.py:\d+: error: .*the op {op}\b"):
                stowage.compile(model, *inputs)

    def test_random(self):
        import torch
        program = stowage.compile(around(lambda self, x: x + torch.rand(1000)), np.zeros(1000, np.float32))
        first, second = (program(np.zeros(1000, np.float32)) for _ in range(2))
        self.assertTrue(0.4 < first.mean() < 0.6 and first.min() >= 0 and first.max() < 1)
        self.assertFalse((first == second).all())

    def test_state(self):
        import torch

        class Counter(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("scale", torch.tensor([1.0, 2, 3, 4]), persistent=False)
                self.register_buffer("sum", torch.tensor([0.5, -1, 2, 0.25]))
                self.register_buffer("calls", torch.tensor(0))
                self.register_buffer("even", torch.tensor([True]))

            def forward(self, x):
                self.sum.add_(x)
                self.calls.add_(1)
                self.even.logical_not_()
                return self.sum * self.scale, self.calls * 2, self.even.float()

        model, x = Counter(), floats(4)
        program = stowage.compile(model, x)
        model = Counter()
        for _ in range(3):
            self.same(program(x), [result.numpy() for result in model(torch.as_tensor(x))])

    def test_input_that_is_written(self):
        import torch

        def forward(self, x):
            x += 1
            return x * 2

        x = floats(4)
        program = stowage.compile(around(forward), x)
        self.same(program(x), [(x + 1) * 2])
        self.same(program(x), [(x + 1) * 2])

# ONNX


def graph_of(nodes, inputs, outputs, constants=(), sizes=None, opset=18):
    """A model's bytes; inputs and outputs as {name: array}."""
    import onnx
    from onnx import helper, numpy_helper

    def value(name, array):
        shape = (sizes or {}).get(name, array.shape)
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape)

    graph = helper.make_graph(nodes, "net", [value(*pair) for pair in inputs.items()], [value(*pair) for pair in outputs.items()],
                              [numpy_helper.from_array(array, name) for name, array in dict(constants).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10).SerializeToString()


def node(op, inputs, outputs, **attributes):
    from onnx import helper
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


class Onnx(Road):
    modules = (*_roads.ROADS[".onnx"].modules, "onnxruntime")

    def check(self, nodes, inputs, outputs, **more):
        """`outputs`: arrays of the type and shape of each, whose numbers onnxruntime gives."""
        import onnxruntime
        dims = more.pop("dims", {})
        data = graph_of(nodes, inputs, outputs, **more)
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        expected = session.run(None, inputs)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.onnx")
            path.write_bytes(data)
            program = stowage.compile(path, dims=dims)
        self.same(program(*inputs.values()), expected)
        return program

    def test_sort(self):
        self.check([node("TopK", "x k", "y i", axis=1)], {"x": floats(4, 9)}, {"y": floats(4, 3), "i": whole(9, 4, 3, kind=np.int64)},
                   constants={"k": np.array([3], np.int64)})

    def test_sums(self):
        self.check([node("CumSum", "x axis", "y")], {"x": floats(4, 9)}, {"y": floats(4, 9)}, constants={"axis": np.array(1, np.int64)})

    def test_gather_and_scatter(self):
        i = whole(6, 4, 3, kind=np.int64)
        self.check([node("GatherElements", "x i", "y", axis=0), node("ScatterElements", "x i y", "z", axis=0, reduction="add")],
                   {"x": floats(6, 3), "i": i}, {"y": floats(4, 3), "z": floats(6, 3)})

    def test_bytes(self):
        self.check([node("DequantizeLinear", "x s z", "f"), node("Mul", "f f", "g"), node("QuantizeLinear", "g s z", "y"),
                    node("DequantizeLinear", "c s zero", "d")],
                   {"x": whole(256, 3, 5, kind=np.uint8), "c": whole(100, 5, kind=np.int8)}, {"y": whole(256, 3, 5, kind=np.uint8), "d": floats(5)},
                   constants={"s": np.array(0.5, np.float32), "z": np.array(100, np.uint8), "zero": np.array(0, np.int8)})

    def test_f16(self):
        x = floats(3, 4).astype(np.float16)
        self.check([node("Mul", "x x", "y"), node("Cast", "y", "z", to=1)], {"x": x}, {"y": x, "z": floats(3, 4)})

    def test_bf16(self):
        import ml_dtypes
        x, f = floats(3, 4).astype(ml_dtypes.bfloat16), floats(3, 4)
        data = graph_of([node("Add", "x x", "y"), node("Cast", "y", "z", to=1), node("Cast", "f", "b", to=16)], {"x": x, "f": f},
                        {"y": x, "z": f, "b": x})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.onnx")
            path.write_bytes(data)
            made = stowage.compile(path)(x, f)
        self.same(made, [x + x, (x + x).astype(np.float32), f.astype(ml_dtypes.bfloat16)])  # onnxruntime adds none

    def test_lstm(self):
        self.check([node("LSTM", "x w r b", "y h c", hidden_size=4)], {"x": floats(6, 1, 5)},
                   {"y": floats(6, 1, 1, 4), "h": floats(1, 1, 4), "c": floats(1, 1, 4)},
                   constants={"w": floats(1, 16, 5), "r": floats(1, 16, 4), "b": floats(1, 32)})

    def test_gru(self):
        self.check([node("GRU", "x w r b", "y h", hidden_size=4, linear_before_reset=1)], {"x": floats(6, 1, 5)},
                   {"y": floats(6, 1, 1, 4), "h": floats(1, 1, 4)}, constants={"w": floats(1, 12, 5), "r": floats(1, 12, 4), "b": floats(1, 24)})

    def test_transposed_convolution(self):
        pads = node("Pad", "x sizes", "p")
        constants = {"sizes": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64), "w": floats(1, 2, 3, 3)}
        for attributes, shape in (({}, (7, 7)), ({"strides": [2, 2]}, (11, 11)),
                                  ({"strides": [2, 3], "pads": [1, 1, 1, 1], "output_padding": [1, 0], "dilations": [2, 1]}, (12, 13))):
            with self.subTest(**attributes):
                self.check([pads, node("ConvTranspose", "p w", "y", **attributes)], {"x": floats(1, 1, 3, 3)},
                           {"y": floats(1, 2, *shape)}, constants=constants)

    def branches(self, *nodes, size=4):
        from onnx import TensorProto, helper
        made = helper.make_tensor_value_info("made", TensorProto.FLOAT, [size])
        return [helper.make_graph([one], name, [], [made]) for one, name in zip(nodes, ("then", "else"))]

    def test_condition(self):
        then, other = self.branches(node("Add", "x x", "made"), node("Neg", "x", "made"))
        for t in (True, False):
            self.check([node("If", "t", "y", then_branch=then, else_branch=other)], {"x": floats(4), "t": np.array(t)}, {"y": floats(4)})

    def test_condition_on_a_number(self):
        import onnxruntime
        short, whole = self.branches(node("Slice", "x start end", "made"), node("Neg", "x", "made"), size="n")
        constants = {"start": np.array([0], np.int64), "end": np.array([2], np.int64), "k": np.array(16, np.int64)}
        data = graph_of([node("Equal", "rate k", "c"), node("If", "c", "y", then_branch=short, else_branch=whole)],
                        {"x": floats(4), "rate": np.array(16, np.int64)}, {"y": floats(4)}, constants=constants, sizes={"y": ("n",)})
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.onnx")
            path.write_bytes(data)
            for rate in (16, 8):
                program = stowage.compile(path, dims={"rate": rate})
                self.same(program(floats(4)), session.run(None, {"x": floats(4), "rate": np.array(rate, np.int64)}))

    def test_condition_on_a_size(self):
        """As silero-vad has it: one branch per sampling rate, each with an LSTM."""
        from onnx import TensorProto, helper
        made = helper.make_tensor_value_info("made", TensorProto.FLOAT, [6, 1, 1, 4])
        then, other = (helper.make_graph([node("LSTM", f"x w{n} r{n} b{n}", "made", hidden_size=4)], f"branch{n}", [], [made]) for n in (1, 2))
        constants = {f"{name}{n}": floats(*shape) * n for n in (1, 2) for name, shape in
                     (("w", (1, 16, 5)), ("r", (1, 16, 4)), ("b", (1, 32)))}
        for rate in (16000, 8000):
            self.check([node("Equal", "rate sixteen", "t"), node("If", "t", "y", then_branch=then, else_branch=other)],
                       {"x": floats(6, 1, 5), "rate": np.array(rate, np.int64)}, {"y": floats(6, 1, 1, 4)},
                       constants={**constants, "sixteen": np.array(16000, np.int64)})

    def test_loop(self):
        from onnx import TensorProto, helper
        of = helper.make_tensor_value_info
        body = helper.make_graph([node("Add", "a a", "b"), node("Identity", "t", "more")], "body",
                                 [of("i", TensorProto.INT64, []), of("t", TensorProto.BOOL, []), of("a", TensorProto.FLOAT, [4])],
                                 [of("more", TensorProto.BOOL, []), of("b", TensorProto.FLOAT, [4])])
        self.check([node("Loop", "n t x", "y", body=body)], {"x": floats(4), "n": np.array(3, np.int64)}, {"y": floats(4)},
                   constants={"t": np.array(True)})

    def test_results_that_are_inputs(self):
        self.check([node("Identity", "x", "a"), node("Add", "x x", "b"), node("Identity", "x", "c")], {"x": floats(4)},
                   {"a": floats(4), "b": floats(4), "c": floats(4)})

    def test_sizes(self):
        self.check([node("Relu", "x", "y")], {"x": floats(3, 4)}, {"y": floats(3, 4)}, sizes={"x": ("n", 4), "y": ("n", 4)}, dims={"n": 3})

    def test_open_sizes(self):
        import onnxruntime
        nodes = [node("MatMul", "x w", "y"), node("Softmax", "y", "z", axis=1), node("Concat", "z y", "c", axis=0), node("Conv", "i k", "j")]
        shapes = {"x": ("n", 4), "i": (1, 1, "high", 8), "c": ("m", 3), "j": (1, 2, "h", 6)}
        data = graph_of(nodes, {"x": floats(3, 4), "i": floats(1, 1, 9, 8)}, {"c": floats(6, 3), "j": floats(1, 2, 7, 6)},
                        constants={"w": floats(4, 3), "k": floats(2, 1, 3, 3)}, sizes=shapes)
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.onnx")
            path.write_bytes(data)
            for dynamic in ("exact", "bound"):
                program = stowage.compile(path, dims={"n": (1, 8), "i.2": (3, 20)}, dynamic=dynamic)
                for n, high in ((3, 9), (8, 20), (1, 3)):
                    inputs = {"x": floats(n, 4), "i": floats(1, 1, high, 8)}
                    with self.subTest(dynamic=dynamic, n=n):
                        self.same(program(*inputs.values()), session.run(None, inputs))

    def test_open_time(self):
        """Of a loop, whose result has the size of what it begins with."""
        import onnxruntime
        data = graph_of([node("LSTM", "x w r b", "y h", hidden_size=4)], {"x": floats(6, 1, 5)}, {"y": floats(6, 1, 1, 4), "h": floats(1, 1, 4)},
                        constants={"w": floats(1, 16, 5), "r": floats(1, 16, 4), "b": floats(1, 32)}, sizes={"x": ("t", 1, 5), "y": ("t", 1, 1, 4)})
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.onnx")
            path.write_bytes(data)
            for dynamic in ("exact", "bound"):
                program = stowage.compile(path, dims={"t": (1, 16)}, dynamic=dynamic)
                for t in (6, 16, 1):
                    with self.subTest(dynamic=dynamic, t=t):
                        self.same(program(floats(t, 1, 5)), session.run(None, {"x": floats(t, 1, 5)}))

    def test_sizes_that_are_missing(self):
        """An image of 1 by 1, which no one gave, is named where it does not go through."""
        nodes = [node("MaxPool", "x", "p", kernel_shape=[3, 3])]
        more = {"sizes": {"x": (1, 1, "height", "width"), "p": (1, 1, "h", "w")}}
        x, p = floats(1, 1, 8, 8), floats(1, 1, 6, 6)
        self.check(nodes, {"x": x}, {"p": p}, **more, dims={"height": 8, "x.3": 8})
        for dims, said in (({"x.2": 8, "wdth": 8}, "^convert: dims: no input has an open dimension or is an integer 'wdth'; there are: height, x.2, width, x.3$"),
                           ({"x.2": 8}, "leaves sizes open, which are 1 here: width;")):
            with self.assertRaisesRegex(stowage.CompileError, said):
                self.check(nodes, {"x": x}, {"p": p}, **more, dims=dims)

    def test_names_reach_the_map_and_errors(self):
        """Those of the model's nodes."""
        nodes = [node("MatMul", "x w", "y", name="first/product"), node("Relu", "y", "z", name="first/relu"),
                 node("MatMul", "z v", "r", name="second/product")]
        constants = {"w": floats(4, 8), "v": floats(8, 2)}
        program = self.check(nodes, {"x": floats(3, 4)}, {"r": floats(3, 2)}, constants=constants)
        layers = {buffer.get("layer") for arena in program.report["arenas"] for buffer in arena["buffers"]}
        self.assertTrue(any("first/" in (layer or "") for layer in layers), layers)
        self.refused([node("ReverseSequence", "x n", "y", name="head/reversed")], {"x": floats(4, 3), "n": whole(4, 3, kind=np.int64)}, floats(4, 3),
                     "plan: head/reversed: error: ")
        self.refused([node("ReverseSequence", "x n", "y")], {"x": floats(4, 3), "n": whole(4, 3, kind=np.int64)}, floats(4, 3), "plan: y: error: ")

    def test_a_converter_that_crashes(self):
        self.refused([node("Unique", "x", "y")], {"x": floats(4)}, floats(4), "torch-mlir-opt: error: crashed at one of the ops Unique\n", sizes={"y": ("n",)})

    def refused(self, nodes, inputs, output, said, **more):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.onnx")
            path.write_bytes(graph_of(nodes, inputs, {"y": output}, **more))
            with self.assertRaisesRegex(stowage.CompileError, said):
                stowage.compile(path)

    def test_ops_of_others_are_named(self):
        """The error at the first op behind one, whose type nobody knows, is of little help."""
        import onnx
        nodes = [node("Fast", "x", "y", domain="com.vendor"), node("Transpose", "y", "z")]
        model = onnx.load_from_string(graph_of(nodes, {"x": floats(3, 4)}, {"z": floats(4, 3)}))
        model.opset_import.append(onnx.helper.make_opsetid("com.vendor", 1))
        with tempfile.TemporaryDirectory() as folder:
            onnx.save(model, f"{folder}/net.onnx")
            with self.assertRaisesRegex(stowage.CompileError, r"not ONNX's own.*: com\.vendor\.Fast"):
                stowage.compile(f"{folder}/net.onnx")

    def test_old_opset(self):
        self.check([node("Softmax", "x", "y", axis=1)], {"x": floats(3, 4)}, {"y": floats(3, 4)}, opset=11)


# TFLite: no package writes these files without TensorFlow


class TfliteFile:
    """One op of float32, by the fields of TensorFlow Lite's schema. Tensors are arrays, and constants where they are `given`."""

    KINDS = {"float32": 0, "int32": 2}

    def __init__(self):
        import flatbuffers
        self.builder = flatbuffers.Builder(0)

    def vector(self, values, of):
        self.builder.StartVector(4, len(values), 4)
        for value in reversed(values):
            of(value)
        return self.builder.EndVector()

    def tables(self, tables): return self.vector(tables, self.builder.PrependUOffsetTRelative)
    def numbers(self, values): return self.vector(values, self.builder.PrependInt32)

    def table(self, **fields):
        """Fields as kind_number=value."""
        add = {"byte": self.builder.PrependInt8Slot, "number": self.builder.PrependInt32Slot, "at": self.builder.PrependUOffsetTRelativeSlot}
        self.builder.StartObject(8)
        for name, value in fields.items():
            kind, field = name.split("_")
            add[kind](int(field), value, 0)
        return self.builder.EndObject()

    def tensor(self, index, array):
        return self.table(at_0=self.numbers(array.shape), byte_1=self.KINDS[str(array.dtype)], number_2=index + 1,
                          at_3=self.builder.CreateString(f"t{index}"))

    def op(self, code, options_kind, options, inputs, output, given):
        """The file's bytes; `inputs` and `output` are arrays, `given` are the inputs that are constants."""
        arrays, count = [*inputs, output], len(inputs)
        data = [b"", *(array.tobytes() if i in given else b"" for i, array in enumerate(arrays))]
        buffers = self.tables([self.table(at_0=self.builder.CreateByteVector(one)) if one else self.table() for one in data])
        tensors = self.tables([self.tensor(i, array) for i, array in enumerate(arrays)])
        ops = self.tables([self.table(at_1=self.numbers(range(count)), at_2=self.numbers([count]), byte_3=options_kind,
                                      at_4=self.table(**options))])
        graph = self.table(at_0=tensors, at_1=self.numbers([i for i in range(count) if i not in given]), at_2=self.numbers([count]), at_3=ops)
        codes = self.tables([self.table(byte_0=code, number_2=1, number_3=code)])
        self.builder.Finish(self.table(number_0=3, at_1=codes, at_2=self.tables([graph]), at_4=buffers), b"TFL3")
        return bytes(self.builder.Output())


class Tflite(Road):
    modules = (*_roads.ROADS[".tflite"].modules, "ai_edge_litert")

    def check(self, data, *inputs):
        from ai_edge_litert.interpreter import Interpreter
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "net.tflite")
            path.write_bytes(data)
            interpreter = Interpreter(model_path=str(path))
            program = stowage.compile(path)
        interpreter.allocate_tensors()
        for details, array in zip(interpreter.get_input_details(), inputs):
            interpreter.set_tensor(details["index"], array)
        interpreter.invoke()
        self.same(program(*inputs), [interpreter.get_tensor(details["index"]) for details in interpreter.get_output_details()])

    def test_transposed_convolution(self):
        same, valid = 0, 1
        for padding, stride, size in ((same, 2, (8, 10)), (valid, 2, (9, 11)), (same, 1, (4, 5))):
            shape = np.array([1, *size, 3], np.int32)
            x, weights, y = floats(1, 4, 5, 2), floats(3, 3, 3, 2), floats(*shape)
            data = TfliteFile().op(67, 49, {"byte_0": padding, "number_1": stride, "number_2": stride}, [shape, weights, x], y, {0, 1})
            with self.subTest(padding=padding, stride=stride):
                self.check(data, x)

    def test_state_and_bytes(self):
        if not installed("pymicro_wakeword"):
            self.skipTest("pymicro_wakeword: not installed")
        sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
        from bench.python import catalogue
        model = catalogue.MODELS["wake-okay_nabu"]()
        program = stowage.compile(model.source)
        self.assertGreater(program.state_bytes, 0)
        for inputs, expected in model.calls[:50]:
            self.same(program(*inputs), expected)


if __name__ == "__main__":
    if not any(installed(*road.modules) for road in (Jax, Torch, Onnx, Tflite)):
        print("skipped: no converter is installed; `make models` has them", file=sys.stderr)
        sys.exit(77)
    unittest.main()
