# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""AESFab: a family of AES cores for FPGAs, generated, verified and measured."""

__version__ = "0.1.0"
