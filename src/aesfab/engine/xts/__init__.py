# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sector engines: XTS for storage, or CBC decryption, around any core."""
