# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The bench: C++ that drives and records, Python that writes its scripts and judges its records."""
