# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# There and back.
cp "$CASES/data/named.csv" .
"$STOWAGE" convert named.csv --output=a.json && cat a.json
"$STOWAGE" convert a.json --output=b.csv && cmp named.csv b.csv && echo the same
"$STOWAGE" convert named.csv --to=xml; echo "exit $?"
