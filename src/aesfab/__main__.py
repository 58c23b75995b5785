# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The command line as ``python -m aesfab``, where the program ``aesfab`` is not on the path."""

from aesfab.cli import main

if __name__ == "__main__":
    main()
