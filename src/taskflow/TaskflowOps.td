//===- TaskflowOps.td - the taskflow dialect ------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TASKFLOW_OPS
#define STOWAGE_TASKFLOW_OPS

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TaskflowDialect : Dialect {
  let name = "taskflow";
  let cppNamespace = "::stowage::taskflow";
  let summary = "Loop nests as tasks that talk through versions of buffers";
  let description = [{
    A function becomes a graph: each loop nest is a `taskflow.task`, each buffer that one task
    writes and another touches is an edge. Every task that writes a buffer makes a new *version* of
    it, and whoever touches the buffer later takes that version as an operand, so that reads after
    writes, writes after writes and writes after reads are all edges of the SSA graph. A version is
    a name: all versions of a buffer are the same memory.
  }];
}

class TaskflowOp<string mnemonic, list<Trait> traits = []> : Op<TaskflowDialect, mnemonic, traits>;

def TaskOp : TaskflowOp<"task", [
    AttrSizedOperandSegments, AttrSizedResultSegments, IsolatedFromAbove, AffineScope,
    AutomaticAllocationScope, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A loop nest, the buffers it touches and the values it needs";
  let description = [{
    `read_memrefs` and `write_memrefs` are versions: results of earlier tasks, or the buffers
    themselves. `original_read_memrefs` and `original_write_memrefs` are the buffers, paired with
    them by position. A buffer that is both read and written stands in both lists. The block
    arguments are the reads, the writes and the `value_inputs`, in this order. The body stores
    through write arguments only.

    The results are the versions after the task: of read buffers, where the yield lists them under
    `reads` (a later task that overwrites such a buffer takes this version, and so cannot be moved
    before the read), of all written buffers, and then the values that the body yields. Clauses
    that are empty are left out.

    ```mlir
    %write_outputs, %value_outputs = taskflow.task @Task_0 read_memrefs(%a : memref<8xf32>)
        write_memrefs(%b : memref<8xf32>) value_inputs(%v : f32)
        [original_read_memrefs(%a : memref<8xf32>), original_write_memrefs(%b : memref<8xf32>)]
        : (memref<8xf32>, memref<8xf32>, f32) -> (memref<8xf32>, f32) {
    ^bb0(%from: memref<8xf32>, %to: memref<8xf32>, %init: f32):
      %sum = affine.for %i = 0 to 8 iter_args(%partial = %init) -> (f32) {
        %x = affine.load %from[%i] : memref<8xf32>
        affine.store %x, %to[%i] : memref<8xf32>
        %next = arith.addf %partial, %x : f32
        affine.yield %next : f32
      }
      taskflow.yield writes(%to : memref<8xf32>) values(%sum : f32)
    }
    ```
  }];
  let arguments = (ins
    StrAttr:$task_name,
    Variadic<AnyRankedOrUnrankedMemRef>:$read_memrefs,
    Variadic<AnyRankedOrUnrankedMemRef>:$write_memrefs,
    Variadic<AnyType>:$value_inputs,
    Variadic<AnyRankedOrUnrankedMemRef>:$original_read_memrefs,
    Variadic<AnyRankedOrUnrankedMemRef>:$original_write_memrefs);
  let results = (outs
    Variadic<AnyRankedOrUnrankedMemRef>:$read_outputs,
    Variadic<AnyRankedOrUnrankedMemRef>:$write_outputs,
    Variadic<AnyType>:$value_outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def YieldOp : TaskflowOp<"yield", [
    AttrSizedOperandSegments, Pure, Terminator, HasParent<"TaskOp">]> {
  let summary = "Ends a task's body and names its results";
  let description = [{
    `reads` lists read arguments of the task and `writes` all its write arguments: the body cannot
    give a buffer another identity. `values` are the task's `value_outputs`.
  }];
  let arguments = (ins
    Variadic<AnyRankedOrUnrankedMemRef>:$reads,
    Variadic<AnyRankedOrUnrankedMemRef>:$writes,
    Variadic<AnyType>:$values);
  let assemblyFormat = [{
    (`reads` `(` $reads^ `:` type($reads) `)`)? (`writes` `(` $writes^ `:` type($writes) `)`)?
    (`values` `(` $values^ `:` type($values) `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, ::mlir::ValueRange(), ::mlir::ValueRange(), ::mlir::ValueRange());
  }]>];
}

def ChannelOp : TaskflowOp<"channel"> {
  let summary = "A queue of a stated depth between two tasks";
  let description = [{
    A channel takes the place of a buffer between a task that stores each cell once and a task that
    loads. It is named like a buffer of one dimension, whose cells are its *elements*: the one task
    stores element 0 first, then 1, and so on; the other one loads elements by their numbers, any
    of them as often as it needs, and tells by `taskflow.release` which it does not load any more.
    At most `depth` elements are in the channel at once, namely those that are stored and not
    released. Who stores waits for room, who loads waits for the element. So the two tasks run at
    the same time.

    `check-arena-plan` simulates the tasks of a block and proves that none waits forever.
    `convert-taskflow-to-affine`, which runs one task after the other, gives each element a cell.

    ```mlir
    %c = taskflow.channel depth 3 : memref<8xf32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$depth);
  let results = (outs Res<StaticShapeMemRefOf<[AnyType]>, "", [MemAlloc]>:$elements);
  let assemblyFormat = "`depth` $depth attr-dict `:` type($elements)";
  let hasVerifier = 1;
}

def ReleaseOp : TaskflowOp<"release"> {
  let summary = "Gives up the first elements of a channel";
  let description = [{
    All elements of a number less than `before` are not loaded any more, whether they are stored
    already or not. A number that is less than an earlier one has no effect.

    ```mlir
    taskflow.release %c before %n : memref<8xf32>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[AnyType], [1]>, "", [MemRead, MemWrite]>:$channel, Index:$before);
  let assemblyFormat = "$channel `before` $before attr-dict `:` type($channel)";
}

#endif // STOWAGE_TASKFLOW_OPS
