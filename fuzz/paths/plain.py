# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements without regions, or with ones that hold nothing else."""

T = "memref<8xi8>"
B = "memref<16xi8>"


class Plain:
    # What is read must have been written: passes may change what was there before.
    def fill(self, ref):
        self.count += 1
        c = self.define(f"arith.constant {self.count % 128} : i8")
        self.put(f"memref.store {c}, {ref}[{self.c0}] : {T}")
        return ref

    def alloc(self):
        return self.add(self.fill(self.define(f"memref.alloc() : {T}")))

    def stack(self):
        self.stacked = True
        self.add(self.fill(self.define(f"memref.alloca() : {T}")))

    def store(self):
        self.count += 1
        c = self.define(f"arith.constant {self.rng.between(0, 120)} : i8")
        self.put(f"memref.store {c}, {self.ref()}[{self.c0}] : {T}")

    def load(self):
        v = self.define(f"memref.load {self.ref()}[{self.c0}] : {T}")
        self.put(f"func.call @trace({v}) : (i8) -> ()")

    def copy(self):
        self.put(f"memref.copy {self.ref()}, {self.ref()} : {T} to {T}")

    def use(self):
        self.put(f"func.call @use({self.ref()}) : ({T}) -> ()")

    def select(self):
        a, b = self.ref(), self.ref()
        c = self.bit()
        s = self.add(self.define(f"arith.select {c}, {a}, {b} : {T}"))
        if self.chance(0.3):
            c = c if self.chance(0.6) else self.bit()
            self.add(self.define(f"arith.select {c}, {b}, {a} : {T}"))
        return s

    def alias(self):
        a = self.ref()
        way = self.rng.below(4)
        if way == 0:
            d = self.define(f"memref.cast {a} : {T} to memref<?xi8>")
            self.add(self.define(f"memref.cast {d} : memref<?xi8> to {T}"))
        elif way == 1:
            self.add(self.define(f"memref.reinterpret_cast {a} to offset: [0], sizes: [8], "
                                 f"strides: [1] : {T} to {T}"))
        elif way == 2:
            d = self.define(f"memref.cast {a} : {T} to memref<*xi8>")
            self.add(self.define(f"memref.cast {d} : memref<*xi8> to {T}"))
        else:
            d = self.define(f"memref.expand_shape {a} [[0, 1]] output_shape [2, 4] : {T} into "
                            "memref<2x4xi8>")
            self.add(self.define(f"memref.collapse_shape {d} [[0, 1]] : memref<2x4xi8> into {T}"))

    def view(self):
        b = self.define(f"memref.alloc() : {B}")
        c = self.define(f"arith.constant {self.rng.pick([0, 8])} : index")
        self.add(self.fill(self.define(f"memref.view {b}[{c}][] : {B} to {T}")))

    def get_global(self):
        self.add(self.define(f"memref.get_global @g : {T}"))

    def nested_global(self):
        self.put("scf.forall (%i) in (1) {".replace("%i", self.name()))
        self.enter()
        g = self.define(f"memref.get_global @g : {T}")
        c = self.define(f"arith.constant {self.rng.between(0, 120)} : i8")
        self.put(f"memref.store {c}, {g}[{self.c0}] : {T}")
        self.leave()
        self.put("}")

    def cast_from_pointer(self):
        # memory from elsewhere, by an op without effects
        g = self.define(f"memref.get_global @g : {T}")
        p = self.define(f"builtin.unrealized_conversion_cast {g} : {T} to !llvm.ptr")
        self.add(self.define(f"builtin.unrealized_conversion_cast {p} : !llvm.ptr to {T}"))

    def make(self):
        self.add(self.define(f"func.call @make() : () -> {T}"))

    def call_text(self, name, takes, gives, callee=None):
        values = [self.ref() for _ in range(takes)] + [self.bit(), self.bit(), self.trips()]
        types = ", ".join([T] * takes + ["i1", "i1", "index"])
        out = ", ".join([T] * gives)
        results = [self.name() for _ in range(gives)]
        left = f"{', '.join(results)} = " if gives else ""
        verb = f"func.call @{name}" if callee is None else f"func.call_indirect {callee}"
        self.put(f"{left}{verb}({', '.join(values)}) : ({types}) -> ({out})")
        self.refs[-1] += results

    def callable(self):
        known = [h for h in self.helpers
                 if self.name_of_function == "main" or (self.recursive and self.chance(0.3)) or
                 h[0] < self.name_of_function]
        return self.rng.pick(known) if known else None

    def call(self):
        found = self.callable()
        if found:
            self.call_text(*found)

    def indirect(self):
        found = self.callable()
        if not found:
            return
        name, takes, gives = found
        types = ", ".join([T] * takes + ["i1", "i1", "index"])
        f = self.define(f"func.constant @{name} : ({types}) -> ({', '.join([T] * gives)})")
        self.call_text(name, takes, gives, f)

    def realloc(self):
        a = self.fill(self.define(f"memref.alloc() : {T}"))
        self.put(f"func.call @use({a}) : ({T}) -> ()")
        b = self.define(f"memref.realloc {a} : {T} to {B}")
        c = self.define("arith.constant 0 : index")
        self.add(self.define(f"memref.view {b}[{c}][] : {B} to {T}"))

    def local(self):
        a = self.fill(self.define(f"memref.alloc() : {T}"))
        self.enter()
        self.indent -= 1
        self.refs[-1].append(a)
        b = a
        if self.chance(0.4):
            d = self.define(f"memref.cast {a} : {T} to memref<?xi8>")
            b = self.define(f"memref.cast {d} : memref<?xi8> to {T}")
        for _ in range(self.rng.between(0, 3)):
            getattr(self, self.rng.pick(["store", "load", "copy"]))()
        self.indent += 1
        self.leave()
        if self.chance(0.3):
            c = self.bit()
            self.put(f"scf.if {c} {{")
            self.put(f"  memref.dealloc {b} : {T}")
            if self.chance(0.5):
                self.put("} else {")
                self.put(f"  memref.dealloc {a} : {T}")
            self.put("}")
        else:
            self.put(f"memref.dealloc {b} : {T}")

    def freed_by_callee(self):
        a = self.fill(self.define(f"memref.alloc() : {T}"))
        self.put(f"func.call @use({a}) : ({T}) -> ()")
        closed = self.chance(0.4)
        if closed:
            self.put(f"scf.forall ({self.name()}) in (1) {{")
        self.put(f"func.call @freeing({a}) : ({T}) -> ()")
        if closed:
            self.put("}")

    def freed_by_either(self):
        """One address is that of a function which frees, or of one which reads."""
        a = self.fill(self.define(f"memref.alloc() : {T}"))
        c = self.bit()
        frees, reads = (self.define(f"func.constant @{f} : ({T}) -> ()") for f in ("freeing", "reading"))
        f = self.define(f"arith.select {c}, {frees}, {reads} : ({T}) -> ()")
        self.put(f"func.call_indirect {f}({a}) : ({T}) -> ()")
        self.put(f"scf.if {c} {{")
        self.put("} else {")
        self.put(f"  memref.dealloc {a} : {T}")
        self.put("}")

    def read_by_callee(self):
        self.put(f"func.call @reading({self.ref()}) : ({T}) -> ()")

    # ---- What makes deallocation give up

    def store_ref(self):
        h = self.define(f"memref.get_global @h : memref<{T}>")
        self.put(f"memref.store {self.ref()}, {h}[] : memref<{T}>")

    def load_ref(self):
        h = self.define(f"memref.get_global @h : memref<{T}>")
        g = self.define(f"memref.get_global @g : {T}")
        self.put(f"memref.store {g}, {h}[] : memref<{T}>")
        self.store_ref()
        self.add(self.define(f"memref.load {h}[] : memref<{T}>"))

    def pointer(self):
        self.define(f"memref.extract_aligned_pointer_as_index {self.ref()} : {T} -> index")

    def unawaited(self):
        self.put(f"{self.name()} = async.execute {{")
        self.closed(2)
        self.put("  async.yield")
        self.put("}")
