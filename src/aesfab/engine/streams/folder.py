# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""The folder of a stream engine: its testbench and what its data sheet says."""

from __future__ import annotations

from collections.abc import Sequence

from aesfab.engine.folder import AnyFolder, Sheet, table
from aesfab.engine.streams import catalogue, testbench
from aesfab.engine.streams.catalogue import NamedStreams
from aesfab.engine.streams.spec import DESCRIPTOR_CLOCKS


class Folder(AnyFolder[NamedStreams]):
    """The folder of a stream engine."""

    kind = "stream engine"

    @classmethod
    def find(cls, name: str, overrides: Sequence[str]) -> NamedStreams:
        """See ``AnyFolder``."""
        return catalogue.find(name, overrides)

    def testbench(self) -> str:
        """See ``AnyFolder``."""
        return testbench.text(self.named)

    def sheet(self) -> Sheet:
        """See ``AnyFolder``."""
        engine = self.named.engine
        clocks = table(
            ("streams with text", "clocks from a block to the next one"),
            [
                (f"{engine.streams_that_fill} or more", engine.interval_number()),
                ("1", engine.turn_clocks),
            ],
        )
        lengths = (
            "CBC takes whole blocks, at least one. A text of CFB128 and OFB and a message of CMAC "
            "have any length; one without a byte is a single beat with `tkeep` 0 and `tlast`."
            if engine.chained
            else "A text has whole blocks, at least one."
        )
        results = (
            "Text leaves beat by beat; the last one has `tlast`. The result of CMAC is one beat, "
            "the tag of 16 bytes."
            if engine.chained
            else "Text leaves beat by beat; the last one has `tlast`."
        )
        return Sheet(
            what="AES engine of many streams",
            channels=f"""\
- `tid` is the number of a stream.
- **Keys**: a key has taken its slot in the clock in which it is taken; messages that are open keep
  the old one. Reset clears all slots; the first descriptor is taken {engine.reset_clocks} clocks
  after it.
- **Descriptors**: two messages of a stream can be open; a descriptor waits until there is a place.
- **Beats**: a beat is partial only as the last one of its message. {lengths} Four beats of a
  stream wait in its buffer. A beat waits until its message is open: offer the first beats of
  messages in the order of their descriptors, or after these were taken.
- **Results**: {results} A message that makes no sense ends with a beat without a byte. Its other
  beats are dropped.""",
            clocks=f"""\
{clocks}

Whatever keys and modes the blocks have. A descriptor takes {DESCRIPTOR_CLOCKS} clocks.""",
            security="""\
The time that a message takes follows from its length and from what other streams do, never from
its data or keys. The engine does not see to it that an IV is fresh. It has no protection against
power analysis or faults.""",
        )
