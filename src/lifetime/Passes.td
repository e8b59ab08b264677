//===- Passes.td - the passes of src/lifetime -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_PASSES
#define STOWAGE_LIFETIME_PASSES

include "driver/Pass.td"

def InsertLifetimes : ModulePass<"insert-lifetimes", "stow_lifetime_options"> {
  let summary = "Mark where the lives of buffers begin and end";
  let description = [{
    Puts `lifetime.start` before the first access to a `memref.alloc` or `memref.alloca` on each
    path, and `lifetime.end` after the last access that needs its contents, for memrefs of any
    shape. If an op overwrites a whole buffer (an output of linalg, the target of a copy), the
    life before it ends at its last read. An allocation that is only used through `memref.view`
    at constant offsets is not marked; its views are. Buffers that escape, and those that have
    markers, are not marked; missed remarks say why.

    ```mlir
    %a = memref.alloca() : memref<8xf32>
    %b = memref.alloca() : memref<8xf32>
    memref.copy %in, %a : memref<8xf32> to memref<8xf32>
    memref.copy %a, %b : memref<8xf32> to memref<8xf32>
    memref.copy %b, %out : memref<8xf32> to memref<8xf32>
    ```

    becomes

    ```mlir
    %a = memref.alloca() : memref<8xf32>
    %b = memref.alloca() : memref<8xf32>
    lifetime.start %a : memref<8xf32>
    memref.copy %in, %a : memref<8xf32> to memref<8xf32>
    lifetime.start %b : memref<8xf32>
    memref.copy %a, %b : memref<8xf32> to memref<8xf32>
    lifetime.end %a : memref<8xf32>
    memref.copy %b, %out : memref<8xf32> to memref<8xf32>
    lifetime.end %b : memref<8xf32>
    ```
  }];
  let options = [
    Option<"form", "form", "std::string", /*default=*/"\"marker\"",
           "marker: lives of the buffers' names; value: lifetime.start returns a new value that replaces the "
           "buffer. A buffer then has one life, which begins once, before all uses",
           [{into(&S::value_form, Words{"marker", "value"})}]>,
    Option<"unknownOps", "unknown-ops", "std::string", /*default=*/"\"escape\"",
           "What ops of unknown effects and functions without a body may do with a buffer: escape "
           "(keep it) or use (only use it while they run, and return it)", "into(&S::unknown_ops, policies())">
  ];
  let dependentDialects = ["::stowage::lifetime::LifetimeDialect"];
}

def VerifyLifetimes : ModulePass<"verify-lifetimes"> {
  let summary = "Check that lifetime markers hold on every path";
  let description = [{
    Reports, as errors with a note at the other op: uses before a life has begun or after it has
    ended on some path; an end without a start, or a second end; a start of a life that has
    begun already, or in bytes in which another life has not ended; markers of a buffer that was
    freed; markers in a region that may run at once with itself, of a buffer outside. Nothing is
    changed.

    An op of unknown effects, and a function without a body, is assumed to use the buffers that
    it gets while it runs. Later uses through an address that it kept are not seen.
  }];
}

def ConvertLifetimeToLLVM : ModulePass<"convert-lifetime-to-llvm"> {
  let summary = "Turn lifetime markers into LLVM's intrinsics";
  let description = [{
    Runs twice: with `prepare` before `finalize-memref-to-llvm`, and after it. Then a marker whose
    buffer has become an `llvm.alloca` turns into `llvm.intr.lifetime.start` or
    `llvm.intr.lifetime.end` on it; every other marker is removed.

    LLVM has lives of whole stack allocations only. So with `prepare`, markers on the result of a
    `memref.alloca`, or on a view that is certainly all of it, stay, in the marker form and with
    the attribute `whole`. Markers on heap buffers, views of parts and arguments are removed, and
    so are those of an alloca of which a part has lives of its own.

    LLVM merges only allocas in a function's first block. So allocas of static size move there,
    unless a value may survive the loop iteration that allocates it.

    ```mlir
    %a = memref.alloca() : memref<8xf32>
    %live = lifetime.start %a : memref<8xf32>
    memref.copy %live, %out : memref<8xf32> to memref<8xf32>
    lifetime.end %live : memref<8xf32>
    ```

    becomes, with `prepare`,

    ```mlir
    %a = memref.alloca() : memref<8xf32>
    lifetime.start %a {whole} : memref<8xf32>
    memref.copy %a, %out : memref<8xf32> to memref<8xf32>
    lifetime.end %a {whole} : memref<8xf32>
    ```
  }];
  let options = [
    Option<"prepare", "prepare", "bool", /*default=*/"false",
           "Before finalize-memref-to-llvm: keep the markers that LLVM can carry">,
    Option<"poison", "poison", "bool", /*default=*/"false",
           "For tests, with prepare: overwrite, at each marker, the memory that is not alive (ranked "
           "memrefs of identity layout in the default memory space)">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::stowage::lifetime::LifetimeDialect"];
}

#endif // STOWAGE_LIFETIME_PASSES
