# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A plan over two memories, each an arena of its own.
cat > placed.csv <<'END'
id,lower,upper,size,offset,space,spaces
b1,0,3,4,0,fast,
b2,3,9,4,0,fast,
b3,0,9,4,4,fast,fast
b4,9,21,4,0,fast,fast slow
b5,0,21,4,0,slow,
END
"$STOWAGE" verify placed.csv --spaces=fast:8,slow
"$STOWAGE" verify placed.csv --spaces=fast:7,slow
sed 's/b3,0,9,4,4,fast,fast$/b3,0,9,4,4,slow,fast/' placed.csv | "$STOWAGE" verify -
"$STOWAGE" map placed.csv --spaces=fast:8,slow
"$STOWAGE" map placed.csv --spaces=fast:8,slow --output=m.svg && grep 'class="title"\|class="figures"' m.svg
"$STOWAGE" convert placed.csv --spaces=fast:8:1,slow:0:10 --output=p.json
cat p.json
"$STOWAGE" convert p.json
"$STOWAGE" verify p.json
"$STOWAGE" convert placed.csv --spaces=a:1:2:3; echo "exit $?"
"$STOWAGE" convert placed.csv --spaces=a:x; echo "exit $?"
"$STOWAGE" convert placed.csv --spaces=a,a; echo "exit $?"
