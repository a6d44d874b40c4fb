"""Runs the rows of the pixels benchmark: bench_pixels.py PROGRAM WORK_FOLDER [ROW...]"""

import os
import statistics
import subprocess
import sys
import threading
import time

import bench_quality
from bench_pixels_rows import BATCH_FILES, BATCH_GOALS, MEMORY_ROWS, ROWS

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = int(os.environ.get("ROUNDS", "9"))


class Worker:
    """A process that answers requests. All stand on one processor, and only one works at a time."""

    def __init__(self, command, processors):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, processors))

    def ask(self, work, file, width, height, out="-"):
        """Milliseconds, width and height; `None` for a work that the worker does not know."""
        self.process.stdin.write(f"{work}\t{file}\t{width}\t{height}\t{out}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"bench: a worker died of {work} {file}")
        if answer.startswith("no"):
            return None
        words = answer.split()
        return float(words[0]), int(words[1]), int(words[2])

    def processor_time(self):
        """Milliseconds of all its threads since it began, in steps of ten."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) * 1e3 / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Program:
    """A C program that decodes a file so often and prints the milliseconds of each."""

    def __init__(self, path, processors):
        self.command = ["taskset", "-c", ",".join(map(str, processors)), path]

    def ask(self, _, file, __, ___, out="-"):
        printed = subprocess.run(self.command + [file, "3"], check=True, capture_output=True, text=True).stdout
        return min(float(line) for line in printed.splitlines() if not line.startswith("over")), 0, 0

    def end(self):
        pass


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.processors = sorted(os.sched_getaffinity(0))
        self.workers = {}
        self.is_wrong = False

    def worker(self, name):
        if name not in self.workers:
            one = self.processors[-1:]
            if name in ("libpng", "libwebp"):
                self.workers[name] = Program(f"{self.folder}/{name}", one)
            else:
                self.workers[name] = Worker(self.command(name), one)
        return self.workers[name]

    def command(self, name):
        if name == "webimage":
            return [self.program]
        return [sys.executable, "-B", f"{HERE}/bench_pixels_peer.py", name]

    def picture(self, file):
        return f"{self.folder}/pictures/{file}"

    # Quality.

    def quality(self, row, name, work):
        out = f"{self.folder}/{name}.rgba"
        answer = self.worker(name).ask(work, self.picture(row.file), row.width, row.height, out)
        if answer is None:
            return None
        is_premultiplied = name == "webimage" or row.work == "resize"
        return bench_quality.psnr(self.picture(row.file), out, answer[1:], is_premultiplied)

    def check_quality(self, row):
        ours = self.quality(row, "webimage", row.work)
        peers = {peer.name: self.quality(row, peer.name, peer.work_of(row)) for peer in row.peers}
        goal = peers[row.psnr] if isinstance(row.psnr, str) else row.psnr
        # Half a decibel is less than two implementations of one filter differ by.
        is_good = ours >= goal - (0.5 if isinstance(row.psnr, str) else 0)
        self.is_wrong |= not is_good
        others = ", ".join(f"{name} {value:.1f}" for name, value in peers.items())
        print(f"    PSNR webimage {ours:.1f} dB ({'at least' if is_good else 'NOT at least'} {goal:.1f}); {others}")

    # Time.

    def times(self, row):
        """All milliseconds of ours and of each peer, taken in turn; `None` for a work that is not there."""
        sides = [("webimage", row.work)] + [(peer.name, peer.work_of(row)) for peer in row.peers]
        taken = [[] for _ in sides]
        for turn in range(ROUNDS + 1):
            for index in range(len(sides)) if turn % 2 else reversed(range(len(sides))):
                name, work = sides[index]
                answer = self.worker(name).ask(work, self.picture(row.file), row.width, row.height)
                if answer is None:
                    return None
                # The first round warms up.
                if turn:
                    taken[index].append(answer[0])
        return taken

    def run(self, name, row):
        print(f"{name}: {row.text}", flush=True)
        taken = self.times(row)
        if taken is None:
            print("    not measured: a side does not know this work")
            return
        if row.psnr is not None:
            self.check_quality(row)
        ours = taken[0]
        print(f"    webimage {min(ours):.2f} ms (median {statistics.median(ours):.2f})")
        for peer, times in zip(row.peers, taken[1:]):
            self.compare(peer.work or "", peer.name, ours, times, peer.goal)
        if row.best_goal is not None:
            self.compare("", "the best of them", ours, min(taken[1:], key=min), row.best_goal)
        if row.floor is not None:
            self.show_floor(row, dict(zip([peer.name for peer in row.peers], taken[1:])))
        sys.stdout.flush()

    @staticmethod
    def show_floor(row, taken):
        floor = min(taken[row.floor])
        for name, times in taken.items():
            if name != row.floor:
                print(f"    floor: {row.floor} alone takes {floor / min(times):.3f} of {name}")

    @staticmethod
    def compare(work, name, ours, times, goal):
        ratio = min(ours) / min(times)
        middle = statistics.median(ours) / statistics.median(times)
        verdict = "" if goal is None else f" ({'within' if ratio <= goal else 'NOT within'} {goal})"
        label = f"{name} {work}".strip()
        print(f"    {label} {min(times):.2f} ms (median {statistics.median(times):.2f}): "
              f"ratio {ratio:.3f}{verdict}, of medians {middle:.3f}")

    # Memory.

    def run_memory(self, name, row):
        printed = subprocess.run(
            [self.program, "memory", row.work, self.picture(row.file), "400", "400", str(row.count)],
            check=True, capture_output=True, text=True).stdout
        early, late = (int(word) / 1e6 for word in printed.split())
        verdict = "within" if late <= row.goal else "NOT within"
        growth = f", {late - early:+.1f} MB since a fifth of them" if row.count > 1 else ""
        print(f"{name}: {row.text}\n    {late:.1f} MB above the start ({verdict} {row.goal}){growth}", flush=True)

    # Two processors.

    def run_batch(self):
        print("batch: 64 mixed pictures to 400 on two processors")
        if len(self.processors) < 2:
            print("    not measured: there is one processor")
            return
        pair = self.processors[-2:]
        ours = Worker([self.program], pair)
        peers = [Worker(self.command("vips"), [processor]) for processor in pair]
        files = [self.picture(file) for file in BATCH_FILES]
        alone, both, theirs, works = [], [], [], ([], [])
        for turn in range(4):
            start = ours.processor_time()
            one = ours.ask("batch", ",".join(files), 1, 400)[0]
            middle = ours.processor_time()
            two = ours.ask("batch", ",".join(files), 2, 400)[0]
            works[0].append(middle - start), works[1].append(ours.processor_time() - middle)
            other = in_parallel([lambda w=w, f=files[i::2]: w.ask("batch", ",".join(f), 1, 400)
                                 for i, w in enumerate(peers)])
            if turn:
                alone.append(one), both.append(two), theirs.append(other)
        for worker in [ours, *peers]:
            worker.end()
        rate = min(alone) / min(both)
        rate_goal, goal = BATCH_GOALS
        verdict = "at least" if rate >= rate_goal else "NOT at least"
        print(f"    webimage {min(alone):.0f} ms on one, {min(both):.0f} ms on two: {rate:.2f} times the rate "
              f"({verdict} {rate_goal})")
        # What two processors would do that nobody else uses: threads that got in each other's way would take more.
        one, two = min(works[0][1:]), min(works[1][1:])
        print(f"    of the processors' time {one:.0f} ms on one, {two:.0f} ms on two: {2 * one / two:.2f} times")
        self.compare("in two processes", "vips", both, theirs, goal)


def in_parallel(works):
    threads = [threading.Thread(target=work) for work in works]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (time.perf_counter() - start) * 1e3


def main(program, folder, *names):
    known = [*ROWS, *MEMORY_ROWS, "batch"]
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"bench: no row {', '.join(unknown)}; there are {', '.join(known)}")
    bench = Bench(program, folder)
    for name in names or known:
        if name in ROWS:
            bench.run(name, ROWS[name])
        elif name in MEMORY_ROWS:
            bench.run_memory(name, MEMORY_ROWS[name])
        else:
            bench.run_batch()
    for worker in bench.workers.values():
        worker.end()
    if bench.is_wrong:
        raise SystemExit("bench: a picture is worse than it may be")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
