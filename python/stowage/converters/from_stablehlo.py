# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_stablehlo.py MODEL.mlir OUT.mlir: StableHLO as linalg on tensors, by the passes that jaxlib has.

They leave loops and conditions, sort and scatter, which become scf here: regions move as they are, and what a sort compares
or a scatter combines becomes a function that is called.
"""

import re
import sys

import jax._src.interpreters.mlir as interpreter
import padding
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, stablehlo
from jaxlib.mlir.passmanager import PassManager
from loops import scatter_function, sort_function

TO_LINALG = ("builtin.module(func.func(stablehlo-legalize-composite-to-call),inline,symbol-dce,"
             "func.func(chlo-legalize-to-stablehlo),stablehlo-legalize-to-linalg)")
OWN = ("stablehlo", "chlo", "mhlo")  # dialects that nobody else reads
CLEAN = f"builtin.module({padding.CANONICALIZE},cse)"


def create(name, results, operands, **more):
    return ir.Operation.create(name, results=results, operands=list(operands), **more)


def extracted(tensor):
    """The element of a tensor without dimensions."""
    return create("tensor.extract", [ir.RankedTensorType(tensor.type).element_type], [tensor]).result


def constant(kind, value):
    return create("arith.constant", [kind], [], attributes={"value": ir.IntegerAttr.get(kind, value)}).result


def move_region(old, new, terminator):
    """The block of a region, which then ends in `terminator(values)`."""
    block = old.blocks[0]
    block.append_to(new)
    last = new.blocks[0].operations[len(new.blocks[0].operations) - 1]
    with ir.InsertionPoint(last):
        terminator(list(last.operands))
    last.operation.erase()


def end_in(name):
    return lambda values: create(name, [], values)


def replace(op, values):
    for old, new in zip(op.results, values):
        old.replace_all_uses_with(new)
    op.erase()


def types(values):
    return [value.type for value in values]


def while_loop(op, written):
    with ir.InsertionPoint(op):
        loop = create("scf.while", types(op.results), op.operands, regions=2)
    arguments = op.regions[0].blocks[0].arguments
    move_region(op.regions[0], loop.regions[0],
                lambda values: create("scf.condition", [], [extracted(values[0]), *arguments]))
    move_region(op.regions[1], loop.regions[1], end_in("scf.yield"))
    replace(op, loop.results)


def condition(op, written):
    """`if` and `case`: a switch whose default is the last region."""
    index, regions = ir.IndexType.get(), list(op.regions)
    with ir.InsertionPoint(op):
        taken = extracted(op.operands[0])
        if op.name == "stablehlo.if":
            taken = create("arith.xori", [taken.type], [taken, constant(taken.type, 1)]).result
            number = create("arith.index_castui", [index], [taken]).result
        else:
            number = create("arith.index_cast", [index], [taken]).result
        attributes = {"cases": ir.DenseI64ArrayAttr.get(range(len(regions) - 1))}
        switch = create("scf.index_switch", types(op.results), [number], attributes=attributes, regions=len(regions))
    for old, new in zip(regions[-1:] + regions[:-1], switch.regions):
        move_region(old, new, end_in("scf.yield"))
    replace(op, switch.results)


def barrier(op, written):
    replace(op, list(op.operands))


def reduce(op, written):
    """Over no dimension at all; other reductions are linalg already."""
    if not list(ir.DenseI64ArrayAttr(op.attributes["dimensions"])):
        replace(op, list(op.operands)[:len(op.results)])


def declare(op, name, inputs, results):
    """A function of the module."""
    attributes = {"sym_name": ir.StringAttr.get(name), "sym_visibility": ir.StringAttr.get("private"),
                  "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, results))}
    while op.parent.name != "builtin.module":
        op = op.parent
    return create("func.func", [], [], attributes=attributes, regions=1, ip=ir.InsertionPoint(op))


def outline(op, name):
    """What a sort compares or a scatter combines, as a function."""
    block = op.regions[0].blocks[0]
    results = types(block.operations[len(block.operations) - 1].operands)
    function = declare(op, name, types(block.arguments), results)
    move_region(op.regions[0], function.regions[0], end_in("func.return"))


def call(op, name):
    declare(op, name, types(op.operands), types(op.results))
    with ir.InsertionPoint(op):
        attributes = {"callee": ir.FlatSymbolRefAttr.get(name)}
        called = create("func.call", types(op.results), op.operands, attributes=attributes)
    replace(op, called.results)


def shapes_of(values):
    return [(list(kind.shape), str(kind.element_type)) for kind in map(ir.RankedTensorType, types(values))]


def sort(op, written):
    name = f"stowage_sort_{len(written)}"
    written[name] = sort_function(name, shapes_of(op.operands), ir.IntegerAttr(op.attributes["dimension"]).value)
    outline(op, f"{name}_compare")
    call(op, name)


def scatter(op, written):
    name, count, shapes = f"stowage_scatter_{len(written)}", len(op.results), shapes_of(op.operands)
    numbers = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
    written[name] = scatter_function(name, shapes[:count], shapes[count], shapes[count + 1:], numbers)
    outline(op, f"{name}_combine")
    call(op, name)


REWRITES = {"stablehlo.while": while_loop, "stablehlo.if": condition, "stablehlo.case": condition, "stablehlo.sort": sort,
            "stablehlo.scatter": scatter, "stablehlo.reduce": reduce, "stablehlo.optimization_barrier": barrier}


def ops_of(module):
    found = []

    def note(op):
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note, ir.WalkOrder.POST_ORDER)
    return found


def refuse_left(module):
    for op in ops_of(module):
        if op.name.split(".")[0] in OWN:
            sys.exit(f"{op.location}: error: op '{op.name}' has no form in linalg")


def refuse_open_sizes(module):
    for op in ops_of(module):
        if op.name.split(".")[0] in OWN and any("?" in str(kind) for kind in types(op.results)):
            sys.exit(f"{op.location}: error: op '{op.name}' has a size that is open, which jaxlib has no form in linalg for; "
                     "give inputs of the largest size, and fill those that are shorter")


def elements(module):
    """What arrays are given and returned, as integers have no sign in linalg."""
    main = next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main")
    kind = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    return " -> ".join(", ".join(str(ir.RankedTensorType(one).element_type) for one in side) for side in (kind.inputs, kind.results))


def convert(text):
    with interpreter.make_ir_context() as context, ir.Location.unknown():
        stablehlo.register_dialect(context)
        chlo.register_dialect(context)
        stablehlo.register_stablehlo_passes()
        module = ir.Module.parse(text)
        refuse_open_sizes(module)
        PassManager.parse(TO_LINALG).run(module.operation)
        written = {}
        for op in ops_of(module):
            if op.name in REWRITES:
                REWRITES[op.name](op, written)
        refuse_left(module)
        PassManager.parse(CLEAN).run(module.operation)
        out = module.operation.get_asm(enable_debug_info=True)  # names and lines, for messages and maps
        for name, function in written.items():
            out = re.sub(rf"^ *func.func private @{name}\(.*\n", lambda _: function, out, flags=re.M)
        return re.sub(r"(?<=[x<( ])ui(\d+)\b", r"i\1", out) + f"// elements: {elements(module)}\n"


source, target = sys.argv[1:3]
with open(source) as file:
    converted = convert(file.read())
converted = re.sub(r"(module @\S+) attributes \{.*?\} \{", r"\1 {", converted)
converted = re.sub(r" \{jax\.[^}]*\}", "", converted)
with open(target, "w") as file:
    file.write(converted)
