# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""include/stowage/compiler.h and plan.h, as ctypes sees them."""

import ctypes
import functools
import io
import mmap
import os
import signal
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path

from stowage._errors import KINDS, CompileError, Message, short_location

FOLDER = Path(__file__).resolve().parent / "lib"
NAME = "libstowage-compiler.so"
ANY_OFFSET = 2**64 - 1
STATUSES = ("ok", "invalid", "overflow", "no memory")
OUTCOMES = ("unknown", "feasible", "optimal", "infeasible")
OBJECT, ASSEMBLY, LLVM_IR, CODE, CONSTANTS = range(5)  # forms of machine code
CONSTANTS_SYMBOL = "stowage_weights"

WRITE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)
FOUND = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class Bytes(Structure):
    _fields_ = [("data", c_char_p), ("size", c_size_t)]


class GivenConstant(Structure):
    _fields_ = [("name", c_char_p), ("data", c_void_p), ("size", c_size_t), ("is_dense", c_bool)]


class Said(Structure):
    _fields_ = [("kind", c_int)] + [
        (name, c_char_p)
        for name in ("location", "text", "pass_name", "name", "function", "reason", "suggestion")]


TOLD = CFUNCTYPE(None, c_void_p, POINTER(Said))


class Target(Structure):
    _fields_ = [("triple", c_char_p), ("cpu", c_char_p), ("features", c_char_p), ("position_independent", c_bool)]


class Symbol(Structure):
    _fields_ = [("name", c_char_p), ("address", c_void_p)]


class Buffer(Structure):
    _fields_ = [("size", c_uint64), ("alignment", c_uint64), ("begin", c_int64), ("end", c_int64)]


class Problem(Structure):
    _fields_ = [("struct_size", c_size_t), ("buffer_count", c_size_t), ("buffers", c_void_p),
                ("fixed_offsets", c_void_p), ("piece_starts", c_void_p), ("pieces", c_void_p),
                ("relation_count", c_size_t), ("relations", c_void_p), ("space_count", c_size_t),
                ("spaces", c_void_p), ("allowed_spaces", c_void_p)]


class PlanOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("strategy", c_int), ("capacity", c_uint64), ("allocator", c_void_p),
                ("max_effort", c_uint64), ("threads", c_uint), ("rules_off", c_uint), ("progress", c_void_p),
                ("progress_user", c_void_p), ("out_spaces", c_void_p), ("out_space_sizes", c_void_p),
                ("out_culprits", c_void_p)]


class PlanResult(Structure):
    _fields_ = [("arena_size", c_uint64), ("lower_bound", c_uint64), ("outcome", c_int), ("strategy", c_int),
                ("cost", c_uint64), ("effort", c_uint64), ("stopped", c_int), ("culprits_irreducible", c_int),
                ("exhausted", c_int)]


SIGNATURES = {
    "stow_compiler_create": (c_void_p, [TOLD, c_void_p]),
    "stow_compiler_destroy": (None, [c_void_p]),
    "stow_module_parse": (c_void_p, [c_void_p, c_char_p, Bytes]),
    "stow_module_fill": (c_bool, [c_void_p, POINTER(GivenConstant), c_size_t]),
    "stow_module_clone": (c_void_p, [c_void_p]),
    "stow_module_destroy": (None, [c_void_p]),
    "stow_module_run": (c_bool, [c_void_p, c_char_p]),
    "stow_module_print": (None, [c_void_p, WRITE, c_void_p]),
    "stow_module_functions": (None, [c_void_p, FOUND, c_void_p]),
    "stow_module_argument_says": (c_bool, [c_void_p, c_char_p, c_size_t, c_char_p, WRITE, c_void_p]),
    "stow_module_forget_stores": (c_bool, [c_void_p, c_char_p]),
    "stow_module_constant_bytes": (c_uint64, [c_void_p]),
    "stow_module_rename": (c_bool, [c_void_p, c_char_p, c_char_p]),
    "stow_module_mark_unsigned": (c_bool, [c_void_p, c_char_p, c_bool, c_size_t]),
    "stow_module_lower": (c_bool, [c_void_p, POINTER(Target)]),
    "stow_module_emit": (c_bool, [c_void_p, POINTER(Target), c_int, WRITE, c_void_p]),
    "stow_archive": (None, [c_char_p, Bytes, WRITE, c_void_p]),
    "stow_target_find": (c_bool, [c_char_p, POINTER(Target)]),
    "stow_target_name": (c_char_p, [c_size_t]),
    "stow_code_load": (c_void_p, [c_void_p, Bytes, POINTER(Symbol), c_size_t]),
    "stow_code_find": (c_void_p, [c_void_p, c_char_p]),
    "stow_code_destroy": (None, [c_void_p]),
    "stow_parse_bytes": (c_bool, [c_char_p, POINTER(c_uint64)]),
    "stow_plan_run": (c_int, [POINTER(Problem), POINTER(PlanOptions), c_void_p, POINTER(PlanResult)]),
    "stow_plan_svg": (c_int, [POINTER(Problem), POINTER(c_char_p), c_void_p, POINTER(PlanResult), c_uint64, WRITE,
                              c_void_p]),
}


