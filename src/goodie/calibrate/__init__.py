"""Probabilities that mean what they say: temperature, reliability, label sets, abstention."""

from goodie.calibrate.abstain import informed_nodes
from goodie.calibrate.calibration import Calibration
from goodie.calibrate.conformal import label_sets, threshold
from goodie.calibrate.reliability import Reliability, reliability
from goodie.calibrate.temperature import fit_temperature, tempered

__all__ = [
    "Calibration",
    "Reliability",
    "fit_temperature",
    "informed_nodes",
    "label_sets",
    "reliability",
    "tempered",
    "threshold",
]
