# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The RTL: its files, what a design needs of them, and the identity of a netlist."""
