# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program may do next, by name: functions of a scope that register themselves."""

ACTIONS = {}
LOADED = 8  # entries of %sizes


def action(function):
    ACTIONS[function.__name__.rstrip("_")] = function
    return function
