# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A board without the board: what was built is simulated, and answers the host as a board would."""
