// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is the hash of an object and the object. It is written under another
// name and renamed, so that it is whole or not there.
#include "compiler/codegen/ObjectCache.h"
#include "runtime/format/OwnFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <cassert>

namespace zcc {

constexpr size_t hashLength = 64;

static std::string hashOf(llvm::StringRef bytes) {
  std::string hash =
      llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)),
                  /*LowerCase=*/true);
  assert(hash.size() == hashLength);
  return hash;
}

// Another build of the compiler may make another object of the same module.
static const std::string &thisBuild() {
  static const std::string build = [] {
    std::string text = LLVM_VERSION_STRING;
    llvm::sys::fs::file_status status;
    std::string path =
        rt::fileOfCode(reinterpret_cast<const void *>(&thisBuild));
    if (!llvm::sys::fs::status(path, status))
      text += " " + std::to_string(status.getSize()) + " " +
              std::to_string(
                  status.getLastModificationTime().time_since_epoch().count());
    return text;
  }();
  return build;
}

std::string ObjectCache::prepare() const {
  if (!isOn())
    return "";
  if (std::error_code wrong = llvm::sys::fs::create_directories(folder))
    return "cannot make the folder '" + folder + "': " + wrong.message();
  return "";
}

std::string ObjectCache::keyOf(const llvm::Module &module,
                               const llvm::TargetMachine &machine) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  stream << thisBuild() << '\0' << machine.getTargetTriple().str() << '\0'
         << machine.getTargetCPU() << '\0' << machine.getTargetFeatureString()
         << '\0';
  llvm::WriteBitcodeToFile(module, stream);
  return hashOf(bytes);
}

std::string ObjectCache::pathOf(llvm::StringRef key) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, key + ".o");
  return path.str().str();
}

std::optional<std::string> ObjectCache::find(llvm::StringRef key) const {
  auto file = llvm::MemoryBuffer::getFile(pathOf(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!isOn() || !file)
    return std::nullopt;
  llvm::StringRef bytes = (*file)->getBuffer();
  llvm::StringRef object = bytes.substr(hashLength);
  if (bytes.take_front(hashLength) != hashOf(object))
    return std::nullopt;
  return object.str();
}

void ObjectCache::keep(llvm::StringRef key, llvm::StringRef object) const {
  if (!isOn())
    return;
  // TempFile would install LLVM's signal handlers, and an alternate stack for
  // the thread that comes first, which ends with the thread. A library leaves
  // both alone.
  int descriptor = 0;
  llvm::SmallString<128> made;
  if (llvm::sys::fs::createUniqueFile(pathOf(key) + ".%%%%%%%%", descriptor,
                                      made))
    return;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << hashOf(object) << object;
  stream.close();
  bool written = !stream.has_error();
  stream.clear_error();
  if (!written || llvm::sys::fs::rename(made, pathOf(key)))
    llvm::sys::fs::remove(made);
}

} // namespace zcc
