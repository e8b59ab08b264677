# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as programs without malloc: for this computer, and for an emulated board (examples/embedded).

    network = Network("ds-cnn", folder)
    network.compile("cortex-m4")             # network.o, network.h, planned.mlir in folder/cortex-m4
    foreign(network.object("cortex-m4"))     # what it calls that no such machine has: []
    elf = network.board("cortex-m4")         # linked with the board's start-up code
    on_board(elf, "cortex-m4"), on_host(network.host())
    memory_of(network, "cortex-m4", elf)     # bytes, as the linker placed them
    faults(network, "cortex-m4", elf)        # what it placed that should not be there
"""

import re
import shutil
from dataclasses import dataclass
from math import prod
from pathlib import Path

from testing import networks, places, process
from testing.native import with_attributes
from testing.process import Limits, ToolError

HERE = places.ROOT / "examples" / "embedded"
BOARDS = {  # machine of QEMU, flags of GCC
    "cortex-m4": ("mps2-an386", "-mfpu=fpv4-sp-d16"),
    "cortex-m7": ("mps2-an500", "-mfpu=fpv5-d16"),
}
PACKAGES = {"arm-none-eabi-gcc": "gcc-arm-none-eabi", "qemu-system-arm": "qemu-system-arm"}
WRITABLE = (".data", ".bss")
STACK = 1024  # bytes that the linker reserves

# What a compiled network may call: the C functions that every compiler relies on, also by Arm's names.
CALLED = re.compile(r"(__aeabi_)?mem(cpy|set|clr)[48]?")


def missing():
    """Packages that a board needs and that are not installed."""
    return [package for tool, package in PACKAGES.items() if not shutil.which(tool)]


def llvm(tool, *arguments):
    return process.call([places.llvm_bindir() / tool, *arguments]).out


def compile(source, folder, *more, arena="argument"):
    """The folder with network.o, network.h and the IR between (examples/compile.sh)."""
    process.call([places.ROOT / "examples" / "compile.sh", source, folder, *more],
                 environment={"STOWAGE_BUILD": str(places.BUILD), "LLVM_BINDIR": str(places.llvm_bindir()),
                              "ARENA": arena})  # fmt: skip
    return folder


def arena_bytes(folder):
    return int(re.search(r"define FORWARD_ARENA_BYTES (\d+)", (folder / "network.h").read_text())[1])


class Network:
    def __init__(self, name, folder, arena="argument"):
        """`name`, with options of the generator. The arena is an argument, or (global) the object's own."""
        self.name, self.folder, self.arena = name, Path(folder), arena
        self.folder.mkdir(parents=True, exist_ok=True)
        self.source = self.folder / "network.mlir"
        self.source.write_text(networks.generate(*name.split(), "--library"))

    def compile(self, target):
        compile(self.source, self.folder / target, target, arena=self.arena)

    def object(self, target):
        return self.folder / target / "network.o"

    def arena_bytes(self, target):
        return arena_bytes(self.folder / target)

    def argument_bytes(self, target):
        """Bytes of the input and of the output."""
        planned = (self.folder / target / "planned.mlir").read_text()
        shapes = re.findall(r"memref<([\dx]+)xi8>", re.search(r"func\.func @forward\(.*?\)", planned)[0])
        return [prod(map(int, shape.split("x"))) for shape in shapes[:2]]

    def flags(self, target):
        """Of the C compiler. The seed is that of the generator's own input."""
        input, output = self.argument_bytes(target)
        seed = (self.source.read_text().count("memref.global") + 1) * 1000003
        return ["-std=gnu17", "-Wall", "-Wextra", "-Werror", f"-DINPUT_BYTES={input}", f"-DOUTPUT_BYTES={output}",
                f"-DSEED={seed}", f"-I{self.folder / target}", f"-I{HERE}",
                *(["-DOWN_ARENA"] if self.arena == "global" else [])]  # fmt: skip

    def linked(self, name, sources, *more):
        """An executable for this computer."""
        out = self.folder / "host" / name
        process.call(["cc", "-O1", *self.flags("host"), *(HERE / source for source in sources), *more, "-o", out])
        return out

    def host(self):
        return self.linked("main", ["main.c", "host.c"], self.object("host"))

    def threads(self, *flags):
        return self.linked("threads", ["threads.c"], self.object("host"), "-pthread", *flags)

    def watched_threads(self, *flags):
        """The same with ThreadSanitizer: LLVM puts its checks into the network, and the C compiler brings its library."""
        source, checked, out = (self.folder / "host" / f"watched.{end}" for end in ("ll", "bc", "o"))
        source.write_text(with_attributes((self.folder / "host" / "network.ll").read_text(), "sanitize_thread", ()))
        machine = f"-mtriple={llvm('llvm-config', '--host-target').strip()}"
        llvm("opt", machine, "-mcpu=native", "-passes=default<O1>,tsan-module,function(tsan)", source, "-o", checked)
        llvm("llc", machine, "-mcpu=native", "-filetype=obj", "-relocation-model=pic", checked, "-o", out)
        for name in ("memcpy", "memset"):  # GCC's library watches these by their own names
            llvm("llvm-objcopy", "--redefine-sym", f"__tsan_{name}={name}", out)
        return self.linked("watched", ["threads.c"], out, "-pthread", "-fsanitize=thread", *flags)

    def board(self, target, *more):
        """An executable for a board without an operating system, and the linker's map beside it."""
        out = self.folder / target / "program.elf"
        process.call(["arm-none-eabi-gcc", f"-mcpu={target}", "-mthumb", "-mfloat-abi=hard", BOARDS[target][1], "-Os",
                      "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-nostdlib", "-fno-unwind-tables",
                      *self.flags(target), HERE / "main.c", *sorted(HERE.glob("board/*.c")), self.object(target),
                      *more, "-T", HERE / "board" / "board.ld", f"-Wl,--defsym=STACK_BYTES={STACK}", "-Wl,--fatal-warnings",
                      f"-Wl,-Map={out.with_suffix('.map')}", "-z", "noexecstack", "-lgcc", "-o", out])  # fmt: skip
        return out


