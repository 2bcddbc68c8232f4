"""The loop that spec-lang runs: prints the seconds that it took."""

import sys
import time


def loop(n, sum):
    while n != 0:
        n, sum = n - 1, sum + 1
    return sum


turns = int(sys.argv[1])
begun = time.perf_counter()
assert loop(turns, 0) == turns
print(time.perf_counter() - begun)
