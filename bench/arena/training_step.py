# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of any depth as bufferization leaves them: every op with a buffer of its own.

Dense layers with a batch normalization and a residual each, forward and backward, momentum and update. What
the backward pass needs of the forward pass stays alive until then; the new weights are results. Where an op
adds to what it reads, a copy stands in front of it. One layer has 28 allocations.
"""

BATCH, WIDTH = 32, 128

HEAD = """\
#same = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>
#row_k = affine_map<(d0, d1, d2) -> (d0, d2)>
#column_k = affine_map<(d0, d1, d2) -> (d1, d2)>
#k_row = affine_map<(d0, d1, d2) -> (d2, d0)>
#k_column = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
"""
BODIES = {
    "copy": ["linalg.yield %a : f32"],
    "add": ["%r = arith.addf %a, %b : f32", "linalg.yield %r : f32"],
    "sub": ["%r = arith.subf %a, %b : f32", "linalg.yield %r : f32"],
    "mul": ["%r = arith.mulf %a, %b : f32", "linalg.yield %r : f32"],
    "sum": ["%r = arith.addf %out, %a : f32", "linalg.yield %r : f32"],
    "square": ["%q = arith.mulf %a, %a : f32", "%r = arith.addf %out, %q : f32", "linalg.yield %r : f32"],
    "rsqrt": ["%q = arith.addf %a, %one : f32", "%r = math.rsqrt %q : f32", "linalg.yield %r : f32"],
    "relu": ["%r = arith.maximumf %a, %zero : f32", "linalg.yield %r : f32"],
    "mask": ["%p = arith.cmpf ogt, %a, %zero : f32", "%r = arith.select %p, %b, %zero : f32",
             "linalg.yield %r : f32"],
    "dot": ["%p = arith.mulf %a, %b : f32", "%r = arith.addf %out, %p : f32", "linalg.yield %r : f32"],
    "step": ["%p = arith.mulf %b, %rate : f32", "%r = arith.subf %a, %p : f32", "linalg.yield %r : f32"],
    "decay": ["%p = arith.mulf %a, %rate : f32", "%r = arith.addf %p, %b : f32", "linalg.yield %r : f32"],
}  # fmt: skip
NUMBERS = {"zero": "0.0", "one": "1.0", "rate": "0.01"}


class Step:
    """The ops of a function, one line or a few each."""

    def __init__(self, batch, width):
        self.lines, self.kinds, self.results = [], {}, []
        self.shapes = {"matrix": (batch, width), "weight": (width, width), "vector": (width,)}
        self.types = {name: f"memref<{'x'.join(map(str, shape))}xf32>" for name, shape in self.shapes.items()}

    def alloc(self, kind):
        name = f"%v{len(self.kinds)}"
        self.kinds[name] = kind
        self.lines.append(f"  {name} = memref.alloc() {{alignment = 64 : i64}} : {self.types[kind]}")
        return name

    def argument(self, name, kind):
        self.kinds[name] = kind
        return name

    def type(self, value):
        return self.types[self.kinds[value]]

    def generic(self, body, maps, iterators, ins, out):
        kinds = ", ".join(f'"{i}"' for i in iterators)
        given = f"{', '.join(ins)} : {', '.join(map(self.type, ins))}"
        names = ", ".join(f"{n}: f32" for n in [*("%a", "%b")[:len(ins)], "%out"])
        self.lines += [f"  linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} "
                       f"ins({given}) outs({out} : {self.type(out)}) {{", f"  ^bb0({names}):",
                       *("    " + line for line in BODIES[body]), "  }"]  # fmt: skip
        return out

    def cells(self, body, *ins):
        """A new buffer, cell by cell of others; vectors among matrices are spread over rows."""
        kind = max((self.kinds[i] for i in ins), key=lambda k: len(self.shapes[k]))
        rank = len(self.shapes[kind])
        whole = "#one" if rank == 1 else "#same"
        maps = [whole if len(self.shapes[self.kinds[i]]) == rank else "#column" for i in ins]
        return self.generic(body, [*maps, whole], ["parallel"] * rank, ins, self.alloc(kind))

    def spread(self, vector):
        out = self.alloc("matrix")
        return self.generic("copy", ["#column", "#same"], ["parallel"] * 2, [vector], out)

    def zeros(self, kind):
        out = self.alloc(kind)
        self.lines.append(f"  linalg.fill ins(%zero : f32) outs({out} : {self.types[kind]})")
        return out

    def columns(self, body, matrix):
        """Sums over rows, into a copy of zeros."""
        out = self.alloc("vector")
        self.lines.append(f"  memref.copy %none, {out} : {self.types['vector']} to {self.types['vector']}")
        return self.generic(body, ["#same", "#column"], ["reduction", "parallel"], [matrix], out)

    def product(self, a, map_a, b, map_b, kind):
        maps = [map_a, map_b, "#out"]
        return self.generic("dot", maps, ["parallel", "parallel", "reduction"], [a, b], self.zeros(kind))


def forward(step, layer, x):
    """Of one layer: its output, and what the way back needs."""
    weight = step.argument(f"%w{layer}", "weight")
    scale = step.argument(f"%s{layer}", "vector")
    z = step.product(x, "#row_k", weight, "#k_column", "matrix")
    centred = step.cells("sub", z, step.spread(step.columns("sum", z)))
    deviation = step.cells("rsqrt", step.columns("square", centred))
    normal = step.cells("mul", centred, step.spread(deviation))
    scaled = step.cells("mul", normal, step.spread(scale))
    return step.cells("add", step.cells("relu", scaled), x), (x, weight, scale, deviation, normal, scaled)


def backward(step, layer, gradient, saved):
    """The gradient before that layer; the layer's new weight and momentum are results."""
    x, weight, scale, deviation, normal, scaled = saved
    momentum = step.argument(f"%m{layer}", "weight")
    active = step.cells("mask", scaled, gradient)
    new_scale = step.cells("step", scale, step.columns("sum", step.cells("mul", active, normal)))
    inner = step.cells("mul", step.cells("mul", active, step.spread(scale)), step.spread(deviation))
    flat = step.cells("sub", inner, step.spread(step.columns("sum", inner)))
    new_momentum = step.cells("decay", momentum, step.product(x, "#k_row", flat, "#k_column", "weight"))
    step.results += [step.cells("step", weight, new_momentum), new_momentum, new_scale]
    return step.cells("add", step.product(flat, "#row_k", weight, "#column_k", "matrix"), gradient)


def program(layers, batch=BATCH, width=WIDTH):
    step, saved = Step(batch, width), []
    value = step.argument("%x", "matrix")
    target = step.argument("%y", "matrix")
    for layer in range(layers):
        value, kept = forward(step, layer, value)
        saved.append(kept)
    gradient = step.cells("sub", value, target)
    for layer in reversed(range(layers)):
        gradient = backward(step, layer, gradient, saved[layer])
    given = [f"{name}: {step.type(name)}" for name in step.kinds if not name.startswith("%v")]
    returned = ", ".join(map(step.type, step.results))
    lines = [f"memref.global \"private\" constant @none : {step.types['vector']} = dense<0.0>",
             f"func.func @training_step({', '.join(given)}) -> ({returned}) {{",
             *(f"  %{name} = arith.constant {number} : f32" for name, number in NUMBERS.items()),
             f"  %none = memref.get_global @none : {step.types['vector']}", *step.lines,
             f"  return {', '.join(step.results)} : {returned}", "}"]  # fmt: skip
    return HEAD + "\n".join(lines) + "\n"
