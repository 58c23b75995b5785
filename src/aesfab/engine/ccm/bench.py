# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A simulated CCM engine; its results are those of an engine of packets (``engine.bench``)."""

from __future__ import annotations

from typing import TypeAlias

from aesfab.engine.bench import AnyModel
from aesfab.engine.ccm.catalogue import NamedCcm

Model: TypeAlias = AnyModel[NamedCcm]
"""A CCM engine that can be run."""
