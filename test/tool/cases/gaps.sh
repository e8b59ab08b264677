# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A hole is used by others; in a window the buffer keeps some of its bytes.
cat > gaps.csv <<'END'
id,lower,upper,size,gaps
a,0,10,64,3-6
b,3,6,64,
c,0,10,32,2-8@0:16
d,2,8,16,
END
"$STOWAGE" plan gaps.csv --strategy=first-fit-size --output=plan.csv
cat plan.csv
"$STOWAGE" verify plan.csv
"$STOWAGE" convert plan.csv
printf 'id,lower,upper,size,gaps,offset\na,0,9,64,3-6,0\nb,5,7,64,,0\n' | "$STOWAGE" verify -
