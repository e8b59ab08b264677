# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The page carries the report as it is, and nothing that a script element would end early.
"$STOWAGE" html > page.html
"$STOWAGE" json > wanted.json
sed -n '/id="plan-data">/,/<\/script>/p' page.html | sed 's/.*id="plan-data">//; s/<\/script>//' |
  sed 's/\\u003c/</g' | sed '/^$/d' | cmp - wanted.json && echo the same
grep -c '</script>' page.html
grep -o 'id="other-data">null' page.html
grep -c 'http' page.html
