# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random GPU kernels: workgroup attributions and allocations, barriers that all threads pass together, loops, branches, copies that go on."""

from fuzz.lines import Lines
from fuzz.rng import Rng

WS = "#gpu.address_space<workgroup>"
TOKEN = "!nvgpu.device.async.token"
THREADS = 4
TILE = ("f32", 16)  # that loads fill
MAP = f"!nvgpu.tensormap.descriptor<tensor = memref<16xf32, {WS}>, swizzle = none, l2promo = none, oob = zero, interleave = none>"
BARS = f"!nvgpu.mbarrier.group<memorySpace = {WS}, num_barriers = 4>"
FENCE = "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}"
ELEMENTS = {"f32": 4, "f16": 2, "i8": 1, "f64": 8}
HEADER = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant true
  %false = arith.constant false
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
"""
HELPERS = """  func.func @meet() {
    gpu.barrier
    return
  }
  func.func @meet_twice() {
    func.call @meet() : () -> ()
    gpu.barrier
    return
  }
"""
PLACE = """  %t = gpu.thread_id x
"""
DERIVED = """  %next = arith.addi %t, %c1 : index
  %u = arith.remui %next, %size : index
  %low = arith.cmpi ult, %t, %c2 : index
  %first = arith.cmpi eq, %t, %c0 : index
"""
MBARRIERS = f"""  %bars = nvgpu.mbarrier.create -> {BARS}
  scf.if %first {{
    nvgpu.mbarrier.init %bars[%c0], %c1 : {BARS}
    nvgpu.mbarrier.init %bars[%c1], %c1 : {BARS}
    nvgpu.mbarrier.init %bars[%c2], %c3 : {BARS}
    nvgpu.mbarrier.init %bars[%c3], %c1 : {BARS}
  }}
  gpu.barrier
