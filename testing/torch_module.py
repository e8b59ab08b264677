# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small PyTorch models.

    model = around(lambda self, x: self.lstm(x)[0], lstm=torch.nn.LSTM(5, 4))
"""


def around(function, **parts):
    """A module whose forward is `function`, with parts as its fields. Imports torch."""
    import torch

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, *x):
            return function(self, *x)

    return Module()
