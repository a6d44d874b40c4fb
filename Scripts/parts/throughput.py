"""throughput.py TITLE FOLDER: our throughput against the peers', from FOLDER/{one,list}.{ours,curl,bare,session}.times.

Each line of such a file is a run's wall time, and the processor's in the program and in the kernel. `one` is a run with
one file: what a program takes besides. The least counts.
"""

import os
import sys

PEERS = {
    "curl": ("curl", "goal 0.9"),
    "bare": ("bare libcurl, bodies kept", "no goal"),
    "session": ("URLSession", "goal 8"),
}


def times(folder, name):
    path = f"{folder}/{name}.times"
    if not os.path.exists(path):
        return None
    with open(path, encoding="ascii") as file:
        rows = [tuple(map(float, line.split())) for line in file]
    return min(real for real, _, _ in rows), min(user + system for _, user, system in rows)


def main():
    title, folder = sys.argv[1:]
    whole = {who: times(folder, f"list.{who}") for who in ("ours", *PEERS)}
    one = {who: times(folder, f"one.{who}") for who in whole}
    known = [who for who in whole if whole[who]]
    net = {who: [max(all - start, 1e-3) for all, start in zip(whole[who], one[who])] for who in known}
    print(f"{title}: ours {net['ours'][0]:.3f} s, with start {whole['ours'][0]:.3f} s, processor {net['ours'][1]:.3f} s")
    for who in known[1:]:
        name, goal = PEERS[who]
        wall, processor = (theirs / ours for theirs, ours in zip(net[who], net["ours"]))
        print(
            f"  {name} {net[who][0]:.3f} s, with start {whole[who][0]:.3f} s, processor {net[who][1]:.3f} s: our "
            f"throughput is {wall:.2f} of its ({goal}), with start {whole[who][0] / whole['ours'][0]:.2f}, by "
            f"processor time {processor:.2f}"
        )
    if "session" in known:
        print(f"  curl's throughput is {net['session'][0] / net['curl'][0]:.2f} of URLSession's")


main()
