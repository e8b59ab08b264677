# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Pairs that may, or must, lie in the same place.
cat > in.csv <<'END'
id,lower,upper,size,exclusive,colocated,may_colocate
a,0,4,8,b,,
b,0,4,8,a,,
c,0,4,8,,d,
d,3,8,8,,,
e,0,4,8,,,f
f,0,4,8,,,
END
"$STOWAGE" plan in.csv --strategy=first-fit-size --quiet --output=plan.csv --json=plan.json
"$STOWAGE" verify plan.csv
"$STOWAGE" verify plan.json
"$STOWAGE" convert in.csv --output=in.json && cat in.json
"$STOWAGE" convert in.json
printf 'id,lower,upper,size,offset,colocated\na,0,4,8,0,b\nb,4,8,8,8,\n' | "$STOWAGE" verify -
