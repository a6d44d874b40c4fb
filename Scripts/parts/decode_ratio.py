"""Prints how two decoders compare: decode_ratio.py FILE OURS BARE GOAL MEMORY_GOAL"""

import statistics
import sys


def read(path):
    """Milliseconds of all rounds, and the peak of memory over output, in bytes."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    over = [int(line.split()[1]) for line in lines if line.startswith("over")]
    return [float(line) for line in lines if not line.startswith("over")], statistics.median(over)


def main(name, ours, bare, goal, memory_goal):
    (our_times, our_memory), (bare_times, bare_memory) = read(ours), read(bare)
    ours, bare = statistics.median(our_times), statistics.median(bare_times)
    ratio, megabytes = ours / bare, our_memory / 1e6
    verdict = "within" if ratio <= float(goal) else "NOT within"
    memory_verdict = "within" if megabytes <= float(memory_goal) else "NOT within"
    print(
        f"{name}: webimage {ours:.1f} ms, bare library {bare:.1f} ms, ratio {ratio:.2f} ({verdict} {goal}); "
        f"memory over output {megabytes:.1f} MB ({memory_verdict} {memory_goal} MB), bare {bare_memory / 1e6:.1f} MB")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