def uninterrupted(function):
    """Ctrl-C waits until the call ends."""

    @functools.wraps(function)
    def call(*arguments):
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler) or threading.current_thread() is not threading.main_thread():
            return function(*arguments)
        came = []
        signal.signal(signal.SIGINT, lambda *given: came.append(given))
        try:
            result = function(*arguments)
        finally:
            signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[-1])
        return result

    return call


def _load():
    library = ctypes.CDLL(os.environ.get("STOWAGE_LIBRARY") or str(FOLDER / NAME))
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
        if not name.endswith("_destroy"):  # which calls nothing, maybe when Python ends
            # ctypes forgets what is raised while C calls Python, and the output would lose a piece.
            setattr(library, name, uninterrupted(function))
    return library


library = _load()
# Compiled networks call the C library's mathematics, which not every Python has loaded for all to see.
_mathematics = ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)


def address_of(data):
    """Of bytes that may be changed, as long as they are."""
    return ctypes.addressof(ctypes.c_char.from_buffer(data)) if len(data) else None


class Size:
    """A file that counts what is written to it."""

    size = 0

    def write(self, data):
        self.size += len(data)


def collect(call, into=None):
    """The bytes that `call` passes to the writer it is given, or `into`, a file that they go to; and what it returns."""
    into, failures = into or io.BytesIO(), []

    def write(_, data, size):
        try:
            if not failures:
                into.write((ctypes.c_char * size).from_address(data))
        except Exception as error:  # which C does not pass on
            failures.append(error)

    done = call(WRITE(write))
    if failures:
        raise failures[0]
    return into.getvalue() if isinstance(into, io.BytesIO) else into, done


def targets():
    """The names of processors that the compiler knows, in order."""
    names = []
    while (name := library.stow_target_name(len(names))) is not None:
        names.append(name.decode())
    return names


def positive_bytes(name, given):
    """A number of bytes, or text such as "64KiB", as C reads it; 0 where none is given."""
    read = c_uint64()
    if given is not None and not (library.stow_parse_bytes(str(given).encode(), byref(read)) and read.value):
        raise ValueError(f"{name}: expected bytes such as 65536 or 64KiB, not {given!r}")
    return read.value


def find_target(name):
    target = Target()
    if not library.stow_target_find(name.encode(), byref(target)):
        raise CompileError("target", text=f"no target '{name}'", advice="there are " + ", ".join(targets()))
    return target


def archive(member, data, file):
    """Writes a static library of one object to a file."""
    collect(lambda write: library.stow_archive(member.encode(), Bytes(data, len(data)), write, None), file)


def _message(said):
    text = {name: getattr(said, name).decode(errors="replace") for name, _ in Said._fields_[1:]}
    text["location"] = short_location(text["location"])
    return Message(kind=KINDS[said.kind], **text)


