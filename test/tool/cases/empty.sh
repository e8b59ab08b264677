# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# No buffers at all is a problem with a plan of 0 bytes.
printf 'id,lower,upper,size\n' > e.csv
"$STOWAGE" plan e.csv --output=- --json=e.json --map=e.svg
"$STOWAGE" bound e.csv
"$STOWAGE" plan e.json --quiet && echo planned
"$STOWAGE" plan e.csv --quiet --map=e.html && echo drawn
