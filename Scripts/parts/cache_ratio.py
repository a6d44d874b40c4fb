"""Prints a row of the cache bench: cache_ratio.py NAME OURS [BARE GOAL]; each file holds microseconds, one a line."""

import sys


def read(path):
    """The least time, and the most memory where that was measured."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    memory = [int(line.split()[1]) for line in lines if line.startswith("memory")]
    return min(float(line) for line in lines if not line.startswith("memory")), max(memory, default=None)


def main(name, ours, bare=None, goal=None):
    time, memory = read(ours)
    text = f"{name}: webimage {time:.2f} us"
    if bare:
        bare_time, _ = read(bare)
        ratio = time / bare_time
        verdict = "within" if ratio <= float(goal) else "NOT within"
        text += f", bare calls {bare_time:.2f} us, ratio {ratio:.2f} ({verdict} {goal})"
    else:
        text += f" ({'within' if time < 50_000 else 'NOT within'} 50 ms)"
    if memory is not None:
        text += f"; memory {memory / 1e6:.1f} MB ({'within' if memory <= 32 << 20 else 'NOT within'} 32 MiB)"
    print(text)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
