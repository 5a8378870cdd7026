"""Transparency: announce decision rules so that an outcome tells little, and find out what an announcement tells."""

from liftgate.transparency.announcements import Announcement, announce
from liftgate.transparency.curves import Curve, curve
from liftgate.transparency.inverses import fidelity_for
from liftgate.transparency.inversion import invert
from liftgate.transparency.rules import DecisionRules

__all__ = ["Announcement", "Curve", "DecisionRules", "announce", "curve", "fidelity_for", "invert"]
