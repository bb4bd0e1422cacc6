// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine code of an executable, loaded into this process.

#ifndef ZCC_RUNTIME_CPU_OBJECTCODE_H
#define ZCC_RUNTIME_CPU_OBJECTCODE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace zcc::rt {

/// See Kernel in executable.proto.
using KernelFunction = void (*)(void *const *buffers, int64_t begin,
                                int64_t end, void *scratch);

class ObjectCode {
public:
  /// Loads an ELF shared object from memory. Throws bad input if it cannot be
  /// loaded, and a failure if there is no room for it.
  explicit ObjectCode(std::string_view object);
  ~ObjectCode();
  ObjectCode(const ObjectCode &) = delete;

  /// Throws bad input if there is no such kernel.
  KernelFunction find(const std::string &symbol) const;

private:
  int file = -1;
  void *handle = nullptr;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_OBJECTCODE_H
