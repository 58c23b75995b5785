# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Timing diagrams and block diagrams of engines."""
