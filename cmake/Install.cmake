# What `cmake --install` puts where: headers, the planner library, the passes library, the plugin, the
# tools, a CMake package (find_package(Stowage)) and a pkg-config file for the planner.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Stowage)

install(FILES include/stowage/plan.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stowage)
install(TARGETS stowage_plan stowage_plan_shared EXPORT StowageTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS stowage RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES docs/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/stowage)
install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")

# What shells complete, as the command itself says it.
foreach(completion bash:bash-completion/completions/stowage zsh:zsh/site-functions/_stowage
    fish:fish/vendor_completions.d/stowage.fish)
  string(REGEX REPLACE ":.*" "" shell ${completion})
  string(REGEX REPLACE ".*:(.*)/.*" "\\1" folder ${completion})
  string(REGEX REPLACE ".*/" "" file ${completion})
  set(text ${CMAKE_BINARY_DIR}/completion/${shell}/${file})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/completion/${shell})
  add_custom_command(OUTPUT ${text} COMMAND stowage completion ${shell} > ${text} DEPENDS stowage VERBATIM)
  list(APPEND completions ${text})
  install(FILES ${text} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
add_custom_target(stowage_completion ALL DEPENDS ${completions})

if(STOWAGE_MLIR)
  install(FILES include/stowage/passes.h include/stowage/places.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stowage)
  install(TARGETS stowage_passes EXPORT StowageTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS StowagePlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS stowage-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT StowageTargets NAMESPACE Stowage:: DESTINATION ${package_dir})
configure_package_config_file(cmake/StowageConfig.cmake.in
  ${CMAKE_BINARY_DIR}/StowageConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/StowageConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/StowageConfig.cmake ${CMAKE_BINARY_DIR}/StowageConfigVersion.cmake
  DESTINATION ${package_dir})

# Relative to itself, so it holds for any --prefix, DESTDIR, or a folder that was moved.
file(RELATIVE_PATH prefix_from_pc "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(cmake/stowage.pc.in ${CMAKE_BINARY_DIR}/stowage.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/stowage.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# cpack -G DEB: the commands, plugin, headers, man pages and completion.
if(PROJECT_IS_TOP_LEVEL)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stowage RENAME copyright)
  set(CPACK_PACKAGE_CONTACT "the authors of Stowage")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compile-time memory planning for MLIR ${STOWAGE_MLIR_MAJOR}")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SECTION devel)
  include(CPack)
endif()
