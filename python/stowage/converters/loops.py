# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sort and scatter as functions of loops over tensors, in MLIR's text."""


class Writer:
    """Lines of a function's body; `new` gives a value a name."""

    def __init__(self):
        self.lines, self.count = [], 0

    def __call__(self, line):
        self.lines.append(f"  {line}")

    def new(self, line):
        self.count += 1
        self(f"%v{self.count} = {line}")
        return f"%v{self.count}"

    def several(self, count, line):
        self.count += 1
        self(f"%v{self.count}:{count} = {line}")
        return [f"%v{self.count}#{k}" for k in range(count)]

    def number(self, value):
        return self.new(f"arith.constant {value} : index")

    def each(self, first, last, step, carried, body):
        """A loop that carries (value, type) pairs; `body(index, values)` gives what the next iteration gets."""
        self.count += 1
        index, values = f"%i{self.count}", [f"%c{self.count}_{k}" for k in range(len(carried))]
        kinds = ", ".join(kind for _, kind in carried)
        pairs = ", ".join(f"{name} = {value}" for name, (value, _) in zip(values, carried))
        results = self.several(
            len(carried), f"scf.for {index} = {first} to {last} step {step} iter_args({pairs}) -> ({kinds}) {{")
        self(f"scf.yield {', '.join(body(index, values))} : {kinds}")
        self("}")
        return results

    def nest(self, sizes, carried, body):
        """Loops over all indices below `sizes`; `body(indices, values)` as in `each`."""
        zero, one = self.number(0), self.number(1)

        def level(indices, values):
            if len(indices) == len(sizes):
                return body(indices, values)
            pairs = [(value, kind) for value, (_, kind) in zip(values, carried)]
            return self.each(zero, self.number(sizes[len(indices)]), one, pairs,
                             lambda index, inner: level([*indices, index], inner))

        return level([], [value for value, _ in carried])


def tensor(shape, element):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def function(name, arguments, results, writer, values):
    """`arguments`: names and types."""
    takes = ", ".join(f"{value}: {kind}" for value, kind in arguments)
    kinds = ", ".join(results)
    body = "\n".join(writer.lines)
    return f"""func.func private @{name}({takes}) -> ({kinds}) {{
{body}
  return {', '.join(values)} : {kinds}
}}
"""


def call(writer, name, scalars, results):
    """A function of tensors without dimensions, on (value, element) pairs; `results` are elements."""
    given = [writer.new(f"tensor.from_elements {value} : tensor<{element}>") for value, element in scalars]
    takes = ", ".join(f"tensor<{element}>" for _, element in scalars)
    gives = ", ".join(f"tensor<{element}>" for element in results)
    made = writer.several(len(results), f"func.call @{name}({', '.join(given)}) : ({takes}) -> ({gives})")
    return [writer.new(f"tensor.extract {value}[] : tensor<{element}>") for value, element in zip(made, results)]


def merge_sort(writer, rows, size, less):
    """Stable, bottom up: runs of 1, 2, 4... are merged from one tensor into another. `rows`: pairs (value, element)."""
    zero, one, end = writer.number(0), writer.number(1), writer.number(size)
    last = writer.number(max(size - 1, 0))
    kinds = [tensor([size], element) for _, element in rows]
    spare = [writer.new(f"tensor.empty() : {kind}") for kind in kinds]

    def element(values, at):
        return [writer.new(f"tensor.extract {value}[{at}] : {kind}") for value, kind in zip(values, kinds)]

    def merge(source, spare, width, low):
        middle = writer.new(f"arith.addi {low}, {width} : index")
        middle = writer.new(f"arith.minui {middle}, {end} : index")
        high = writer.new(f"arith.addi {middle}, {width} : index")
        high = writer.new(f"arith.minui {high}, {end} : index")

        def take(at, carried):
            left, right, out = carried[0], carried[1], carried[2:]
            from_left = element(source, writer.new(f"arith.minui {left}, {last} : index"))
            from_right = element(source, writer.new(f"arith.minui {right}, {last} : index"))
            smaller = less(from_right, from_left)
            left_ends = writer.new(f"arith.cmpi uge, {left}, {middle} : index")
            right_is = writer.new(f"arith.cmpi ult, {right}, {high} : index")
            chosen = writer.new(f"arith.ori {left_ends}, {smaller} : i1")
            chosen = writer.new(f"arith.andi {right_is}, {chosen} : i1")
            picked = [writer.new(f"arith.select {chosen}, {b}, {a} : {kind}")
                      for a, b, (_, kind) in zip(from_left, from_right, rows)]
            out = [writer.new(f"tensor.insert {value} into {whole}[{at}] : {kind}")
                   for value, whole, kind in zip(picked, out, kinds)]
            next_left = writer.new(f"arith.addi {left}, {one} : index")
            next_right = writer.new(f"arith.addi {right}, {one} : index")
            return [writer.new(f"arith.select {chosen}, {left}, {next_left} : index"),
                    writer.new(f"arith.select {chosen}, {next_right}, {right} : index"), *out]

        carried = [(low, "index"), (middle, "index"), *zip(spare, kinds)]
        return writer.each(low, high, one, carried, take)[2:]

    def double(power, carried):
        source, spare = carried[:len(rows)], carried[len(rows):]
        width = writer.new(f"arith.shli {one}, {power} : index")
        both = writer.new(f"arith.shli {width}, {one} : index")
        merged = writer.each(zero, end, both, list(zip(spare, kinds)), lambda low, out: merge(source, out, width, low))
        return [*merged, *source]

    powers = writer.number(max(size - 1, 0).bit_length())
    both = [*zip((value for value, _ in rows), kinds), *zip(spare, kinds)]
    return writer.each(zero, powers, one, both, double)[:len(rows)]


