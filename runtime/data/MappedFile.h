// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is read through the page cache.

#ifndef ZCC_RUNTIME_DATA_MAPPEDFILE_H
#define ZCC_RUNTIME_DATA_MAPPEDFILE_H

#include <cstddef>
#include <string>

namespace zcc::rt {

class MappedFile {
public:
  /// Errors are bad input and begin with the path.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;

  const std::string &path() const { return name; }
  const char *data() const { return base; }
  size_t size() const { return length; }

  /// Tells the system that reads are at random places, so it does not read
  /// ahead.
  void readAtRandom() const;
  /// Releases the pages from this process (not from the page cache), so that
  /// data that was read once does not count as its memory.
  static void release(const char *from, size_t bytes);
  /// Asks the system to read ahead.
  static void prefetch(const char *from, size_t bytes);

private:
  std::string name;
  const char *base = nullptr;
  size_t length = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_MAPPEDFILE_H
