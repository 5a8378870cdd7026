"""Transparency: announce decision rules so that an outcome tells little, and find out what an announcement tells."""

from liftgate.transparency.announcements import Announcement, announce
from liftgate.transparency.attacks import Attack, attack
from liftgate.transparency.classifiers import Surrogate, rules_from_classifier, surrogate
from liftgate.transparency.curves import Curve, curve
from liftgate.transparency.fairness import (
    Figure,
    bias_interval,
    conditional_statistical_parity,
    equality_of_odds,
    equality_of_opportunity,
    figures,
    four_fifths_ratio,
    individual_fairness,
    percent_rule,
    predictive_parity,
    ratio_interval,
    relative_distance,
    statistical_parity,
    total_variation,
)
from liftgate.transparency.fitting import after_prior
from liftgate.transparency.influences import (
    People,
    influence,
    marginal_influence,
    rule_from_one_influence,
    rules_from_two_influences,
    sampled_influence,
    shapley,
)
from liftgate.transparency.inverses import fidelity_for
from liftgate.transparency.inversion import Inversion, invert
from liftgate.transparency.rules import DecisionRules

__all__ = [
    "Announcement",
    "Attack",
    "Curve",
    "DecisionRules",
    "Figure",
    "Inversion",
    "People",
    "Surrogate",
    "after_prior",
    "announce",
    "attack",
    "bias_interval",
    "conditional_statistical_parity",
    "curve",
    "equality_of_odds",
    "equality_of_opportunity",
    "fidelity_for",
    "figures",
    "four_fifths_ratio",
    "individual_fairness",
    "influence",
    "invert",
    "marginal_influence",
    "percent_rule",
    "predictive_parity",
    "ratio_interval",
    "relative_distance",
    "rule_from_one_influence",
    "rules_from_classifier",
    "rules_from_two_influences",
    "sampled_influence",
    "shapley",
    "statistical_parity",
    "surrogate",
    "total_variation",
]
