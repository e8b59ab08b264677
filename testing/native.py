# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as executables: with AddressSanitizer, or to take times without a JIT.

    native = Native(Tools())
    run = native.run(native.sanitized(ir))       # run.fault() is what AddressSanitizer said
    run = native.run(native.optimized(ir))       # malloc and free are the C library's
    run = native.run(native.counted(ir))         # run.heap is what the counting allocator saw

MLIR's lowering goes to LLVM IR and through LLVM's own `opt` and `llc`; the C compiler links.
Every function is instrumented, before any optimization could take an access away; the
sanitizer's library is the C compiler's, which speaks the same version of its interface.
Leaks are looked for at exit, so a program that keeps a buffer on purpose has a fault.
"""

import re
import tempfile
from pathlib import Path

from testing import process
from testing.execute import Heap, Run
from testing.process import Limits, ToolError, call

# The clock is the processor's, so that others may use the machine, too.
ENTRY = """#include <stdlib.h>
#include <time.h>
void stowage_program(void);
double rtclock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
int main(int argc, char **argv) {
  for (int times = argc > 1 ? atoi(argv[1]) : 1; times > 0; --times)
    stowage_program();
  return 0;
}
"""
EXIT_SANITIZED = 67


class Native:
    def __init__(self, tools):
        self.tools = tools
        self.scratch = Path(tools.scratch.name)
        self.main = self.scratch / "main.c"
        self.main.write_text(ENTRY)
        self.target = call([tools.bindir / "llvm-config", "--host-target"]).out.strip()

    def sanitized(self, ir):
        return self.build(self.tools.lower(ir, counted=False), "asan", ["-fsanitize=address"],
                          "sanitize_address")

    def optimized(self, ir, noinline=(), cpu="generic"):
        """`noinline`: functions that stay what they are. `cpu`: "native" is this one."""
        return self.build(self.tools.lower(ir, counted=False), "default<O2>", noinline=noinline, cpu=cpu)

    def counted(self, ir):
        allocator = self.tools.allocator
        return self.build(self.tools.lower(ir), "default<O2>", [allocator, f"-Wl,-rpath,{allocator.parent}"])

    def object(self, program, passes, attribute="", noinline=(), cpu="generic"):
        """Machine code of a program in the LLVM dialect."""
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        source, optimized, binary = (folder / n for n in ("a.ll", "b.bc", "c.o"))
        tool = self.tools.bindir.joinpath
        text = call([tool("mlir-translate"), "--mlir-to-llvmir"], program).out
        source.write_text(with_attributes(text, attribute, noinline))
        call([tool("opt"), f"-mtriple={self.target}", f"-mcpu={cpu}", f"-passes={passes}", source, "-o", optimized])
        call([tool("llc"), "-O2", f"-mcpu={cpu}", "-filetype=obj", "-relocation-model=pic", optimized, "-o", binary])
        return binary

    def build(self, program, passes, link=(), attribute="", noinline=(), cpu="generic"):
        """An executable of what Tools.lower made."""
        binary = self.object(program, passes, attribute, noinline, cpu)
        out = binary.with_name("program")
        libraries = self.tools.libdir
        call(["cc", self.main, binary, *link, f"-L{libraries}", f"-Wl,-rpath,{libraries}",
              "-lmlir_c_runner_utils", "-lmlir_runner_utils", "-lmlir_float16_utils", "-lm", "-o", out])
        return out

    def run(self, executable, timeout=120, processor=None, times=1):
        """The program so many times, in one process. `processor`: seconds, after which it is killed."""
        report = executable.with_name("heap")
        settings = {"ASAN_OPTIONS": f"detect_leaks=1:exitcode={EXIT_SANITIZED}", "STOWAGE_ALLOC_REPORT": str(report)}
        done = process.run([executable, str(times)], None, Limits(clock=timeout, processor=processor), settings)
        return Run(done.out, done.err, done.status, Heap.parse(report.read_text()) if report.exists() else Heap())


def with_attributes(text, attribute, noinline):
    """LLVM IR whose defined functions have the attribute, and whose main has another name."""
    text = re.sub(r"@main\b", "@stowage_program", text)
    for name in noinline:
        text = re.sub(rf"^(define [^\n]*@{name}\([^\n]*) {{$", r"\1 noinline {", text, flags=re.M)
    return re.sub(r"^(define .*) {$", rf"\1 {attribute} {{", text, flags=re.M) if attribute else text


def can_sanitize(native):
    """Whether the C compiler brings the sanitizer's library."""
    try:
        native.sanitized("func.func @main() {\n  return\n}\n")
    except ToolError as error:
        if "asan" in str(error):
            return False
        raise
    return True


def sanitizer_said(run):
    """The sanitizer's own one line, or None."""
    found = re.search(r"^SUMMARY: (AddressSanitizer: .*)$", run.stderr, re.M)
    return found[1] if found else None
