# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Packet engines: modes, packets and keys around the cores of the family."""
