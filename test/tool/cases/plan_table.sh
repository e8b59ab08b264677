# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The table, and the map below it.
cp "$CASES/data/five.csv" "$CASES/data/named.csv" .
"$STOWAGE" plan five.csv --strategy=first-fit-size
"$STOWAGE" plan named.csv --strategy=first-fit-size --capacity=16KiB
