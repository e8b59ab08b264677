# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# An offset on input is a fixed one, unless it is to be ignored.
printf 'id,lower,upper,size,offset\na,0,4,8,16\nb,0,4,8,\n' > in.csv
"$STOWAGE" plan in.csv --strategy=first-fit-size --quiet --output=-
"$STOWAGE" plan in.csv --strategy=first-fit-size --quiet --output=- --ignore-offsets
"$STOWAGE" convert in.csv
"$STOWAGE" convert in.csv --ignore-offsets --to=csv
