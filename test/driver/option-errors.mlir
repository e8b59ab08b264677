// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=48 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not stowage-opt %s --buffer-reuse="analysis alignment-in-bytes=48" 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not stowage-opt %s --buffer-reuse=strategy=magic 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not stowage-opt %s --buffer-reuse=unknown-ops=maybe 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not stowage-opt %s --buffer-reuse=report=pdf:%t 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not stowage-opt %s --buffer-reuse=nonsense=1 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=lots 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=-64 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %s --buffer-reuse=capacity-in-bytes=64X 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %s --buffer-reuse=capacity-in-bytes=17179869184G 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %s --buffer-reuse=planner-effort=inf 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not stowage-opt %s --buffer-reuse=planner-effort=1m30s 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not stowage-opt %s --buffer-reuse=planner-effort=1e99 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not stowage-opt %s --buffer-reuse=planner-effort= 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not stowage-opt %s --merge-alloc=stackings=-1 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not stowage-opt %s --merge-alloc=stackings=0 2>&1 | FileCheck %s --check-prefix=STACKINGS
// RUN: not stowage-opt %s --stowage-memory='hoist max-heap-overhead=0' 2>&1 | FileCheck %s --check-prefix=HOISTED
// RUN: stowage-opt %s --stowage-memory='hoist max-heap-overhead=-1' -o /dev/null
// RUN: not stowage-opt %s --pack-stack=alignment-in-bytes=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not stowage-opt %s --merge-alloc=conditional-share=nan 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not stowage-opt %s --buffer-reuse=max-heap-overhead=nan 2>&1 | FileCheck %s --check-prefix=SHARE
// RUN: not stowage-opt %s --buffer-reuse='dynamic=exact at=n=3' 2>&1 | FileCheck %s --check-prefix=NO-SIZE
// RUN: not stowage-opt %s --buffer-reuse=at=n=3 2>&1 | FileCheck %s --check-prefix=AT-EXACT
// RUN: not stowage-opt %s --merge-alloc='arena=global callback=give' 2>&1 | FileCheck %s --check-prefix=CALLBACK
// RUN: not stowage-opt %s --buffer-reuse=at=n 2>&1 | FileCheck %s --check-prefix=AT
// RUN: not stowage-opt %s --buffer-reuse="analysis at=n=many" 2>&1 | FileCheck %s --check-prefix=AT
// RUN: stowage-opt %s --pass-pipeline='builtin.module(buffer-reuse{planner-effort=3e5 capacity-in-bytes=1KiB})' \
// RUN:     --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not stowage-opt %s --buffer-reuse=report=text:- 2>&1 | FileCheck %s --check-prefix=STDOUT
// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=18446744073709551615 2>&1 | FileCheck %s --check-prefix=ALIGN-MOST
// RUN: not stowage-opt %s --pack-stack=strategy=magic 2>&1 | FileCheck %s --check-prefix=STACK
// RUN: not stowage-opt %s --check-arena-plan=dynamic-offsets=maybe 2>&1 | FileCheck %s --check-prefix=OFFSETS
// RUN: not stowage-opt %s --insert-lifetimes=form=maybe 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not stowage-opt %s --insert-lifetimes=unknown-ops=maybe 2>&1 | FileCheck %s --check-prefix=LIFETIMES
// RUN: not stowage-opt %s --convert-lifetime-to-llvm=poison 2>&1 | FileCheck %s --check-prefix=POISON
// RUN: not stowage-opt %s --memory-access-streaming-fusion=max-live-bytes=-1 2>&1 | FileCheck %s --check-prefix=LIVE
// RUN: stowage-opt %s --memory-access-streaming-fusion=max-live-bytes=4KiB -o /dev/null
// RUN: not stowage-opt %s --buffer-deallocation=prefer=copies 2>&1 | FileCheck %s --check-prefix=PREFER
// RUN: not stowage-opt %s --buffer-reuse=report=json:%t-no-such-folder/x.json 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not stowage-opt %s --buffer-reuse="analysis report=csv:%t-no-such-folder/x.csv" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not stowage-opt %s --buffer-reuse=report=json:%t-no-such-folder/x.json 2>/dev/null | count 0

// A malformed option is an error that names the option, its value and what it may be; the exit status is not 0
// and nothing is written.

// HOISTED: stowage-memory: hoist keeps buffers allocated for longer, so that max-heap-overhead would not bound the heap
// ALIGN: error: buffer-reuse{{(-analysis)?}}: alignment-in-bytes must be a power of two, not 48
// ALIGN-MOST: error: buffer-reuse: alignment-in-bytes must be a power of two, not 18446744073709551615
// STRATEGY: error: buffer-reuse: strategy must be one of auto, first-fit-size, {{.*}}best-fit-start{{.*}}, not 'magic'
// STACK: error: pack-stack: strategy must be one of auto, {{.*}}, not 'magic'
// UNKNOWN: error: buffer-reuse: unknown-ops must be escape or use, not 'maybe'
// REPORT: error: buffer-reuse: report must be text, text:FILE, json:FILE, csv:FILE, html:FILE, trace:FILE or none, not 'pdf:
// OFFSETS: error: check-arena-plan: dynamic-offsets must be overlap or ignore, not 'maybe'
// FORM: error: insert-lifetimes: form must be marker or value, not 'maybe'
// LIFETIMES: error: insert-lifetimes: unknown-ops must be escape or use, not 'maybe'
// POISON: error: convert-lifetime-to-llvm: poison must be false without prepare, not 'true'
// LIVE: for the --max-live-bytes option: expected bytes such as 65536 or 64KiB, found '-1'
// PREFER: error: buffer-deallocation: prefer must be bits or clones, not 'copies'
// OPTION: no such option nonsense
// NUMBER: for the --{{alignment|capacity}}-in-bytes option: expected bytes such as 65536 or 64KiB, found '{{lots|-64|64X|17179869184G}}'
// COUNT: for the --{{planner-effort|stackings}} option: expected a number such as 1000000 or 1e6, found '{{(inf|1m30s|1e99|-1)?}}'
// NO-SIZE: error: buffer-reuse: at=n=3 names no size; there is none
// AT-EXACT: error: buffer-reuse: at needs dynamic=exact
// CALLBACK: error: merge-alloc: callback needs arena=callback
// STACKINGS: error: merge-alloc: stackings must be a number from 1 on, not '0'
// ZERO: error: pack-stack: alignment-in-bytes must be a power of two, not '0'
// SHARE: for the --{{conditional-share|max-heap-overhead}} option: expected a number such as 0.25 or 2, found 'nan'
// AT: error: buffer-reuse{{.*}}: at must be NAME=NUMBER such as n=128, not 'n{{(=many)?}}'
// TAKEN: capacity-in-bytes=1024
// TAKEN-SAME: planner-effort=300000
// STDOUT: error: buffer-reuse: report must be text, text:FILE, json:FILE, csv:FILE, html:FILE, trace:FILE or none, not 'text:-'
// FILE: error: {{.*}}x.{{json|csv}}{{.*}}: {{No such file or directory|cannot}}
func.func @two(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xi8>
  memref.store %x, %a[%c0] : memref<16xi8>
  memref.dealloc %a : memref<16xi8>
  %b = memref.alloc() : memref<16xi8>
  memref.store %x, %b[%c0] : memref<16xi8>
  memref.dealloc %b : memref<16xi8>
  return
}
