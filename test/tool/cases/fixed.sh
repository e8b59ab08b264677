# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# An offset on input is a fixed one, unless it is to be ignored.
printf 'id,lower,upper,size,offset\na,0,4,8,16\nb,0,4,8,\n' > in.csv
"$STOWAGE" plan in.csv --strategy=first-fit-size --quiet --output=-
"$STOWAGE" plan in.csv --strategy=first-fit-size --quiet --output=- --ignore-offsets
"$STOWAGE" convert in.csv
"$STOWAGE" convert in.csv --ignore-offsets --to=csv

# Offsets that no plan can keep: which, where and when, as verify says it.
f() { printf "$1" > in.csv; shift; "$STOWAGE" plan in.csv --quiet "$@"; echo "exit $?"; }
f 'id,lower,upper,size,offset\na,0,4,8,0\nb,2,5,8,4\nc,0,9,4,\n'
f 'id,lower,upper,size,gaps,offset\na,0,9,8,1-6,0\nb,2,7,8,,4\n'
f 'id,lower,upper,size,alignment,offset\nc,0,9,4,1,\na,0,4,8,4,2\n'
f 'id,lower,upper,size,offset\nc,0,9,4,\na,0,4,8,10\n' --capacity=16
f 'id,lower,upper,size,offset,space,spaces\nc,0,9,4,,,fast\na,0,4,8,0,slow,fast\n'
f 'id,lower,upper,size,offset,space\na,0,4,8,0,slow\nb,1,4,8,4,slow\nc,1,4,8,4,fast\n'
f 'id,lower,upper,size,offset,colocated\na,0,4,8,0,b\nb,5,9,8,8,\n'
f 'id,lower,upper,size,offset\na,0,4,8,0\nb,2,5,8,4\n' --ignore-offsets
# Each can be kept, but the third buffer has no room beside them.
f 'id,lower,upper,size,offset\na,0,4,8,0\nb,2,5,8,12\nc,0,9,8,\n' --capacity=20
