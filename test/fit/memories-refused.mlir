// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is wrong with a list of memories is said, and so is what does not fit into which of them.

// RUN: split-file %s %t
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/none.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/text.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %python -c "import sys; open(sys.argv[1], 'wb').write(b'[{name = \"sram\",\n bytes = 512}]\0]')" %t/nul.txt
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/nul.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUL
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/empty.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/number.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/wide.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/nameless.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/name.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/twice.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/banks.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=BANKS
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/member.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/order.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/copied.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=COPIED
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/default.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/space.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: not stowage-opt %t/net.mlir --fit-memory='memories=%t/small.txt capacity-in-bytes=512' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not stowage-opt %t/net.mlir --fit-memory='memories=%t/small.txt spill-space=1' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPILL
// RUN: not stowage-opt %t/net.mlir --fit-memory='memories=%t/small.txt reduce-peak=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not stowage-opt %t/moved.mlir --fit-memory='memories=%t/moved.txt reduce-peak=false' -o %t.moved.mlir 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/first.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=READ-ONLY
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/empty-flash.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-CONSTANTS
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/both.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not stowage-opt %t/net.mlir --fit-memory=memories=%t/back.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=BACK
// RUN: not stowage-opt %t/weights.mlir --fit-memory=memories=%t/flash.txt -o /dev/null 2>&1 | FileCheck %s --check-prefix=FLASH
// RUN: not stowage-opt %t/wrong.mlir --lower-memory-spaces -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not stowage-opt %t/wrong.mlir --merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not stowage-opt %t/wrong.mlir --merge-alloc='arena=argument public' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not stowage-opt %t/unnamed.mlir --merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: stowage-opt %t/moved.mlir --lower-memory-spaces -o %t.same.mlir
// RUN: stowage-opt %t/moved.mlir -o %t.given.mlir
// RUN: diff %t.given.mlir %t.same.mlir

// FILE: error: cannot read the memories in '{{.*}}none.txt': No such file or directory
// TEXT: error: '{{.*}}text.txt' is no list of memories as MLIR writes it
// NUL: nul.txt:2:15: error: a list of memories is text, and this is a byte of 0: remove it
// LIST: error: memories are a list, as [{name = "sram", bytes = 65536}
// NUMBER: error: memory 1: bytes is a number from 1 to
// NAMELESS: error: memory 2: it has no name
// NAME: error: memory 1: a name has letters, digits and underscores, a letter first: l2 cache
// TWICE: error: memory 2: two memories have the name sram
// BANKS: error: memory 1: bytes is a multiple of banks, as banks are of one size: sram
// MEMBER: error: memory 1: it has name, bytes, cost, alignment, space, banks, copied, default, constants and read_only, but no ports
// ORDER: error: memory 'dram' costs less than 'sram': the fastest is first
// COPIED: error: memory 'sram' is copied: it is the last of several, and not the default
// DEFAULT: error: memory 2: two memories are the default
// READ-ONLY: error: memory 'flash' is read_only: it has constants, and is neither the first nor the default one
// NO-CONSTANTS: error: memory 'flash' is read_only: it has constants
// TWO: error: 2 memories have constants: one may
// BACK: error: memory 'back' is copied: constants are read where they lie
// FLASH: error: fit-memory: constants have 512 bytes, flash is 256
// SPACE: error: memory 'dram' is the default: its address space is 0
// BOTH: error: fit-memory: capacity-in-bytes is for one memory, memories is for several
// SPILL: error: fit-memory: spill-space needs capacity-in-bytes
// SMALL: net.mlir:5:3: error: fit-memory: 'linalg.abs' alone needs 512 bytes, with what stays around it; dram is 256
// MOVED: moved.mlir:3:3: error: fit-memory: 'linalg.exp' alone needs 256 bytes, with what stays around it; dram is 128

//--- text.txt
sram 512
//--- empty.txt
[]
//--- number.txt
[{name = "sram", bytes = -1}]
//--- wide.txt
[{name = "sram", bytes = 1 : i128}]
//--- nameless.txt
[{name = "sram", bytes = 256}, {bytes = 256}]
//--- name.txt
[{name = "l2 cache", bytes = 256}]
//--- twice.txt
[{name = "sram", bytes = 256}, {name = "sram", bytes = 256}]
//--- member.txt
[{name = "sram", bytes = 256, ports = 4}]
//--- banks.txt
[{name = "sram", bytes = 256, banks = 3}]
//--- order.txt
[{name = "sram", bytes = 256, cost = 2}, {name = "dram", bytes = 256}]
//--- copied.txt
[{name = "sram", bytes = 256, copied}]
//--- default.txt
[{name = "sram", bytes = 256, default}, {name = "dram", bytes = 256, default}]
//--- space.txt
[{name = "sram", bytes = 256}, {name = "dram", bytes = 256, space = 3}]
//--- small.txt
[{name = "sram", bytes = 128, cost = 2}, {name = "dram", bytes = 256, cost = 3}]
//--- moved.txt
[{name = "sram", bytes = 512}, {name = "dram", bytes = 128, cost = 2}]

//--- first.txt
[{name = "flash", bytes = 256, constants, read_only}, {name = "sram", bytes = 256}]
//--- empty-flash.txt
[{name = "sram", bytes = 256}, {name = "flash", bytes = 256, read_only}]
//--- both.txt
[{name = "sram", bytes = 256, constants}, {name = "flash", bytes = 256, constants, read_only}]
//--- back.txt
[{name = "sram", bytes = 256}, {name = "back", bytes = 256, copied, constants}]
//--- flash.txt
[{name = "sram", bytes = 256}, {name = "flash", bytes = 256, cost = 4, constants, read_only}]

//--- weights.mlir
memref.global "private" constant @w : memref<64xf32> = dense<2.5>
memref.global "private" constant @v : memref<64xf32> = dense<1.5>

//--- net.mlir
func.func @net(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- moved.mlir
func.func @moved(%x: memref<64xf32>, %y: memref<64xf32>, %bit: i1) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %one = arith.select %bit, %a, %x : memref<64xf32>
  linalg.abs ins(%one : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- wrong.mlir
module attributes {stowage.memories = {name = "sram"}} {
  func.func @negate(%x: memref<64xf32>, %y: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.negf ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
    return
  }
}

//--- unnamed.mlir
module attributes {stowage.memories = [{name = "sram", bytes = 512}, {bytes = 4096}]} {
  func.func @negate(%x: memref<64xf32>, %y: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32, "slow">
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32, "slow">)
    linalg.negf ins(%a : memref<64xf32, "slow">) outs(%y : memref<64xf32>)
    return
  }
}
