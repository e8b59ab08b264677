# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# 0 planned, 1 infeasible, 2 bad input, 4 neither found nor proven impossible.
cp "$CASES/data/five.csv" .
s() { "$STOWAGE" "$@" > /dev/null 2>&1; echo "$* -> $?"; }
s plan five.csv
s plan five.csv --capacity=12
s plan five.csv --capacity=11
s plan five.csv --capacity=11 --output=none.csv
ls none.csv 2>&1 | wc -l
"$STOWAGE" gen --shape=chain --buffers=150 --seed=3 --output=chain.csv
s plan chain.csv --strategy=first-fit-start --capacity=7138112 --output=none.csv
s plan chain.csv --strategy=first-fit-start --capacity=7138111
s plan chain.csv --strategy=first-fit-start --capacity=8192960
ls none.csv 2>&1 | wc -l
s bound five.csv
s verify five.csv
s plan missing.csv
s plan five.csv --map=x.png
s plan five.csv five.csv
s plan
s nonsense
s plan five.csv --nonsense
s plan five.csv --capacity=lots
s plan five.csv --strategy=best
s plan five.csv --capacity
s plan five.csv --quiet=1
s --help
s plan --help
s --version
s
