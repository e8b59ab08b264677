# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random decisions. A seed must mean the same program on every machine and in
every Python, so the generator is splitmix64 and not the `random` module."""

MASK = (1 << 64) - 1


class Rng:
    def __init__(self, seed):
        self.state = seed & MASK

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        assert n > 0
        return self.bits() % n

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def unit(self):
        return (self.bits() >> 11) / float(1 << 53)

    def chance(self, p):
        return self.unit() < p

    def pick(self, items):
        return items[self.below(len(items))]

    def odd(self):
        return self.between(1, 1 << 30) * 2 + 1

    def weighted(self, pairs):
        """Picks the first member of one of the (item, weight) pairs."""
        point = self.unit() * sum(weight for _, weight in pairs)
        for item, weight in pairs:
            point -= weight
            if point < 0:
                return item
        return pairs[-1][0]

    def shuffled(self, items):
        items = list(items)
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
        return items
