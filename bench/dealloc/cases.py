# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that allocate and free nothing, one per shape of control flow.

Each is the body of a function of one signature,

    (%arg: memref<64xi64>, %c: i1, %d: i1, %n: index) -> i64

written in MLIR with a few shorthands: `T` is memref<64xi64>, `D` memref<?xi64>;
`new %a` allocates, `fill %a` writes every element (another value at each place in
the text), `mix %a, %b` adds %a into %b, `%s = sum %a` reads all, `ret %a` returns
its sum. A body that returns says so itself.
"""

import re

CASES = {}


def case(name, body):
    assert name not in CASES
    CASES[name] = body


# ---- Straight line, views.
case("straight", "new %a\nfill %a\nnew %b\nfill %b\nmix %a, %b\nret %b")
case("chain", "\n".join(["new %x0", "fill %x0"] + [f"new %x{i}\ncopy %x{i-1}, %x{i}" for i in range(1, 6)] + ["ret %x5"]))
case("unused", "new %a\nnew %b\nfill %b\nret %b")
case("late_use", "new %a\nfill %a\nnew %b\nfill %b\nnew %e\ncopy %b, %e\nmix %a, %e\nret %e")
case("cast", "new %a\nfill %a\n%x = memref.cast %a : T to D\n%y = memref.cast %x : D to T\nret %y")
case("subview", """new %a
fill %a
%s = memref.subview %a[8] [4] [1] : T to memref<4xi64, strided<[1], offset: 8>>
%r = memref.load %s[%c1] : memref<4xi64, strided<[1], offset: 8>>
return %r : i64""")
case("dynamic", """%m = arith.addi %n, %c1 : index
%a = memref.alloc(%m) : D
memref.store %v, %a[%c0] : D
%r = memref.load %a[%c0] : D
return %r : i64""")
case("mixed_with_stack", """%s = memref.alloca() : T
fill %s
new %a
fill %a
cf.cond_br %c, ^x, ^y
^x:
cf.br ^z(%s : T)
^y:
cf.br ^z(%a : T)
^z(%r: T):
ret %r""")

# ---- Branches between blocks.
case("branch", """new %a
fill %a
cf.cond_br %c, ^x, ^y
^x:
new %b
fill %b
cf.br ^z(%b : T)
^y:
mix %a, %a
cf.br ^z(%a : T)
^z(%r: T):
ret %r""")
case("branch_argument", """cf.cond_br %c, ^x, ^y
^x:
cf.br ^z(%arg : T)
^y:
new %a
fill %a
cf.br ^z(%a : T)
^z(%r: T):
ret %r""")
case("branch_argument_written", """cf.cond_br %c, ^x, ^y
^x:
cf.br ^z(%arg : T)
^y:
new %a
fill %a
cf.br ^z(%a : T)
^z(%r: T):
fill %r
ret %r""")
case("branch_nested_dynamic", """cf.cond_br %c, ^b1, ^b2(%n : index)
^b1:
%m = memref.cast %arg : T to D
cf.br ^b6(%m : D)
^b2(%k: index):
%k1 = arith.addi %k, %c1 : index
%a = memref.alloc(%k1) : D
memref.store %v, %a[%c0] : D
cf.cond_br %d, ^b3, ^b4
^b3:
cf.br ^b5(%a : D)
^b4:
cf.br ^b5(%a : D)
^b5(%x: D):
cf.br ^b6(%x : D)
^b6(%y: D):
cf.br ^b7(%y : D)
^b7(%z: D):
%r = memref.load %z[%c0] : D
return %r : i64""")
case("branch_used_after", """new %a
fill %a
cf.cond_br %c, ^x, ^z(%a : T)
^x:
new %b
fill %b
cf.br ^z(%b : T)
^z(%r: T):
mix %a, %r
ret %r""")
case("diamond_one_side", """new %a
fill %a
cf.cond_br %c, ^x, ^z
^x:
mix %a, %arg
new %b
fill %b
mix %b, %arg
cf.br ^z
^z:
new %e
fill %e
ret %e""")
case("early_return", """new %a
fill %a
cf.cond_br %c, ^x, ^y
^x:
%r = sum %a
return %r : i64
^y:
new %b
copy %a, %b
ret %b""")
case("three_returns", """new %a
fill %a
cf.cond_br %c, ^x, ^y
^x:
ret %a
^y:
new %b
fill %b
cf.cond_br %d, ^p, ^q
^p:
ret %b
^q:
mix %a, %b
ret %b""")
case("switch", """new %a
fill %a
%f = arith.index_cast %n : index to i32
cf.switch %f : i32, [ default: ^x(%a : T), 1: ^x(%arg : T), 3: ^y ]
^y:
new %b
fill %b
cf.br ^x(%b : T)
^x(%r: T):
ret %r""")
case("two_names", """new %a
fill %a
new %b
fill %b
cf.cond_br %c, ^x(%a, %b : T, T), ^x(%b, %a : T, T)
^x(%p: T, %q: T):
mix %p, %q
ret %q""")
case("same_twice", """new %a
fill %a
cf.br ^x(%a, %a : T, T)
^x(%p: T, %q: T):
mix %p, %q
ret %q""")

# ---- Loops of blocks.
case("block_loop", """new %a
fill %a
cf.br ^h(%c0 : index)
^h(%i: index):
%k = arith.cmpi slt, %i, %n : index
cf.cond_br %k, ^b, ^e
^b:
new %t
fill %t
mix %t, %a
%j = arith.addi %i, %c1 : index
cf.br ^h(%j : index)
^e:
ret %a""")
case("block_loop_carried", """new %a
fill %a
cf.br ^h(%c0, %a : index, T)
^h(%i: index, %x: T):
%k = arith.cmpi slt, %i, %n : index
cf.cond_br %k, ^b, ^e
^b:
new %t
fill %t
mix %x, %t
%j = arith.addi %i, %c1 : index
cf.br ^h(%j, %t : index, T)
^e:
ret %x""")
case("block_loop_argument", """cf.br ^h(%c0, %arg : index, T)
^h(%i: index, %x: T):
%k = arith.cmpi slt, %i, %n : index
cf.cond_br %k, ^b, ^e
^b:
new %t
fill %t
mix %x, %t
%j = arith.addi %i, %c1 : index
cf.br ^h(%j, %t : index, T)
^e:
ret %x""")
case("block_loop_swap", """new %a
fill %a
new %b
fill %b
cf.br ^h(%c0, %a, %b : index, T, T)
^h(%i: index, %x: T, %y: T):
mix %x, %y
%j = arith.addi %i, %c1 : index
%k = arith.cmpi slt, %i, %n : index
cf.cond_br %k, ^h(%j, %y, %x : index, T, T), ^e
^e:
ret %x""")
case("block_loop_two_exits", """new %a
fill %a
cf.br ^h(%c0, %a : index, T)
^h(%i: index, %x: T):
%k = arith.cmpi slt, %i, %n : index
cf.cond_br %k, ^b, ^e(%x : T)
^b:
new %t
copy %x, %t
fill %t
cf.cond_br %d, ^e(%t : T), ^l
^l:
%j = arith.addi %i, %c1 : index
cf.br ^h(%j, %t : index, T)
^e(%r: T):
ret %r""")
case("irreducible", """new %a
fill %a
cf.cond_br %c, ^x(%c0, %a : index, T), ^y(%c0, %a : index, T)
^x(%i: index, %p: T):
fill %p
%i1 = arith.addi %i, %c1 : index
cf.br ^y(%i1, %p : index, T)
^y(%j: index, %q: T):
%k = arith.cmpi slt, %j, %n : index
new %t
copy %q, %t
cf.cond_br %k, ^x(%j, %t : index, T), ^e
^e:
ret %q""")

# ---- Ifs.
IF = "%r = scf.if %c -> (T) {{\n{}\nscf.yield %x : T\n}} else {{\n{}\nscf.yield %y : T\n}}\n"


def if_case(name, before, then, x, other, y, after):
    text = IF.format(then, other).replace("%x", x, 1).replace("%y", y, 1)
    case(name, f"{before}\n{text}{after}")


if_case("if_new_new", "", "new %p\nfill %p", "%p", "new %q\nfill %q", "%q", "ret %r")
if_case("if_new_argument", "", "new %p\nfill %p", "%p", "", "%arg", "ret %r")
if_case("if_new_argument_written", "", "new %p\nfill %p", "%p", "", "%arg", "fill %r\nret %r")
if_case("if_outer_outer", "new %p\nfill %p\nnew %q\nfill %q", "", "%p", "", "%q", "new %e\ncopy %r, %e\nret %e")
if_case("if_same_outer", "new %p\nfill %p", "", "%p", "new %q\nfill %q\nmix %q, %p", "%p", "ret %r")
if_case("if_new_outer", "new %q\nfill %q", "new %p\nfill %p", "%p", "", "%q", "ret %r")
if_case("if_new_outer_used", "new %q\nfill %q", "new %p\nfill %p", "%p", "", "%q", "mix %q, %r\nret %r")
if_case("if_cast", "", "%p = memref.alloc(%c64) : D\n%p2 = memref.cast %p : D to T\nfill %p2", "%p2", "new %q\nfill %q", "%q", "ret %r")
case("if_no_else", "new %a\nfill %a\nscf.if %c {\nmix %a, %arg\nnew %b\nfill %b\nmix %b, %arg\n}\nnew %e\nfill %e\nret %e")
case("if_no_result", "new %a\nfill %a\nscf.if %c {\nmix %a, %arg\n} else {\nnew %b\nfill %b\nmix %b, %arg\n}\nret %arg")
case("if_two_results", """new %a
fill %a
%r:2 = scf.if %c -> (T, T) {
new %p
fill %p
scf.yield %p, %a : T, T
} else {
new %q
fill %q
scf.yield %a, %q : T, T
}
mix %r#0, %r#1
ret %r#1""")
case("if_nested", """%r = scf.if %c -> (T) {
%s = scf.if %d -> (T) {
new %p
fill %p
scf.yield %p : T
} else {
scf.yield %arg : T
}
scf.yield %s : T
} else {
new %q
fill %q
scf.yield %q : T
}
ret %r""")
case("index_switch", """new %a
fill %a
%r = scf.index_switch %n -> T
case 0 {
scf.yield %a : T
}
case 3 {
new %p
fill %p
scf.yield %p : T
}
default {
new %q
copy %a, %q
scf.yield %q : T
}
ret %r""")
case("execute_region", """%r = scf.execute_region -> T {
new %a
fill %a
cf.cond_br %c, ^x, ^y
^x:
scf.yield %a : T
^y:
new %b
copy %a, %b
scf.yield %b : T
}
ret %r""")
# ---- Selects.
case("select", "new %a\nfill %a\nnew %b\nfill %b\n%r = arith.select %c, %a, %b : T\nret %r")
case("select_argument", "new %a\nfill %a\n%r = arith.select %c, %a, %arg : T\nfill %r\nret %r")
case("select_swapped", """new %a
fill %a
new %b
fill %b
%p = arith.select %c, %a, %b : T
%q = arith.select %c, %b, %a : T
mix %p, %q
ret %q""")

