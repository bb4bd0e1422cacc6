# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what the documentation shows, and compares what it prints with what the documentation says.

    run.py REPOSITORY BIN_FOLDER PAGE...

Every code block of a page is run, in the page's order and in one shell, in a folder that has the repository's files and
`build`, with the built programs on the path. A block is a session (its commands begin with `$ `, what follows is their output, see
compare.py), or a comment right before it says what it is:

    <!-- commands -->             commands without output
    <!-- output of: COMMANDS -->  what these commands print (JSON objects: are among what they print)
    <!-- file: NAME -->           a file that later blocks read
    <!-- first: COMMANDS -->      beside another kind: run before the block
    <!-- then: COMMANDS -->       likewise: run after it
    <!-- not run: REASON -->

A block that is none of these is an error. A command may fail only where the page shows an error.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from blocks import blocks, commands, session
from compare import missing, missing_json

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from kernels import kernel_cache

LIMIT = 300  # seconds of a command


class Shell:
    """A shell in a folder of the page's own, as a user has after cloning and building."""

    def __init__(self, repository, programs):
        self.folder = tempfile.mkdtemp(prefix="zcc-documentation-")
        for name in os.listdir(repository):
            if not name.startswith(("build", "dist", "quickstart-out", ".git")):
                os.symlink(os.path.join(repository, name), os.path.join(self.folder, name))
        os.symlink(os.path.dirname(programs), os.path.join(self.folder, "build"))
        # The programs that quickstart builds are built already.
        stubs = os.path.join(self.folder, ".stubs")
        os.mkdir(stubs)
        for name in ("cmake", "ninja"):
            os.symlink(shutil.which("true"), os.path.join(stubs, name))
        # zcc has many kernels of its models from other tests.
        zcc = os.path.join(stubs, "zcc")
        with open(zcc, "w") as f:
            f.write(f'#!/bin/sh\nexec {shlex.quote(programs)}/zcc "$@" {shlex.quote(kernel_cache(programs))}\n')
        os.chmod(zcc, 0o755)
        environment = dict(os.environ, PATH=f"{stubs}:{programs}:{os.environ['PATH']}", TERM="dumb", LC_ALL="C.UTF-8",
                           OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.bash = subprocess.Popen(["timeout", "--foreground", "900", "bash"], cwd=self.folder, env=environment, text=True, errors="replace",
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, command):
        """(status, output), standard output and error as they come."""
        end = "@@@ end of a command @@@"
        self.bash.stdin.write("{ " + command + "\n} </dev/null 2>&1; echo; echo '" + end + "' $?\n")
        self.bash.stdin.flush()
        out = []
        for line in self.bash.stdout:
            if line.startswith(end):
                return int(line.split()[-1]), "".join(out)
            out.append(line)
        raise RuntimeError("the shell ended at: " + command)

    def close(self):
        self.bash.stdin.close()
        self.bash.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def shortened(text):
    lines = text.split("\n")
    return text if len(lines) <= 120 else "\n".join(lines[:80] + ["[...]"] + lines[-40:])


class Page:
    def __init__(self, repository, programs, name):
        self.name, self.shell = name, Shell(repository, programs)
        with open(os.path.join(repository, name)) as f:
            self.blocks = blocks(name, f.read())
        self.failures, self.ran, self.left = [], 0, 0

    def fail(self, block, message):
        self.failures.append(f"{block.place}: error: {message}")

    def execute(self, block, text, may_fail=False):
        """The output of commands, each of which must succeed unless a failure is what the page shows."""
        outputs = []
        for command in commands(text.split("\n")):
            status, output = self.shell.run(command)
            if status and not may_fail:
                self.fail(block, f"status {status} of: {command}\n{output[-2000:]}")
            outputs.append(output)
        return "".join(outputs)

    def compare(self, block, command, said, output):
        if said and said[0].startswith("{") and "..." not in said:
            line = missing_json(said, output)
        else:
            line = missing(said, output, own_machine="--machine" not in command)
        if line is not None:
            self.fail(block, f"not printed: {line}\n  by: {command}\n  which printed:\n{shortened(output)}")

    def run_block(self, block):
        reason = block.comment("not run")
        if reason is not None:
            self.left += 1
            if not reason:
                self.fail(block, "expected a reason: <!-- not run: REASON -->")
            return
        self.ran += 1
        if block.comment("first"):
            self.execute(block, block.comment("first"))
        shown, name = block.comment("output of"), block.comment("file")
        if name:
            with open(os.path.join(self.shell.folder, name), "w") as f:
                f.write("\n".join(block.lines) + "\n")
        elif shown:
            wrong = any("error:" in line for line in block.lines)
            self.compare(block, shown, block.lines, self.execute(block, shown, may_fail=wrong))
        elif block.comment("commands") is not None:
            self.execute(block, "\n".join(block.lines))
        elif block.lines[0].startswith("$ "):
            for command, said in session(block):
                wrong = any("error:" in line for line in said)
                self.compare(block, command, said, self.execute(block, command, may_fail=wrong))
        else:
            self.ran -= 1
            self.fail(block, "a block without commands: see test/documentation/run.py for how to say what it is, or why it is not run")
        if block.comment("then"):
            self.execute(block, block.comment("then"))

    def run(self):
        try:
            for block in self.blocks:
                self.run_block(block)
        finally:
            self.shell.close()
        print(f"{self.name}: {self.ran} blocks run, {self.left} not")
        return self.failures


def main():
    repository, programs = map(os.path.abspath, sys.argv[1:3])
    failures = []
    for page in sys.argv[3:]:
        failures += Page(repository, programs, page).run()
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
