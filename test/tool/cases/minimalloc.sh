# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A command line of minimalloc does its work: one dash or two, underscores, flags with values, its
# times, and the switches of its own search.
cp "$CASES/data/five.csv" .
s() { "$STOWAGE" "$@"; echo "exit $?"; }
s plan -capacity=12 -input=five.csv -output=plan.csv -timeout=inf -validate=true -quiet
cat plan.csv
s plan --capacity 12 --input five.csv --print_solution --timeout=1m30s --novalidate --quiet
s plan -capacity=12 -input=five.csv -quiet --canonical_only=false --nohatless_pruning
s plan five.csv --quiet --canonical_onyl
s verify plan.csv --canonical_only
s plan five.csv --no-quiet --map=none --strategy=first-fit-size --output=other.csv > table.txt
grep -c arena table.txt
s plan five.csv --quiet --print-solution --output=other.csv && cmp plan.csv other.csv
s plan five.csv --print-solution --json=-
# A capacity alone ends the search at the first plan that fits.
"$STOWAGE" gen --buffers=300 --seed=5 --output=many.csv
top() { awk -F, 'NR > 1 && $4 + $5 > t {t = $4 + $5} END {print t}'; }
first=$("$STOWAGE" plan many.csv --capacity=1GiB --quiet --print_solution --strategy=first-fit-start | top)
least=$("$STOWAGE" plan many.csv --capacity=1GiB --quiet --print_solution --minimize_capacity | top)
[ "$least" -lt "$first" ] && [ "$least" = "$("$STOWAGE" plan many.csv --quiet --output=- | top)" ] && echo smallest
s plan five.csv --capacity=11 --minimize_capacity --quiet
