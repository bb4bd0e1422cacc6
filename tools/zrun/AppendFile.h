// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that a run adds to for days. A full disk must not end the run: records
// that cannot be written are left out whole, and the caller is told.

#ifndef ZCC_TOOLS_ZRUN_APPENDFILE_H
#define ZCC_TOOLS_ZRUN_APPENDFILE_H

#include <cstdint>
#include <string>

namespace zcc::rt {

class AppendFile {
public:
  AppendFile() = default;
  AppendFile(const AppendFile &) = delete;
  ~AppendFile();
  /// `fd` is open for appending, and this object's from now on.
  void open(const std::string &path, int fd);

  bool isOpen() const { return fd >= 0; }
  int descriptor() const { return fd; }
  const std::string &path() const { return name; }

  /// In one write where the file takes it, so that readers see whole records.
  void add(const std::string &record);
  /// Makes the records last.
  void sync();
  /// Returns the error once for each time that writing begins to fail; else "".
  std::string takeProblem();
  /// Throws if a record is missing.
  void check() const;

private:
  std::string name, problem;
  int fd = -1;
  int64_t missing = 0; // records
  bool fails = false;  // the last one
  bool told = true;    // `problem` was returned already
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_APPENDFILE_H
