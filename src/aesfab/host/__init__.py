# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The host system: a core behind buffers and a bus, and the C library that drives it."""
