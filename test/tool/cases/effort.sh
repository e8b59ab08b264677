# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# With the little effort that passes give, no search may take all of it: a climb finds the optimum.
"$STOWAGE" gen --buffers=60 --seed=25 --output=made.csv
"$STOWAGE" plan made.csv --effort=300000 --map=none >printed
echo "exit $?"
grep '^ *\(lower bound\|arena\)' printed
# What ended a search without an answer is said, in the table and to the quiet.
"$STOWAGE" gen --shape=packing --buffers=300 --seed=1 --output=packed.csv
steps() { sed 's/after [0-9]* steps/after N steps/'; }
bytes() { sed 's/takes [0-9]* bytes/takes N bytes/'; } # what a clock ended
repair() { "$STOWAGE" plan packed.csv --strategy=repair "$@" 2>&1 | grep 'after' | steps; }
repair --effort=1000000 --map=none
repair --effort=1000000 --capacity=19200 --quiet
repair --time-limit=1ms --capacity=19200 --quiet | bytes
repair --time-limit=1ms --map=none
# A capacity has an answer, and then nothing ran out.
"$STOWAGE" plan packed.csv --capacity=19200 --map=none | grep -c 'ran out'
