// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file form of an executable. The checksum covers every byte but the magic
// and itself, and the magic is compared, so that no flipped bit goes unseen and
// protobuf never parses damaged bytes.

#include "runtime/format/ExecutableFile.h"

#include "runtime/format/Text.h"
#include "runtime/format/Validate.h"
#include "runtime/format/executable.pb.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

static constexpr char magic[8] = {'Z', 'C', 'C', 'E', 'X', 'E', '\r', '\n'};
static constexpr size_t frameStart = 8, checksumStart = 24, messageStart = 40;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "integers in the file are little endian");

static XXH128_canonical_t checksum(std::string_view bytes) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, bytes.data() + frameStart,
                      checksumStart - frameStart);
  XXH3_128bits_update(&state, bytes.data() + messageStart,
                      bytes.size() - messageStart);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  return canonical;
}

bool looksLikeExecutable(std::string_view bytes) {
  return bytes.size() >= sizeof(magic) &&
         std::memcmp(bytes.data(), magic, sizeof(magic)) == 0;
}

std::string serializeExecutable(const format::Executable &executable,
                                std::string &bytes) {
  size_t length = executable.ByteSizeLong();
  if (length > INT_MAX)
    return text("the executable has ", length, " bytes, at most ", INT_MAX,
                " fit in the file");
  bytes.assign(messageStart + length, '\0');
  std::memcpy(bytes.data(), magic, sizeof(magic));
  uint32_t version = executableVersion;
  uint64_t length64 = length;
  std::memcpy(bytes.data() + 8, &version, sizeof(version));
  std::memcpy(bytes.data() + 16, &length64, sizeof(length64));
  if (!executable.SerializeToArray(bytes.data() + messageStart,
                                   static_cast<int>(length)))
    return "the executable cannot be serialized";
  XXH128_canonical_t sum = checksum(bytes);
  std::memcpy(bytes.data() + checksumStart, sum.digest, sizeof(sum.digest));
  return "";
}

std::string parseExecutable(std::string_view bytes,
                            format::Executable &executable) {
  if (!looksLikeExecutable(bytes))
    return "not a zcc executable (wrong magic)";
  if (bytes.size() < messageStart)
    return text("truncated: ", bytes.size(), " bytes, the header alone has ",
                messageStart);
  uint32_t version, reserved;
  uint64_t length;
  std::memcpy(&version, bytes.data() + 8, sizeof(version));
  std::memcpy(&reserved, bytes.data() + 12, sizeof(reserved));
  std::memcpy(&length, bytes.data() + 16, sizeof(length));
  if (version != executableVersion)
    return text("version ", version, " of the format, expected ",
                executableVersion, ": compiled by ",
                version < executableVersion ? "an older" : "a newer",
                " zcc; compile the model again with the zcc of this zrun");
  if (reserved != 0)
    return "damaged: a reserved field is not zero";
  uint64_t present = bytes.size() - messageStart;
  if (length > present)
    return text("truncated: the message has ", length, " bytes, the file has ",
                present, " of them");
  if (length < present)
    return text("damaged: ", present - length, " bytes after the end");
  if (length > INT_MAX)
    return text("damaged: a message of ", length, " bytes");
  XXH128_canonical_t sum = checksum(bytes);
  if (std::memcmp(sum.digest, bytes.data() + checksumStart,
                  sizeof(sum.digest)) != 0)
    return "damaged: the checksum does not match";
  // Our caller reports errors; the library must not write to standard error.
  google::protobuf::LogSilencer silence;
  if (!executable.ParseFromArray(bytes.data() + messageStart,
                                 static_cast<int>(length)))
    return "damaged: the message cannot be decoded";
  return "";
}

std::string executableChecksum(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return "";
  char bytes[messageStart];
  bool good = pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes);
  close(fd);
  return good ? headerChecksum({bytes, sizeof(bytes)}) : "";
}

std::string headerChecksum(std::string_view bytes) {
  std::string digits;
  if (bytes.size() < messageStart)
    return digits;
  for (char byte : bytes.substr(checksumStart, messageStart - checksumStart))
    for (int half : {uint8_t(byte) >> 4, byte & 15})
      digits += "0123456789abcdef"[half];
  return digits;
}

std::string readExecutable(const std::string &path,
                           format::Executable &executable) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return text(path, ": cannot open: ", std::strerror(errno));
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    return text(path, ": not a regular file");
  }
  size_t size = status.st_size;
  if (size == 0) {
    close(fd);
    return text(path, ": not a zcc executable (empty file)");
  }
  void *map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (map == MAP_FAILED)
    return text(path, ": cannot map: ", std::strerror(errno));
  std::string error =
      parseExecutable({static_cast<const char *>(map), size}, executable);
  munmap(map, size);
  if (error.empty())
    error = validate(executable);
  return error.empty() ? "" : text(path, ": ", error);
}

} // namespace zcc::rt
