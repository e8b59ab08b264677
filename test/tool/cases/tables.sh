# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Tables as others write them, and what is not taken as it stands.
p() { printf "$1" > in.csv; "$STOWAGE" plan in.csv --quiet --output=-; echo "exit $?"; }
echo '-- capitals'; p 'ID,Lower,Upper,SIZE,Alignment\na,0,4,8,4\n'
echo '-- no offset'; p 'id,lower,upper,size,offset\na,0,4,8,-1\nb,0,4,8,0\n'
echo '-- hints'; p 'id,lower,upper,size,alignment,hint,gaps,offset\na,0,9,8,4,16,,-1\nb,0,9,8,4,-1,2-3,-1\n'
"$STOWAGE" convert in.csv --output=in.json && cat in.json && "$STOWAGE" convert in.json
printf '{"buffers": [{"size": 4, "begin": 0, "end": 3, "offset": -1, "hint": null}]}' | "$STOWAGE" convert -
p 'id,lower,upper,size,hint\na,0,4,8,x\n'
echo '-- other separators'
p 'id;lower;upper;size\na;0;4;8\n'
p 'id\tlower\tupper\tsize\na\t0\t4\t8\n'
p 'id|lower|upper|size\n'
p 'id\n'
echo '-- a directory'
mkdir folder.csv
"$STOWAGE" plan folder.csv --quiet; echo "exit $?"
"$STOWAGE" bound in.csv folder.csv; echo "exit $?"
"$STOWAGE" gen --buffers=2 --output=folder.csv; echo "exit $?"
"$STOWAGE" plan in.csv --quiet --output=folder.csv; echo "exit $?"
echo '-- gaps past the life'
p 'id,lower,upper,size,gaps\na,0,9,8,2-3\nb,0,9,8,7-12\nc,2,9,8,0-3 5-6\n'
p 'id,lower,end,size,gaps\na,0,9,8,7-9\nb,0,9,8,7-10\n'
echo '-- a space without an offset'
p 'id,lower,upper,size,space\na,0,4,8,fast\nb,0,4,8,slow\n'
printf '{"buffers": [{"size": 4, "begin": 0, "end": 3, "space": "fast"}]}' | "$STOWAGE" bound -
echo '-- an offset is held in its space'
printf 'id,lower,upper,size,offset,space\na,0,4,8,16,slow\nb,0,4,8,,\n' > in.csv
"$STOWAGE" plan in.csv --quiet --output=- --spaces=fast:64:1,slow:64:10
"$STOWAGE" plan in.csv --quiet --output=- --spaces=fast:64:1,slow:64:10 --ignore-offsets
echo '-- one capacity for several memories'
"$STOWAGE" plan in.csv --quiet --capacity=64 --spaces=fast,slow; echo "exit $?"
