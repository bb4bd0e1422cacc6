// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that appears whole or not at all: written under another name beside
// its own, which it takes at the end. Folder.h has the files of checkpoints,
// where a whole folder appears at once.

#ifndef ZCC_RUNTIME_DATA_NEWFILE_H
#define ZCC_RUNTIME_DATA_NEWFILE_H

#include <string>
#include <string_view>

namespace zcc::rt {

class NewFile {
public:
  /// Makes the temporary file; throws bad input where `path` cannot become a
  /// file.
  explicit NewFile(const std::string &path);
  /// Without commit() nothing is left behind.
  ~NewFile();
  NewFile(const NewFile &) = delete;

  /// Open for reading and writing until commit().
  int descriptor() const { return fd; }
  const std::string &path() const { return name; }

  /// Gives the file its name, in place of what had it. `lasting`: once the
  /// contents are on the disk. Throws a failure, and then nothing is left.
  void commit(bool lasting);

private:
  const std::string name;
  std::string temporary;
  int fd = -1;
};

/// Makes a file of these bytes. A pipe or a device gets them as they are: there
/// is no place beside it. Throws bad input where it cannot be opened, a failure
/// where the writing fails.
void writeNewFile(const std::string &path, std::string_view bytes);

/// Throws bad input if `path` cannot become a file: to be called before hours
/// of work whose result goes there. `special`: a pipe or a device will do.
void checkWritable(const std::string &path, bool special = false);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_NEWFILE_H
