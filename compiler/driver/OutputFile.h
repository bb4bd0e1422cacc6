// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes files that appear whole or not at all, one or several together.
#ifndef ZCC_COMPILER_DRIVER_OUTPUTFILE_H
#define ZCC_COMPILER_DRIVER_OUTPUTFILE_H

#include <string>
#include <vector>

namespace zcc {
// Writes `bytes` to `path` through a temporary file beside it; `-` is standard
// output. Returns an error message, or "".
std::string writeFile(const std::string &path, const std::string &bytes);

// Returns why no file can be written to `path`, as far as that is known before,
// or "".
std::string checkPlace(const std::string &path);

// Files that belong together: each is written beside its final place until all
// are complete. If they are not committed, nothing is left behind.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  ~OutputFiles();

  // Adds a file. Returns an error message, or "".
  std::string add(const std::string &path, std::string bytes);
  // Moves all files to their final places, the one that was added first last.
  // Returns an error message, or "".
  std::string commit();

private:
  struct File {
    std::string path;
    // "" if it is no regular file; commit() then writes `bytes`
    std::string temporary;
    std::string bytes;
  };
  std::vector<File> files;
};
} // namespace zcc

#endif
