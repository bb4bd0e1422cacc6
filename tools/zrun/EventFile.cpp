// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log as TensorBoard reads it.

#include "tools/zrun/EventFile.h"

#include "runtime/core/Error.h"
#include "tools/zrun/LogLine.h"
#include "tools/zrun/events.pb.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace zcc::rt {

uint32_t crc32c(std::string_view bytes) {
  // Byte by byte: a line of the log is a few hundred.
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> entries{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = value >> 1 ^ (value & 1 ? 0x82F63B78u : 0);
      entries[i] = value;
    }
    return entries;
  }();
  uint32_t crc = ~0u;
  for (unsigned char byte : bytes)
    crc = crc >> 8 ^ table[(crc ^ byte) & 255];
  return ~crc;
}

/// A checksum of data that hold checksums would be weak, hence the mask.
static uint32_t masked(std::string_view bytes) {
  uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}

template <typename T> static std::string littleEndian(T value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string tfRecord(std::string_view data) {
  std::string length = littleEndian(uint64_t(data.size()));
  return length + littleEndian(masked(length)) + std::string(data) +
         littleEndian(masked(data));
}

static events::Event newEvent(int64_t step) {
  events::Event event;
  event.set_wall_time(std::chrono::duration<double>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count());
  event.set_step(step);
  return event;
}

EventFile::EventFile(const std::string &folder, int64_t firstStep) {
  if (folder.empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    badInput("--tensorboard: ", folder, ": ", error.message());
  char host[256] = "host";
  (void)gethostname(host, sizeof(host) - 1);
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  // Readers take files in the order of their names; two runs may begin within
  // a second.
  for (int number = 0; !file.isOpen(); ++number) {
    std::string name = text(folder, "/events.out.tfevents.", seconds.count(),
                            ".", host, ".", getpid(), ".", number);
    int fd = open(name.c_str(),
                  O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0)
      file.open(name, fd);
    else if (errno != EEXIST)
      badInput("--tensorboard: ", name, ": ", std::strerror(errno));
  }
  events::Event version = newEvent(0);
  version.set_file_version("brain.Event:2");
  std::string records = tfRecord(version.SerializeAsString());
  if (firstStep > 1) {
    events::Event start = newEvent(firstStep);
    start.mutable_session_log()->set_status(events::SessionLog::START);
    records += tfRecord(start.SerializeAsString());
  }
  file.add(records);
}

void EventFile::add(const std::string &logLine) {
  if (!file.isOpen())
    return;
  LogLine line = parseLogLine(logLine);
  if (!line.step)
    return;
  events::Event event = newEvent(*line.step);
  for (const auto &[key, value] : line.values) {
    auto *entry = event.mutable_summary()->add_value();
    entry->set_tag(key);
    entry->set_simple_value(float(value));
  }
  file.add(tfRecord(event.SerializeAsString()));
}

} // namespace zcc::rt
