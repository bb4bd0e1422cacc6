// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a safetensors file that appears whole or not at all: a temporary file
// beside it takes its name at the end. Tensors are filled box by box, by any
// thread, in memory that is mapped to the file.

#ifndef ZCC_RUNTIME_DATA_SAFETENSORSWRITER_H
#define ZCC_RUNTIME_DATA_SAFETENSORSWRITER_H

#include "runtime/data/NewFile.h"
#include "runtime/format/ElementType.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace zcc::rt {

class SafeTensorsWriter {
public:
  struct Entry {
    std::string name;
    ElementType type;
    std::vector<int64_t> shape;
  };

  /// Fails at once if the file cannot be made or the disk has no room for it.
  /// Tensors begin as zeros.
  SafeTensorsWriter(const std::string &path, const std::vector<Entry> &entries,
                    const std::map<std::string, std::string> &metadata = {});
  /// Removes the temporary file unless commit() was called.
  ~SafeTensorsWriter();
  SafeTensorsWriter(const SafeTensorsWriter &) = delete;

  char *data(size_t entry) const { return base + offsets[entry]; }
  /// Publishes the file.
  void commit();

private:
  NewFile file;
  char *base = nullptr;
  size_t length = 0;
  std::vector<size_t> offsets;
};

/// Returns the begin of a file of these tensors: the length and the header. The
/// offsets of the tensors count from its end.
std::string
safeTensorsHeader(const std::vector<SafeTensorsWriter::Entry> &entries,
                  std::vector<size_t> &offsets, size_t &dataSize,
                  const std::map<std::string, std::string> &metadata = {});

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_SAFETENSORSWRITER_H
