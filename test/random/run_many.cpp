// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs zcc many times, each time in a process of its own that is forked from
// this one, so that the libraries are loaded only once: loading takes most of
// the time of a short run. A line of standard input is a run: the file for its
// output, its limit of processor seconds, and zcc's arguments, between tabs.
// Its exit status, or minus the signal that ended it, is a line of standard
// output.
#include "compiler/driver/Driver.h"
#include "tools/zcc/CommandLine.h"
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static int runOnce(std::vector<std::string> &fields) {
  int out = open(fields[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(out, 1);
  dup2(out, 2);
  // The limit is on processor time, so that a busy machine does not look like a
  // hang. A process that waits forever is ended, too.
  rlim_t seconds = std::stoul(fields[1]);
  rlimit limit{seconds, seconds + 1};
  setrlimit(RLIMIT_CPU, &limit);
  alarm(static_cast<unsigned>(30 * seconds));
  std::vector<char *> arguments;
  fields[1] = "zcc";
  for (size_t i = 1; i < fields.size(); ++i)
    arguments.push_back(fields[i].data());
  zcc::CommandLine commandLine;
  if (std::optional<int> status = commandLine.parse(
          static_cast<int>(arguments.size()), arguments.data()))
    return *status;
  zcc::CompileRequest request;
  if (std::string message = commandLine.makeRequest(request);
      !message.empty()) {
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return 2;
  }
  return zcc::compile(std::move(request));
}

int main() {
  std::string line, field;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    while (std::getline(parts, field, '\t'))
      fields.push_back(field);
    pid_t child = fork();
    if (child == 0) {
      int status = runOnce(fields);
      std::fflush(nullptr);
      _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("%d\n",
                WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    std::fflush(stdout);
  }
}
