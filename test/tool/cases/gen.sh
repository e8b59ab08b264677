# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The same seed, the same bytes.
"$STOWAGE" gen --buffers=5
"$STOWAGE" gen --buffers=5 --seed=2 --alignment=64
"$STOWAGE" gen --buffers=5 --shape=chain
"$STOWAGE" gen --buffers=5 --shape=training --to=json
"$STOWAGE" gen --buffers=5 --shape=packing --seed=3
for shape in random chain training packing; do
  "$STOWAGE" gen --shape=$shape --buffers=3000 | cksum
done
"$STOWAGE" gen --buffers=0
"$STOWAGE" gen --shape=cube; echo "exit $?"
"$STOWAGE" gen --alignment=3; echo "exit $?"
"$STOWAGE" gen file.csv; echo "exit $?"
