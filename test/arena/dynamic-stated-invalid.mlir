// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --verify-diagnostics -merge-alloc="dynamic=exact"

// expected-error @below {{stowage.dims of argument 0 must have a dictionary for each dimension}}
func.func @too_few(%x: memref<?x?xf32> {stowage.dims = [{name = "n"}]}) { return }

// -----

// expected-error @below {{stowage.dims of argument 1 must}}
func.func @no_memref(%x: index, %y: f32 {stowage.dims = [{}]}) { return }

// -----

// expected-error @below {{stowage.dims of argument 0 must}}
func.func @no_string(%x: memref<?xf32> {stowage.dims = [{name = 3}]}) { return }

// -----

// expected-error @below {{stowage.dims of argument 0 must}}
func.func @unknown_key(%x: memref<?xf32> {stowage.dims = [{largest = 3}]}) { return }

// -----

// expected-error @below {{stowage.dims of argument 0 must}}
func.func @empty_range(%x: memref<?xf32> {stowage.dims = [{min = 5, max = 3}]}) { return }

// -----

func.func @fine(%x: memref<?x3xf32> {stowage.dims = [{min = 1, max = 3, hint = 2, name = "n"}, {}]}, %i: index {stowage.dims = [{max = 7}]}) { return }
