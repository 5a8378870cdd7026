"""Liftgate: know what a release reveals before you release it, and be able to prove it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from liftgate import couplings as couplings
    from liftgate import transparency as transparency
    from liftgate.budget import Budget as Budget
    from liftgate.certificates import Certificate as Certificate
    from liftgate.channel import Channel as Channel
    from liftgate.checker import Verdict as Verdict
    from liftgate.checker import check as check
    from liftgate.errors import LiftgateError as LiftgateError
    from liftgate.estimators import ESTIMATORS as ESTIMATORS
    from liftgate.estimators.lift_estimator import LiftEstimator as LiftEstimator
    from liftgate.estimators.scores import Scores as Scores
    from liftgate.estimators.scores import estimate as estimate
    from liftgate.jobs.audit import Audit as Audit
    from liftgate.jobs.audit import audit as audit
    from liftgate.jobs.protect import Release as Release
    from liftgate.jobs.protect import protect as protect
    from liftgate.jobs.reuse import Reuse as Reuse
    from liftgate.jobs.reuse import reuse as reuse
    from liftgate.jobs.rows import RowRelease as RowRelease
    from liftgate.jobs.rows import release_rows as release_rows
    from liftgate.jobs.tradeoff import Tradeoff as Tradeoff
    from liftgate.jobs.tradeoff import tradeoff as tradeoff
    from liftgate.joint import Joint as Joint
    from liftgate.measures import MEASURES as MEASURES
    from liftgate.measures import measure as measure
    from liftgate.protector import LiftProtector as LiftProtector
    from liftgate.report import to_html as to_html
    from liftgate.tables import read_joint as read_joint
    from liftgate.tables.manifest import read_manifest as read_manifest

_PLACES = {
    "Audit": "liftgate.jobs.audit",
    "Budget": "liftgate.budget",
    "Certificate": "liftgate.certificates",
    "Channel": "liftgate.channel",
    "ESTIMATORS": "liftgate.estimators",
    "Joint": "liftgate.joint",
    "LiftgateError": "liftgate.errors",
    "LiftEstimator": "liftgate.estimators.lift_estimator",
    "LiftProtector": "liftgate.protector",
    "MEASURES": "liftgate.measures",
    "Release": "liftgate.jobs.protect",
    "Reuse": "liftgate.jobs.reuse",
    "RowRelease": "liftgate.jobs.rows",
    "Scores": "liftgate.estimators.scores",
    "Tradeoff": "liftgate.jobs.tradeoff",
    "Verdict": "liftgate.checker",
    "audit": "liftgate.jobs.audit",
    "check": "liftgate.checker",
    "estimate": "liftgate.estimators.scores",
    "measure": "liftgate.measures",
    "protect": "liftgate.jobs.protect",
    "read_joint": "liftgate.tables",
    "read_manifest": "liftgate.tables.manifest",
    "release_rows": "liftgate.jobs.rows",
    "reuse": "liftgate.jobs.reuse",
    "to_html": "liftgate.report",
    "tradeoff": "liftgate.jobs.tradeoff",
}
_PACKAGES = ("couplings", "transparency")

__all__ = [*_PLACES, *_PACKAGES, "__version__"]


def __getattr__(name: str) -> Any:
    """Public names are loaded when they are first used, so that the command line starts at once."""
    if name in _PACKAGES:
        return import_module(f"liftgate.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'liftgate' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
