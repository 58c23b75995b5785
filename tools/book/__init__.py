# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: pages that are made when it is built, and the hook that adds them."""
