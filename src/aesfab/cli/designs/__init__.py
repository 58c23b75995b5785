# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""Commands about designs and engines: list, show, devices, generate, wave, verify."""
