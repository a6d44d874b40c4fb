"""watched_tests.py LOG SECONDS COMMAND...: runs the tests, copies what they print to LOG, and ends them when they hang.

Past SECONDS it prints where each thread of the test processes stands (where gdb is installed), then which tests have
begun and not ended, kills all of them and exits with 124. Otherwise its status is that of COMMAND.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading

STARTED = re.compile(r"^◇ (Test|Suite) (?!case )(.+?) started\.$")
ENDED = re.compile(r"^[✔✘] (Test|Suite) (.+?)(?: with \d+ test cases?)? (?:passed|failed) after ")
STARTED_XCTEST = re.compile(r"^Test Case '(.+)' started at ")
ENDED_XCTEST = re.compile(r"^Test Case '(.+)' (?:passed|failed|skipped) \(")
MOST_FRAMES = 14
MOST_STACK_LINES = 400


class Progress:
    """Which tests have begun and not ended, in the order of their beginnings."""

    def __init__(self):
        self.open = {}

    def read(self, line):
        if begun := STARTED.match(line):
            self.open[begun.group(1, 2)] = True
        elif over := ENDED.match(line):
            self.open.pop(over.group(1, 2), None)
        elif begun := STARTED_XCTEST.match(line):
            self.open[("Test", begun[1])] = True
        elif over := ENDED_XCTEST.match(line):
            self.open.pop(("Test", over[1]), None)


def members(session):
    """The processes of a session; a test's own children among them."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            if os.getsid(int(entry)) == session:
                found.append(int(entry))
        except ProcessLookupError:
            pass
    return found


def print_stacks(session):
    if not shutil.which("gdb"):
        print("test: gdb is not installed, so no stacks")
        return
    for process in members(session):
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        if not any(word.endswith(b".xctest") for word in words):
            continue
        print(f"test: the threads of process {process}")
        command = ["gdb", "-p", str(process), "-batch", "-ex", f"thread apply all bt {MOST_FRAMES}"]
        stacks = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=300, check=False)
        lines = [line for line in stacks.stdout.decode(errors="replace").splitlines() if line.startswith(("#", "Thread"))]
        print("\n".join(line[:200] for line in lines[-MOST_STACK_LINES:]), flush=True)


def end(session, progress, seconds):
    print(f"test: the tests have not ended within {seconds} s (WEBIMAGE_TEST_SECONDS)", flush=True)
    try:
        print_stacks(session)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"test: no stacks: {error}")
    # Ended first: then nothing changes the list any more.
    kill(members(session))
    print("test: begun and not ended:")
    for kind, name in list(progress.open):
        print(f"  {kind} {name}")
    sys.stdout.flush()


def kill(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def copy(output, log, progress):
    with open(log, "wb") as file:
        for line in output:
            file.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            progress.read(line.decode(errors="replace").rstrip("\n"))


def main():
    log, seconds, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    progress = Progress()
    # A session of its own, so that all of it can be found. Line by line: what stood in a buffer would tell nothing.
    run = subprocess.Popen(["stdbuf", "-oL", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, start_new_session=True)
    copier = threading.Thread(target=copy, args=(run.stdout, log, progress), daemon=True)
    copier.start()
    try:
        status = run.wait(timeout=seconds)
    except KeyboardInterrupt:
        status = 130
    except subprocess.TimeoutExpired:
        end(run.pid, progress, seconds)
        status = 124
    # What is left behind would keep the pipe open for ever.
    copier.join(timeout=5)
    left = members(run.pid)
    kill(left)
    if left and status not in (124, 130):
        print(f"test: ended what tests have left behind: process {', '.join(map(str, left))}")
    copier.join(timeout=5)
    # Without the copier, which a process in a session of its own may still hold.
    sys.stdout.flush()
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
