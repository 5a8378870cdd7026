"""Couplings: how close two finite laws are under a relation, exactly, with a witness for every answer."""

from liftgate.couplings.chains import Chain, ChainProof, prove
from liftgate.couplings.compose import Close
from liftgate.couplings.families import FAMILIES, Family, build_family, channel_family, law_family, search
from liftgate.couplings.flows import least_delta
from liftgate.couplings.hinges import Hinges
from liftgate.couplings.laws import Law, read_law
from liftgate.couplings.products import composed, power, product, worst
from liftgate.couplings.profiles import STAR, Coupling, Profile, profile
from liftgate.couplings.proofs import certify, certify_profile
from liftgate.couplings.relations import Spans

__all__ = [
    "FAMILIES",
    "STAR",
    "Chain",
    "ChainProof",
    "Close",
    "Coupling",
    "Family",
    "Hinges",
    "Law",
    "Profile",
    "Spans",
    "build_family",
    "certify",
    "certify_profile",
    "channel_family",
    "composed",
    "law_family",
    "least_delta",
    "power",
    "product",
    "profile",
    "prove",
    "read_law",
    "search",
    "worst",
]
