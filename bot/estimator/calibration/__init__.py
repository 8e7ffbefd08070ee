"""Fits the constants of `knowledge/calibration/training.yaml` to the published measurements. Development only: needs scipy.

`python -m bot.estimator.calibration` prints the fit and what it is worth on sources not seen; `--write` keeps it.
"""
