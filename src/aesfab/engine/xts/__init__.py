# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Sector engines: XTS around any core, for storage."""
