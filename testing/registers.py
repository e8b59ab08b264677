# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of convert-linalg-to-vectors for this machine.

    python3 -m testing.registers      vector-bits=512 registers=32 pairs dot=vnni
"""

import platform
import re
from pathlib import Path

# By a flag that Linux tells of a processor; the first that it has counts.
X86 = [
    ("avx512_vnni", "vector-bits=512 registers=32 pairs dot=vnni"), ("avx512f", "vector-bits=512 registers=32 pairs"),
    ("avx_vnni", "vector-bits=256 registers=16 pairs dot=vnni"), ("avx2", "vector-bits=256 registers=16 pairs"),
]  # fmt: skip
AARCH64 = [("asimddp", "vector-bits=128 registers=32 dot=neon"), ("asimd", "vector-bits=128 registers=32")]
ANY = "vector-bits=128 registers=16"


def registers():
    try:
        flags = re.search(r"^(?:flags|Features)\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        flags = None
    known = flags[1].split() if flags else ()
    table = AARCH64 if platform.machine() == "aarch64" else X86
    return next((options for flag, options in table if flag in known), ANY)


if __name__ == "__main__":
    print(registers())
