# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Stream engines: chained modes of many streams at a time, at the full speed of a core."""
