# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A C program that calls the function of a compiled model."""

import re

from stowage._sizes import open_dims, teller


def example(function):
    return by_descriptors(function) if function.by_descriptor else by_pointers(function)


def by_pointers(function):
    """All memory is static."""
    macro, lines, given = function.name.upper(), [f'#include "{function.name}.h"', ""], []
    for name, array in function.arguments.items():
        size, alignment, kind = max(array.bytes, 1), "64", str(array)
        if name == "state":
            alignment, kind = f"{macro}_STATE_ALIGNMENT", "kept from call to call"
        if name == "arena" or name.startswith("arena_"):
            alignment = f"{macro}_ARENA_ALIGNMENT{name.removeprefix('arena').upper()}"
            kind = "used while it runs" + (f"; in the memory {name.removeprefix('arena_')}" if name != "arena" else "")
        if not array.scalar:
            lines.append(f"static _Alignas({alignment}) unsigned char {name}[{size}]; /* {kind} */")
        given.append("0" if array.scalar else f"(void *){name}")
    begin = [f"  {function.name}_state_init(state);"] if function.state_bytes else []
    lines += ["", "int main(void) {", *begin, f"  {function.name}({', '.join(given)});", "  return 0;", "}", ""]
    return "\n".join(lines)


BY_DESCRIPTORS = """#include "{name}.h"

#include <stdlib.h>

static void *memory(intptr_t bytes) {{
  return aligned_alloc(64, (size_t)(bytes + 64) / 64 * 64);
}}

int main(void) {{
{lines}
  return 0;
}}
"""


def by_descriptors(function):
    """Memory is as large as the sizes need, which are the largest that are stated, else 1."""
    types = {name: kind for kind, name in re.findall(r"(stowage_memref_\w+) \*(\w+)", prototype(function, function.name))}
    names, count = list(function.arguments), len(function.inputs)
    given = [f"&{name}" if name in types else "0" for name in names]
    lines = [made(types[name], name, input_sizes(function, index), array)
             for index, (name, array) in enumerate(zip(names[:count], function.inputs)) if name in types]
    if "state" in types:
        lines += [made(types["state"], "state", [str(function.state_bytes)], "kept from call to call"),
                  f"  _mlir_ciface_{function.name}_state_init(&state);"]
    lines += size_lines(function, given[:count], types["arena"])
    for name in function.made:
        index = function.places.index(name)
        sizes = [str(size) if size is not None else f"result{index}_dim{axis}" for axis, size in enumerate(function.arguments[name].shape)]
        lines.append(made(types[name], name, sizes, function.results[index]))
    if "arena" in names:
        lines.append(made(types["arena"], "arena", [arena_size(function)], "used while it runs"))
    lines.append(f"  _mlir_ciface_{function.name}({', '.join(given)});")
    return BY_DESCRIPTORS.format(name=function.name, lines="\n".join(lines))


def prototype(function, name):
    return re.search(rf"_mlir_ciface_{name}\((.*)\);", function.header)[1]


def made(kind, name, sizes, comment):
    """The declaration of a descriptor with its memory."""
    strides = [" * ".join(sizes[axis + 1:]) or "1" for axis in range(len(sizes))]
    shape = f", {{{', '.join(sizes)}}}, {{{', '.join(strides)}}}" if sizes else ""
    size = " * ".join([*sizes, f"(intptr_t)sizeof *{name}.aligned"])
    return f"  {kind} {name} = {{0, memory({size}), 0{shape}}}; /* {comment} */"


def input_sizes(function, index):
    stated = function.stated[index]
    return [str(size if size is not None else stated and stated[axis].most or 1) for axis, size in enumerate(function.inputs[index].shape)]


def size_lines(function, given, kind):
    """The open sizes of results, from those of inputs."""
    dims = open_dims(function.results)
    if not dims:
        return []
    lines = [f"  {kind} none = {{0, 0, 0, {{0}}, {{1}}}};"]
    return lines + [f"  const intptr_t result{index}_dim{axis} = _mlir_ciface_{teller(function.name, index, axis)}({', '.join([*given, '&none'])});"
                    for index, axis in dims]


def arena_size(function):
    reads = function.measure or []
    return f"{function.name}_arena_bytes({', '.join(name if axis is None else f'{name}.sizes[{axis}]' for name, axis in reads)})"
