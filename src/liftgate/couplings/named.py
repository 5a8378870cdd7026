"""Named mechanisms with finitely many outputs and their exact output laws (rational e^eps throughout).

Noise is two-sided geometric. Sparse vector variants are numbered as by Lyu, Su and Li (2017), Figure 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction

from liftgate.channel import Channel
from liftgate.couplings.laws import Law, read_law
from liftgate.couplings.noise import Factor, Sum, at_least, mass, noise_ratio
from liftgate.errors import UsageError
from liftgate.exact import fraction, integer_root
from liftgate.labels import Label, clean_label, label_text

SPARSE_VECTORS = (1, 2, 3, 4, 5, 6)
ABOVE, BELOW = "T", "F"
MOST_OUTPUTS = 1 << 13


def randomised_response(exp_eps: object, truth: Hashable = "yes", values: Sequence[Hashable] = ("yes", "no")) -> Law:
    """The truth with weight e^eps, every other value with weight 1.

    >>> randomised_response(3).masses()
    [Fraction(3, 4), Fraction(1, 4)]
    """
    t = fraction(exp_eps, "exp_eps")
    if t < 1 or truth not in values or len(values) < 2:
        raise UsageError(
            "randomised response", f"exp_eps {t}, truth {truth!r}", "e^eps >= 1, and a truth among the values"
        )
    total = t + len(values) - 1
    return read_law({v: (t if v == truth else Fraction(1)) / total for v in values}, "randomised response")


def geometric(count: int, ratio: object, low: int, high: int) -> Law:
    """A count plus geometric noise on all whole numbers; what is below ``low`` or above ``high`` is one output each.

    For counts from low to high nothing is lost: beyond them two such laws differ by a constant factor.
    """
    r = noise_ratio(ratio)
    if not low <= count <= high:
        raise UsageError("geometric", f"the count {count} is outside {low} to {high}", "widen the range")
    out: dict[Hashable, Fraction] = {f"<{low}": 1 - at_least(r, low - count)}
    out |= {k: mass(r, k - count) for k in range(low, high + 1)}
    out[f">{high}"] = at_least(r, high + 1 - count)
    return read_law(out, "geometric")


def truncated_geometric(count: int, ratio: object, top: int) -> Law:
    """A count plus geometric noise, moved to the nearest of 0 .. top (Ghosh, Roughgarden and Sundararajan 2009)."""
    r = noise_ratio(ratio)
    if not 0 <= count <= top or top < 1:
        raise UsageError("truncated geometric", f"the count {count} is outside 0 to {top}", "give a count in the range")
    out = {0: 1 - at_least(r, 1 - count)} | {k: mass(r, k - count) for k in range(1, top)}
    return read_law(out | {top: at_least(r, top - count)}, "truncated geometric")


def cut_geometric(count: int, ratio: object, width: int) -> Law:
    """A count plus geometric noise cut at +-width and rescaled: a common mistake, never private with delta = 0."""
    r = noise_ratio(ratio)
    if width < 0:
        raise UsageError("cut geometric", f"the width {width} is negative", "cut at 0 or more steps")
    weights = {count + k: r ** abs(k) for k in range(-width, width + 1)}
    total = sum(weights.values(), Fraction(0))
    return read_law({k: w / total for k, w in weights.items()}, "cut geometric")


def exponential(scores: Sequence[int], base: object) -> Law:
    """Output i with weight ``base^score_i``; scores that move by 1 promise e^eps = base^2."""
    b = fraction(base, "base")
    if b <= 1 or not scores:
        raise UsageError(
            "exponential mechanism", f"base {b}, {len(scores)} scores", "a base above 1 and a score per output"
        )
    weights = [b**s for s in scores]
    total = sum(weights, Fraction(0))
    return read_law([w / total for w in weights], "exponential mechanism")


def noisy_max_index(answers: Sequence[int], ratio: object) -> Law:
    """Which answer is largest after geometric noise, ties to the lowest index."""
    r = noise_ratio(ratio)
    low, high = min(0, *answers) - 1, max(0, *answers) + 1
    out = []
    for i, q in enumerate(answers):
        product = Sum.start(low, high).times(Factor("at", q, r))
        for j, other in enumerate(answers):  # others: noise < z - q before i, noise < z - q + 1 after i
            if j != i:
                product = product.times(Factor("below", other - (j > i), r))
        out.append(product.total())
    return read_law(out, "noisy max")


def noisy_min_index(answers: Sequence[int], ratio: object) -> Law:
    """Which answer is smallest after geometric noise, ties to the lowest index."""
    return noisy_max_index([-q for q in answers], ratio)


def noisy_max_value(answers: Sequence[int], ratio: object, low: int = -12, high: int = 12) -> Law:
    """The largest noisy answer itself, which reveals much more than its index; values outside are one output a side."""
    r = noise_ratio(ratio)

    def up_to(z: int) -> Fraction:
        product = Fraction(1)
        for q in answers:
            product *= 1 - at_least(r, z + 1 - q)
        return product

    out: dict[Hashable, Fraction] = {f"<{low}": up_to(low - 1)}
    out |= {z: up_to(z) - up_to(z - 1) for z in range(low, high + 1)}
    out[f">{high}"] = 1 - up_to(high)
    return read_law(out, "noisy max value")


def channel_row(channel: Channel, value: Label) -> Law:
    """The law of what is released for one public value."""
    wanted = clean_label(value)
    for x, label in enumerate(channel.public):
        if label == wanted and type(label) is type(wanted):
            here = slice(int(channel.start[x]), int(channel.start[x + 1]))
            shares = dict(zip(channel.targets[here].tolist(), channel.shares[here].tolist(), strict=True))
            return Law(
                channel.released, tuple(int(shares.get(y, 0)) for y in range(len(channel.released))), channel.total
            )
    raise UsageError("channel", f"{label_text(wanted)!r} is not a public value", "use a label of channel.public")


# --- sparse vector -------------------------------------------------------------------------------------------------------


def above_threshold(answers: Sequence[int], unit: object, threshold: int = 0) -> Law:
    """The first answer above a noisy threshold; ``unit^4`` is the promised e^eps (sparse vector 1 with one answer)."""
    return sparse_vector(1, answers, unit, threshold=threshold)


def sparse_vector(
    variant: int, answers: Sequence[int], unit: object, count: int = 1, threshold: int = 0, reach: int = 12
) -> Law:
    """Which answers are above a noisy threshold, with a promised e^eps of ``unit^4``; T above, F not.

    1 is correct, 2 as well (with a new threshold after each T; equal to 1 for one T). 3 releases the noisy answer instead
    of T (only -reach .. reach told apart, so bounds from it are lower bounds); 4 adds too little noise; 5 adds none to
    the answers and 6 too little, and neither stops after ``count`` T.
    """
    u = fraction(unit, "unit")
    if variant not in SPARSE_VECTORS:
        raise UsageError("sparse vector", f"there is no variant {variant!r}", "use 1 to 6")
    if u <= 1 or count < 1 or not answers:
        raise UsageError(
            "sparse vector", f"unit {u}, count {count}, {len(answers)} answers", "unit > 1, count and answers >= 1"
        )
    noise = {1: ("2", "1/c"), 2: ("2/c", "1/c"), 3: ("2", "2/c"), 4: ("1", "3"), 5: ("2", "0"), 6: ("2", "2")}[variant]
    on_threshold, on_answer = (
        _root(u, Fraction(text.removesuffix("/c")), count if "c" in text else 1) for text in noise
    )
    shifted = [q - threshold for q in answers]
    if variant == 5:
        return read_law(_without_noise(shifted, on_threshold), "sparse vector")
    bounds = (-reach - threshold, reach - threshold) if variant == 3 else (0, 0)
    start = Sum.start(min(*bounds, *shifted) - 1, max(*bounds, *shifted) + 1).times(Factor("at", 0, on_threshold))
    if variant == 3:
        return read_law(_with_values(shifted, on_answer, count, start, threshold, reach), "sparse vector")
    cap = len(answers) if variant == 6 else count
    again = start if variant == 2 else None
    return read_law(dict(_walk(shifted, on_answer, cap, start, again)), "sparse vector")


def _root(u: Fraction, power: Fraction, degree: int) -> Fraction:
    """``u^(-power / degree)``, which has to be a fraction."""
    over, under = (integer_root(v, degree) for v in (u.numerator, u.denominator))
    if Fraction(over, under) ** degree != u:
        fix = f"use a unit that is a power of {degree}"
        raise UsageError("sparse vector", f"noise for {degree} answers above has an irrational ratio", fix)
    return Fraction(under, over) ** int(power)


def _walk(
    shifted: Sequence[int], ratio: Fraction, cap: int, start: Sum, again: Sum | None
) -> Iterator[tuple[Hashable, Fraction]]:
    """All outputs with their chances; ``again`` is a new threshold after each T."""
    todo, found = [("", start, Fraction(1))], 0
    while todo:
        said, product, done = todo.pop()
        i = len(said)
        if i == len(shifted) or said.count(ABOVE) == cap:
            found += 1
            if found > MOST_OUTPUTS:
                fix = "ask fewer queries"
                raise UsageError("sparse vector", f"it has more than {MOST_OUTPUTS} outputs", fix)
            yield said, done * product.total()
            continue
        todo.append((said + BELOW, product.times(Factor("below", shifted[i], ratio)), done))
        above = product.times(Factor("from", shifted[i], ratio))
        if again is None:
            todo.append((said + ABOVE, above, done))
        else:
            todo.append((said + ABOVE, again, done * above.total()))


def _with_values(
    shifted: Sequence[int], ratio: Fraction, cap: int, start: Sum, threshold: int, reach: int
) -> dict[Hashable, Fraction]:
    """Outputs with the noisy answers in place of T; everything beyond ``reach`` is one output."""
    out: dict[Hashable, Fraction] = {}
    todo: list[tuple[tuple[Hashable, ...], Sum, Fraction]] = [((), start, Fraction(1))]
    while todo:
        said, product, done = todo.pop()
        i = len(said)
        if i == len(shifted) or i - said.count(BELOW) == cap:
            out[said] = done * product.total()
            continue
        todo.append(((*said, BELOW), product.times(Factor("below", shifted[i], ratio)), done))
        for v in range(-reach - threshold, reach - threshold + 1):
            todo.append(((*said, v + threshold), product.cut(v), done * mass(ratio, v - shifted[i])))
    out["other"] = 1 - sum(out.values(), Fraction(0))
    return out


def _without_noise(shifted: Sequence[int], ratio: Fraction) -> dict[Hashable, Fraction]:
    """The output is a function of the noisy threshold z alone."""
    out: dict[Hashable, Fraction] = {}
    low, high = min(shifted), max(shifted) + 1
    for z in range(low, high + 1):
        chance = 1 - at_least(ratio, low + 1) if z == low else at_least(ratio, high) if z == high else mass(ratio, z)
        said = "".join(ABOVE if q >= z else BELOW for q in shifted)
        out[said] = out.get(said, Fraction(0)) + chance
    return out
