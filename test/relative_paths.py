# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lit format whose paths are relative to the folder that a test runs in.

So they have no blanks in them wherever the checkout and the build are: a RUN line says %s and %t
without quotes, and inside the quotes of a pass's options.
"""

import os

import lit.formats


class RelativePathTest(lit.formats.ShTest):
    """`paths` are further substitutions, {"%name": path}."""

    def __init__(self, paths):
        super().__init__(execute_external=False)
        self.paths = paths

    def execute(self, test, lit_config):
        folder, name = os.path.split(test.getExecPath())
        source = test.getSourcePath()
        paths = {"%s": source, "%S": os.path.dirname(source),
                 "%t": os.path.join(folder, "Output", name + ".tmp"), **self.paths}
        self.extra_substitutions = [(n, os.path.relpath(p, folder)) for n, p in paths.items()]
        return super().execute(test, lit_config)
