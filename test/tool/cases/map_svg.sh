# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The picture is the same bytes everywhere.
cp "$CASES/data/named.csv" .
"$STOWAGE" plan named.csv --strategy=first-fit-size --quiet --capacity=12KiB --map=m.svg
cat m.svg
"$STOWAGE" gen --buffers=21000 --seed=5 --output=g.csv
"$STOWAGE" plan g.csv --strategy=first-fit-size --quiet --map=g.svg
cksum < g.svg; grep -c '<rect class="s' g.svg; grep -o 'the smallest are not drawn' g.svg
