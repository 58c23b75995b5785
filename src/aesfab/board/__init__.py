# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""A core on an FPGA board: bitstream, protocol over a UART, host, and all of it simulated."""
