# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ways to go on, by name: functions of the generator that register themselves."""

LAYERS = {}
MOST_ARGUMENTS, MOST_RESULTS, MOST_RANK = 5, 3, 4  # as driver.c has them


def layer(function):
    """A way to go on: a method of the generator, which gives the new value, or None where it cannot."""
    LAYERS[function.__name__] = function
    return function
