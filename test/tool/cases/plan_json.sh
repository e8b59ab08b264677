# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# JSON out, and in again.
cp "$CASES/data/named.csv" .
"$STOWAGE" plan named.csv --strategy=first-fit-size --quiet --json=plan.json --output=plan.csv
cat plan.json
"$STOWAGE" verify plan.json
"$STOWAGE" convert plan.json --output=again.csv
cmp plan.csv again.csv && echo the same
