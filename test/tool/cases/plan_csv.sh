# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What minimalloc's users have: --capacity, --input, --output, and the CSV that comes out.
cp "$CASES/data/five.csv" .
"$STOWAGE" plan --capacity=12 --input=five.csv --output=out.csv --strategy=first-fit-size --quiet
cat out.csv
"$STOWAGE" verify out.csv --capacity=12
"$STOWAGE" plan - --output=- --strategy=first-fit-size --quiet < five.csv
