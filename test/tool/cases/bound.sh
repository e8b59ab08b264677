# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cp "$CASES/data/five.csv" "$CASES/data/named.csv" .
"$STOWAGE" bound five.csv
"$STOWAGE" bound five.csv named.csv - < five.csv
