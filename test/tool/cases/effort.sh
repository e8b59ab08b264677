# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# With the little effort that passes give, no search may take all of it: a climb finds the optimum.
"$STOWAGE" gen --buffers=60 --seed=25 --output=made.csv
"$STOWAGE" plan made.csv --effort=300000 --map=none >printed
echo "exit $?"
grep '^ *\(lower bound\|arena\)' printed
