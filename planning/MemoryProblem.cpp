// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conflicts, the lower bound and the verifier of memory placements. The
// verifier sweeps over time and keeps the live buffers sorted by offset, so
// that overlaps show between neighbors.

#include "planning/MemoryProblem.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_map>

namespace zcc::planning {

bool conflict(const MemoryBuffer &a, const MemoryBuffer &b) {
  auto i = a.live.begin(), iEnd = a.live.end();
  auto j = b.live.begin(), jEnd = b.live.end();
  while (i != iEnd && j != jEnd) {
    if (i->lower < j->upper && j->lower < i->upper)
      return true;
    if (i->upper <= j->upper)
      ++i;
    else
      ++j;
  }
  return false;
}

void normalize(std::vector<Interval> &live) {
  std::sort(live.begin(), live.end(), [](const Interval &a, const Interval &b) {
    return std::tie(a.lower, a.upper) < std::tie(b.lower, b.upper);
  });
  size_t kept = 0;
  for (size_t i = 1; i < live.size(); ++i)
    if (live[i].lower <= live[kept].upper)
      live[kept].upper = std::max(live[kept].upper, live[i].upper);
    else
      live[++kept] = live[i];
  if (!live.empty())
    live.resize(kept + 1);
}

namespace {
struct Event {
  int64_t time;
  bool starts;
  size_t buffer;
  // Ends come before starts: intervals are half open.
  bool operator<(const Event &other) const {
    return std::tie(time, starts, buffer) <
           std::tie(other.time, other.starts, other.buffer);
  }
};
} // namespace

static std::vector<Event> events(const MemoryProblem &problem) {
  std::vector<Event> out;
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    for (const Interval &live : problem.buffers[i].live)
      if (live.lower < live.upper) {
        out.push_back({live.lower, true, i});
        out.push_back({live.upper, false, i});
      }
  std::sort(out.begin(), out.end());
  return out;
}

int64_t lowerBound(const MemoryProblem &problem) {
  int64_t live = 0, most = 0;
  for (const Event &event : events(problem)) {
    int64_t size = problem.buffers[event.buffer].size;
    live += event.starts ? size : -size;
    most = std::max(most, live);
  }
  return most;
}

std::string verifyPlacement(const MemoryProblem &problem,
                            const MemoryPlacement &placement) {
  const std::vector<MemoryBuffer> &buffers = problem.buffers;
  const std::vector<int64_t> &offsets = placement.offsets;
  if (offsets.size() != buffers.size())
    return "the placement has " + std::to_string(offsets.size()) +
           " offsets, the problem " + std::to_string(buffers.size()) +
           " buffers";
  int64_t height = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (offsets[i] < 0 || offsets[i] % problem.alignment != 0)
      return "buffer " + buffers[i].id + " is at " +
             std::to_string(offsets[i]) + ", expected a multiple of " +
             std::to_string(problem.alignment);
    height = std::max(height, offsets[i] + buffers[i].size);
  }
  if (height != placement.height)
    return "the buffers end at " + std::to_string(height) +
           ", the placement says " + std::to_string(placement.height);

  std::map<int64_t, size_t> live; // offset -> buffer
  for (const Event &event : events(problem)) {
    size_t at = event.buffer;
    if (buffers[at].size == 0)
      continue;
    if (!event.starts) {
      live.erase(offsets[at]);
      continue;
    }
    auto clash = [&](size_t other) {
      return "buffers " + buffers[other].id + " and " + buffers[at].id +
             " overlap at time " + std::to_string(event.time);
    };
    auto [place, isNew] = live.insert({offsets[at], at});
    if (!isNew)
      return clash(place->second);
    if (auto next = std::next(place);
        next != live.end() && offsets[at] + buffers[at].size > next->first)
      return clash(next->second);
    if (place != live.begin()) {
      auto before = std::prev(place);
      if (before->first + buffers[before->second].size > offsets[at])
        return clash(before->second);
    }
  }
  return {};
}

/// Splits a line at commas.
static std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> out;
  while (true) {
    size_t comma = line.find(',');
    out.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos)
      return out;
    line.remove_prefix(comma + 1);
  }
}

static bool parseNumber(std::string_view text, int64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string parseMemoryProblem(std::string_view csv, MemoryProblem &problem) {
  problem = {};
  const std::string_view names[] = {"id", "lower", "upper", "size"};
  int column[] = {-1, -1, -1, -1};
  std::unordered_map<std::string, size_t> byId;
  int number = 0;
  int64_t total = 0;
  while (!csv.empty()) {
    size_t newline = csv.find('\n');
    std::string_view line = csv.substr(0, newline);
    csv.remove_prefix(newline == std::string_view::npos ? csv.size()
                                                        : newline + 1);
    ++number;
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (line.empty())
      continue;
    std::vector<std::string_view> row = fields(line);
    std::string where = "line " + std::to_string(number) + ": ";
    if (column[0] < 0) {
      for (int i = 0; i < 4; ++i) {
        auto at = std::find(row.begin(), row.end(), names[i]);
        if (at == row.end())
          return where +
                 "expected a header with the columns id, lower, upper, "
                 "size; no column '" +
                 std::string(names[i]) + "'";
        column[i] = static_cast<int>(at - row.begin());
      }
      continue;
    }
    int64_t values[4] = {};
    for (int i = 0; i < 4; ++i) {
      if (static_cast<size_t>(column[i]) >= row.size())
        return where + "no field '" + std::string(names[i]) + "'";
      if (i > 0 && !parseNumber(row[column[i]], values[i]))
        return where + "'" + std::string(row[column[i]]) +
               "' is not an integer";
    }
    // Differences of times, offsets and their sums stay within 64 bits.
    constexpr int64_t most = int64_t(1) << 60;
    if (values[1] < -most || values[2] > most)
      return where + "lower and upper are expected between -2^60 and 2^60";
    if (values[1] >= values[2])
      return where + "lower " + std::to_string(values[1]) +
             " is not below upper " + std::to_string(values[2]);
    if (values[3] < 0)
      return where + "negative size " + std::to_string(values[3]);
    std::string id(row[column[0]]);
    auto [at, isNew] = byId.insert({id, problem.buffers.size()});
    if (isNew) {
      problem.buffers.push_back({id, values[3], {}});
      if (values[3] > most - total)
        return where + "the sizes of all buffers are more than 2^60 together";
      total += values[3];
    }
    MemoryBuffer &buffer = problem.buffers[at->second];
    if (buffer.size != values[3])
      return where + "buffer " + id + " has size " + std::to_string(values[3]) +
             ", before it had " + std::to_string(buffer.size);
    buffer.live.push_back({values[1], values[2]});
  }
  if (column[0] < 0)
    return "expected a header line with the columns id, lower, upper, size";
  for (MemoryBuffer &buffer : problem.buffers)
    normalize(buffer.live);
  return {};
}

std::string printPlacement(const MemoryProblem &problem,
                           const MemoryPlacement &placement) {
  std::string out = "id,lower,upper,size,offset\n";
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    for (const Interval &live : problem.buffers[i].live)
      out += problem.buffers[i].id + "," + std::to_string(live.lower) + "," +
             std::to_string(live.upper) + "," +
             std::to_string(problem.buffers[i].size) + "," +
             std::to_string(placement.offsets[i]) + "\n";
  return out;
}

} // namespace zcc::planning
