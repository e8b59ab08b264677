//===- LifetimeOps.td - the lifetime dialect ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_LIFETIME_OPS
#define STOWAGE_LIFETIME_OPS

include "mlir/Dialect/Bufferization/IR/BufferViewFlowOpInterface.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/MemorySlotInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lifetime_Dialect : Dialect {
  let name = "lifetime";
  let cppNamespace = "::stowage::lifetime";
  let summary = "Where the life of a value in a buffer begins and ends";
  let description = [{
    A *life* is the time in which a value lives in a buffer. It belongs to the value and not to the
    allocation: one buffer may host several lives one after the other, and several views of one
    buffer may have lives that overlap in time but not in space.

    A life is written in one of two forms. In the *marker* form it belongs to an SSA value:

    ```mlir
    lifetime.start %a : memref<32xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
    ...
    lifetime.end %a : memref<32xf32>
    ```

    In the *value* form `lifetime.start` makes a new SSA value, "this value, living in this buffer",
    and whatever belongs to the life goes through it:

    ```mlir
    %live = lifetime.start %a : memref<32xf32>
    linalg.fill ins(%x : f32) outs(%live : memref<32xf32>)
    ...
    lifetime.end %live : memref<32xf32>
    ```

    Before the start and after the end of its life the contents of a buffer are undefined, and
    anyone may change them. A program in which the following does not hold is wrong;
    `verify-lifetimes` reports it:

    * On every path, an end comes after a start of the same life, and at most one end after each
      start.
    * On every path, a life that has begun ends before it begins again.
    * What touches the memory behind a name of a life comes, on every path, after its start and
      before its end. Freeing the buffer is no such touch.
    * While a life has begun and not ended, no other one begins in the same bytes.

    A life need not end: it then lasts as long as its buffer. A name without a life of its own, of
    a buffer that has lives, may be used where the lives in its bytes are.

    Taking all markers of a life away never changes what a correct program means. So every pass may
    drop them.
  }];
}

class Lifetime_Op<string mnemonic, list<Trait> traits = []>
    : Op<Lifetime_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<PromotableOpInterface>])>;

def Lifetime_StartOp : Lifetime_Op<"start", [
    DeclareOpInterfaceMethods<BufferViewFlowOpInterface>]> {
  let summary = "a value begins to live in a buffer";
  let description = [{
    From here on the memory behind `buffer` holds a value; what it held before is undefined. With
    a result, the life is that of the result, which is the same memory; without one, it is that of
    the operand.

    ```mlir
    lifetime.start %a : memref<32xf32>
    %live = lifetime.start %a : memref<32xf32>
    ```

    The op reads and writes the buffer as far as the motion of other ops is concerned, so that no
    use moves across it. It has no cost at run time.
  }];
  let arguments = (ins Arg<AnyRankedOrUnrankedMemRef, "", [MemRead, MemWrite]>:$buffer);
  let results = (outs Optional<AnyRankedOrUnrankedMemRef>:$live);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Lifetime_EndOp : Lifetime_Op<"end"> {
  let summary = "a value ceases to live in a buffer";
  let description = [{
    Ends the life that `lifetime.start` began: that of the start's result, or in the marker form
    that of the same operand. What the memory holds from here on is undefined.

    ```mlir
    lifetime.end %a : memref<32xf32>
    ```

    The op reads and writes the buffer as far as the motion of other ops is concerned, so that no
    use moves across it.
  }];
  let arguments = (ins Arg<AnyRankedOrUnrankedMemRef, "", [MemRead, MemWrite]>:$live);
  let assemblyFormat = "$live attr-dict `:` type($live)";
  let hasCanonicalizer = 1;
}

#endif // STOWAGE_LIFETIME_OPS
