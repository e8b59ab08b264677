# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every name a column may have; "end" is inclusive; blanks, quotes, CRLF and a byte order mark.
printf 'buffer,start,end,size\na,0,3,8\nb,4,9,8\n' | "$STOWAGE" convert - --to=csv
printf 'size,buffer_id,upper,begin\n8,a,4,0\n8,b,10,4\n' | "$STOWAGE" convert - --to=csv
printf '\357\273\277id , lower,upper,size,note\r\n "a,""1""" , 0,4,8,x\r\n\r\nb,4,10,8,\r\n' |
  "$STOWAGE" convert - --to=csv
printf 'id,begin,end,size,gaps\na,0,9,8,2-3 5-6@0:4\n' | "$STOWAGE" convert - --to=csv
printf 'id,lower,upper,size\na,-5,-2,8\n' | "$STOWAGE" convert - --to=csv
