# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sanitizers in parts (docs/building.md): the folders of ZCC_SANITIZE_PART are instrumented, and everything else is taken from
# the ordinary build, ZCC_ORDINARY. Unit tests are built with the code that they test.
set(ZCC_SANITIZE_PART "" CACHE STRING "The part that is instrumented: runtime, import, distribute, schedule, cpu or search")
set(ZCC_ORDINARY "${CMAKE_SOURCE_DIR}/build" CACHE PATH "The build that everything else is taken from")

set(zcc_part_runtime runtime tools/zrun test/cuda-stand-in test/unit/runtime)
set(zcc_part_import dialects passes/Import passes/Train test/unit/differentiate test/unit/train)
set(zcc_part_distribute passes/Distribute passes/Pipeline test/unit/distribute)
set(zcc_part_schedule passes/Schedule passes/Memory compiler/backend planning compiler/simulator compiler/emission
  test/unit/emission test/unit/planning test/unit/schedule)
set(zcc_part_cpu compiler/codegen compiler/cpu compiler/cuda compiler/reference compiler/driver compiler/phases compiler/planner capi test/conformance test/unit/driver test/unit/codegen test/unit/optimizer test/unit/planner)
set(zcc_part_search passes/Distribute passes/Pipeline passes/Schedule compiler/driver compiler/phases compiler/planner planning test/unit/distribute test/unit/planner)
if(ZCC_SANITIZE_PART AND NOT zcc_part_${ZCC_SANITIZE_PART})
  message(FATAL_ERROR "ZCC_SANITIZE_PART: expected runtime, import, distribute, schedule, cpu or search, found ${ZCC_SANITIZE_PART}")
endif()

# zcc_in_part(RESULT FOLDER): sets RESULT to whether the folder's sources are built here.
function(zcc_in_part result path)
  set(in TRUE)
  if(ZCC_SANITIZE_PART)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${path})
    set(in FALSE)
    foreach(prefix ${zcc_part_${ZCC_SANITIZE_PART}})
      if("${folder}/" MATCHES "^${prefix}/")
        set(in TRUE)
      endif()
    endforeach()
  endif()
  set(${result} ${in} PARENT_SCOPE)
endfunction()

# zcc_static_library(NAME sources...): a static library of this build, or else that of the ordinary one. Sets ZCC_OWN to whether
# it is of this one, and ZCC_PUBLIC to the keyword by which others are linked to it.
function(zcc_static_library name)
  zcc_in_part(own ${CMAKE_CURRENT_SOURCE_DIR})
  if(own)
    add_library(${name} STATIC ${ARGN})
    set(ZCC_PUBLIC PUBLIC PARENT_SCOPE)
  else()
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${ZCC_ORDINARY}/lib/lib${name}.a)
    set(ZCC_PUBLIC INTERFACE PARENT_SCOPE)
  endif()
  set(ZCC_OWN ${own} PARENT_SCOPE)
endfunction()

# zcc_ordinary_programs(NAMES...): programs of the ordinary build, where tests look for them.
function(zcc_ordinary_programs)
  file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  foreach(name ${ARGN})
    file(CREATE_LINK ${ZCC_ORDINARY}/bin/${name} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} SYMBOLIC)
  endforeach()
endfunction()

# The libraries of the runtime and zrun, as the ordinary build has them.
function(zcc_ordinary_runtime)
  include(${CMAKE_SOURCE_DIR}/runtime/protobuf.cmake)
  set(format zcc_protobuf)
  set(core zcc_runtime_format)
  set(comm zcc_runtime_core ${CMAKE_DL_LIBS})
  set(launch zcc_runtime_comm)
  set(reference zcc_runtime_launch)
  set(cpu zcc_runtime_launch)
  set(cuda zcc_runtime_launch)
  set(data zcc_runtime_core)
  set(checkpoint zcc_runtime_data)
  set(train zcc_runtime_cpu zcc_runtime_cuda zcc_runtime_reference zcc_runtime_checkpoint)
  foreach(name format core comm launch reference cpu cuda data checkpoint train)
    add_library(zcc_runtime_${name} STATIC IMPORTED GLOBAL)
    set_target_properties(zcc_runtime_${name} PROPERTIES
      IMPORTED_LOCATION ${ZCC_ORDINARY}/lib/libzcc_runtime_${name}.a
      INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_SOURCE_DIR};${ZCC_ORDINARY}/runtime/generated"
      INTERFACE_LINK_LIBRARIES "${${name}}")
  endforeach()
  add_executable(zrun IMPORTED GLOBAL)
  set_target_properties(zrun PROPERTIES IMPORTED_LOCATION ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/zrun)
  zcc_ordinary_programs(zrun libzcc-mpi.so libzcc-gloo.so)
  file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  file(CREATE_LINK ${ZCC_ORDINARY}/lib/libzcc-cuda-stand-in.so ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libzcc-cuda-stand-in.so SYMBOLIC)
endfunction()
