# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What records say: figures, the papers' tables and conclusions, classes, the report."""
