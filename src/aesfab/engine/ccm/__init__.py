# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Engines of CCM: packets with a tag, without GHASH."""
