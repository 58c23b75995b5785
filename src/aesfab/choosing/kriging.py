# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Kriging: a figure of a point from those of points that differ from it in few axes.

It is a Gaussian process. Its kernel counts the axes in which two points differ, each by what pairs
of points that differ in it alone say of it, and lets a figure follow some numbers of a point as a
line. NumPy does the algebra; importing it takes longer than most commands, so it is not imported
before there is something to estimate.
"""

from __future__ import annotations

import collections
import itertools
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_LEVEL = 4.0  # variance of what all points have in common
_SLOPE = 0.05  # variance of what follows the cycles of a design, as a line
_PAIRS = 2  # how many pairs the expectation of an axis counts as
_EXPECTED = 0.5  # of the variance of all points: what an axis changes before any pair tells
_CLIPPED = 1.0  # an axis that changes a figure by more than e is of another kind of design

_Array = npt.NDArray[Any]

Beside = tuple[_Array, _Array, _Array]
"""What ``Sample.beside`` says."""


class Sample:
    """Where points are, for all their figures.

    Attributes:
        points: the values of all axes of each.
        codes: the same as numbers, a row for each point.
        lines: what a figure may follow as a line, a row for each.
    """

    def __init__(self, points: Sequence[tuple[object, ...]], lines: Sequence[list[float]]) -> None:
        self.points = points
        self._names: list[dict[object, int]] = [
            {value: code for code, value in enumerate(dict.fromkeys(column))}
            for column in zip(*points, strict=True)
        ]
        self.codes, self.lines = self._coded(points), np.array(lines)

    def _coded(self, points: Iterable[tuple[object, ...]]) -> _Array:
        # A value that no point has differs from all.
        return np.array(
            [[n.get(v, -1) for n, v in zip(self._names, one, strict=True)] for one in points]
        )

    def beside(self, points: Sequence[tuple[object, ...]], lines: Sequence[list[float]]) -> Beside:
        """Points beside those of the sample.

        Returns:
            Whether they differ, for each axis, each of them and each of the sample; the
            covariances of their lines, for each of both; the variance of each line.
        """
        mine, its = self._coded(points), np.array(lines)
        differs = mine.T[:, :, None] != self.codes.T[:, None, :]
        return differs, _LEVEL + _SLOPE * (its @ self.lines.T), _LEVEL + _SLOPE * (its**2).sum(1)


class Kriging:
    """One figure of all points: a Gaussian process over what they differ in.

    Args:
        sample: the points.
        beside: what ``Sample.beside`` says of them beside themselves.
        figures: the figure of each.
        noise: the variance of what a point has for itself.
    """

    def __init__(
        self,
        sample: Sample,
        beside: Beside,
        figures: list[float],
        noise: float,
    ) -> None:
        self._noise = noise
        self._mean = statistics.fmean(figures)
        self._variance = statistics.pvariance(figures) or noise
        self._weights = self._learned(sample.points, figures)
        covariance = self._covariance(beside) + noise * np.eye(len(figures))
        self._whitens = np.linalg.inv(np.linalg.cholesky(covariance))
        self._solved = self._whitens @ (np.array(figures) - self._mean)

    def _learned(self, points: Sequence[tuple[object, ...]], figures: list[float]) -> list[float]:
        """What each axis counts: the mean square that pairs differ by in this axis alone."""
        weights: list[float] = []
        for axis in range(len(points[0])):
            groups: dict[tuple[object, ...], list[tuple[object, float]]]
            groups = collections.defaultdict(list)
            for each, figure in zip(points, figures, strict=True):
                groups[each[:axis] + each[axis + 1 :]].append((each[axis], figure))
            squares = [
                min(_CLIPPED, (one - other) ** 2)
                for members in groups.values()
                for (value, one), (differs, other) in itertools.combinations(members, 2)
                if value != differs
            ]
            total = sum(squares) + _PAIRS * _EXPECTED * self._variance
            weights.append(total / (len(squares) + _PAIRS) / (2 * self._variance))
        return weights

    def _covariance(self, beside: Beside) -> _Array:
        differs, along, _ = beside
        away = np.zeros_like(along)
        for weight, differ in zip(self._weights, differs, strict=True):
            away += weight * differ
        covariance: _Array = self._variance * np.exp(-away) + along
        return covariance

    def __call__(self, beside: Beside) -> Iterable[tuple[float, float]]:
        """The figure of each point that is beside the sample, and its deviation."""
        forward = self._covariance(beside) @ self._whitens.T
        itself = self._variance + beside[2] + self._noise
        left = np.maximum(self._noise, itself - (forward**2).sum(axis=1))
        means = self._mean + forward @ self._solved
        return zip(means.tolist(), np.sqrt(left).tolist(), strict=True)
