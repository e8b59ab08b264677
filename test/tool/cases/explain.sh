# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Why a capacity is too small: buffers that cannot be placed together, and none too many.
cp "$CASES/data/five.csv" .
"$STOWAGE" plan five.csv --capacity=11 --explain --map=none | grep -A1 'cannot be placed'
"$STOWAGE" plan five.csv --capacity=12 --explain --map=none | grep -c 'cannot be placed'
