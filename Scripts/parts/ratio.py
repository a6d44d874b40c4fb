"""Prints two medians and their ratio: ratio.py OURS OUR_TIMES PEER PEER_TIMES GOAL"""

import statistics
import sys


def median(path):
    with open(path, encoding="utf-8") as file:
        return statistics.median(float(line) for line in file)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    ours, our_times, peer, peer_times, goal = sys.argv[1:]
    our_median, peer_median = median(our_times), median(peer_times)
    ratio = our_median / peer_median
    verdict = "within" if ratio <= float(goal) else "NOT within"
    print(f"median: {peer} {peer_median:.3f} s, {ours} {our_median:.3f} s")
    print(f"ratio {ours} / {peer}: {ratio:.2f} ({verdict} the goal of {goal})")
