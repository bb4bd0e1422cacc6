# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Protobuf from its static archive where there is one: zrun is copied to clusters as a single file. Everything that links
# zcc_runtime_format must take protobuf from here, so that one program holds one copy of it.
if(NOT TARGET zcc_protobuf)
  if(NOT Protobuf_PROTOC_EXECUTABLE)
    find_program(Protobuf_PROTOC_EXECUTABLE protoc REQUIRED)
  endif()
  find_library(ZCC_PROTOBUF_LIBRARY NAMES libprotobuf.a protobuf REQUIRED)
  find_path(ZCC_PROTOBUF_INCLUDE_DIR google/protobuf/message.h REQUIRED)
  find_package(Threads REQUIRED)
  add_library(zcc_protobuf INTERFACE)
  target_link_libraries(zcc_protobuf INTERFACE ${ZCC_PROTOBUF_LIBRARY} Threads::Threads)
  target_include_directories(zcc_protobuf SYSTEM INTERFACE ${ZCC_PROTOBUF_INCLUDE_DIR})
endif()
