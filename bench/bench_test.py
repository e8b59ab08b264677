#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of what the benchmarks compare with. Needs Python alone: python3 -m bench.bench_test"""

import random
import unittest

from bench import ir_text, measure
from bench.arena import llvm23_planner, pass_time
from bench.arena.llvm23_planner import Placed
from bench.arena.pass_time import Phases


def function(*lines, returns="()"):
    head = f'  "func.func"() <{{function_type = () -> {returns}, sym_name = "f"}}> ({{'
    text = "\n".join(['"builtin.module"() ({', head, *lines, "  }) : () -> ()", "}) : () -> ()"])
    (found,) = ir_text.read(text)
    return ir_text.Liveness(found)


def alloc(name, elements=16, op="memref.alloc"):
    return f'    {name} = "{op}"() <{{alignment = 64 : i64}}> : () -> memref<{elements}xf32>'


def use(name):
    return f'    "test.use"({name}) : (memref<16xf32>) -> ()'


def dealloc(name):
    return f'    "memref.dealloc"({name}) : (memref<16xf32>) -> ()'


class Sizes(unittest.TestCase):
    def test_elements_as_the_lowering_allocates_them(self):
        wanted = {"i1": 1, "i4": 1, "i24": 4, "i64": 8, "f16": 2, "bf16": 2, "f80": 16, "i128": 16,
                  "index": 8, "complex<f32>": 8, "vector<8xf32>": 32, "vector<3xf32>": 16,
                  "vector<2x3xf32>": 32, "!x.y": None}
        self.assertEqual({t: ir_text.element_bytes(t) for t in wanted}, wanted)

    def test_memrefs(self):
        wanted = {"memref<2x3xf32>": 24, "memref<f64>": 8, "memref<0xf32>": 0,
                  "memref<?xf32>": None, "memref<4xi1, 1>": 4, "memref<4xf32, strided<[2]>>": None,
                  "memref<2xvector<4xf32>>": 32}
        self.assertEqual({t: ir_text.memref_bytes(t) for t in wanted}, wanted)


class Heap(unittest.TestCase):
    def test_peak_is_what_the_deallocs_say(self):
        late = function(alloc("%0"), alloc("%1"), dealloc("%0"), dealloc("%1"))
        early = function(alloc("%0"), dealloc("%0"), alloc("%1"), dealloc("%1"))
        self.assertEqual([ir_text.heap(late).peak, ir_text.heap(early).peak], [128, 64])
        self.assertEqual([ir_text.heap(early).total, ir_text.heap(early).allocs], [128, 2])

    def test_least_peak_ends_with_the_last_mention(self):
        apart = function(alloc("%0"), use("%0"), alloc("%1"), use("%1"), dealloc("%0"))
        together = function(alloc("%0"), alloc("%1"), use("%0"), dealloc("%0"), alloc("%2"))
        self.assertEqual([ir_text.least_peak(apart), ir_text.least_peak(together)], [64, 128])

    def test_leaks(self):
        cast = '    %3 = "memref.cast"(%0) : (memref<16xf32>) -> memref<?xf32>'
        end = '    "func.return"(%1) : (memref<16xf32>) -> ()'
        freed = function(alloc("%0"), alloc("%1"), cast, dealloc("%3"), end)
        self.assertEqual(ir_text.leaked(freed), 0)
        self.assertEqual(ir_text.leaked(function(alloc("%0"), alloc("%1"), alloc("%2"), use("%2"), end)), 2)

    def test_dealloc_of_a_cast_is_traced(self):
        walk = ir_text.heap(function(
            alloc("%0"), '    %1 = "memref.cast"(%0) : (memref<16xf32>) -> memref<?xf32>',
            dealloc("%1"), alloc("%2")))
        self.assertEqual([walk.peak, walk.unmatched], [64, 0])

    def test_dealloc_of_a_merged_value_is_not(self):
        walk = ir_text.heap(function(
            alloc("%0"), alloc("%1"),
            '    %2 = "arith.select"(%c, %0, %1) : (i1, memref<16xf32>, memref<16xf32>) -> '
            'memref<16xf32>', dealloc("%2"), alloc("%3")))
        self.assertEqual([walk.peak, walk.unmatched], [192, 1])

    def test_loop_carried_values_flow_to_the_result(self):
        liveness = function(
            alloc("%0"), '    %1 = "scf.for"(%a, %b, %c, %0) ({',
            "    ^bb0(%i: index, %x: memref<16xf32>):",
            '      "scf.yield"(%x) : (memref<16xf32>) -> ()',
            "    }) : (index, index, index, memref<16xf32>) -> memref<16xf32>", dealloc("%1"))
        self.assertEqual(ir_text.heap(liveness).unmatched, 0)

    def test_use_after_free_through_a_transpose(self):
        view = '    %1 = "memref.transpose"(%0) : (memref<16xf32>) -> memref<16xf32>'
        self.assertEqual(function(alloc("%0"), view, dealloc("%0"), use("%1")).used_after_free(), 1)
        self.assertEqual(function(alloc("%0"), view, use("%1"), dealloc("%0")).used_after_free(), 0)


