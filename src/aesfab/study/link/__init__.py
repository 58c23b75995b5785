# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""From core speed to what a program gets: a model of the link between a host and a core.

``platform`` reads the description of a machine from a small text file, ``model`` turns the stores
and loads of a driver into bus transactions and counts time, ``experiments`` repeats the
measurements of the pilchard paper and compares today's machines, ``software`` measures the
alternative: AES on the processor at hand.
"""
