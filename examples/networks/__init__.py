# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks as linalg on tensors; ../generate.py writes them.

ops      tensors, the bodies of linalg.generic, one method per op
layers   what networks are made of, in f32 or i8, channels last or first
models   the networks
branchy  those with branches
program  the module around a network: weights, main
"""
