# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What makes offsets no plan.
v() { printf 'id,lower,upper,size,alignment,offset\n%s\n%s\n' "$1" "$2" > p.csv; shift 2
      "$STOWAGE" verify p.csv "$@"; echo "exit $?"; }
v a,0,4,8,1,0 b,4,8,8,1,0
v a,0,4,8,1,0 b,3,8,8,1,4
v a,0,4,8,1,0 b,3,8,8,8,12
v a,0,4,8,1,0 b,3,8,8,1,8 --capacity=15
v a,0,4,8,1,0 b,3,8,8,1,
v a,0,4,8,1,0 b,3,8,8,1,18446744073709551610
