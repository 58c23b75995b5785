# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tools of others that AESFab runs: Yosys and Verilator."""
