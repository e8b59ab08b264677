#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of streams, run before and after merge-alloc by a model of a device.

The model starts work where the program does, and runs it at any time that the tokens allow: late,
early, or as random numbers say. New memory holds random bytes, and freed memory may not be touched.
Every order must give the outputs of the program as it was.
"""

import argparse
import random
import re
import subprocess
import sys

SIZES = 16, 32, 48, 96  # elements of i32


# A kernel's body is known to the model only, by its name.
def kernels():
    yield from (f"gpu.func @fold_{n}_{m}(%a: memref<{n}xi32>, %b: memref<{m}xi32>) kernel {{ gpu.return }}"
                for n in SIZES for m in SIZES)
    yield from (f"gpu.func @join_{n}(%a: memref<{n}xi32>, %b: memref<{n}xi32>, %c: memref<{n}xi32>) kernel "
                "{ gpu.return }" for n in SIZES)


def fold(source, target):
    for i in range(len(target)):
        target[i] = (source[i % len(source)] * 7 + i + 1) & 0xFFFFFFFF


def join(a, b, target):
    for i, (x, y) in enumerate(zip(list(a), list(b))):
        target[i] = (x * 3 ^ y + i) & 0xFFFFFFFF


# ---- programs ----

class Writer:
    """A function whose accesses to a buffer are all ordered, in one of several streams."""

    def __init__(self, random_, name):
        self.random, self.name, self.lines, self.count = random_, name, [], 0
        self.indent = "  "
        self.streams, self.buffers, self.output = [], [], 0

    def new(self, prefix):
        self.count += 1
        return f"%{prefix}{self.count}"

    def put(self, text):
        self.lines.append(self.indent + text)

    def tokens_for(self, stream, buffers):
        tokens = [self.streams[stream]] + [t for b in buffers for t in b["tokens"]]
        return list(dict.fromkeys(tokens))

    def behind(self, stream, buffers):
        """Tokens that an op of the stream is put behind."""
        tokens = self.tokens_for(stream, buffers)
        if len(tokens) > 1 and self.random.random() < 0.5:
            joined = self.new("j")
            self.put(f"{joined} = gpu.wait async [{', '.join(tokens)}]")
            tokens = [joined]
        return f"[{', '.join(tokens)}]"

    def work(self, stream, text, buffers):
        behind = self.behind(stream, buffers)
        token = self.new("t")
        self.put(f"{token} = {text.replace('ASYNC', 'async ' + behind)}")
        self.streams[stream] = token
        for b in buffers:
            b["tokens"] = [token]

    def launch(self, stream, kernel, buffers):
        args = ", ".join(f"{b['name']} : {b['type']}" for b in buffers)
        self.work(stream, f"gpu.launch_func ASYNC @device::@{kernel} blocks in (%c1, %c1, %c1) "
                          f"threads in (%c1, %c1, %c1) args({args})", buffers)

    def alloc(self, stream):
        n = self.random.choice(SIZES)
        buffer = {"name": self.new("a"), "n": n, "type": f"memref<{n}xi32>", "tokens": []}
        if self.random.random() < 0.2:
            self.put(f"{buffer['name']} = gpu.alloc () : {buffer['type']}")
        else:
            token = self.new("t")
            self.put(f"{buffer['name']}, {token} = gpu.alloc async {self.behind(stream, [])} () : {buffer['type']}")
            self.streams[stream] = token
            buffer["tokens"] = [token]
        if self.buffers and self.random.random() < 0.8:
            source = self.random.choice(self.buffers)
            self.launch(stream, f"fold_{source['n']}_{n}", [source, buffer])
        else:
            self.work(stream, f"gpu.memcpy ASYNC {buffer['name']}, %x{n} : {buffer['type']}, {buffer['type']}", [buffer])
        self.buffers.append(buffer)

    def compute(self, stream):
        a = self.random.choice(self.buffers)
        alike = [b for b in self.buffers if b["n"] == a["n"]]
        if len(alike) > 2:
            chosen = self.random.sample(alike, 3)
            self.launch(stream, f"join_{a['n']}", chosen)
        elif len(self.buffers) > 1:
            a, b = self.random.sample(self.buffers, 2)
            self.launch(stream, f"fold_{a['n']}_{b['n']}", [a, b])

    def write_out(self, stream, buffer):
        out = f"%o{buffer['n']}"
        key = self.outs.setdefault(out, {"name": out, "tokens": []})
        self.work(stream, f"gpu.launch_func ASYNC @device::@fold_{buffer['n']}_{buffer['n']} blocks in (%c1, %c1, %c1) "
                          f"threads in (%c1, %c1, %c1) args({buffer['name']} : {buffer['type']}, {out} : {buffer['type']})",
                  [buffer, key])

    def free(self, stream):
        buffer = self.buffers.pop(self.random.randrange(len(self.buffers)))
        self.write_out(stream, buffer)
        if self.random.random() < 0.2:
            self.put(f"gpu.wait [{', '.join(self.tokens_for(stream, [buffer]))}]")
            self.put(f"gpu.dealloc {buffer['name']} : {buffer['type']}")
        else:
            self.work(stream, f"gpu.dealloc ASYNC {buffer['name']} : {buffer['type']}", [buffer])

    def wait(self):
        self.put(f"gpu.wait [{', '.join(dict.fromkeys(self.streams))}]")

    def begin_streams(self):
        self.outs = {}
        self.streams = []
        for _ in range(self.random.choice((1, 1, 2, 3))):
            token = self.new("t")
            self.put(f"{token} = gpu.wait async")
            self.streams.append(token)

    def body(self, steps):
        self.begin_streams()
        for _ in range(steps):
            stream = self.random.randrange(len(self.streams))
            kind = self.random.random()
            if len(self.buffers) < 2 or kind < 0.35:
                self.alloc(stream)
            elif kind < 0.6:
                self.compute(stream)
            elif kind < 0.95:
                self.free(stream)
            else:
                self.wait()
        while self.buffers:
            self.free(self.random.randrange(len(self.streams)))
        tokens = dict.fromkeys(self.streams + [t for o in self.outs.values() for t in o["tokens"]])
        self.put(f"gpu.wait [{', '.join(tokens)}]")

    def text(self):
        arguments = ", ".join(f"%{k}{n}: memref<{n}xi32>" for k in "xo" for n in SIZES)
        self.put("%c0 = arith.constant 0 : index")
        self.put("%c1 = arith.constant 1 : index")
        self.put("%c3 = arith.constant 3 : index")
        self.body(self.random.randrange(4, 24))
        if self.random.random() < 0.4:
            self.put("scf.for %i = %c0 to %c3 step %c1 {")
            self.indent = "    "
            self.body(self.random.randrange(4, 12))
            self.indent = "  "
            self.put("}")
        return "\n".join([f"func.func @{self.name}({arguments}) {{"] + self.lines + ["  return", "}"])


def module(random_, count):
    functions = [Writer(random_, f"f{i}").text() for i in range(count)]
    return "\n".join(["module attributes {gpu.container_module} {", "gpu.module @device {", *kernels(), "}",
                      *functions, "}", ""])


# ---- the model ----

class Fault(Exception):
    pass


class Memory:
    def __init__(self, count, random_):
        self.cells, self.freed = [random_.getrandbits(32) for _ in range(count)], False


class View:
    def __init__(self, memory, begin, count):
        self.memory, self.begin, self.count = memory, begin, count

    def __len__(self):
        return self.count

    def at(self, i):
        if self.memory.freed or not 0 <= i < self.count or self.begin + i >= len(self.memory.cells):
            raise Fault("memory that is not there")
        return self.begin + i

    def __getitem__(self, i):
        if isinstance(i, int) and i >= self.count:
            raise IndexError
        return self.memory.cells[self.at(i)]

    def __setitem__(self, i, value):
        self.memory.cells[self.at(i)] = value


class Work:
    def __init__(self, run, behind):
        self.run, self.behind, self.done = run, behind, False

    def finish(self):
        stack = [self]
        while stack:
            work = stack[-1]
            waiting = [] if work.done else [w for w in work.behind if not w.done]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if not work.done:
                work.run()
                work.done = True


def names(text):
    return re.findall(r"%\w+(?:#\d+)?", text or "")


TYPE = re.compile(r"memref<(\d+)x(i\d+)")
OP = re.compile(r"(?:(?P<results>%[\w, %]+?) = )?(?P<name>[a-z_]+\.[a-z_]+)\s*(?P<rest>.*)")


class Run:
    def __init__(self, function, seed):
        self.random = random.Random(seed)
        self.eager = self.random.choice((0.0, 0.3, 1.0))
        self.values, self.pending, self.outs = {}, [], {}
        for name, n in re.findall(r"(%\w+): memref<(\d+)xi32>", function[0]):
            memory = Memory(int(n), self.random)
            self.values[name] = View(memory, 0, int(n))
        for k, (name, view) in enumerate(list(self.values.items())):
            view.memory.cells = [(i * 2654435761 + k) & 0xFFFFFFFF for i in range(view.count)]
        self.order = list(self.values)
        self.block(function[1:-1])

    def outputs(self):
        return [self.values[name].memory.cells for name in self.order]

    def block(self, lines):
        at = 0
        while at < len(lines):
            text = lines[at].strip()
            if text.startswith("scf.for"):
                end = next(i for i in range(at, len(lines)) if lines[i].strip() == "}")
                for _ in range(3):
                    self.block(lines[at + 1:end])
                at = end
            elif text and text != "return":
                self.op(text)
            at += 1

    def start(self, results, is_async, behind, run):
        work = Work(run, [self.values[t] for t in behind])
        if not is_async:
            work.finish()
            return
        self.pending.append(work)
        self.values[results[-1]] = work
        if self.random.random() < self.eager:
            self.random.choice(self.pending).finish()
        self.pending = [w for w in self.pending if not w.done]

    def op(self, text):
        m = OP.match(text)
        name, rest, results = m["name"], m["rest"], names(m["results"])
        is_async = rest.startswith("async")
        rest = rest.removeprefix("async").strip()
        behind = []
        if rest.startswith("["):
            tokens, rest = rest[1:].split("]", 1)
            behind = names(tokens)
        if name == "arith.constant":
            self.values[results[0]] = int(rest.split()[0])
        elif name == "memref.view":
            arena, offset = names(rest)[:2]
            n, _ = TYPE.findall(rest)[-1]
            self.values[results[0]] = View(self.values[arena].memory, self.values[offset] // 4, int(n))
        elif name == "gpu.alloc":
            n, element = TYPE.search(rest).groups()
            count = int(n) // 4 if element == "i8" else int(n)
            self.values[results[0]] = View(Memory(count, self.random), 0, count)
            self.start(results, is_async, behind, lambda: None)
        else:
            operands = [self.values[v] for v in names(rest.split("args(")[-1])]
            self.start(results, is_async, behind, self.effect(name, rest, operands))

    @staticmethod
    def effect(name, rest, operands):
        def free():
            operands[0].at(0)
            operands[0].memory.freed = True

        def copy():
            for i in range(len(operands[0])):
                operands[0][i] = operands[1][i]

        kernel = re.search(r"@device::@(\w+?)_", rest)
        if name == "gpu.launch_func":
            return lambda: {"fold": fold, "join": join}[kernel[1]](*operands)
        return {"gpu.wait": lambda: None, "gpu.dealloc": free, "gpu.memcpy": copy}[name]


def functions_of(text):
    found = {}
    for part in re.findall(r"^ *func\.func @.*?^ {0,2}\}$", text, re.M | re.S):
        lines = part.split("\n")
        found[re.search(r"@(\w+)", lines[0])[1]] = lines
    return found


def device_bytes(lines):
    return sum(int(n) * (1 if e == "i8" else 4) for line in lines if "gpu.alloc" in line
               for n, e in [TYPE.search(line).groups()])


def differs(before, after, seeds):
    # Argument names change, their order does not.
    expected = Run(before, 0).outputs()
    for seed in range(seeds):
        if Run(before, seed).outputs() != expected:
            return "the program as it was depends on the order"
        try:
            if Run(after, seed).outputs() != expected:
                return "other outputs"
        except Fault as fault:
            return str(fault)
    return None


def rewrite(tool, text, passes):
    run = subprocess.run([tool, "-", *passes], input=text, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{' '.join(passes)} failed:\n{run.stderr[:2000]}")
    return run.stdout


def functions_with_errors(tool, text):
    run = subprocess.run([tool, "-", "--check-arena-plan"], input=text, capture_output=True, text=True, check=False)
    lines, found = text.split("\n"), set()
    for line in re.findall(r":(\d+):\d+: error:", run.stderr):
        while not (heading := re.search(r"func\.func @(\w+)", lines[int(line) - 1])):
            line = int(line) - 1
        found.add(heading[1])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--orders", type=int, default=6)
    parser.add_argument("--save")
    args = parser.parse_args()
    text = module(random.Random(args.seed), args.programs)
    if args.save:
        with open(args.save, "w", encoding="utf-8") as file:
            file.write(text)
    before = functions_of(rewrite(args.tool, text, []))
    planned = rewrite(args.tool, text, ["--merge-alloc", "--check-arena-plan"])
    after = functions_of(planned)
    broken_text = re.sub(r"constant \d+ : index", "constant 0 : index", planned)
    broken = functions_of(broken_text)
    assert len(before) == len(after) == args.programs
    noticed, reported = 0, functions_with_errors(args.tool, broken_text)
    for name, lines in before.items():
        problem = differs(lines, after[name], args.orders)
        if problem:
            sys.exit(f"seed {args.seed}, {name}: {problem}")
        if differs(lines, broken[name], 2):
            noticed += 1
            if name not in reported:
                sys.exit(f"seed {args.seed}, {name}: check-arena-plan accepts it with all offsets 0")
    arenas = sum(map(device_bytes, after.values()))
    print(f"{args.programs} programs: {sum(map(device_bytes, before.values()))} bytes of a device before, "
          f"{arenas} after; with all offsets 0, {noticed} give other outputs and are reported")


if __name__ == "__main__":
    main()
