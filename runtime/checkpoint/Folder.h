// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of a run's checkpoints: "step-000000010" for each, "lock" for the
// run that writes there, and "writing-..." for what is not finished, or not
// wanted any more. Only renames make and unmake a checkpoint.

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
/// The steps of which there are checkpoints, whole or not, ascending; nothing
/// if the folder does not exist. Throws a failure if it cannot be read.
std::vector<int64_t> listSteps(const std::string &folder);
/// Whether `path` is a folder.
bool isFolder(const std::string &path);

/// Makes the folder, and those above it; throws bad input if it cannot be.
void makeFolder(const std::string &path);
/// Removes a file, or a folder and all in it; what cannot be removed stays.
void removeAll(const std::string &path);
/// Removes what runs that were killed have left.
void removeUnfinished(const std::string &folder);
/// Makes renames in the folder last; an error text if the system says so.
std::string syncFolder(const std::string &path);
/// Writes a file and makes it last. An error text, or nothing; the file is not
/// removed then. With `direct`, past the page cache where the system can, which
/// takes half of the time of a core; `data` begins a page then, and what
/// follows it in its last page can be read.
std::string writeWholeFile(const std::string &path, std::string_view data,
                           bool direct = false);
/// Puts `from` in the place of `to`, which is removed if it exists. An error
/// text, or nothing; `to` stays what it was then.
std::string replaceFolder(const std::string &from, const std::string &to,
                          const std::string &aside);

/// Held while a run writes checkpoints into a folder.
class FolderLock {
public:
  /// Throws bad input that names who holds it.
  explicit FolderLock(const std::string &folder);
  ~FolderLock();
  FolderLock(const FolderLock &) = delete;

private:
  int fd = -1;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_FOLDER_H
