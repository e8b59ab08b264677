# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Nothing half written: a file is there whole, or as it was.
cp "$CASES/data/five.csv" .
echo old > keep.csv
"$STOWAGE" plan five.csv --quiet --output=missing/out.csv; echo "exit $?"
"$STOWAGE" convert five.csv --to=json --output=missing/out.json; echo "exit $?"
printf 'id,lower,upper,size\na,0,1,x\n' | "$STOWAGE" plan - --quiet --output=keep.csv; echo "exit $?"
cat keep.csv
"$STOWAGE" plan five.csv --quiet --output=/dev/full; echo "exit $?"
"$STOWAGE" plan five.csv --quiet --map=missing/map.svg; echo "exit $?"
"$STOWAGE" plan .; echo "exit $?"
ls
