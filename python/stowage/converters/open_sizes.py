# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model says of sizes that change from call to call, as attributes of the function's arguments."""

import re


def entry(name, least, most):
    """A dimension in `stowage.dims`; plans are made for the largest size."""
    return f'{{name = "{name}", min = {least}, max = {most}, hint = {most}}}'


def state(text, function, arguments):
    """The text with what is said of the arguments: a list per argument, of an entry per dimension, "{}" where it has a size."""
    head = re.search(rf"func\.func (public )?@{re.escape(function)}\(.*", text)
    line, end = head[0], 0
    for index, dims in enumerate(arguments):
        found = re.compile(r"%\w+: (?:tensor|memref)<[^>]*>").search(line, end)
        said = f" {{stowage.dims = [{', '.join(dims)}]}}" if any(dim != "{}" for dim in dims) else ""
        line, end = line[:found.end()] + said + line[found.end():], found.end() + len(said)
    return text[:head.start()] + line + text[head.end():]
