// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a safetensors file whole or not at all. The room is reserved before it
// is mapped, so that a full disk is an error here and not a signal later.

#include "runtime/data/SafeTensorsWriter.h"

#include "runtime/core/Error.h"
#include "runtime/data/SafeTensors.h"
#include "runtime/format/Mesh.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>

namespace zcc::rt {

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
    : file(path) {
  size_t dataSize;
  std::string header = safeTensorsHeader(entries, offsets, dataSize, metadata);
  length = header.size() + dataSize;
  for (size_t &offset : offsets)
    offset += header.size();
  if (int error = posix_fallocate(file.descriptor(), 0, off_t(length)))
    fail(path, ": cannot reserve ", length, " bytes: ", std::strerror(error));
  void *map = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED,
                   file.descriptor(), 0);
  if (map == MAP_FAILED)
    fail(path, ": cannot map: ", std::strerror(errno));
  base = static_cast<char *>(map);
  std::memcpy(base, header.data(), header.size());
}

SafeTensorsWriter::~SafeTensorsWriter() {
  if (base)
    munmap(base, length);
}

void SafeTensorsWriter::commit() {
  if (msync(base, length, MS_SYNC) != 0)
    fail(file.path(), ": cannot write: ", std::strerror(errno));
  munmap(base, length);
  base = nullptr;
  file.commit(/*lasting=*/true);
}

} // namespace zcc::rt
