# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Whether a core is right: vectors, the oracle, the bench and its judge."""
