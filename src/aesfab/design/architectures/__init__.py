# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Each architecture by itself: its cycles, what it does in each clock, and its drawing."""
