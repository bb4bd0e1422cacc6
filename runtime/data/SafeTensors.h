// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the safetensors format: a u64 length, a JSON header with the type,
// shape and place of every tensor, then the data. Everything in the header is
// checked before it is used.

#ifndef ZCC_RUNTIME_DATA_SAFETENSORS_H
#define ZCC_RUNTIME_DATA_SAFETENSORS_H

#include "runtime/data/MappedFile.h"
#include "runtime/format/ElementType.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace zcc::rt {

/// A tensor in memory that somebody else owns.
struct TensorView {
  ElementType type = ElementType::Invalid;
  std::vector<int64_t> shape;
  const char *data = nullptr;
  size_t bytes = 0;
};

using TensorMap = std::map<std::string, TensorView>;

/// "F32" and so on; Invalid and null for types that the runtime lacks.
ElementType elementTypeOfDtype(const std::string &dtype);
const char *dtypeName(ElementType type);

/// The tensors of a file in memory. Errors begin with `name`.
TensorMap
parseSafeTensors(const std::string &name, const char *data, size_t size,
                 std::map<std::string, std::string> *metadata = nullptr);

/// One file, or a set of files by its index (*.index.json).
class SafeTensors {
public:
  explicit SafeTensors(const std::string &path);

  const std::string &path() const { return name; }
  const TensorMap &tensors() const { return all; }
  /// The "__metadata__" of a single file.
  const std::map<std::string, std::string> &metadata() const { return facts; }

private:
  void readIndex();

  std::string name;
  std::vector<std::unique_ptr<MappedFile>> files;
  TensorMap all;
  std::map<std::string, std::string> facts;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_SAFETENSORS_H
