// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that appear whole or not at all, one or several together.
#ifndef ZCC_COMPILER_DRIVER_OUTPUTFILE_H
#define ZCC_COMPILER_DRIVER_OUTPUTFILE_H

#include <string>
#include <vector>

namespace zcc {
// Writes `bytes` to `path` by way of a temporary file beside it; `-` is
// standard output. Returns an error message, or "".
std::string writeFile(const std::string &path, const std::string &bytes);

// Why no file can be put at `path`, as far as that can be told before; or "".
std::string checkPlace(const std::string &path);

// Files that belong together: each waits beside its place until all are
// written. What was not put in place leaves nothing behind.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  ~OutputFiles();

  // An error message, or "".
  std::string add(const std::string &path, std::string bytes);
  // Puts all in their places, the one that was added first last. An error
  // message, or "".
  std::string commit();

private:
  struct File {
    std::string path;
    std::string temporary; // "": no regular file, `bytes` go there at the end
    std::string bytes;
  };
  std::vector<File> files;
};
} // namespace zcc

#endif
