# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""From a need to a core: what ``aesfab choose`` and ``aesfab.choose`` answer with."""