# ---- Structured loops.
FOR = "%r = scf.for %i = %c0 to %n step %c1 iter_args(%x = {}) -> (T) {{\n{}\nscf.yield {} : T\n}}\n"


def for_case(name, before, init, body, y, after="ret %r"):
    case(name, f"{before}\n{FOR.format(init, body, y)}{after}")


case("for_temporary", "new %a\nfill %a\nscf.for %i = %c0 to %n step %c1 {\nnew %t\nfill %t\nmix %t, %a\n}\nret %a")
for_case("for_same", "new %a\nfill %a", "%a", "mix %x, %x", "%x")
for_case("for_new", "new %a\nfill %a", "%a", "new %t\nfill %t\nmix %x, %t", "%t")
for_case("for_new_argument", "", "%arg", "new %t\nfill %t\nmix %x, %t", "%t")
for_case("for_new_argument_written", "", "%arg", "fill %x\nnew %t\ncopy %x, %t", "%t", "fill %r\nret %r")
for_case("for_new_used_after", "new %a\nfill %a", "%a", "new %t\nfill %t\nmix %x, %t", "%t", "mix %a, %r\nret %r")
for_case("for_select", "new %a\nfill %a", "%a", "new %t\nfill %t\nmix %x, %t\n%s = arith.select %c, %t, %x : T", "%s")
for_case("for_nested_if", "", "%arg", """%k = arith.cmpi eq, %i, %c1 : index
%s = scf.if %k -> (T) {
new %t
fill %t
scf.yield %t : T
} else {
scf.yield %x : T
}""", "%s")
for_case("for_nested_if_owned", "new %a\nfill %a", "%a", """%k = arith.cmpi eq, %i, %c1 : index
%s = scf.if %k -> (T) {
new %t
copy %x, %t
fill %t
scf.yield %t : T
} else {
scf.yield %x : T
}""", "%s")
for_case("for_in_for", "new %a\nfill %a", "%a", """%s = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (T) {
new %t
copy %y, %t
fill %t
scf.yield %t : T
}""", "%s")
case("for_swap", """new %a
fill %a
new %b
fill %b
%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (T, T) {
mix %x, %y
scf.yield %y, %x : T, T
}
ret %r#0""")
case("for_rotate", """new %a
fill %a
new %b
fill %b
%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (T, T) {
new %t
fill %t
mix %y, %t
scf.yield %t, %x : T, T
}
mix %r#1, %r#0
ret %r#0""")
case("affine_for", "new %a\nfill %a\n%r = affine.for %i = 0 to 4 iter_args(%x = %a) -> (T) {\nnew %t\ncopy %x, %t\nfill %t\naffine.yield %t : T\n}\nret %r")
case("affine_if", "new %a\nfill %a\naffine.for %i = 0 to 4 {\naffine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {\nnew %t\nfill %t\nmix %t, %a\n}\n}\nret %a")
case("while_carried", """new %a
fill %a
%r:2 = scf.while (%i = %c0, %x = %a) : (index, T) -> (index, T) {
%k = arith.cmpi slt, %i, %n : index
scf.condition(%k) %i, %x : index, T
} do {
^bb0(%i: index, %x: T):
new %t
copy %x, %t
fill %t
%j = arith.addi %i, %c1 : index
scf.yield %j, %t : index, T
}
ret %r#1""")
case("while_argument", """%r:2 = scf.while (%i = %c0, %x = %arg) : (index, T) -> (index, T) {
%k = arith.cmpi slt, %i, %n : index
scf.condition(%k) %i, %x : index, T
} do {
^bb0(%i: index, %x: T):
new %t
copy %x, %t
fill %t
%j = arith.addi %i, %c1 : index
scf.yield %j, %t : index, T
}
ret %r#1""")
case("while_before_makes", """%r:2 = scf.while (%i = %c0) : (index) -> (index, T) {
new %t
fill %t
%k = arith.cmpi slt, %i, %n : index
scf.condition(%k) %i, %t : index, T
} do {
^bb0(%i: index, %x: T):
mix %x, %arg
%j = arith.addi %i, %c1 : index
scf.yield %j : index
}
ret %r#1""")
case("parallel", """new %a
fill %a
scf.parallel (%i) = (%c0) to (%n) step (%c1) {
new %t
fill %t
%x = memref.load %t[%i] : T
memref.store %x, %a[%i] : T
scf.reduce
}
ret %a""")
case("forall", """new %a
fill %a
scf.forall (%i) in (4) {
new %t
fill %t
%x = memref.load %t[%i] : T
memref.store %x, %a[%i] : T
}
ret %a""")
case("loop_in_branch", """new %a
fill %a
%r = scf.if %c -> (T) {
%s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (T) {
new %t
copy %x, %t
fill %t
scf.yield %t : T
}
scf.yield %s : T
} else {
scf.yield %a : T
}
ret %r""")

