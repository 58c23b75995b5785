# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area and clock of designs: synthesis, place and route, plans and queries."""
