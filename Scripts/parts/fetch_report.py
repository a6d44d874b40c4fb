"""Shows what `webimage fetch --json` printed, one line a picture, and checks where the pictures came from.

    fetch_report.py SOURCE[,SOURCE…] FILE

The file holds as many rounds of the same list as sources are named; each round must come from its source alone.
"""

import json
import sys


def results(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.startswith("{")]


def show(result):
    name = result["url"].rsplit("/", 1)[-1]
    if result.get("error"):
        print(f"  {name:32} failed: {result['error']}")
        return
    size = f"{result['width']}x{result['height']}"
    kilobytes = result["bytes"] / 1000
    print(f"  {name:32} {result['from']:8} {size:>10} {kilobytes:9.1f} kB {result['milliseconds']:9.1f} ms")


def report(source, round_results):
    for result in round_results:
        show(result)
    good = [result for result in round_results if not result.get("error")]
    arrived = sum(result["from"] == source for result in good)
    total = sum(result["bytes"] for result in good) / 1e6
    print(f"  {arrived} of {len(round_results)} pictures from {source}, {total:.1f} MB")
    return arrived == len(round_results)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    sources = arguments[0].split(",")
    everything = results(arguments[1])
    count, rest = divmod(len(everything), len(sources))
    if not everything or rest:
        sys.exit(f"{len(everything)} results for {len(sources)} rounds; webimage fetch stopped early, see above")
    rounds = [everything[index * count:(index + 1) * count] for index in range(len(sources))]
    as_wanted = [report(source, one) for source, one in zip(sources, rounds)]
    return 0 if all(as_wanted) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
