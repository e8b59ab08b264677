# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenCL on the CPU: a program's text, compiled and run by pocl."""

import ctypes
import os
import tempfile

CPU, PROFILE, NAME, BUILD_LOG = 2, 0, 0x0902, 0x1183
READ_WRITE, COPIES_HOST = 1, 1 << 5
KEPT = tempfile.TemporaryDirectory(prefix="stowage-pocl-")  # what pocl has compiled


class Failed(Exception):
    """A call of OpenCL failed, or a program is none."""


class Device:
    """The first CPU that pocl offers; `why_not`: what is missing."""

    def __init__(self):
        os.environ["POCL_CACHE_DIR"] = KEPT.name
        self.why_not = self.open()

    def open(self):
        try:
            self.cl = ctypes.CDLL("libOpenCL.so.1")
        except OSError:
            return "there is no libOpenCL.so.1 (scripts/setup.sh check installs pocl)"
        for platform in self.found(self.cl.clGetPlatformIDs):
            name = ctypes.create_string_buffer(256)
            self.cl.clGetPlatformInfo(platform, NAME, ctypes.c_size_t(256), name, None)
            devices = self.found(self.cl.clGetDeviceIDs, platform, ctypes.c_uint64(CPU))
            if b"Portable Computing" in name.value and devices:
                return self.use(devices[0])
        return "OpenCL knows no CPU of pocl's (scripts/setup.sh check installs it)"

    def found(self, ask, *about):
        all, count = (ctypes.c_void_p * 16)(), ctypes.c_uint(0)
        return [ctypes.c_void_p(p) for p in all[: count.value]] if ask(*about, 16, all, ctypes.byref(count)) == 0 else []

    def use(self, device):
        self.device = device
        self.context = self.make(self.cl.clCreateContext, None, 1, ctypes.byref(device), None, None)
        self.queue = self.make(self.cl.clCreateCommandQueue, self.context, device, ctypes.c_uint64(0))
        return ""

    def make(self, call, *arguments):
        call.restype, status = ctypes.c_void_p, ctypes.c_int(0)
        made = call(*arguments, ctypes.byref(status))
        checked(call, status.value)
        return ctypes.c_void_p(made)

    def do(self, call, *arguments):
        checked(call, call(*arguments))

    def build(self, source, options=""):
        text = ctypes.c_char_p(source.encode())
        program = self.make(self.cl.clCreateProgramWithSource, self.context, 1, ctypes.byref(text), None)
        if self.cl.clBuildProgram(program, 1, ctypes.byref(self.device), options.encode(), None, None):
            log = ctypes.create_string_buffer(1 << 16)
            self.cl.clGetProgramBuildInfo(program, self.device, BUILD_LOG, ctypes.c_size_t(1 << 16), log, None)
            raise Failed(log.value.decode(errors="replace"))
        return program

    def run(self, program, name, arguments, threads):
        """The bytes of all arrays among the arguments, when one workgroup has run. An argument: bytes, a number of ctypes, or `Local`."""
        kernel = self.make(self.cl.clCreateKernel, program, name.encode())
        buffers = []
        for i, argument in enumerate(arguments):
            self.give(kernel, i, argument, buffers)
        sizes = (ctypes.c_size_t * 3)(*threads)
        self.do(self.cl.clEnqueueNDRangeKernel, self.queue, kernel, 3, None, sizes, sizes, 0, None, None)
        results = [self.read(*buffer) for buffer in buffers]
        for buffer, _ in buffers:
            self.do(self.cl.clReleaseMemObject, buffer)
        self.do(self.cl.clReleaseKernel, kernel)
        return results

    def give(self, kernel, index, argument, buffers):
        if isinstance(argument, Local):
            return self.do(self.cl.clSetKernelArg, kernel, index, ctypes.c_size_t(argument.size), None)
        if isinstance(argument, bytes):
            size, copy = len(argument), ctypes.create_string_buffer(argument, len(argument))
            argument = self.make(self.cl.clCreateBuffer, self.context, ctypes.c_uint64(READ_WRITE | COPIES_HOST),
                                 ctypes.c_size_t(size), copy)  # fmt: skip
            buffers.append((argument, size))
        self.do(self.cl.clSetKernelArg, kernel, index, ctypes.c_size_t(ctypes.sizeof(argument)), ctypes.byref(argument))

    def read(self, buffer, size):
        into = ctypes.create_string_buffer(size)
        self.do(self.cl.clEnqueueReadBuffer, self.queue, buffer, 1, ctypes.c_size_t(0), ctypes.c_size_t(size), into, 0, None, None)
        return into.raw


class Local:
    """So many bytes of workgroup memory."""

    def __init__(self, size):
        self.size = size


def checked(call, status):
    if status != 0:
        raise Failed(f"{call.__name__} gave {status}")
