"""Continuous collision detection against ipctk (pip install ipctk numpy): tight inclusion (Wang21) and its distances.

    cargo run --release -p toile-contact --example ccd_queries -- 200 > queries.csv
    python3 tests/contact/ipctk_compare.py queries.csv

Both are conservative: either may stop a pair early or for nothing, so neither time bounds the other. Judged, with exit code 1
if broken: up to our time (the end where we report none) the distance, sampled with the distances of ipctk and refined about the
least sample, stays above the minimum separation. Reported: who stops what, and how much later ours is where both stop.
"""

import csv
import sys
from collections import Counter, defaultdict

import ipctk
import numpy as np

ROUNDING = 1e-9  # of distances 1 km from the origin, as squared by ipctk (m)


def is_collapsed(kind, x):
    """The distances of ipctk are wrong there (0 or none for an edge without length): counted above, not judged."""
    if kind == "vf":
        return not np.any(np.cross(x[2] - x[1], x[3] - x[1]))
    return not (np.any(x[1] - x[0]) and np.any(x[3] - x[2]))


def least_distance(kind, start, end, until):
    squared = ipctk.point_triangle_distance if kind == "vf" else ipctk.edge_edge_distance

    def at(time):
        value = squared(*(start + time * (end - start)))
        return np.sqrt(value)

    times = np.linspace(0.0, until, 300)
    samples = [at(t) for t in times]
    k = int(np.argmin(samples))
    low, high = times[max(k - 1, 0)], times[min(k + 1, len(times) - 1)]
    for _ in range(60):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if at(a) < at(b) else (a, high)
    return min(samples[k], at(0.5 * (low + high)))


def main(path):
    # Hardly any rescaling: their time is that of the impact, as far as their tolerance goes.
    ccd = ipctk.TightInclusionCCD(tolerance=1e-6, max_iterations=100_000, conservative_rescaling=0.999999)
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    counts, later, bad = defaultdict(Counter), defaultdict(float), []
    with open(path, newline="") as file:
        for number, row in enumerate(csv.reader(file)):
            family, kind, offset = row[0], row[1], float(row[2])
            start, end = np.array([float(x) for x in row[3:27]]).reshape(2, 4, 3)
            ours = float(row[28]) if row[28] else None
            test = ccd.point_triangle_ccd if kind == "vf" else ccd.edge_edge_ccd
            hit, time = test(*start, *end, min_distance=offset, tmax=1.0)
            names = ("both", "only ours") if ours is not None else ("only theirs", "neither")
            counts[family][names[0 if hit else 1]] += 1
            if ours is not None and hit:
                later[family] = max(later[family], ours - time)
            if is_collapsed(kind, start):
                continue
            least = least_distance(kind, start, end, 1.0 if ours is None else ours)
            if least < offset - ROUNDING or (ours is None and least <= offset):
                bad.append((number, family, ours, least, offset))
    keys = ("both", "neither", "only ours", "only theirs")
    print(f"{'family':16}", *(f"{key:>12}" for key in keys), f"{'later, at most':>16}")
    for family, count in counts.items():
        print(f"{family:16}", *(f"{count[key]:12}" for key in keys), f"{later[family]:16.1e}")
    for entry in bad[:20]:
        print("too near (query, family, our time, distance, separation):", *entry)
    print(f"{len(bad)} pairs too near")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
