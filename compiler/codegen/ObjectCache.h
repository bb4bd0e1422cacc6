// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of kernels that were compiled before, in a folder that several
// compilations may use at a time. LLVM takes most of the time of a compilation,
// and programs of one model on other meshes have many kernels in common.
#ifndef ZCC_COMPILER_CODEGEN_OBJECTCACHE_H
#define ZCC_COMPILER_CODEGEN_OBJECTCACHE_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace zcc {

class ObjectCache {
public:
  /// The cache of a folder; without one ("") nothing is found or kept.
  ObjectCache() = default;
  explicit ObjectCache(std::string folder) : folder(std::move(folder)) {}

  /// Makes the folder if there is none. Returns an error message, or "".
  std::string prepare() const;

  /// Returns a key of all that the object depends on: the module as it is
  /// before it is optimized, the processor, and this build of the compiler.
  static std::string keyOf(const llvm::Module &module,
                           const llvm::TargetMachine &machine);

  bool isOn() const { return !folder.empty(); }
  /// Returns the object; nothing if there is none, or if its file is damaged.
  std::optional<std::string> find(llvm::StringRef key) const;
  /// Keeps an object. If the disk has no room, it is not kept.
  void keep(llvm::StringRef key, llvm::StringRef object) const;

private:
  std::string pathOf(llvm::StringRef key) const;

  std::string folder;
};

} // namespace zcc

#endif
