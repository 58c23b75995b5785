# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design is: axes, rules, cycle counts, names, schedules and promises."""
