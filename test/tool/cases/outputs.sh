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
"$STOWAGE" plan five.csv --quiet --output=ok.csv
for command in "bound five.csv" "verify ok.csv" "gen --buffers=9" "man" "plan --help" "plan five.csv"; do
  "$STOWAGE" $command > /dev/full; echo "exit $?"
done
# A link stays one, permissions stay, and what is closed is not taken for something else.
echo old > real.csv; chmod 640 real.csv; ln -s real.csv link.csv
"$STOWAGE" plan five.csv --quiet --output=link.csv; tail -1 real.csv; ls -l real.csv link.csv | cut -c 1-10
"$STOWAGE" plan five.csv --output=first.csv >&-; tail -1 first.csv
"$STOWAGE" plan five.csv --quiet --output=/dev/stdout | tail -1
"$STOWAGE" plan five.csv --output=first.csv | true; tail -1 first.csv
ls

# An ending says what is in a file, so it must be right.
e() { "$STOWAGE" "$@"; echo "exit $?"; }
e plan five.csv --quiet --output=plan.json
e plan five.csv --quiet --output=plan.txt
e plan five.csv --quiet --json=plan.csv
e plan five.csv --quiet --output=./plan && cat plan
e bench five.csv --output=table.txt
e convert five.csv --output=five.xml
e convert five.csv --output=five.xml --to=csv && cmp five.csv five.xml
e gen --buffers=3 --output=three.dat
e gen --buffers=3 --output=.three && head -n 1 .three
