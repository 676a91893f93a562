# One target per room (static, position-independent), one test program per room.

# whinchat_room(NAME SOURCES … [ROOMS …] [PUBLIC …] [PRIVATE …])
#   ROOMS: rooms to its right; PUBLIC, PRIVATE: third-party libraries (PUBLIC when a header shows them).
function(whinchat_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;PUBLIC;PRIVATE" ${ARGN})
  add_library(whinchat_${name} STATIC ${ARG_SOURCES})
  target_include_directories(whinchat_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM ARG_ROOMS PREPEND whinchat_)
  target_link_libraries(whinchat_${name}
    PUBLIC ${ARG_ROOMS} ${ARG_PUBLIC}
    PRIVATE ${ARG_PRIVATE} whinchat_warnings)
endfunction()

# whinchat_test(NAME SOURCES … ROOMS … [PRIVATE …] [LABELS …]): a GoogleTest program, each case in ctest.
function(whinchat_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;PRIVATE;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_ROOMS PREPEND whinchat_)
  target_link_libraries(${name} PRIVATE
    ${ARG_ROOMS} ${ARG_PRIVATE} GTest::gtest_main whinchat_warnings)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS "${ARG_LABELS}")
endfunction()

# whinchat_fuzz(NAME [SOURCES …] ROOMS … [PRIVATE …]): the fuzz target NAME_fuzz.cpp.
function(whinchat_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;PRIVATE" ${ARGN})
  add_executable(fuzz_${name} ${name}_fuzz.cpp ${ARG_SOURCES})
  list(TRANSFORM ARG_ROOMS PREPEND whinchat_)
  target_link_libraries(fuzz_${name} PRIVATE
    fuzz_driver ${ARG_ROOMS} ${ARG_PRIVATE} whinchat_warnings)
  set_property(DIRECTORY APPEND PROPERTY whinchat_fuzz_targets ${name})
endfunction()

# whinchat_fuzz_tests(): the folder's fuzz targets in ctest as fuzz.NAME, and all of them as the
#   target fuzz. Each replays corpus/NAME, then runs changed inputs for an equal share of
#   WHINCHAT_FUZZ_SECONDS_IN_ALL.
function(whinchat_fuzz_tests)
  get_property(names DIRECTORY PROPERTY whinchat_fuzz_targets)
  list(LENGTH names count)
  math(EXPR hundredths "100 * ${WHINCHAT_FUZZ_SECONDS_IN_ALL} / ${count}")
  math(EXPR timeout "${hundredths} / 100 + 120")
  foreach(name ${names})
    add_test(NAME fuzz.${name}
      COMMAND fuzz_${name} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name} --seconds ${hundredths}e-2)
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${timeout} LABELS fuzz)
  endforeach()
  list(TRANSFORM names PREPEND fuzz_)
  add_custom_target(fuzz DEPENDS ${names})
endfunction()
