# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Targets of the compiler half. Every library links MLIR's and LLVM's shared libraries only.

# The headers that nearly every translation unit of the compiler reads, compiled once.
add_library(zcc_pch STATIC ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_precompile_headers(zcc_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)
# ccache (with CCACHE_PCH_EXTSUM) knows a precompiled header by this checksum of what it is made from. The header's own bytes
# hold the folder that it was made in, so that the objects of one checkout would never serve another.
set(pch_parts "${CMAKE_CXX_COMPILER_VERSION}|${LLVM_PACKAGE_VERSION}|${CMAKE_CXX_FLAGS}|${CMAKE_CXX_FLAGS_RELEASE}|${ZCC_SANITIZE}")
file(SHA256 ${CMAKE_SOURCE_DIR}/cmake/pch.h pch_text)
file(SHA256 ${LLVM_INCLUDE_DIRS}/llvm/Config/llvm-config.h pch_llvm)
string(SHA256 pch_sum "${pch_parts}|${pch_text}|${pch_llvm}")
file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/zcc_pch.dir/cmake_pch.hxx.pch.sum "${pch_sum}\n")
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/pch.h)

# zcc_compile_alone(sources...): sources that include TableGen's definitions are not joined with others by CMAKE_UNITY_BUILD,
# since all of TableGen's outputs define functions of the same names.
function(zcc_compile_alone)
  foreach(source ${ARGN})
    file(STRINGS ${source} definitions REGEX "^#include .*\\.cpp\\.inc\"" LIMIT_COUNT 1)
    if(definitions)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# zcc_library(NAME sources... [DEPENDS tablegen-targets...] [LINK libraries...])
function(zcc_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  zcc_static_library(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ZCC_OWN)
    target_precompile_headers(${name} REUSE_FROM zcc_pch)
    zcc_compile_alone(${ARG_UNPARSED_ARGUMENTS})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} ${ZCC_PUBLIC} ${ARG_LINK} MLIR LLVM)
endfunction()

# zcc_unit_test(NAME LINK libraries...): GoogleTest over all files of the folder.
function(zcc_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  # Objects like a library's (not of a position-independent executable), so that they share its header.
  add_library(${name}-objects OBJECT ${sources})
  target_precompile_headers(${name}-objects REUSE_FROM zcc_pch)
  target_link_libraries(${name}-objects PRIVATE ${ARG_LINK} GTest::gtest)
  add_executable(${name} $<TARGET_OBJECTS:${name}-objects>)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()

# zcc_tablegen(TARGET td-file -gen-... output [-gen-... output]...)
function(zcc_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(TABLEGEN_OUTPUT)
  list(LENGTH ARGN n)
  math(EXPR last "${n} - 1")
  set(flags)
  foreach(i RANGE ${last})
    list(GET ARGN ${i} word)
    if(word MATCHES "\\.inc$")
      mlir_tablegen(${word} ${flags})
      set(flags)
    else()
      list(APPEND flags ${word})
    endif()
  endforeach()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
  set_property(GLOBAL APPEND PROPERTY ZCC_TABLEGEN ${target})
endfunction()
