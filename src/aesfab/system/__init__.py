# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The ground that every command stands on: files, processes and the cache."""
