# What `cmake --install` writes: a tree that may be moved, for every RPATH in it starts at $ORIGIN.
#
# lib/whinchat is whinchat's own: MLX in its wheel's layout, by which libmlx finds its neighbours,
# and OpenBLAS's OpenMP variant. The programs find OpenBLAS there by DT_RPATH, before Debian's
# alternatives and LD_LIBRARY_PATH can give them another one.

if(NOT WHINCHAT_MLX STREQUAL cpu)
  return()  # GPU builds run from their build folder
endif()

set(own_rpath whinchat whinchat/mlx/lib)
list(TRANSFORM own_rpath PREPEND "$ORIGIN/../lib/" OUTPUT_VARIABLE program_rpath)
list(TRANSFORM own_rpath PREPEND "$ORIGIN/" OUTPUT_VARIABLE library_rpath)
set_target_properties(whinchat-cli PROPERTIES INSTALL_RPATH "${program_rpath}")
set_target_properties(whinchat PROPERTIES INSTALL_RPATH "${library_rpath}")
foreach(target IN ITEMS whinchat-cli whinchat)
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
endforeach()

install(TARGETS whinchat-cli RUNTIME DESTINATION bin)
install(TARGETS whinchat LIBRARY DESTINATION lib)
install(DIRECTORY include/whinchat DESTINATION include)
configure_file(cmake/whinchat.pc.in ${PROJECT_BINARY_DIR}/whinchat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/whinchat.pc DESTINATION lib/pkgconfig)

file(GLOB mlx_neighbours ${MLX_ROOT}/*.libs)
install(DIRECTORY ${mlx_neighbours} DESTINATION lib/whinchat)
install(FILES ${MLX_LIBRARY} DESTINATION lib/whinchat/mlx/lib)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/link)
file(CREATE_LINK ${OPENBLAS_LIBRARY} ${PROJECT_BINARY_DIR}/link/libopenblas.so.0 SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/link/libopenblas.so.0 DESTINATION lib/whinchat)

set(doc share/doc/whinchat)
install(FILES README.md CHANGELOG.md LICENSE THIRD-PARTY-NOTICES.md DESTINATION ${doc})
file(GLOB mlx_licence ${MLX_ROOT}/*.dist-info/licenses/LICENSE)
install(FILES ${mlx_licence} DESTINATION ${doc}/licences/mlx)
install(FILES ${WHINCHAT_CACHE}/silero-vad-6.2.3/LICENSE DESTINATION ${doc}/licences/silero-vad)

install(DIRECTORY ${PROJECT_BINARY_DIR}/share DESTINATION .)
