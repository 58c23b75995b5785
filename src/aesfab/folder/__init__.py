# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a user carries away: sources, testbench, data sheet and all else of a folder."""
