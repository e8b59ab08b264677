# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program may do next, by name: functions of a generator and a scope that register themselves."""

from fuzz.memref_gen import knobs

ACTIONS = {}


def action(name):
    def register(function):
        assert name in knobs.WEIGHTS, name
        ACTIONS[name] = function
        return function

    return register


def call_some(gen, scope, share):
    """Calls where there is a tower of functions."""
    if gen.allows("tower") and gen.callees and gen.rng.chance(share):
        for _ in range(gen.rng.between(1, 3)):
            ACTIONS["call"](gen, scope)
