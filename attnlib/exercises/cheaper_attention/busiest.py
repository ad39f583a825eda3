"""The pairs of the busiest process in a ring under a causal mask."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def busiest(owner, world):
    """Query i, from 0, has i + 1 keys; each process adds up those of its queries."""
    pairs = np.arange(1, len(owner) + 1)
    return max(int(pairs[owner == rank].sum()) for rank in range(world))


def _of_each(owner, world, each=lambda i, n: i + 1):
    """The pairs of each process, where query i of n has each(i, n)."""
    n = len(owner)
    pairs = np.array([each(i, n) for i in range(n)])
    return np.array([pairs[owner == rank].sum() for rank in range(world)])


def _blocks(owner, world):
    """The pairs of queries and keys, a row for each process and its queries."""
    n = len(owner)
    past = np.tri(n, dtype=bool)
    rows = [[past[owner == r][:, owner == s].sum() for s in range(world)] for r in range(world)]
    return np.array(rows)


def _case(kind, owner, world):
    return Case(kind, (np.array(owner), world))


EXERCISE = Exercise(
    signature="busiest(owner, world)",
    task="Write busiest(owner, world): how many pairs the process with the most pairs computes "
    "under a causal mask, where owner says which process, from 0 to world - 1, has the query, the "
    "key and the value of each position. Each query asks all keys up to its own, that one "
    "included.",
    returns="a single number",
    reference=busiest,
    own=True,
    cases=(
        _case("two positions, two processes", [0, 1], 2),
        _case("contiguous", [0, 0, 0, 1, 1, 1], 2),
        _case("striped", [0, 1, 2, 0, 1, 2, 0, 1, 2], 3),
        _case("the first process is the busiest", [1, 1, 2, 2, 2, 0, 1, 0, 0], 3),
        _case("the last position is not the busiest's", [0, 2, 0, 1, 1, 1, 1, 2], 3),
        _case("dealt out unevenly", [2, 0, 1, 1, 3, 1, 1, 0, 2, 3, 1], 4),
        _case("one process has nothing", [0, 0, 2, 0, 2, 2, 0], 3),
        _case("most rows, but early ones", [1, 1, 1, 1, 0, 0, 0], 2),
    ),
    mistakes=(
        Mistake(
            "no_mask",
            lambda owner, world: _of_each(owner, world, lambda i, n: n).max(),
            "Every query is counted with all n keys. Under a causal mask the query at position i, "
            "from 0, asks i + 1.",
        ),
        Mistake(
            "own_key_left_out",
            lambda owner, world: _of_each(owner, world, lambda i, n: i).max(),
            "A query's own key is left out. The query at position i, from 0, asks i + 1 keys.",
        ),
        Mistake(
            "later_keys",
            lambda owner, world: _of_each(owner, world, lambda i, n: n - i).max(),
            "The keys from its own to the end are counted, or the pairs of a key are: how often it "
            "is asked. A process computes what its queries ask.",
        ),
        Mistake(
            "one_too_many",
            lambda owner, world: _of_each(owner, world, lambda i, n: i + 2).max(),
            "Each query is counted with one key too many. The query at position i, from 0, asks "
            "i + 1 keys.",
        ),
        Mistake(
            "own_block_only",
            lambda owner, world: _blocks(owner, world).diagonal().max(),
            "Only pairs within a process are counted, as if its rows were the whole text. In a "
            "ring keys come round from all the others, and each query asks them too.",
        ),
        Mistake(
            "from_others_only",
            lambda owner, world: (
                _blocks(owner, world).sum(axis=1) - _blocks(owner, world).diagonal()
            ).max(),
            "The pairs with its own keys are missing: a process asks those in the first step.",
        ),
        Mistake(
            "busiest_step",
            lambda owner, world: _blocks(owner, world).max(),
            "This is the busiest process in its busiest step. Add up all steps.",
        ),
        Mistake(
            "busiest_steps",
            lambda owner, world: sum(
                max(_blocks(owner, world)[rank, (rank - step) % world] for rank in range(world))
                for step in range(world)
            ),
            "This adds up the busiest process of each step. Asked for is one process, over all "
            "steps.",
        ),
        Mistake(
            "pairs_of_most_rows",
            lambda owner, world: _of_each(owner, world)[np.bincount(owner).argmax()],
            "These are the pairs of the process with the most rows. Early rows have few: another "
            "may have more pairs.",
        ),
        Mistake(
            "mean",
            lambda owner, world: _of_each(owner, world).mean(),
            "This is the mean over the processes. Asked for is the one with the most: the others "
            "wait for it.",
        ),
        Mistake(
            "idlest",
            lambda owner, world: _of_each(owner, world).min(),
            "This is the process with the fewest pairs. Asked for is the one with the most.",
        ),
        Mistake(
            "last_process_missing",
            lambda owner, world: _of_each(owner, world)[:-1].max(),
            "The last process is missing. They are counted from 0 to world - 1: range(world).",
        ),
        Mistake(
            "first_process_missing",
            lambda owner, world: _of_each(owner, world)[1:].max(),
            "The first process is missing. They are counted from 0: range(world).",
        ),
        Mistake(
            "last_process",
            lambda owner, world: _of_each(owner, world)[-1],
            "This is the last process. It is the busiest if rows are contiguous, but not always.",
        ),
        Mistake(
            "owner_of_the_last",
            lambda owner, world: _of_each(owner, world)[owner[-1]],
            "This is the process that has the last position. Another may have more pairs.",
        ),
        Mistake(
            "which_process",
            lambda owner, world: int(_of_each(owner, world).argmax()),
            "This is which process it is. Asked for is how many pairs it computes.",
        ),
        Mistake(
            "most_rows",
            lambda owner, world: np.bincount(owner).max(),
            "This is how many rows the largest process has. A late row has more pairs than an "
            "early one: add up the pairs.",
        ),
        Mistake(
            "all_pairs",
            lambda owner, world: _of_each(owner, world).sum(),
            "These are the pairs of all processes together.",
        ),
        Mistake(
            "all_processes",
            _of_each,
            "These are the pairs of each process. Take the largest.",
        ),
    ),
    definition="Over all processes the pairs should add up to n (n + 1) / 2; it should be the "
    "largest part of that.",
    general="Write the number of pairs above each position, 1, 2, 3 and so on, and below it its "
    "owner. Then add up for each owner.",
    why="A ring is done when its last process is, and no pass takes less than the busiest has to "
    "do.",
)
