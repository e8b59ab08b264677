# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What cannot be meant is said before the work, and nothing is written.
cp "$CASES/data/five.csv" .
s() { "$STOWAGE" "$@"; echo "exit $?"; }
s plan five.csv --output=x --json=x
s plan five.csv --output=- --json=-
s plan five.csv --print-solution --json=-
s plan five.csv --input=five.csv
s plan five.csv --compare=five.csv --map=x.svg
s map five.csv --compare=five.csv
s map missing.csv --output=x.png
s plan five.csv --arena=2
s plan missing.csv --output=missing/x.csv
ls