def sort_function(name, shapes, dimension):
    """`shapes`: (shape, element) of what is sorted together along `dimension`; NAME_compare says who comes first."""
    writer, shape = Writer(), shapes[0][0]
    kinds = [tensor(*one) for one in shapes]
    size, others = shape[dimension], [1 if i == dimension else n for i, n in enumerate(shape)]
    elements = [element for _, element in shapes]

    def less(first, second):
        scalars = [pair for a, b, e in zip(first, second, elements) for pair in ((a, e), (b, e))]
        return call(writer, f"{name}_compare", scalars, ["i1"])[0]

    def row(indices, values):
        place = (f"[{', '.join(indices)}] [{', '.join(str(size if i == dimension else 1) for i in range(len(shape)))}] "
                 f"[{', '.join('1' for _ in shape)}]")
        rows = [tensor([size], element) for element in elements]
        taken = [writer.new(f"tensor.extract_slice {value}{place} : {kind} to {one}")
                 for value, kind, one in zip(values, kinds, rows)]
        done = merge_sort(writer, list(zip(taken, elements)), size, less)
        return [writer.new(f"tensor.insert_slice {value} into {whole}{place} : {one} into {kind}")
                for value, whole, one, kind in zip(done, values, rows, kinds)]

    arguments = [(f"%x{i}", kind) for i, kind in enumerate(kinds)]
    values = writer.nest(others, arguments, row)
    return function(name, arguments, kinds, writer, values)


def scatter_function(name, operands, indices, updates, numbers):
    """Shapes and elements of the operands, of the indices, of the updates; `numbers` as StableHLO's dimension numbers.
    NAME_combine makes an element of the old one and the update."""
    writer, rank = Writer(), len(operands[0][0])
    kinds, update_kinds, index_kind = [tensor(*one) for one in operands], [tensor(*one) for one in updates], tensor(*indices)
    window = [d for d in range(rank) if d not in numbers.inserted_window_dims and d not in numbers.input_batching_dims]
    sizes = updates[0][0]

    def place(at):
        """The index in the operand, a value per dimension, each of which may be out of bounds."""
        scattered = [value for d, value in enumerate(at) if d not in numbers.update_window_dims]
        index = [None] * rank
        for d, operand_dim in enumerate(numbers.scattered_dims_to_operand_dims):
            where = list(scattered)
            if numbers.index_vector_dim < len(indices[0]):
                where.insert(numbers.index_vector_dim, writer.number(d))
            value = writer.new(f"tensor.extract %indices[{', '.join(where)}] : {index_kind}")
            index[operand_dim] = writer.new(f"arith.{cast} {value} : {indices[1].lstrip('u')} to index")
        for operand_dim, d in zip(numbers.input_batching_dims, numbers.scatter_indices_batching_dims):
            index[operand_dim] = scattered[d - (d > numbers.index_vector_dim)]
        for operand_dim, d in zip(window, numbers.update_window_dims):
            index[operand_dim] = (writer.new(f"arith.addi {index[operand_dim]}, {at[d]} : index")
                                  if index[operand_dim] else at[d])
        return [value or writer.number(0) for value in index]

    cast = "index_castui" if indices[1].startswith("u") else "index_cast"

    def update(at, values):
        index = place(at)
        inside = writer.new("arith.constant true")
        for value, size in zip(index, operands[0][0]):
            below = writer.new(f"arith.cmpi ult, {value}, {writer.number(size)} : index")
            inside = writer.new(f"arith.andi {inside}, {below} : i1")
        where = f"[{', '.join(index)}]"
        results = writer.several(len(kinds), f"scf.if {inside} -> ({', '.join(kinds)}) {{")
        old = [writer.new(f"tensor.extract {value}{where} : {kind}") for value, kind in zip(values, kinds)]
        new = [writer.new(f"tensor.extract %u{k}[{', '.join(at)}] : {kind}") for k, kind in enumerate(update_kinds)]
        elements = [element for _, element in operands]
        made = call(writer, f"{name}_combine", [*zip(old, elements), *zip(new, elements)], elements)
        made = [writer.new(f"tensor.insert {value} into {whole}{where} : {kind}")
                for value, whole, kind in zip(made, values, kinds)]
        writer(f"scf.yield {', '.join(made)} : {', '.join(kinds)}")
        writer("} else {")
        writer(f"scf.yield {', '.join(values)} : {', '.join(kinds)}")
        writer("}")
        return results

    arguments = [(f"%x{k}", kind) for k, kind in enumerate(kinds)]
    given = [*arguments, ("%indices", index_kind), *((f"%u{k}", kind) for k, kind in enumerate(update_kinds))]
    values = writer.nest(sizes, arguments, update)
    return function(name, given, kinds, writer, values)