# ---- Calls.
case("call_returns_new", "%a = func.call @make(%n) : (index) -> T\nnew %b\ncopy %a, %b\nret %b")
case("call_returns_argument", "new %a\nfill %a\n%b = func.call @same(%a) : (T) -> T\nfill %b\nmix %a, %arg\nret %b")
case("call_returns_either", "new %a\nfill %a\n%b = func.call @either(%a, %c) : (T, i1) -> T\n%s = sum %b\nmix %a, %arg\nreturn %s : i64")
case("call_in_loop", "\n".join(["%a = func.call @make(%c1) : (index) -> T", FOR.format("%a", "%t = func.call @make(%i) : (index) -> T\nmix %x, %t", "%t") + "ret %r"]))
case("call_recursive", "%a = func.call @down(%n) : (index) -> T\nret %a")
case("returned_loop", "%a = func.call @grow(%arg, %n) : (T, index) -> T\nret %a")

PRINTERS = """
func.func private @printI64(i64)
func.func private @printNewline()
"""
HELPERS = """
func.func private @fill(%a: T, %v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : T
    %j = arith.index_cast %i : index to i64
    %y = arith.muli %j, %v : i64
    memref.store %y, %a[%i] : T
  }
  return
}
func.func private @mix(%a: T, %b: T) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = arith.constant 31 : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : T
    %y = memref.load %b[%i] : T
    %z = arith.muli %y, %k : i64
    %w = arith.addi %z, %x : i64
    memref.store %w, %b[%i] : T
  }
  return
}
func.func private @sum(%a: T) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %k = arith.constant 31 : i64
  %z = arith.constant 0 : i64
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %z) -> (i64) {
    %x = memref.load %a[%i] : T
    %y = arith.muli %s, %k : i64
    %w = arith.addi %y, %x : i64
    scf.yield %w : i64
  }
  return %r : i64
}
"""

