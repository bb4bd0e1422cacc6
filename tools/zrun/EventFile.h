// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log as TensorBoard reads it: a file of events in the TFRecord framing
// (length, masked CRC-32C of it, data, masked CRC-32C of them).

#ifndef ZCC_TOOLS_ZRUN_EVENTFILE_H
#define ZCC_TOOLS_ZRUN_EVENTFILE_H

#include "tools/zrun/AppendFile.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace zcc::rt {

/// CRC-32C (Castagnoli), as iSCSI defines it.
uint32_t crc32c(std::string_view bytes);

/// A record of a TFRecord file around `data`.
std::string tfRecord(std::string_view data);

class EventFile {
public:
  /// A new file in the folder, which is made if need be. With `firstStep` above
  /// 1 a resumed run goes on: TensorBoard then drops what earlier files say of
  /// that step and later ones. No folder: nothing is written.
  EventFile(const std::string &folder, int64_t firstStep);

  /// The numbers and booleans of a line of the log, each under its key.
  void add(const std::string &logLine);

  const std::string &path() const { return file.path(); }
  /// The file, which knows what could not be written.
  AppendFile &destination() { return file; }

private:
  AppendFile file;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_EVENTFILE_H
