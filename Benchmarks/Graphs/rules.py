"""When two answers are the same, by the rules of LDBC Graphalytics (arXiv 2011.15028, section 2.5)."""
import numpy as np


def exact(own, other):
    """Every value as in the reference: depths, labels."""
    return bool(np.array_equal(own, other))


def epsilon(own, other):
    """To one part in ten thousand, what is infinite in one also in the other: ranks, costs, coefficients."""
    far = np.isinf(other)
    if not np.array_equal(np.isinf(own), far):
        return False
    return bool(np.all(np.abs(own[~far] - other[~far]) <= 1e-4 * np.abs(other[~far])))


def equivalent(own, other):
    """The same vertices together, whatever their numbers: components."""
    pairs = np.unique(np.stack([own, other], 1), axis=0)
    return len(pairs) == len(np.unique(own)) == len(np.unique(other))