CALLED = ["make", "same", "either", "down", "grow"]
CALLEES = """
func.func private @make(%n: index) -> T {
  new %a
  fill %a
  new %t
  fill %t
  mix %t, %a
  return %a : T
}
func.func private @same(%a: T) -> T {
  fill %a
  return %a : T
}
func.func private @either(%a: T, %c: i1) -> T {
  %r = scf.if %c -> (T) {
    new %b
    fill %b
    scf.yield %b : T
  } else {
    scf.yield %a : T
  }
  return %r : T
}
func.func private @down(%n: index) -> T {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %k -> (T) {
    new %a
    fill %a
    scf.yield %a : T
  } else {
    %m = arith.subi %n, %c1 : index
    %b = func.call @down(%m) : (index) -> T
    new %e
    fill %e
    mix %b, %e
    scf.yield %e : T
  }
  return %r : T
}
func.func private @grow(%arg: T, %n: index) -> T {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %arg) -> (T) {
    new %t
    copy %x, %t
    fill %t
    scf.yield %t : T
  }
  return %r : T
}
"""

KERNEL = """
func.func private @k_{name}(%arg: T, %c: i1, %d: i1, %n: index) -> i64 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = arith.constant 7 : i64
{body}
}}
"""
RUNNER = """
func.func @{name}() {{
  %arg = memref.alloc() : T
{calls}
  return
}}
"""
CALL = """  %c{i} = arith.constant {c}
  %d{i} = arith.constant {d}
  %n{i} = arith.constant {n} : index
  %s{i} = arith.constant {seed} : i64
  func.call @fill(%arg, %s{i}) : (T, i64) -> ()
  %r{i} = func.call @k_{name}(%arg, %c{i}, %d{i}, %n{i}) : (T, i1, i1, index) -> i64
  func.call @printI64(%r{i}) : (i64) -> ()
  func.call @printNewline() : () -> ()
  %t{i} = func.call @sum(%arg) : (T) -> i64
  func.call @printI64(%t{i}) : (i64) -> ()
  func.call @printNewline() : () -> ()"""
