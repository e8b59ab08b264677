# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of same_output.py: a build differs from one that prints something else, not from itself."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from testing import places, process

# A build of another opinion on one line, of the IR or of what is said.
OTHER = """#!/bin/sh
"{opt}" "$@" > "{folder}/out" 2> "{folder}/err"
status=$?
sed 's/{old}/{new}/' "{folder}/out"
sed 's/{old}/{new}/' "{folder}/err" >&2
exit $status
"""


class SameOutput(unittest.TestCase):
    def compare(self, *options, **change):
        """(exit status, number of programs that differ, what is printed)"""
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder, "other-opt")
            other.write_text(OTHER.format(opt=places.OPT, folder=folder, **change))
            other.chmod(0o755)
            command = [sys.executable, "-m", "fuzz.same_output", places.OPT, other, "--programs", "4", "--jobs", "1",
                       "--only", "test/lifetime/honoured", "--only", "test/lifetime/verify", "--only", "paths", "--config", "lifetimes", "--keep", folder]  # fmt: skip
            done = process.run([*command, *options])
        found = re.search(r"^(\d+) equal, (\d+) differ$", done.out, re.M)
        self.assertTrue(found, done.out + done.err)
        self.assertGreater(int(found[1]) + int(found[2]), 3)
        return done.status, int(found[2]), done.out

    def test_equal(self):
        status, differ, _ = self.compare(old="nothing like it", new="")
        self.assertEqual((status, differ), (0, 0))

    def test_other_ir(self):
        status, differ, out = self.compare(old="lifetime.end", new="lifetime.fin")
        self.assertEqual(status, 1)
        self.assertGreater(differ, 0)
        self.assertRegex(out, r"(?s)test/lifetime/.*, lifetimes: .*lifetime\.end.*\n    became .*lifetime\.fin.*\n  diff <\(")

    def test_other_diagnostics(self):
        status, differ, out = self.compare(old=" error: ", new=" warning: ")
        self.assertEqual(status, 1)
        self.assertRegex(out, r"error: .*\n    became .*warning: ")


if __name__ == "__main__":
    unittest.main()