class Compiler:
    """A context of MLIR, and what was said in it.

    It ends with the last that uses it: Python releases what is in a cycle, such as that of an exception and its
    frames, in any order.
    """

    _library = library  # which outlives the globals of this module

    def __init__(self):
        self.messages = messages = []
        self._told = TOLD(lambda _, said: messages.append(_message(said.contents)))
        self._users = 1
        self.handle = library.stow_compiler_create(self._told, None)
        if not self.handle:
            raise MemoryError

    def use(self):
        self._users += 1
        return self

    def release(self):
        self._users -= 1
        if not self._users:
            self._library.stow_compiler_destroy(self.handle)

    def parse(self, text, name="model.mlir", constants=()):
        """`constants`: what _constants.take took out of the text of the compiler's first module."""
        data = text.encode() if isinstance(text, str) else bytes(text)
        handle = library.stow_module_parse(self.handle, name.encode(), Bytes(data, len(data)))
        module = Module(self, self.check("parse", handle))
        self.kept = [one.data for one in constants if not one.is_dense]  # which resources are
        given = [GivenConstant(one.name.encode(), address_of(one.data), len(one.data), one.is_dense) for one in constants]
        self.check("parse", library.stow_module_fill(module.handle, (GivenConstant * len(given))(*given), len(given)))
        return module

    def check(self, stage, done, advice=""):
        if not done:
            raise CompileError(stage, self.messages, advice=advice)
        return done

    def __del__(self):
        self.release()


class Module:
    """MLIR in memory."""

    def __init__(self, compiler, handle):
        self.compiler = compiler.use()
        self.handle = handle

    def clone(self):
        return Module(self.compiler, library.stow_module_clone(self.handle))

    def run(self, stage, passes):
        done = library.stow_module_run(self.handle, f"builtin.module({passes})".encode())
        self.compiler.check(stage, done)

    def functions(self):
        """Names and types of the public functions, in order."""
        found = []
        add = FOUND(lambda _, name, kind: found.append((name.decode(), kind.decode())))
        library.stow_module_functions(self.handle, add, None)
        return found

    def argument_says(self, function, index, attribute):
        """An attribute of an argument as text, "" where there is none."""
        return collect(lambda write: library.stow_module_argument_says(
            self.handle, function.encode(), index, attribute.encode(), write, None))[0].decode()

    def forget_stores(self, function):
        self.compiler.check("name", library.stow_module_forget_stores(self.handle, function.encode()))

    def constant_bytes(self):
        return library.stow_module_constant_bytes(self.handle)

    def rename(self, old, new):
        self.compiler.check("name", library.stow_module_rename(self.handle, old.encode(), new.encode()))

    def mark_unsigned(self, function, is_result, index):
        self.compiler.check("name", library.stow_module_mark_unsigned(self.handle, function.encode(), is_result, index))

    def lower(self, target):
        self.compiler.check("lower", library.stow_module_lower(self.handle, byref(target)))

    def emit(self, target, form=OBJECT, into=None):
        data, done = collect(lambda write: library.stow_module_emit(self.handle, byref(target), form, write, None), into)
        self.compiler.check("machine code", done)
        return data

    def code(self, target):
        """Code for this process, whose large constants have no copy but one that it reads."""
        size = self.emit(target, CONSTANTS, Size()).size
        constants = self.emit(target, CONSTANTS, mmap.mmap(-1, size)) if size else None
        symbols = [(CONSTANTS_SYMBOL, address_of(constants))] if size else []
        return Code(self.compiler, self.emit(target, CODE), symbols, constants)

    def print(self, into=None):
        return collect(lambda write: library.stow_module_print(self.handle, write, None), into)[0]

    def __str__(self):
        return self.print().decode()

    def __del__(self):
        self.compiler._library.stow_module_destroy(self.handle)
        self.compiler.release()


class Code:
    """An object as functions of this process. `symbols`: pairs of names and addresses that it finds first; `constants`: what they are of."""

    def __init__(self, compiler, data, symbols=(), constants=None):
        table = (Symbol * len(symbols))(*((name.encode(), address) for name, address in symbols))
        self.compiler, self.handle = compiler.use(), None
        self.handle = compiler.check("load", library.stow_code_load(compiler.handle, Bytes(data, len(data)), table, len(symbols)))
        self.kept = data, constants  # which it reads

    def find(self, name):
        return self.compiler.check("load", library.stow_code_find(self.handle, name.encode()))

    def __del__(self):
        self.compiler._library.stow_code_destroy(self.handle)
        self.compiler.release()
