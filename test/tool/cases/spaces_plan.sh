# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The cheap memory is filled first; what may only go elsewhere goes there.
cp "$CASES/data/five.csv" .
"$STOWAGE" plan five.csv --spaces=fast:8:1,slow:0:10 --quiet --output=plan.csv --json=plan.json
"$STOWAGE" verify plan.csv --spaces=fast:8,slow
grep -c '"memory_space": "fast"' plan.json
"$STOWAGE" verify plan.json --arena=1 --capacity=8 --quiet && echo fast fits
"$STOWAGE" verify plan.json --arena=2 --capacity=4 --quiet && echo slow fits
printf 'id,lower,upper,size,spaces\na,0,4,8,slow\nb,0,4,8,fast slow\n' |
  "$STOWAGE" plan - --quiet --output=- --spaces=fast:64:1,slow:0:10
