# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The pictures, and the maps with nothing that a script element would end early.
"$STOWAGE" streams-html > page.html
sed -n '/<section id="streams">/,/<\/section>/p' page.html
grep -E 'id="(plan|other)-data">' page.html
