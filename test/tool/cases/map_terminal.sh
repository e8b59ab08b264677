# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

cp "$CASES/data/five.csv" .
"$STOWAGE" plan five.csv --strategy=first-fit-size --quiet --output=p.csv
"$STOWAGE" map p.csv
LC_ALL=C.UTF-8 COLUMNS=50 "$STOWAGE" map p.csv
"$STOWAGE" gen --buffers=300 --seed=5 --output=g.csv
"$STOWAGE" plan g.csv --strategy=first-fit-size --quiet --output=g.plan.csv
"$STOWAGE" map g.plan.csv
printf 'id,lower,upper,size,offset\n' | "$STOWAGE" map -
printf 'id,lower,upper,size,offset\na,0,1,0,0\n' | "$STOWAGE" map -
printf 'id,lower,upper,size,offset\na,-9223372036854775808,9223372036854775807,9223372036854775808,9223372036854775807\n' | "$STOWAGE" map -
