# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes OUTPUT, a C file that defines `const char NAME[]` for each of the three parts of the page:
# the style, the body and the script. The licence headers of the sources go with them.
#   cmake -DSOURCE=<this folder> -DOUTPUT=<file.c> -P embed.cmake

function(embed name)
  set(bytes "")
  foreach(source IN LISTS ARGN)
    file(READ ${SOURCE}/${source} hex HEX)
    string(APPEND bytes ${hex})
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(text "${text}\nconst char ${name}[] = {\n${bytes}0};\n" PARENT_SCOPE)
endfunction()

set(text "#include \"web.h\"\n")
embed(stow_report_web_style map.css)
embed(stow_report_web_body page.html)
embed(stow_report_web_script model.js color.js surface.js views.js table.js words.js sizes.js peak.js groups.js frames.js heaps.js kernels.js picture.js hash.js file.js hands.js main.js)
file(WRITE ${OUTPUT} "${text}")