class Planner(unittest.TestCase):
    def test_tightest_gap_first(self):
        # a b c d side by side; b and d die; a small one goes into d's place, the tighter one.
        buffers = [Placed(0, 9, 64), Placed(1, 5, 256), Placed(2, 9, 64), Placed(3, 5, 128),
                   Placed(4, 9, 64), Placed(6, 9, 128)]
        self.assertEqual(llvm23_planner.place(buffers), 576)
        self.assertEqual([b.offset for b in buffers], [0, 64, 320, 384, 512, 384])

    def test_room_below_the_arenas_end_counts_and_beyond_it_does_not(self):
        buffers = [Placed(0, 9, 64), Placed(1, 2, 64), Placed(3, 9, 128)]
        self.assertEqual(llvm23_planner.place(buffers), 192)
        self.assertEqual(buffers[2].offset, 64)

    def test_no_two_alive_together_overlap(self):
        numbers = random.Random(7)
        for _ in range(200):
            buffers = [Placed(i, i + 1 + numbers.randrange(20), 1 + numbers.randrange(999))
                       for i in range(40)]
            arena = llvm23_planner.place(buffers)
            for i, a in enumerate(buffers):
                self.assertTrue(a.offset % 64 == 0 and a.top <= arena)
                for b in buffers[i + 1:]:
                    apart = a.end <= b.begin or b.end <= a.begin
                    self.assertTrue(apart or a.top <= b.offset or b.top <= a.offset)

    def test_refuses_what_is_never_freed_and_plans_the_rest(self):
        plan = llvm23_planner.plan(function(alloc("%0"), alloc("%1"), dealloc("%0")))
        self.assertEqual([plan.refused, len(plan.allocs), plan.arena], [True, 1, 64])

    def test_refuses_results_that_are_memrefs(self):
        plan = llvm23_planner.plan(function(alloc("%0"), dealloc("%0"), returns="memref<16xf32>"))
        self.assertTrue(plan.refused)

    def test_leaves_clones_alone(self):
        plan = llvm23_planner.plan(function(alloc("%0", op="bufferization.clone"), dealloc("%0")))
        self.assertEqual([plan.refused, len(plan.allocs)], [False, 0])


class PassTime(unittest.TestCase):
    def test_a_pass_and_what_it_adds_to_the_print(self):
        growth = pass_time.growth_of([Phases(80, 20, 5, 25), Phases(80, 40, 5, 50), Phases(80, 20, 5, 30)])
        self.assertEqual(growth, 1.25)
        self.assertEqual(pass_time.share([Phases(80, 0, 5, 25)], growth), 0.1)

    def test_a_slow_process_is_compared_with_itself(self):
        fast, slow = Phases(80, 0, 10, 20), Phases(320, 0, 40, 80)
        self.assertEqual(pass_time.share([fast] * 2 + [slow] * 3, 1), 0.1)


class Arenas(unittest.TestCase):
    @staticmethod
    def arena(function, within, planned, size):
        return {"function": function, "within": within, "planned": planned, "planned_bytes": 8 * planned,
                "load": size, "lower_bound": size, "arena_size": size}  # fmt: skip

    def test_what_is_in_a_result_takes_no_bytes_and_is_planned(self):
        found = measure.counted([self.arena("f", "", 2, 16), self.arena("f", "%r", 3, 24), self.arena("g", "%r", 1, 8)])
        self.assertEqual([(a["function"], a["planned"], a["planned_bytes"], a["arena_size"]) for a in found],
                         [("f", 5, 40, 16), ("g", 1, 8, 0)])


if __name__ == "__main__":
    unittest.main()