def results(out):
    """What a program prints without its measurements, which begin with '#'."""
    return "".join(line for line in out.splitlines(keepends=True) if not line.startswith("#"))


def on_host(executable):
    return results(process.call([executable], limits=Limits(clock=120)).out)


def on_board(elf, target):
    """What the program prints on an emulated board, the bytes of stack that it used, and the instructions of one call
    of the network: each takes the emulator's clock a nanosecond, and the board's timer a tick of 40 to pass."""
    done = process.run(["qemu-system-arm", "-machine", BOARDS[target][0], "-icount", "shift=0", "-display", "none", "-monitor", "none", "-chardev",
                        "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out", "-kernel", elf],
                       limits=Limits(clock=120))  # fmt: skip
    ended = re.search(r"^# ticks (\d+)\n# stack (\d+)\n$", done.out, re.M)
    if not ended or done.status:
        raise ToolError(f"{elf} ended with status {done.status}\n{done.out}{done.err}")
    return results(done.out), int(ended[2]), 40 * int(ended[1])


def foreign(object):
    """What an object calls beyond copying and filling memory."""
    called = re.findall(r"^ +U (\S+)$", llvm("llvm-nm", object), re.M)
    return [symbol for symbol in called if not CALLED.fullmatch(symbol)]


def sections_of(elf):
    """{section: bytes}, of those that are loaded or reserved."""
    return {name: int(size) for name, size in re.findall(r"^(\.\w+) +(\d+) +\d+$", llvm("llvm-size", "-A", elf), re.M)}


def symbols_of(elf):
    """{name: (kind, bytes)} as llvm-nm has them: t code, r constants, d and b memory."""
    return {name: (kind.lower(), int(size, 16)) for size, kind, name
            in re.findall(r"^\w+ (\w+) (\w) (\S+)$", llvm("llvm-nm", "--print-size", elf), re.M)}  # fmt: skip


def from_archives(elf):
    """Files that the linker took out of libraries."""
    text = elf.with_suffix(".map").read_text()
    part = text.split("Archive member included")[1].split("Discarded input sections")[0] if "Archive member" in text else ""
    return re.findall(r"^(\S+\.a\(\S+\))", part, re.M)


@dataclass(frozen=True)
class Memory:
    """Of a linked program, in bytes."""

    flash: int  # code, constants, the image of .data
    constants: int  # of the flash, the weights
    arena: int
    arguments: int  # input and output
    rest: int  # other variables, and what alignment leaves between them
    stack: int  # reserved

    @property
    def ram(self):
        return self.arena + self.arguments + self.rest + self.stack


def memory_of(network, target, elf):
    sections, symbols = sections_of(elf), symbols_of(elf)
    sizes = {name: size for name, (kind, size) in symbols.items() if kind == "b"}
    named = [sizes[name] for name in ("arena", "input", "output")]
    variables = sections[".data"] + sections[".bss"]
    return Memory(sections[".text"] + sections[".data"], sections_of(network.object(target))[".rodata"], named[0],
                  sum(named[1:]), variables - sum(named), sections[".stack"])  # fmt: skip


def faults(network, target, elf):
    """What the linker placed that should not be there, in words."""
    memory, object = memory_of(network, target, elf), sections_of(network.object(target))
    found = [f"the network calls {symbol}" for symbol in foreign(network.object(target))]
    found += [f"{file} of a library is linked" for file in from_archives(elf) if "libgcc.a(" not in file]
    found += [f"the network has {size} bytes in {name}" for name, size in object.items() if name in WRITABLE and size]
    if memory.arena != network.arena_bytes(target):
        found.append(f"the arena has {memory.arena} bytes, the header says {network.arena_bytes(target)}")
    if memory.rest >= 64 + 16:  # the arena's alignment, others, and main.c's clock
        found.append(f"{memory.rest} bytes of memory are neither arena, input, output nor stack")
    return found
