"""Transparency: announce decision rules so that an outcome tells little, and find out what an announcement tells."""

from liftgate.transparency.announcements import Announcement, announce
from liftgate.transparency.rules import DecisionRules

__all__ = ["Announcement", "DecisionRules", "announce"]
