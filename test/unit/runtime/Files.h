// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for tests: a folder that goes away, safetensors, logs.

#ifndef ZCC_TEST_UNIT_RUNTIME_FILES_H
#define ZCC_TEST_UNIT_RUNTIME_FILES_H

#include "runtime/data/SafeTensors.h"
#include "runtime/data/SafeTensorsWriter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace zcc::rt::test {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "zrun-test-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder); }
  std::string operator/(const std::string &name) const {
    return folder + "/" + name;
  }
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

struct NamedTensor {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
};

template <typename T>
NamedTensor tensor(const std::string &name, ElementType type,
                   std::vector<int64_t> shape, const std::vector<T> &values) {
  NamedTensor t{name, type, std::move(shape), {}};
  t.bytes.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

inline void writeTensors(const std::string &path,
                         const std::vector<NamedTensor> &tensors) {
  std::vector<SafeTensorsWriter::Entry> entries;
  for (const NamedTensor &t : tensors)
    entries.push_back({t.name, t.type, t.shape});
  SafeTensorsWriter writer(path, entries);
  for (size_t i = 0; i < tensors.size(); ++i)
    std::copy(tensors[i].bytes.begin(), tensors[i].bytes.end(), writer.data(i));
  writer.commit();
}

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename T>
std::vector<T> values(const TensorMap &tensors, const std::string &name) {
  const TensorView &view = tensors.at(name);
  std::vector<T> out(view.bytes / sizeof(T));
  std::memcpy(out.data(), view.data, view.bytes);
  return out;
}

} // namespace zcc::rt::test

#endif // ZCC_TEST_UNIT_RUNTIME_FILES_H
