// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a safetensors file whole or not at all. The room is reserved before it
// is mapped, so that a full disk is an error here and not a signal later.

#include "runtime/data/SafeTensorsWriter.h"

#include "runtime/core/Error.h"
#include "runtime/data/SafeTensors.h"
#include "runtime/format/Mesh.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

void checkWritable(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    badInput(path, ": cannot write: not a regular file");
  if (access(folderOf(path).c_str(), W_OK | X_OK) != 0)
    badInput(path, ": cannot write into its folder: ", std::strerror(errno));
}

std::string
safeTensorsHeader(const std::vector<SafeTensorsWriter::Entry> &entries,
                  std::vector<size_t> &offsets, size_t &dataSize,
                  const std::map<std::string, std::string> &metadata) {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"";
  for (const auto &[key, value] : metadata)
    header += text(",", jsonText(key), ":", jsonText(value));
  header += "}";
  dataSize = 0;
  for (const auto &entry : entries) {
    size_t bytes = volume(entry.shape) * byteSize(entry.type);
    header +=
        text(",", jsonText(entry.name), ":{\"dtype\":\"", dtypeName(entry.type),
             "\",\"shape\":", entry.shape, ",\"data_offsets\":[", dataSize, ",",
             dataSize + bytes, "]}");
    offsets.push_back(dataSize);
    dataSize += bytes;
  }
  header += "}";
  // Data begin on a cache line.
  while ((header.size() + 8) % 64 != 0)
    header += ' ';
  uint64_t size = header.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof(size)) +
         header;
}

SafeTensorsWriter::SafeTensorsWriter(
    const std::string &path, const std::vector<Entry> &entries,
    const std::map<std::string, std::string> &metadata)
    : path(path), temporary(path + ".XXXXXX") {
  checkWritable(path);
  size_t dataSize;
  std::string header = safeTensorsHeader(entries, offsets, dataSize, metadata);
  length = header.size() + dataSize;
  for (size_t &offset : offsets)
    offset += header.size();

  fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0)
    badInput(path, ": cannot write: ", std::strerror(errno));
  mode_t mask = umask(0);
  umask(mask);
  (void)fchmod(fd, 0666 & ~mask);
  if (int error = posix_fallocate(fd, 0, off_t(length)))
    failWith(text("cannot reserve ", length, " bytes"), error);
  void *map = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    failWith("cannot map", errno);
  base = static_cast<char *>(map);
  std::memcpy(base, header.data(), header.size());
}

void SafeTensorsWriter::failWith(const std::string &what, int error) {
  if (base)
    munmap(base, length);
  base = nullptr;
  if (fd >= 0)
    close(fd);
  fd = -1;
  unlink(temporary.c_str());
  fail(path, ": ", what, ": ", std::strerror(error));
}

SafeTensorsWriter::~SafeTensorsWriter() {
  if (fd < 0)
    return;
  if (base)
    munmap(base, length);
  close(fd);
  unlink(temporary.c_str());
}

void SafeTensorsWriter::commit() {
  if (msync(base, length, MS_SYNC) != 0 || fsync(fd) != 0)
    failWith("cannot write", errno);
  munmap(base, length);
  base = nullptr;
  if (rename(temporary.c_str(), path.c_str()) != 0)
    failWith("cannot rename the temporary file", errno);
  close(fd);
  fd = -1;
}

} // namespace zcc::rt
