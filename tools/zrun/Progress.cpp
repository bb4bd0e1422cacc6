// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress on a terminal, and waits for data.

#include "tools/zrun/Progress.h"

#include "runtime/format/Text.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace zcc::rt {

/// "12.3k": three digits and a unit.
static std::string shortNumber(double value) {
  const char *unit = "";
  for (const char *larger : {"k", "M", "G"}) {
    if (value < 999.5)
      break;
    value /= 1000;
    unit = larger;
  }
  char out[32];
  std::snprintf(out, sizeof(out),
                value < 10      ? "%.2f%s"
                : value < 99.95 ? "%.1f%s"
                                : "%.0f%s",
                value, unit);
  return out;
}

static std::string lossText(double loss) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.5g", loss);
  return out;
}

std::string progressText(const ProgressState &state, int width) {
  std::string out = text("step ", state.step, "/", state.steps);
  if (state.loss)
    out += "  loss " + lossText(*state.loss);
  if (state.evaluationLoss)
    out += "  eval " + lossText(*state.evaluationLoss);
  out += "  " + shortNumber(state.tokensPerSecond) + " tokens/s";
  if (state.step < state.steps && std::isfinite(state.secondsLeft)) {
    auto left = int64_t(std::ceil(state.secondsLeft));
    char clock[64];
    std::snprintf(clock, sizeof(clock), "  %lld:%02lld:%02lld left",
                  (long long)(left / 3600), (long long)(left / 60 % 60),
                  (long long)(left % 60));
    out += clock;
  }
  // A line that wraps could not be written over.
  if (int(out.size()) > width)
    out.resize(size_t(std::max(width, 0)));
  return out;
}

static bool canGoBack() {
  const char *terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) && terminal && *terminal &&
         std::strcmp(terminal, "dumb") != 0;
}

Progress::Progress(bool enabled, int64_t done, int64_t steps)
    : enabled(enabled), goesBack(canGoBack()), done(done), start(Clock::now()),
      last(start) {
  state.steps = steps;
}

Progress::~Progress() { clear(); }

void Progress::show(int64_t step, std::optional<double> loss,
                    double tokensPerSecond) {
  if (!enabled)
    return;
  auto now = Clock::now();
  const std::chrono::milliseconds between(goesBack ? 100 : 10000);
  if (state.step != 0 && step != state.steps && now - last < between)
    return;
  last = now;
  state.step = step;
  state.loss = loss;
  state.tokensPerSecond = tokensPerSecond;
  double elapsed = std::chrono::duration<double>(now - start).count();
  state.secondsLeft =
      elapsed / double(step - done) * double(state.steps - step);
  if (!goesBack) {
    std::fprintf(stderr, "%s\n", progressText(state, INT_MAX).c_str());
    std::fflush(stderr);
    return;
  }
  winsize window{};
  int width = 80;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    width = window.ws_col;
  std::fprintf(stderr, "\r\033[K%s", progressText(state, width - 1).c_str());
  std::fflush(stderr);
  dirty = true;
}

void Progress::clear() {
  if (dirty)
    std::fputs("\n", stderr);
  dirty = false;
}

std::optional<std::string> DataWait::add(int64_t step, double seconds,
                                         double waited) {
  constexpr int64_t steps = 20;
  constexpr double longEnough = 10, worthWords = 0.5; // seconds
  if (told)
    return std::nullopt;
  if (first == 0) {
    first = step + 1; // the first step also waits for files to be opened
    return std::nullopt;
  }
  ++count;
  total += seconds;
  wait += waited;
  if (count < steps && total < longEnough)
    return std::nullopt;
  std::optional<std::string> warning;
  if (wait > total / 2 && wait > worthWords) {
    told = true;
    char share[16];
    std::snprintf(share, sizeof(share), "%.0f %%", 100 * wait / total);
    warning =
        text("steps ", first, " to ", step, " waited for their data ", share,
             " of the time; data_seconds in the log is what each waited");
  }
  first = step + 1;
  count = 0;
  total = wait = 0;
  return warning;
}

} // namespace zcc::rt
