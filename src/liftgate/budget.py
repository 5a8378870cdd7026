"""Budget: exact bounds on what every released value may say, rounded inwards from epsilons."""

from __future__ import annotations

import decimal
import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from liftgate.errors import BudgetError
from liftgate.exact import exp_rounded, fits_int64, fraction, largest, lcm, root_enclosure
from liftgate.joint import Joint

KINDS = ("alip", "ldp", "l1", "chi2", "alpha")
FORMS = ("alip", "lip", "ldp", "split", "l1", "chi2", "alpha", "breach", "between")
Number = int | float | str | Fraction
MOST_ORDER = 1000  # as the checker has it: powers beyond are no longer compared exactly in reasonable time


@dataclass(frozen=True)
class Budget:
    """Bounds that every released value has to keep, as exact fractions.

    ==========  =====================================================================================
    ``alip``    ``low <= lift(s, y) <= up`` for every s (LIFT Def. 3)
    ``ldp``     largest lift <= ``up`` x smallest lift, where ``up`` is e^eps (LIFT Def. 2)
    ``l1``      l1-lift <= ``up``, l1-lift-inverse <= ``low`` (LIFT Def. 5, 6); likewise ``chi2`` and
    ``alpha``   of the given ``order``; either side may be None
    ==========  =====================================================================================

    Epsilons are rounded inwards to denominators of 2^40, so a release inside the budget is inside e^eps.

    >>> b = Budget.alip(eps_low=1, eps_up=1)
    >>> round(float(b.low), 6), round(float(b.up), 6)
    (0.367879, 2.718282)
    """

    kind: str
    low: Fraction | None
    up: Fraction | None
    order: Fraction | None = None
    asked: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise _unknown(self.kind, KINDS)
        put = object.__setattr__
        put(self, "low", None if self.low is None else fraction(self.low, "budget, low"))
        put(self, "up", None if self.up is None else fraction(self.up, "budget, up"))
        if self.kind == "alip":
            if self.low is None or self.up is None:
                raise BudgetError("budget alip", "a side is missing", "give both, for example alip:1,1")
            if not 0 <= self.low <= 1 <= self.up:
                raise BudgetError(
                    f"budget {self.asked.partition(':')[0] or self.kind}",
                    f"low {self.low}, up {self.up}",
                    "low must be in [0, 1] and up at least 1, or even silence breaks it",
                )
        elif self.kind == "ldp":
            if self.low is not None or self.up is None or self.up < 1:
                raise BudgetError("budget ldp", f"e^eps is {self.up}", "give one eps of at least 0, for example ldp:1")
        else:
            floor = 1 if self.kind == "alpha" else 0
            if self.low is None and self.up is None:
                raise BudgetError(f"budget {self.kind}", "both sides are None", "bound at least one side")
            if any(side is not None and side < floor for side in (self.low, self.up)):
                raise BudgetError(
                    f"budget {self.kind}", "a bound that even silence breaks", f"bounds must be at least {floor}"
                )
        if (self.kind == "alpha") != (self.order is not None):
            raise BudgetError(
                f"budget {self.kind}", f"order {self.order}", "alpha budgets, and only they, have an order"
            )
        if self.order is not None:
            put(self, "order", fraction(self.order, "budget, order"))
            if self.order <= 1:
                raise BudgetError("budget alpha", f"order {self.order}", "the order must be greater than 1")
            if max(self.order.numerator, self.order.denominator) > MOST_ORDER:
                fix = f"write the order as p/q with numbers up to {MOST_ORDER}"
                raise BudgetError("budget alpha", f"order {self.order}", fix)

    # ---- building: every epsilon is per side ---------------------------------------------------

    @classmethod
    def alip(cls, eps_low: Number, eps_up: Number) -> Budget:
        """Asymmetric local information privacy: e^-eps_low <= lift <= e^eps_up (LIFT Def. 3)."""
        a, b = _eps(eps_low, "eps_low"), _eps(eps_up, "eps_up")
        return cls("alip", exp_rounded(-a, "up"), exp_rounded(b, "down"), asked=f"alip:{eps_low},{eps_up}")

    @classmethod
    def lip(cls, eps: Number) -> Budget:
        """Local information privacy: e^-eps <= lift <= e^eps (LIFT Def. 1)."""
        e = _eps(eps, "eps")
        return cls("alip", exp_rounded(-e, "up"), exp_rounded(e, "down"), asked=f"lip:{eps}")

    @classmethod
    def split(cls, eps: Number, lam: Number) -> Budget:
        """The papers' total: eps_low = lam eps, eps_up = (1 - lam) eps (LIFT section 3)."""
        e, share = _eps(eps, "eps"), fraction(lam, "budget, lam")
        if not 0 <= share <= 1:
            raise BudgetError("budget split", f"lam {lam}", "lam must be between 0 and 1")
        return cls(
            "alip", exp_rounded(-share * e, "up"), exp_rounded((1 - share) * e, "down"), asked=f"split:{eps},{lam}"
        )

    @classmethod
    def ldp(cls, eps: Number) -> Budget:
        """Local differential privacy of the sensitive value: max lift <= e^eps min lift (LIFT Def. 2)."""
        return cls("ldp", None, exp_rounded(_eps(eps, "eps"), "down"), asked=f"ldp:{eps}")

    @classmethod
    def breach(cls, rho1: Number, rho2: Number) -> Budget:
        """No rho1-to-rho2 breach: (1-rho2)/(1-rho1) <= lift <= rho2/rho1 (LIFT Prop. A1)."""
        a, b = fraction(rho1, "budget, rho1"), fraction(rho2, "budget, rho2")
        if not 0 < a < b < 1:
            raise BudgetError("budget breach", f"rho1 {rho1}, rho2 {rho2}", "they must satisfy 0 < rho1 < rho2 < 1")
        return cls("alip", (1 - b) / (1 - a), b / a, asked=f"breach:{rho1},{rho2}")

    @classmethod
    def between(cls, low: Number, up: Number) -> Budget:
        """The lift bounds themselves: low <= lift <= up."""
        return cls("alip", fraction(low, "budget, low"), fraction(up, "budget, up"), asked=f"between:{low},{up}")

    @classmethod
    def l1(cls, eps_low: Number | None, eps_up: Number | None) -> Budget:
        """l1-lift <= e^eps_up - 1 and l1-lift-inverse <= e^eps_low - 1 (LIFT section 6.2)."""
        return cls("l1", _grown(eps_low, 1), _grown(eps_up, 1), asked=f"l1:{_side(eps_low)},{_side(eps_up)}")

    @classmethod
    def chi2(cls, eps_low: Number | None, eps_up: Number | None) -> Budget:
        """chi2-lift <= (e^eps_up - 1)^2 and chi2-lift-inverse <= (e^eps_low - 1)^2 (LIFT section 6.2)."""
        return cls("chi2", _grown(eps_low, 2), _grown(eps_up, 2), asked=f"chi2:{_side(eps_low)},{_side(eps_up)}")

    @classmethod
    def alpha(cls, order: Number, eps_low: Number | None, eps_up: Number | None) -> Budget:
        """alpha-lift <= e^eps_up and alpha-lift-inverse <= e^eps_low, of one order > 1 (LIFT section 6.2)."""
        sides = [None if e is None else exp_rounded(_eps(e, "eps"), "down") for e in (eps_low, eps_up)]
        return cls(
            "alpha",
            sides[0],
            sides[1],
            fraction(order, "budget, order"),
            asked=f"alpha:{order},{_side(eps_low)},{_side(eps_up)}",
        )

    @classmethod
    def parse(cls, text: str) -> Budget:
        """A budget from its short form: ``alip:1,1``, ``split:2,0.5``, ``alpha:10,1,none``, ``between:3/4,5/4``.

        >>> Budget.parse("between:3/4,5/4").up
        Fraction(5, 4)
        """
        name, _, rest = text.strip().partition(":")
        if name not in FORMS:
            raise _unknown(name, FORMS)
        parts = [p.strip() for p in rest.split(",")] if rest.strip() else []
        wanted = {"lip": 1, "ldp": 1, "alpha": 3}.get(name, 2)
        if len(parts) != wanted:
            raise BudgetError(
                f"budget {text!r}",
                f"{len(parts)} number{'s' * (len(parts) != 1)}",
                f"{name} needs {wanted}, for example {_EXAMPLES[name]}",
            )
        values = [None if p.lower() in ("none", "-") else p for p in parts]
        if (None in values and name not in ("l1", "chi2", "alpha")) or (name == "alpha" and values[0] is None):
            raise BudgetError(f"budget {text!r}", "a side is missing", f"write it as {_EXAMPLES[name]}")
        build: Any = getattr(cls, name)
        built: Budget = build(*values)
        return built

    # ---- asking --------------------------------------------------------------------------------

    def cells_outside(self, joint: Joint) -> NDArray[np.bool_]:
        """Which cells (s, y) break the budget, exactly; for budgets on whole values, every cell of such a value."""
        counts, n_s, n_y, n = _wide(joint, self)
        if self.kind != "alip":
            return np.broadcast_to(~self.holds(joint), counts.shape).copy()
        assert self.low is not None
        assert self.up is not None
        seen = counts * n
        product = np.multiply.outer(n_s, n_y)
        low = seen * self.low.denominator < product * self.low.numerator
        up = seen * self.up.denominator > product * self.up.numerator
        return np.asarray((low | up) & (product > 0), dtype=np.bool_)

    def holds(self, joint: Joint) -> NDArray[np.bool_]:
        """Which released values keep the budget, decided in whole numbers; values that never occur do."""
        if self.kind == "alip":
            return np.asarray(~self.cells_outside(joint).any(axis=0))
        counts, n_s, n_y, n = _wide(joint, self)
        kept = np.flatnonzero(n_s.astype(bool))
        columns = [[int(v) for v in counts[kept, y]] for y in range(counts.shape[1])]
        sizes = [int(v) for v in n_s[kept]]
        return np.array(
            [self._holds(column, sizes, int(m), int(n)) if m else True for column, m in zip(columns, n_y, strict=True)]
        )

    def _holds(self, c: list[int], n_s: list[int], n_y: int, n: int) -> bool:
        """One released value: ``c[s]`` of ``n_y`` rows, where ``n_s[s]`` of all ``n`` rows have s."""
        if self.kind == "ldp":
            assert self.up is not None
            lifts = [Fraction(a, b) for a, b in zip(c, n_s, strict=True)]
            return max(lifts) <= self.up * min(lifts)
        if self.up is not None and not self._side_holds(
            [Fraction(a * n, b * n_y) for a, b in zip(c, n_s, strict=True)], n_s, n, self.up
        ):
            return False
        if self.low is None:
            return True
        if 0 in c:
            return False
        return self._side_holds([Fraction(b * n_y, a * n) for a, b in zip(c, n_s, strict=True)], n_s, n, self.low)

    def _side_holds(self, ratios: list[Fraction], n_s: list[int], n: int, bound: Fraction) -> bool:
        """Mean over s of |r - 1|, (r - 1)^2 or r^order against the bound, where r is the lift or its inverse."""
        if self.kind == "l1":
            return _mean([abs(r - 1) for r in ratios], n_s, n) <= bound
        if self.kind == "chi2":
            return _mean([(r - 1) ** 2 for r in ratios], n_s, n) <= bound
        assert self.order is not None
        a = self.order
        if a.denominator == 1:
            return _mean([r**a.numerator for r in ratios], n_s, n) <= bound**a.numerator
        return _rational_mean_at_most(ratios, n_s, n, a, bound)

    # ---- telling -------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The budget as it was asked for, or its bounds, which are factors and not epsilons.

        >>> Budget("alip", Fraction(1, 2), Fraction(2)).text, Budget("ldp", None, Fraction(2)).text
        ('between:1/2,2', 'ldp with bounds none, 2')
        """
        if self.asked or self.kind == "alip":
            return self.asked or f"between:{self.low},{self.up}"
        order = f" of order {self.order}" if self.order is not None else ""
        return f"{self.kind}{order} with bounds {_side(self.low)}, {_side(self.up)}"

    @property
    def sentence(self) -> str:
        """The budget in words.

        >>> Budget.between("1/2", 2).sentence
        'belief in any sensitive value may rise to at most 2 times and fall to no less than 0.5 times what it was'
        """
        if self.kind == "alip":
            assert self.low is not None
            assert self.up is not None
            return (
                f"belief in any sensitive value may rise to at most {_inwards(self.up, 'up')} times "
                f"and fall to no less than {_inwards(self.low, 'low')} times what it was"
            )
        if self.kind == "ldp":
            assert self.up is not None
            return (
                f"the odds between any two sensitive values may change by at most a factor of {_inwards(self.up, 'up')}"
            )
        name = f"alpha-lift-{self.order}" if self.kind == "alpha" else f"{self.kind}-lift"
        parts = [f"{name} at most {_inwards(self.up, 'up')}"] if self.up is not None else []
        parts += [f"{name}-inverse at most {_inwards(self.low, 'up')}"] if self.low is not None else []
        return " and ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """The budget as certificates and JSON write it: exact fractions."""
        if self.kind == "ldp":
            return {"kind": "ldp", "exp_eps": str(self.up)}
        sides: dict[str, Any] = {
            "low": None if self.low is None else str(self.low),
            "up": None if self.up is None else str(self.up),
        }
        if self.order is not None:
            order = self.order
            return {"kind": self.kind, "order": order.numerator if order.denominator == 1 else str(order), **sides}
        return {"kind": self.kind, **sides}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Budget:
        """The budget that :meth:`to_dict` described."""
        kind = data["kind"]
        if kind == "ldp":
            return cls("ldp", None, fraction(data["exp_eps"]))
        order = fraction(data["order"]) if "order" in data else None
        sides = [None if data[k] is None else fraction(data[k]) for k in ("low", "up")]
        return cls(kind, sides[0], sides[1], order)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p><strong>Budget {escape(self.text)}</strong>: {escape(self.sentence)}.</p>"


_EXAMPLES = {
    "alip": "alip:1,1", "lip": "lip:1", "ldp": "ldp:1", "split": "split:2,0.5", "l1": "l1:1,1", "chi2": "chi2:1,1",
    "alpha": "alpha:10,1,1", "breach": "breach:0.1,0.5", "between": "between:1/2,2",
}  # fmt: skip


def _unknown(name: str, known: tuple[str, ...]) -> BudgetError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return BudgetError("budget", f"{name!r} is not known", f"{hint}use one of {', '.join(known)}, for example alip:1,1")


def _eps(value: Number, name: str) -> Fraction:
    eps = fraction(value, f"budget, {name}")
    if eps < 0:
        raise BudgetError(f"budget, {name}", f"{value} is below 0", "an epsilon must be at least 0")
    if eps > 700:
        raise BudgetError(f"budget, {name}", f"{value} allows everything", "give an epsilon of at most 700")
    return eps


def _grown(eps: Number | None, power: int) -> Fraction | None:
    """(e^eps - 1)^power, rounded down."""
    return None if eps is None else (exp_rounded(_eps(eps, "eps"), "down") - 1) ** power


def _side(value: object) -> str:
    return "none" if value is None else str(value)


def _inwards(value: Fraction, side: str) -> str:
    """A bound with three digits, or as many as keep it apart from 1, rounded to the side that allows less."""
    digits = 3
    while True:
        rounding = decimal.ROUND_FLOOR if side == "up" else decimal.ROUND_CEILING
        shown = decimal.Context(prec=digits, rounding=rounding).divide(
            decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)
        )
        if (shown == 1) == (value == 1) or digits > 15:
            return f"{shown.normalize():f}"
        digits += 1


def _mean(values: list[Fraction], weights: list[int], total: int) -> Fraction:
    """sum w v / total over one common denominator (no fraction is reduced inside the loop)."""
    common = lcm(v.denominator for v in values)
    return Fraction(
        sum(w * v.numerator * (common // v.denominator) for v, w in zip(values, weights, strict=True)), common * total
    )


def _rational_mean_at_most(ratios: list[Fraction], n_s: list[int], n: int, order: Fraction, bound: Fraction) -> bool:
    """Mean of r^(p/q) <= bound^(p/q) by enclosures of q-th roots; what 4,096 bits cannot decide counts as outside."""
    bits = 64
    while bits <= 4096:
        roots = [root_enclosure(r**order.numerator, order.denominator, bits) for r in ratios]
        limit = root_enclosure(bound**order.numerator, order.denominator, bits)
        if _mean([r.upper for r in roots], n_s, n) <= limit.lower:
            return True
        if _mean([r.lower for r in roots], n_s, n) > limit.upper:
            return False
        bits *= 4
    return False


def _wide(joint: Joint, budget: Budget) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], Any]:
    """Counts and margins, as Python integers where a comparison could leave int64."""
    counts, n_s, n_y, n = joint.counts, joint.sensitive_counts, joint.public_counts, joint.total
    sides = [side for side in (budget.low, budget.up) if side is not None]
    size = max(max(side.numerator, side.denominator) for side in sides)
    if counts.dtype != object and fits_int64(max(largest(counts) * n, largest(n_s) * largest(n_y)), size):
        return counts, n_s, n_y, n
    return counts.astype(object), n_s.astype(object), n_y.astype(object), int(n)


def eps_of(bound: Fraction | None) -> float:
    """The epsilon of a factor, |log|; infinite for 0 or None."""
    return math.inf if not bound else abs(math.log(bound))
