# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Two plans are compared where they are plans of the same buffers.
cp "$CASES/data/five.csv" .
"$STOWAGE" plan five.csv --quiet --output=a.csv --strategy=first-fit-size
{ head -n 1 a.csv; tail -n +2 a.csv | sort -r; } > turned.csv
sed 's/^b5,0,21,4/b5,0,20,4/' a.csv > life.csv
sed 's/^b5/c5/' a.csv > id.csv
sed '/^b5/d' a.csv > fewer.csv
c() { "$STOWAGE" map a.csv --compare=$1 --output=map.html; echo "$1 -> $?"; }
c a.csv
c turned.csv
c life.csv
c id.csv
c fewer.csv
c five.csv
rm map.html
"$STOWAGE" plan five.csv --quiet --compare=life.csv --map=map.html; echo "exit $?"
"$STOWAGE" plan five.csv --quiet --compare=turned.csv --map=map.html; echo "exit $?"
ls map.html
