// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule of a pipeline by its name, as options and plans have it. The text
// is read once, by parseSchedule(); ScheduleGenerators.h says what the
// schedules do.
#ifndef ZCC_PLANNING_NAMEDSCHEDULE_H
#define ZCC_PLANNING_NAMEDSCHEDULE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

namespace zcc::planning {
struct ScheduleGenerator;

/// In the order of the names.
enum class ScheduleKind : uint8_t {
  OneForwardOneBackward,
  GPipe,
  Interleaved,
  ZeroBubbleH1,
  ZeroBubbleH2,
  ZeroBubbleV,
};

/// A schedule, or none: `auto`, which leaves the choice to others.
class NamedSchedule {
public:
  /// None.
  constexpr NamedSchedule() = default;
  /// `chunks`: those of a stage if the kind is Interleaved, whose name says
  /// how many. `group`: see countGroup(); 0 for as many as there are stages.
  constexpr NamedSchedule(ScheduleKind kind, int64_t chunks = 1,
                          int64_t group = 0)
      : named(true), kind(kind), chunks(chunks), group(group) {}

  /// Returns false if there is none.
  bool isNamed() const { return named; }
  /// Returns the generator; if there is none, that of `defaultSchedule`.
  const ScheduleGenerator &getGenerator() const;
  /// Returns the number of chunks of a stage; if there is none, that of
  /// `defaultSchedule`.
  int64_t countChunks() const;
  /// Returns how many microbatches a stage of that many runs of one chunk
  /// before it goes on to the next chunk, if the kind is Interleaved.
  int64_t countGroup(int64_t stages) const { return group ? group : stages; }
  /// Returns the text that parseSchedule() reads back.
  std::string print() const;

  auto parts() const { return std::tie(named, kind, chunks, group); }

private:
  bool named = false;
  ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
  int64_t chunks = 1, group = 0;
};

/// The schedule that passes take where none is named.
inline constexpr NamedSchedule
    defaultSchedule(ScheduleKind::OneForwardOneBackward);

/// Reads `auto` or the name of a schedule, as in `interleaved:4`, or, in groups
/// of 16 microbatches, `interleaved:4:16`. Returns an error text that lists the
/// names, or ""; after an error there is no schedule.
[[nodiscard]] std::string parseSchedule(std::string_view text,
                                        NamedSchedule &schedule);

} // namespace zcc::planning

#endif
