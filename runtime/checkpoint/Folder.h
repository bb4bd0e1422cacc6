// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of a run's checkpoints: "step-000000010" for each, "lock" for the
// run that writes there, and "writing-..." for folders that are unfinished, or
// to be removed. Only renames make and unmake a checkpoint.

#ifndef ZCC_RUNTIME_CHECKPOINT_FOLDER_H
#define ZCC_RUNTIME_CHECKPOINT_FOLDER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zcc::rt {

/// "FOLDER/step-000000010".
std::string stepFolder(const std::string &folder, int64_t step);
/// Returns the steps of all checkpoints, whole or not, ascending; nothing if
/// the folder does not exist. Throws a failure if it cannot be read.
std::vector<int64_t> listSteps(const std::string &folder);
/// Returns true if `path` is a folder.
bool isFolder(const std::string &path);

/// Makes the folder and its parents; throws bad input if it cannot.
void makeFolder(const std::string &path);
/// Removes a file, or a folder and all in it, as far as possible.
void removeAll(const std::string &path);
/// Removes temporary folders of runs that were killed.
void removeUnfinished(const std::string &folder);
/// Makes renames in the folder durable. Returns an error text, or an empty one.
std::string syncFolder(const std::string &path);
/// Writes a file durably. Returns an error text, or an empty one; on an error
/// the file stays. `direct` bypasses the page cache if the system can, which
/// saves half of a core's time. Then `data` must begin a page, and the bytes
/// after it in its last page must be readable.
std::string writeWholeFile(const std::string &path, std::string_view data,
                           bool direct = false);
/// Puts `from` in the place of `to`, which is removed if it exists. Returns an
/// error text, after which `to` is unchanged, or an empty one.
std::string replaceFolder(const std::string &from, const std::string &to,
                          const std::string &aside);

/// Held while a run writes checkpoints into a folder.
class FolderLock {
public:
  /// Throws bad input that names the holder if the folder is locked.
  explicit FolderLock(const std::string &folder);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;

private:
  int fd = -1;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_FOLDER_H
