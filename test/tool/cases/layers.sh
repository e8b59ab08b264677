# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The names that a frontend gave to locations, there and back.
printf 'id,lower,upper,size,layer\na,0,3,4,"encoder, ""1"""\nb,1,4,4,\n' > layers.csv
"$STOWAGE" convert layers.csv --output=a.json && cat a.json
"$STOWAGE" convert a.json --output=b.csv && cmp layers.csv b.csv && echo the same
"$STOWAGE" plan a.json --quiet --json=- | grep layer
