// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file that appears whole or not at all: it is written under another
// name beside its own, which it takes at the end. For checkpoints, where a
// whole folder appears at once, see Folder.h.

#ifndef ZCC_RUNTIME_DATA_NEWFILE_H
#define ZCC_RUNTIME_DATA_NEWFILE_H

#include <string>
#include <string_view>

namespace zcc::rt {

class NewFile {
public:
  /// Makes the temporary file; throws bad input if `path` cannot become a file.
  explicit NewFile(const std::string &path);
  /// Removes the temporary file unless commit() was called.
  ~NewFile();
  NewFile(const NewFile &) = delete;

  /// Open for reading and writing until commit().
  int descriptor() const { return fd; }
  const std::string &path() const { return name; }

  /// Gives the file its name; replaces an existing file. `lasting` waits until
  /// the contents are on the disk. Throws a failure after removing the file.
  void commit(bool lasting);

private:
  const std::string name;
  std::string temporary;
  int fd = -1;
};

/// Makes a file of these bytes. A pipe or a device is written directly, as no
/// file can be made beside it. Throws bad input if it cannot be opened, a
/// failure if writing fails.
void writeNewFile(const std::string &path, std::string_view bytes);

/// Throws bad input if `path` cannot become a file. Call it before hours of
/// work whose result goes there. `special` allows a pipe or a device.
void checkWritable(const std::string &path, bool special = false);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_NEWFILE_H