INPUTS = [(False, False, 0), (True, False, 1), (False, True, 3), (True, True, 4)]


def expand(body):
    """The shorthands written out."""
    lines, fresh = [], 0
    for line in body.splitlines():
        fresh += 1
        rules = [
            (r"new (%\w+)$", r"\1 = memref.alloc() : T"),
            (r"copy (\S+), (\S+)$", r"memref.copy \1, \2 : T to T"),
            (r"mix (\S+), (\S+)$", r"func.call @mix(\1, \2) : (T, T) -> ()"),
            (r"(%\w+) = sum (\S+)$", r"\1 = func.call @sum(\2) : (T) -> i64"),
            (r"fill (\S+)$", rf"%f{fresh} = arith.constant {fresh * 10 + 3} : i64\n"
                             rf"func.call @fill(\1, %f{fresh}) : (T, i64) -> ()"),
            (r"ret (\S+)$", rf"%s{fresh} = func.call @sum(\1) : (T) -> i64\nreturn %s{fresh} : i64"),
        ]  # fmt: skip
        for pattern, text in rules:
            line = re.sub(r"^(\s*)" + pattern, lambda m, t=text, p=pattern: m.group(1) + re.sub(
                "^" + p, t, line.strip()), line) if re.match(r"^\s*" + pattern, line) else line
        lines.append(line)
    return "\n".join(lines)


def full_types(text):
    text = re.sub(r"\bT\b", "memref<64xi64>", text)
    return re.sub(r"\bD\b", "memref<?xi64>", text)


def function(name):
    return KERNEL.format(name=name, body=expand(CASES[name]))


def runner(name):
    """Runs the function on every input, and prints what it returns and what its argument became."""
    calls = "\n".join(
        CALL.format(i=i, c=str(c).lower(), d=str(d).lower(), n=n, seed=5 + i, name=name)
        for i, (c, d, n) in enumerate(INPUTS))
    return RUNNER.format(name=name, calls=calls)


def parts(names):
    """The functions named and what they call, in shorthand types."""
    needed = any(f"@{callee}(" in CASES[n] for callee in CALLED for n in names)
    return HELPERS + (expand(CALLEES) if needed else "") + "".join(function(n) for n in names)


def module(names):
    """A module with the functions named and a main that runs them in turn."""
    run = "\n".join(f"  func.call @{name}() : () -> ()" for name in names)
    main = f"\nfunc.func @main() {{\n{run}\n  return\n}}\n"
    return full_types(PRINTERS + parts(names) + "".join(map(runner, names)) + main)


if __name__ == "__main__":
    print(module(list(CASES)))
