"""Couplings: how close two finite laws are under a relation, exactly, with a witness for every answer."""

from liftgate.couplings.laws import Law, read_law
from liftgate.couplings.profiles import STAR, Coupling, Profile, profile
from liftgate.couplings.proofs import certify, certify_profile
from liftgate.couplings.relations import Spans

__all__ = ["STAR", "Coupling", "Law", "Profile", "Spans", "certify", "certify_profile", "profile", "read_law"]
