# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The table without its times.
cp "$CASES/data/five.csv" .
"$STOWAGE" bench five.csv --strategies=first-fit-size,best-fit-start --runs=1 --output=t.csv |
  sed 's/ *[0-9]*\.[0-9][0-9][0-9]$//'
cut -d, -f1-7 t.csv
"$STOWAGE" bench five.csv --strategies=fast; echo "exit $?"