"""


class Kernel(Lines):
    def __init__(self, seed, calls):
        super().__init__(indent=1)
        self.r = Rng(seed)
        self.buffers = []  # (name, element, length)
        for i in range(self.r.between(2, 6)):
            element = self.r.weighted([("f32", 5), ("f16", 2), ("i8", 1), ("f64", 1)])
            self.buffers.append((f"%b{i}", element, 4 * self.r.between(4, 16)))
        self.piped = False
        self.parity, self.tiles = {}, []  # of elements of mbarriers, where there are some: the next phase's; what is loaded to
        if self.r.chance(0.5):
            self.parity = {"%c0": "%false", "%c1": "%false"}
            self.tiles = [(f"%l{i}", *TILE) for i in range(self.r.between(1, 3))]
            if self.r.chance(0.2):
                self.buffers += self.tiles[:1]  # and touched anywhere
        self.ends = ["%n", "%c2", "%c1"]  # of loops
        self.calls, self.helpers = calls, False  # whether it may call functions, and does
        self.indices = ["%t", "%t", "%u", "%c0"]
        self.bits = ["%c", "%d"]

    def type(self, buffer):
        return f"memref<{buffer[2]}x{buffer[1]}, {WS}>"

    # ---- Statements; `near`: the buffers to use, `together`: all threads are here

    def access(self, name, element, type):
        index = self.r.pick(self.indices)
        if self.r.chance(0.5):
            self.put(f"memref.store %{element}, {name}[{index}] : {type}")
        else:
            self.put(f"{self.name()} = memref.load {name}[{index}] : {type}")

    def touch(self, near, together):
        b = self.r.pick(near)
        self.access(b[0], b[1], self.type(b))

    def fill(self, near, together):
        b = self.r.pick(near)
        self.put(f"linalg.fill ins(%{b[1]} : {b[1]}) outs({b[0]} : {self.type(b)})")

    def part(self, near, together):
        b, v = self.r.pick(near), self.name()
        at = self.r.between(0, b[2] - 4)
        type = f"memref<4x{b[1]}, strided<[1], offset: {at}>, {WS}>"
        self.put(f"{v} = memref.subview {b[0]}[{at}] [4] [1] : {self.type(b)} to {type}")
        self.access(v, b[1], type)

    def either(self, near, together):
        a = self.r.pick(near)
        others = [b for b in self.buffers if b[1:] == a[1:] and b != a]
        if not others:
            return self.touch(near, together)
        v, bit = self.name(), self.r.pick([*self.bits, "%low"])
        self.put(f"{v} = arith.select {bit}, {a[0]}, {self.r.pick(others)[0]} : {self.type(a)}")
        self.access(v, a[1], self.type(a))

    def copy(self, near, together):
        a = self.r.pick(near)
        others = [b for b in self.buffers if b[1:] == a[1:] and b != a]
        if not others:
            return self.touch(near, together)
        self.put(f"memref.copy {a[0]}, {self.r.pick(others)[0]} : {self.type(a)} to {self.type(a)}")

    def barrier(self, near, together):
        if together:
            self.put("gpu.barrier")

    def call(self, near, together):
        """A function that has a barrier."""
        if together and self.calls:
            self.helpers = True
            self.put(f"func.call @{self.r.pick(['meet', 'meet', 'meet_twice'])}() : () -> ()")

    def start(self, b):
        """A copy on its way, and the group that it is in."""
        k = self.define(f"nvgpu.device_async_copy %x[%t], {b[0]}[%t], 1 : memref<16xf32> to {self.type(b)}")
        return self.define(f"nvgpu.device_async_create_group {k}")

    def stage(self, near, together):
        """Copies that other statements do not wait for; the first is waited for while the second goes on."""
        found = [b for b in near if b[1] == "f32"]
        if not found or "%t" not in self.indices:
            return self.touch(near, together)
        groups = [self.start(self.r.pick(found)) for _ in range(self.r.between(1, 2))]
        others = [b for b in self.buffers if b not in near] or near
        for i, group in enumerate(groups):
            for _ in range(self.r.between(0, 2)):
                self.r.pick([self.touch, self.fill, self.barrier])([self.r.pick(others)], together)
            self.put(f"nvgpu.device_async_wait {group} {{numGroups = {len(groups) - 1 - i} : i32}}")
            if self.r.chance(0.8):
                self.barrier(near, together)

    # ---- Loads that an mbarrier tells the end of, where all threads come once

    def round(self, bar, tiles):
        """One thread begins a phase: its loads, and what it expects."""
        loads = [f"nvgpu.tma.async.load %map[%c0], %bars[{bar}] to {b[0]} : {MAP}, {BARS} -> {self.type(b)}" for b in tiles]
        arrive = f"nvgpu.mbarrier.arrive.expect_tx %bars[{bar}], {'%c128' if len(tiles) > 1 else '%c64'} : {BARS}"
        self.put("scf.if %first {")
        for line in [arrive, *loads] if self.r.chance(0.7) else [*loads, arrive]:
            self.put("  " + line)
        self.put("}")

    def wait(self, bar, parity):
        other = {"%false": "%true", "%true": "%false"}.get(parity, "%c")
        self.put(f"nvgpu.mbarrier.try_wait.parity %bars[{bar}], {parity if self.r.chance(0.95) else other}, %c64 : {BARS}")

    def turned(self, parity):
        return {"%false": "%true", "%true": "%false"}.get(parity) or self.define(f"arith.xori {parity}, %true : i1")

    def beside(self, tiles, most):
        """What threads do while loads are on their way, mostly to other buffers."""
        others = [b for b in self.buffers if b not in tiles]
        for _ in range(self.r.between(0, most)):
            self.r.pick([self.touch, self.fill, self.barrier, self.barrier])(others, True)

    def use(self, tiles):
        for b in tiles:
            for _ in range(self.r.between(0, 2)):
                self.put(f"{self.name()} = memref.load {b[0]}[{self.r.pick(['%t', '%u', '%c3'])}] : {self.type(b)}")
        if self.r.chance(0.9):
            self.put("gpu.barrier")

    def fetch(self):
        tiles = self.tiles[: self.r.between(1, 2)] if self.r.chance(0.5) else [self.r.pick(self.tiles)]
        bar = self.r.pick(["%c0", "%c0", "%c1"])
        if self.r.chance(0.6):
            self.put(FENCE)
        self.barrier(tiles, True)
        if not self.piped and self.r.chance(0.2):
            return self.pipe()
        if self.r.chance(0.5):
            return self.fetch_in_a_loop(bar, tiles)
        self.round(bar, tiles)
        self.beside(tiles, 3)
        self.wait(bar, self.parity[bar])
        self.parity[bar] = self.turned(self.parity[bar])
        self.use(tiles)

    def pipe(self):
        """The first thread loads tiles that the others use, which tell it when they are done: two mbarriers, once in a kernel."""
        b, k, phase = self.r.pick(self.tiles), self.name(), self.name()
        head = f"scf.for {k} = %c0 to {self.r.pick(['%n', '%c3'])} step %c1 iter_args({phase} = "
        self.piped = True
        self.put("scf.if %first {")
        self.indent += 1
        self.put(f"{self.name()} = {head}%true) -> (i1) {{")
        self.indent += 1
        self.put(f"nvgpu.mbarrier.try_wait.parity %bars[%c2], {phase}, %c64 : {BARS}")
        self.put(f"nvgpu.mbarrier.arrive.expect_tx %bars[%c3], %c64 : {BARS}")
        self.put(f"nvgpu.tma.async.load %map[%c0], %bars[%c3] to {b[0]} : {MAP}, {BARS} -> {self.type(b)}")
        self.put(f"scf.yield {self.turned(phase)} : i1")
        self.indent -= 1
        self.put("}")
        self.indent -= 1
        self.put("} else {")
        self.indent += 1
        self.put(f"{self.name()} = {head}%false) -> (i1) {{")
        self.indent += 1
        self.put(f"nvgpu.mbarrier.try_wait.parity %bars[%c3], {phase}, %c64 : {BARS}")
        self.put(f"{self.name()} = memref.load {b[0]}[{self.r.pick(['%t', '%u'])}] : {self.type(b)}")
        self.put(f"{self.name()} = nvgpu.mbarrier.arrive %bars[%c2] : {BARS} -> !nvgpu.mbarrier.token")
        self.put(f"scf.yield {self.turned(phase)} : i1")
        self.indent -= 1
        self.put("}")
        self.indent -= 1
        self.put("}")
        if self.r.chance(0.8):
            self.put("gpu.barrier")

    def fetch_in_a_loop(self, bar, tiles):
        """A load in each turn, or one turn ahead."""
        k, phase, last, ahead = self.name(), self.name(), self.name(), self.r.chance(0.4)
        if ahead:
            self.round(bar, tiles)
        self.put(f"{last} = scf.for {k} = %c0 to {self.r.pick(['%n', '%c3', '%c1'])} step %c1 iter_args({phase} = {self.parity[bar]}) -> (i1) {{")
        self.indent += 1
        if not ahead:
            self.round(bar, tiles)
        self.beside(tiles, 2)
        self.wait(bar, phase)
        self.use(tiles)
        if self.r.chance(0.4):
            self.a_stage(self.buffers, True, k)
        if ahead:
            self.round(bar, tiles)
        if self.r.chance(0.5):
            self.put("gpu.barrier")
        self.put(f"scf.yield {self.turned(phase)} : i1")
        self.indent -= 1
        self.put("}")
        if ahead:
            self.wait(bar, last)
            last = self.turned(last)
            self.use(tiles)
        self.parity[bar] = last

    # ---- Loops as tiled kernels have them

    def stages(self, near, together):
        """A loop in each of whose turns buffers are written and read, one after the other."""
        k, end = self.name(), self.r.pick(["%n", "%c3", "%c2", *self.ends])
        self.put(f"scf.for {k} = {self.r.pick(['%c0', '%c0', '%c1'])} to {end} step %c1 {{")
        self.indent += 1
        kept, self.ends = self.ends, [*self.ends, k]
        if self.r.chance(0.3):
            self.touch(self.buffers, together)
        if together and self.r.chance(0.7):
            self.put("gpu.barrier")
        for _ in range(self.r.between(1, 3)):
            inner = self.indent < 5 and self.r.chance(0.2)
            self.stages(near, together) if inner else self.a_stage(near, together, k)
        self.ends = kept
        self.indent -= 1
        self.put("}")

    def a_stage(self, near, together, k):
        made = self.r.chance(0.4)
        b = (self.name(), *self.r.pick(self.buffers)[1:]) if made else self.r.pick(self.buffers if self.r.chance(0.8) else near)
        if made:
            self.put(f"{b[0]} = memref.alloc() : {self.type(b)}")
        write = self.r.weighted([(self.store_all, 4), (self.store_in_a_loop, 3), (self.fill_it, 2), (self.store_at, 1),
                                 (self.copies_in_a_loop, 2)])  # fmt: skip
        write(b, k)
        for _ in range(self.r.below(2)):
            self.touch([b], together)
        if together and self.r.chance(0.8):
            self.put("gpu.barrier")
        for _ in range(self.r.between(1, 2)):
            self.put(f"{self.name()} = memref.load {b[0]}[{self.r.pick(['%t', '%u', '%c0', '%c3'])}] : {self.type(b)}")
        if made and self.r.chance(0.5):
            self.put(f"memref.dealloc {b[0]} : {self.type(b)}")
        if together and self.r.chance(0.8):
            self.put("gpu.barrier")

    def store_all(self, b, k):
        self.put(f"memref.store %{b[1]}, {b[0]}[{self.r.pick(['%t', '%t', '%u'])}] : {self.type(b)}")

    def store_at(self, b, k):
        """In some turns, or at a place that differs between them."""
        if self.r.chance(0.5):
            return self.put(f"memref.store %{b[1]}, {b[0]}[{k}] : {self.type(b)}")
        self.put(f"scf.if {self.r.pick([*self.bits, '%low'])} {{")
        self.put(f"  memref.store %{b[1]}, {b[0]}[%t] : {self.type(b)}")
        self.put("}")

    def store_in_a_loop(self, b, k):
        j, at = self.name(), self.name()
        self.put(f"scf.for {j} = %c0 to {self.r.pick(['%c3', '%c3', '%n', k])} step %c1 {{")
        self.put(f"  {at} = arith.muli {j}, %c4 : index")
        sum = self.name()
        self.put(f"  {sum} = arith.addi {at}, %t : index")
        self.put(f"  memref.store %{b[1]}, {b[0]}[{sum}] : {self.type(b)}")
        self.put("}")

    def copies_in_a_loop(self, b, k):
        """Groups of copies, all of which are waited for behind the loop, or all but the newest."""
        if b[1] != "f32" or "%t" not in self.indices:
            return self.store_all(b, k)
        j, before, last = self.name(), self.name(), self.name()
        carries = self.r.chance(0.6)
        head = f"scf.for {j} = %c0 to {self.r.pick(['%c3', '%n', k])} step %c1"
        if carries:
            first = self.start(b)
            head = f"{last} = {head} iter_args({before} = {first}) -> ({TOKEN})"
        self.put(f"{head} {{")
        self.indent += 1
        group = self.start(b)
        if carries and self.r.chance(0.3):
            self.put(f"nvgpu.device_async_wait {before} {{numGroups = 1 : i32}}")
        if carries:
            self.put(f"scf.yield {group} : {TOKEN}")
        self.indent -= 1
        self.put("}")
        if not carries:
            last = self.start(b) if self.r.chance(0.5) else self.define("nvgpu.device_async_create_group")
        self.put(f"nvgpu.device_async_wait {last} {{numGroups = {self.r.pick([0, 0, 0, 1])} : i32}}")

    def fill_it(self, b, k):
        self.fill([b], True)

    def rotate(self, near, together):
        """Copies into one of two or three parts of a tile, one turn ahead of what reads the other."""
        found = [b for b in self.buffers if b[1] == "f32"]
        if not found or "%t" not in self.indices or not together:
            return self.touch(near, together)
        b, parts = self.r.pick(found), self.r.pick(["%c2", "%c3"])
        first, k, group, last = self.start(b), self.name(), self.name(), self.name()
        self.put(f"{last} = scf.for {k} = %c0 to {self.r.pick(['%n', '%c3'])} step %c1 iter_args({group} = {first}) -> ({TOKEN}) {{")
        self.indent += 1
        now = self.define(f"arith.remui {k}, {parts} : index")
        after = self.define(f"arith.addi {k}, %c1 : index")
        next = self.define(f"arith.remui {after}, {parts} : index")
        at, there = (self.define(f"arith.addi {self.define(f'arith.muli {part}, %c4 : index')}, %t : index") for part in (next, now))
        copy = self.define(f"nvgpu.device_async_copy %x[%t], {b[0]}[{at}], 1 : memref<16xf32> to {self.type(b)}")
        more = self.define(f"nvgpu.device_async_create_group {copy}")
        self.put(f"nvgpu.device_async_wait {group} {{numGroups = 1 : i32}}")
        self.put("gpu.barrier")
        self.put(f"{self.name()} = memref.load {b[0]}[{there}] : {self.type(b)}")
        if self.r.chance(0.5):
            self.a_stage(near, together, k)
        if self.r.chance(0.7):
            self.put("gpu.barrier")
        self.put(f"scf.yield {more} : {TOKEN}")
        self.indent -= 1
        self.put("}")
        self.put(f"nvgpu.device_async_wait {last} {{numGroups = 0 : i32}}")
        if self.r.chance(0.8):
            self.put("gpu.barrier")

    def swap(self, near, together):
        """Two buffers that take turns: each turn writes one, and reads the other behind a barrier."""
        a = self.r.pick(self.buffers)
        others = [b for b in self.buffers if b[1:] == a[1:] and b != a]
        if not others or not together:
            return self.touch(near, together)
        k, now, then, last = (self.name() for _ in range(4))
        type = self.type(a)
        self.put(f"{last}:2 = scf.for {k} = %c0 to {self.r.pick(self.ends)} step %c1 iter_args({now} = {a[0]}, "
                 f"{then} = {self.r.pick(others)[0]}) -> ({type}, {type}) {{")  # fmt: skip
        self.indent += 1
        self.put(f"memref.store %{a[1]}, {then}[%t] : {type}")
        for when, what in ((0.6, self.barrier), (0.4, self.touch)):
            if self.r.chance(when):
                what(near, together)
        self.put(f"{self.name()} = memref.load {now}[{self.r.pick(self.indices)}] : {type}")
        if self.r.chance(0.7):
            self.put("gpu.barrier")
        self.put(f"scf.yield {then}, {now} : {type}, {type}")
        self.indent -= 1
        self.put("}")
        if self.r.chance(0.5):
            self.put(f"{self.name()} = memref.load {last}#{self.r.below(2)}[%u] : {type}")

    def apart(self, near, together):
        """A loop whose bounds differ between threads, or are known when it runs."""
        k, end = self.name(), self.r.pick(["%t", "%u", "%n", *self.ends])
        self.put(f"scf.for {k} = %c0 to {end} step %c1 {{")
        kept, self.indices = self.indices, [*self.indices, k]
        self.nested(near, False)
        self.indices = kept
        self.put("}")

    def loop(self, near, together):
        k, end = self.name(), self.r.pick(self.ends)
        carried = self.r.chance(0.3)
        bit, turned, result = self.name(), self.name(), self.name()
        if carried:
            self.put(f"{result} = scf.for {k} = %c0 to {end} step %c1 iter_args({bit} = %true) -> (i1) {{")
        else:
            self.put(f"scf.for {k} = %c0 to {end} step %c1 {{")
        kept = self.indices, self.bits, self.ends
        self.indices, self.ends = [*self.indices, k], [*self.ends, k]
        self.indent += 1
        if carried:
            self.bits = [*self.bits, bit]
        elif self.r.chance(0.4):
            even, rest = self.name(), self.name()
            self.put(f"{rest} = arith.remui {k}, %c2 : index")
            self.put(f"{even} = arith.cmpi eq, {rest}, %c0 : index")
            self.bits = [*self.bits, even]
        self.run(near, together)
        if together and self.r.chance(0.6):
            self.barrier(near, together)
        if carried:
            self.put(f"{turned} = arith.xori {bit}, %true : i1")
            self.put(f"scf.yield {turned} : i1")
        self.indices, self.bits, self.ends = kept
        self.indent -= 1
        self.put("}")

    def branch(self, near, together):
        together = together and self.r.chance(0.7)
        self.put(f"scf.if {self.r.pick(self.bits) if together else '%low'} {{")
        self.nested(near, together)
        if self.r.chance(0.5):
            self.put("} else {")
            self.nested(near, together)
        self.put("}")

    def nested(self, near, together):
        self.indent += 1
        self.run(near, together)
        self.indent -= 1

    def run(self, near, together):
        deep = self.indent > 4
        for _ in range(self.r.between(1, 4)):
            statement = self.r.weighted(
                [(self.touch, 8), (self.fill, 2), (self.part, 1), (self.either, 1), (self.copy, 1),
                 (self.barrier, 4), (self.call, 1), (self.stage, 2),
                 *((kind, 0 if deep else weight) for kind, weight in
                   [(self.loop, 2), (self.branch, 2), (self.stages, 3), (self.rotate, 1), (self.swap, 1), (self.apart, 1)])])  # fmt: skip
            statement(near, together)

    # ---- The kernel: sections in blocks

    def section(self):
        first = self.r.below(len(self.buffers))
        near = self.buffers[first : first + self.r.between(1, 2)]
        self.run(near, True)
        if self.r.chance(0.75):
            self.barrier(near, True)

    def blocks(self, i):
        """Two blocks beside each other, or a loop of blocks."""
        if self.r.chance(0.5):
            self.put(f"cf.cond_br {self.r.pick(['%c', '%d', '%low'])}, ^one{i}, ^two{i}")
            for name in (f"one{i}", f"two{i}"):
                self.put(f"^{name}:")
                self.run([self.r.pick(self.buffers)], False)
                self.put(f"cf.br ^join{i}")
        else:
            self.put(f"cf.br ^loop{i}(%c0 : index)")
            self.put(f"^loop{i}(%i{i}: index):")
            self.run([self.r.pick(self.buffers)], False)
            self.put(f"%j{i} = arith.addi %i{i}, %c1 : index")
            self.put(f"%more{i} = arith.cmpi ult, %j{i}, %n : index")
            self.put(f"cf.cond_br %more{i}, ^loop{i}(%j{i} : index), ^join{i}")
        self.put(f"^join{i}:")

    def body(self, flat):
        for i in range(self.r.between(2, 6)):
            if not flat and self.r.chance(0.25):
                self.blocks(i)
            if self.parity and self.r.chance(0.3 if i else 0.8):
                self.fetch()
            else:
                self.section()


def grow(seed):
    """A module with one kernel @k(numbers..., n, c, d), or two, with or without a function that launches it; or a function that has it."""
    r = Rng(seed)
    how = r.weighted([("beside", 3), ("alone", 3), ("launched", 3), ("inside", 3)])
    k = Kernel(r.bits(), calls=how != "inside")
    if how == "inside":
        return inside(k)
    kernels = [k, Kernel(r.bits(), calls=True)] if how == "beside" else [k]
    text = "".join(a_kernel(kernel, f"k{i or ''}") for i, kernel in enumerate(kernels))
    helpers = HELPERS if any(kernel.helpers for kernel in kernels) else ""
    module = f"gpu.module @m {{\n{helpers}{text}}}\n"
    return f"module attributes {{gpu.container_module}} {{\n{module}{HOST}}}\n" if how == "launched" else module


def parameters():
    return [*((f"%{e}", e) for e in ELEMENTS), ("%n", "index"), ("%c", "i1"), ("%d", "i1"), ("%x", "memref<16xf32>"), ("%map", MAP)]


def arguments():
    return ", ".join(f"{name}: {type}" for name, type in parameters())


HOST = f"""func.func @host({arguments()}) {{
  %c1 = arith.constant 1 : index
  %size = arith.constant {THREADS} : index
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%size, %c1, %c1) args({", ".join(f"{n} : {t}" for n, t in parameters())})
  return
}}
"""


def parts(k):
    """The constants, the attributions and the body."""
    k.body(flat=False)
    buffers = list(dict.fromkeys([*k.buffers, *k.tiles]))
    made = [b for b in buffers if k.r.chance(0.4)]
    freed = [b for b in made if k.r.chance(0.5)]
    body = (MBARRIERS if k.parity else "") + "\n".join([*(f"  {b[0]} = memref.alloc() : {k.type(b)}" for b in made), *k.lines,
                      *(f"  memref.dealloc {b[0]} : {k.type(b)}" for b in freed)])  # fmt: skip
    shared = ", ".join(f"{b[0]} : {k.type(b)}" for b in buffers if b not in made)
    return f"{HEADER}  %size = arith.constant {THREADS} : index\n", shared and f"workgroup({shared})", body


def inside(k):
    header, shared, body = parts(k)
    return (f"func.func @k({arguments()}) {{\n{header}"
            "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)\n"
            "             threads(%t, %ty, %tz) in (%sx = %size, %sy = %c1, %sz = %c1)\n"
            f"             {shared} {{\n{DERIVED}{body}\n  gpu.terminator\n  }}\n  return\n}}\n")  # fmt: skip


def a_kernel(k, name):
    header, shared, body = parts(k)
    return (f"gpu.func @{name}({arguments()})\n    {shared} kernel {{\n"
            f"{header}{PLACE}{DERIVED}{body}\n  gpu.return\n}}\n")  # fmt: skip
