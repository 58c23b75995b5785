# Copyright AESFab contributors.
# SPDX-License-Identifier: Apache-2.0
"""What a design does in each clock, and a drawing of its data path; both from its axes."""

from __future__ import annotations

import dataclasses
import re

from aesfab.design.spec import (
    ROUNDS_OF_KEY,
    Architecture,
    Datapath,
    Design,
    Direction,
    Doubled,
    Interface,
    KeyBits,
    KeyMemory,
    KeyRegister,
    KeySchedule,
    Lookups,
    MixLevels,
    Order,
    OutputRegister,
    Sbox,
    SharedAdd,
    Tbox,
    substituted_words,
)


def schedule(design: Design, key_bits: int | None = None) -> list[tuple[str, str]]:
    """Rows of (clock, what happens) for one block accepted in clock 0.

    The register that ends a clock is named in its row; the last row is the clock in which
    ``out_valid_o`` is high. With narrower ports, clock 0 takes the first word or byte of the block,
    and the last row shows the last one of the result.
    """
    if design.interface is Interface.WORDS:
        return _words_schedule(design, key_bits)
    if design.interface is Interface.BYTES:
        return _serial_schedule(design)
    if design.byte_loop:
        return _moving_schedule(design)
    bits = key_bits or design.key_width
    rows = {
        Architecture.ITERATIVE: _iterative_schedule,
        Architecture.INTERLEAVED: _staged_schedule,
        Architecture.PIPELINED: _staged_schedule,
        Architecture.ROLLING: _rolling_schedule,
        Architecture.NARROW: _narrow_schedule,
    }[design.architecture](design, ROUNDS_OF_KEY[bits])
    assert len(rows) == design.latency(bits) + 1
    return rows


def diagram(design: Design) -> str:
    """The data path in a few lines of text."""
    if design.interface is Interface.WORDS:
        return _words_diagram(design)
    if design.interface is Interface.BYTES:
        return _serial_diagram(design)
    if design.byte_loop:
        return _moving_diagram(design)
    return {
        Architecture.ITERATIVE: _iterative_diagram,
        Architecture.INTERLEAVED: _interleaved_diagram,
        Architecture.PIPELINED: _pipelined_diagram,
        Architecture.ROLLING: _rolling_diagram,
        Architecture.NARROW: _narrow_diagram,
    }[design.architecture](design)


# ------------------------------------------------------------------------- 32-bit ports


def _words_schedule(design: Design, key_bits: int | None) -> list[tuple[str, str]]:
    """Words in, the rows of the core, its result into the register, words out."""
    core = [text for _, text in schedule(design.core, key_bits)[:-1]]
    texts = [f"in_word_i: word {n} -> block register" for n in range(4)]
    texts += [f"core: {text}" for text in core]
    texts += ["result of the core -> block register"]
    texts += [f"out_valid_o, out_word_o: word {n}" for n in range(4)]
    assert len(texts) == design.latency(key_bits)
    return [(str(clock), text) for clock, text in enumerate(texts)]


def _words_diagram(design: Design) -> str:
    """The register of four words in front of the core's own diagram and behind it."""
    register = "[ block register: 4 words, one in or out a clock ]"
    return "\n".join(
        [
            f"in_word_i, out_block_o --{register}-- in_block_i, out_word_o",
            "key_word_i --[ key register ]-- key_i",
            "",
            "inside, with 128-bit ports:",
            "",
            diagram(design.core),
        ]
    )


# ------------------------------------------------------------------------- 8-bit ports


def _serial_schedule(design: Design) -> list[tuple[str, str]]:
    """Bytes in, 20 clocks a round, bytes out, each in the slot in which it is added."""
    rounds = ROUNDS_OF_KEY[design.key_width]
    texts = []
    for clock in range(design.latency()):
        events = []
        if clock < 16:
            events.append(f"in_byte_i, in_key_byte_i: byte {clock}")
        number, slot = divmod(clock - 2, 20)
        if number >= 0 and slot < 16:
            source = "the block" if number == 0 else f"round {number}"
            register = "output register" if number == rounds else "S-box"
            events.append(f"byte {slot} of {source} + K{number} -> {register}")
        elif 0 <= number < rounds:
            events.append(f"byte {12 + (slot - 15) % 4} of K{number} -> S-box")
        if number == rounds and slot > 0:
            events.append(f"out_valid_o, out_byte_o: byte {slot - 1}")
        texts.append("; ".join(events) or "-")
    return [(str(clock), text) for clock, text in enumerate(texts)]


def _serial_diagram(design: Design) -> str:
    """The loop of a byte-wide core, whose block and key come where those of a round do."""
    waits = {
        KeyMemory.AUTO: "|R|",
        KeyMemory.DISTRIBUTED: "in LUT RAM",
        KeyMemory.BLOCK: "in block RAM",
    }[design.key_memory]
    boxes = f"[ 1 x {design.sbox.value} |R||R| ]"
    head = "in_byte_i --[ mux ]--(+ key byte)--+--"
    line = f"{head}{boxes}--+--[ ShiftRows {waits} ]--[ Mix |R| ]--+"
    places = [
        head.index("mux") + 1,
        len(head) - 3,
        len(head + boxes) + 2,
        len(line) - 1,
    ]
    names = ["|", "|R|-- out_byte_o", "SubWord", "|"]
    return "\n".join(
        [
            "in_key_byte_i --[ mux ]--(+ byte n - 4, SubWord, Rcon)--|R|--+-- key byte",
            "                    |                                        |",
            "                    +--------------[ RAM, 16 x 8 ]-----------+",
            "",
            line,
            _in_columns(dict.fromkeys(places, "|")),
            _in_columns(dict(zip(places, names, strict=True))),
            _in_columns({places[0]: "+" + "-" * (places[-1] - places[0] - 1) + "+"}),
        ]
    )


def _with_byte_ports(design: Design) -> Design:
    """The core of 8-bit ports inside one whose block and key move through shift registers."""
    return dataclasses.replace(design, interface=Interface.BYTES)


def _moving_schedule(design: Design) -> list[tuple[str, str]]:
    """The clocks of the core of 8-bit ports, one after those of the registers around it."""
    rows = [("0", "block, key -> shift registers")]
    for clock, text in _serial_schedule(_with_byte_ports(design)):
        taken = text.replace("in_byte_i, in_key_byte_i: byte", "to the core: byte")
        moved = re.sub(r"out_valid_o, out_byte_o: byte (\d+)", r"byte \1 -> block register", taken)
        rows.append((str(int(clock) + 1), moved))
    return [*rows, (str(design.latency()), "out_valid_o, out_block_o")]


def _moving_diagram(design: Design) -> str:
    """Two shift registers, of which one takes the result, and what is between them."""
    return "\n".join(
        [
            "in_block_i --[ block register, 16 bytes ]-- in_byte_i",
            "out_byte_o --[ the same                 ]-- out_block_o",
            "in_key_i ----[ key register, 16 bytes   ]-- in_key_byte_i",
            "",
            "inside, with 8-bit ports:",
            "",
            _serial_diagram(_with_byte_ports(design)),
        ]
    )


# ---------------------------------------------------------------------------- iterative


def _key(design: Design, rounds: int, number: int) -> str:
    """The name of the round key that is added in round ``number``, 0 before the first."""
    if design.direction is Direction.BOTH:
        return f"K{number} (decryption: K{rounds - number})"
    return f"K{rounds - number if design.direction is Direction.DECRYPT else number}"


def _mixed_key(design: Design, rounds: int, number: int) -> str:
    """The same where decryption adds the key after InvMixColumns, in rounds 1 to Nr - 1."""
    mixed = f"InvMixColumns(K{rounds - number})"
    return {
        Direction.ENCRYPT: f"K{number}",
        Direction.DECRYPT: mixed,
        Direction.BOTH: f"K{number} (decryption: {mixed})",
    }[design.direction]


def _names(design: Design) -> tuple[str, str, str]:
    """What SubBytes, ShiftRows and MixColumns are in the design's direction."""
    prefix = {Direction.ENCRYPT: "", Direction.DECRYPT: "Inv", Direction.BOTH: "(Inv)"}
    sub, shift, mix = (
        prefix[design.direction] + name for name in ("SubBytes", "ShiftRows", "MixColumns")
    )
    return sub, shift, mix


def _tbox_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    shift, tables, taken = {
        Direction.ENCRYPT: ("ShiftRows", "T", "S out of T"),
        Direction.DECRYPT: ("InvShiftRows", "T^-1", "S^-1 out of T^-1"),
        Direction.BOTH: ("(Inv)ShiftRows", "T or T^-1", "S or S^-1 out of them"),
    }[design.direction]

    register = "RAM address register" if design.sbox is Sbox.ROM else "register of the words"
    first = f"block + {_key(design, rounds, 0)}"
    look_up = f"{shift}, {tables} of round 1 -> {register}"
    if design.key_ahead:
        done = [f"{first} -> register of what is added", look_up]
    else:
        done = [f"{first}, {look_up}"]
    for number in range(1, rounds):
        text = f"XOR of 4 words a column, + {_mixed_key(design, rounds, number)}"
        done.append(f"{text}, {shift}, {tables} of round {number + 1} -> {register}")
    done.append(f"{taken}, + {_key(design, rounds, rounds)} -> output register")
    done.append("out_valid_o, out_block_o")
    return [(str(clock), text) for clock, text in enumerate(done)]


def _shared_one_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    """T-boxes in block RAM and one key addition (``aes_core_iterative_shared``)."""
    levels = design.sbox_levels.value
    packed = design.tbox is Tbox.PACKED
    words = "XOR of 4 bits each" if packed else "XOR of 5 bytes"
    done = {0: "block, K0 -> registers"}
    first = 1 + packed
    if packed:
        done[1] = "block + K0 -> register of what is added"
    for number in range(rounds + 1):
        added = f"+ K{number}"
        if number == rounds:
            text = f"S out of the words, {added} -> output register"
        else:
            state = f"block {added}" if number == 0 else f"{words}, {added}"
            text = f"{state}, ShiftRows, T of round {number + 1} -> RAM address register"
        done[first + levels * number] = text
        if levels == 2 and number < rounds:
            done[first + levels * number + 1] = "words of the RAMs -> their output registers"
    done[first + levels * rounds + 1] = "out_valid_o, out_block_o"
    return [(str(clock), text) for clock, text in sorted(done.items())]


def _compact_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    """One register and one key addition (``aes_core_iterative_compact``)."""
    substitute, shift, mix = _names(design)
    done = [f"block + {_key(design, rounds, 0)} -> state register"]
    for number in range(1, rounds + 1):
        added = f"+ {_key(design, rounds, number)}"
        if number == rounds:
            text = f"{substitute}, {shift}, {added}"
        elif design.direction is Direction.DECRYPT:
            text = f"{substitute}, {shift}, {added}, {mix}"
        else:
            text = f"{substitute}, {shift}, {mix}, {added}"
        done.append(f"{text} -> state register")
    done.append("out_valid_o, out_block_o")
    return [(str(clock), text) for clock, text in enumerate(done)]


def _iterative_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    if design.shared_one:
        return _shared_one_schedule(design, rounds)
    if design.key_offered:
        return _compact_schedule(design, rounds)
    if design.tbox is not Tbox.NONE:
        return _tbox_schedule(design, rounds)
    step = design.rounds.value
    passes = rounds // step
    backward = design.direction is Direction.DECRYPT
    substitute, shift, mix = _names(design)
    register = "RAM address register" if design.sbox is Sbox.ROM else "state register"

    def key(number: int) -> str:
        return _key(design, rounds, number)

    done = ["block, and the first key of its direction -> registers"] if design.key_ahead else []
    done.append(f"block + {key(0)}, {substitute} of round 1 -> {register}")
    for number in range(1, passes + 1):
        first, last = (number - 1) * step + 1, number * step
        if step == 1:
            if number == passes:
                text = f"{shift}, + {key(first)}"
            elif backward:
                text = f"{shift}, + {key(first)}, {mix}"
            else:
                text = f"{shift}, {mix}, + {key(first)}"
        else:
            text = f"rounds {first} to {last} with {key(first)} to {key(last)}"
        if number == passes:
            text += " -> output register"
        else:
            text += f", {substitute} of round {last + 1} -> {register}"
        done.append(text)
    done.append("out_valid_o, out_block_o")
    return [(str(clock), text) for clock, text in enumerate(done)]


def _with_loop(head: str, joint: str = "[ mux ]") -> str:
    """A data path with the way from its plus back to its multiplexer drawn below."""
    mux = head.index(joint) + len(joint) // 2
    plus = head.index("+--|R|--")
    back = " " * mux + "|" + " " * (plus - mux - 1) + "|"
    loop = " " * mux + "+" + "-" * (plus - mux - 1) + "+"
    return "\n".join([head, back, loop])


def _in_columns(texts: dict[int, str]) -> str:
    """A line of a drawing: each text from its column on, over what is there."""
    line = ""
    for column, text in texts.items():
        line = line[:column].ljust(column) + text + line[column + len(text) :]
    return line.rstrip()


def _key_words(design: Design) -> str:
    """What fills the key memory of a core with one block at a time."""
    words = "1 word" if design.datapath is Datapath.W32 else "2 words"
    if design.round_keys_from_outside:
        return f"{', '.join(design.round_key_ports)}, {words} a clock "
    if design.key_offered:
        clocks, sub_word = 2, f"SubWord: {design.key_sbox.value}"
        if design.shared_sboxes:
            clocks, sub_word = 3, "S-boxes of the state"
        return f"key_i --[ expansion, a word in {clocks} clocks, {sub_word} ]"
    return f"key_i --[ expander, {words} a clock ]"


def _keys_of_iterative(design: Design) -> str:
    """Where the round keys come from."""
    if design.stored_keys:
        banks = 2 if design.key_schedule is KeySchedule.STORED else 1
        return f"{_key_words(design)}--[ key memory, {banks} bank(s) ]-- round keys"
    if design.key_register is KeyRegister.SUMS:
        return (
            "in_key_i --[ running sums |R|, SubWord |R| ]--(+)-- round keys (a key travels with "
            "each block)"
        )
    return (
        f"in_key_i --[ key round x {design.rounds.value}, key register ]-- round keys (a key "
        "travels with each block)"
    )


def _tbox_diagram(design: Design) -> str:
    lines = [_keys_of_iterative(design)]
    shift = "ShiftRows" if design.direction is Direction.ENCRYPT else "InvShiftRows"
    if design.direction is Direction.BOTH:
        shift = "(Inv)ShiftRows"
    tables = {Sbox.TABLE: "table", Sbox.ROM: "rom"}[design.sbox]
    if design.tbox is Tbox.REFILLED:
        lines.append("{S, S^-1} --[ x 2, 1, 3 or e, 9, d, b ]-- content of the T-boxes")
        tables = "ram"
    lines.append("")
    wait = "|R|--" if design.key_ahead else ""
    lines.append(
        _with_loop(
            f"in_block_i --(+ key)--{wait}[ mux ]--[ {shift} ]--[ T-boxes: {tables} |R| ]"
            "--[ XOR + key ]--+--|R|-- out_block_o"
        )
    )
    if design.direction is not Direction.ENCRYPT:
        outside = "mixed_round_key_i" in design.round_key_ports
        made = "which comes from outside" if outside else "made where it is read"
        lines += ["", f"decryption: inner rounds add InvMixColumns(key), {made}"]
    return "\n".join(lines)


def _shared_one_diagram(design: Design) -> str:
    """The key above the one addition, and the loop of the state below it."""
    packed = design.tbox is Tbox.PACKED
    registers = _registers(design.sbox_levels.value)
    block = "in_block_i --|R, else 0|--(+)--"
    key = block.index("(+)") + 1
    head = f"{block}|R|--(+)--" if packed else block
    plus, fork = head.rindex("(+)") + 1, len(head)
    line = f"{head}+--[ ShiftRows ]--[ T-boxes: {design.tbox.value} {registers} ]--+"
    end = len(line) - 1
    words = "[ XOR of 4 bits each ]" if packed else "[ XOR of 5 bytes ]"

    into = "in_key_i --[ mux ]--|R|".ljust(key, "-")
    return "\n".join(
        [
            f"{into}+--[ key round, SubWord {registers} ]-- next key, to the mux",
            _in_columns({key: "|"}),
            line,
            _in_columns({plus: "^", fork: "|", end: "|"}),
            _in_columns({plus: "|", fork: "+--|R|-- out_block_o", end: "|"}),
            " " * plus + "+" + words.center(end - plus - 1, "-") + "+",
        ]
    )


def _iterative_diagram(design: Design) -> str:
    if design.shared_one:
        return _shared_one_diagram(design)
    if design.tbox is not Tbox.NONE:
        return _tbox_diagram(design)
    step = design.rounds.value
    layer = (
        "(Inv)SubBytes"
        if design.direction is Direction.BOTH
        else ("SubBytes" if design.can_encrypt else "InvSubBytes")
    )
    first = f"{layer}: {design.sbox.value}"
    rounds = "round" if step == 1 else f"round, {layer}, ... x {step}"
    if design.key_offered:
        return "\n".join([_keys_of_iterative(design), "", *_compact_loop(design)])
    if design.key_ahead:
        head = f"in_block_i, key --|R|--(+)--[ {first} |R| ]--[ {rounds} ]--+--|R|-- out_block_o"
        return "\n".join([_keys_of_iterative(design), "", _with_loop(head, "(+)")])
    head = f"in_block_i --(+ key)--[ mux ]--[ {first} |R| ]--[ {rounds} ]--+--|R|-- out_block_o"
    return "\n".join([_keys_of_iterative(design), "", _with_loop(head)])


def _compact_loop(design: Design) -> list[str]:
    """The data path with one register, which a block enters where the last round goes."""
    substitute, shift, mix = _names(design)
    layer = f"[ {substitute}: {design.sbox.value} ]--[ {shift} ]"
    if design.direction is Direction.DECRYPT:
        own = design.output_register is OutputRegister.YES
        end_of_head = "+--|R|-- out_block_o" if own else "|R|--+-- out_block_o"
        head = f"in_block_i --[ mux ]--(+ key)--+-----------------------[ mux ]--{end_of_head}"
        back = layer + "--|R|" * own
        mixing = f"--[ {mix} ]--"
        at, plus, end = head.index("[ mux ]") + 3, head.index("+----"), head.rindex("+")
        join = head.rindex("[ mux ]") + 3
        return [
            head,
            _in_columns({at: "|", plus: "+" + mixing.center(join - plus - 1, "-") + "+", end: "|"}),
            _in_columns({at: "+" + back.center(end - at - 1, "-") + "+"}),
        ]
    if design.output_register is OutputRegister.YES:
        head = f"in_block_i --[ mux ]--(+ key)--+--|R|--{layer}--+--[ {mix} ]--+"
        out, result = head.index("+--|R|"), "+--|R|-- out_block_o"
    else:
        head = f"in_block_i --[ mux ]--(+ key)--|R|--+--{layer}--+--[ {mix} ]--+"
        out, result = head.index("+--["), "+-- out_block_o"
    at = head.index("[ mux ]") + 3
    tap, end = head.rindex("+--["), len(head) - 1
    return [
        head,
        _in_columns({at: "|", out: result, tap: "|", end: "|"}),
        _in_columns({at: "+" + "-" * (end - at - 1) + "+", tap: "+"}),
    ]


# ------------------------------------------------------------------------------- narrow


def _narrow_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    """A part of the state each clock; beside it the part of the next look-up."""
    if design.in_turn:
        if design.stored_keys:
            return _turns_schedule(design, rounds)
        return _shared_sboxes_schedule(rounds)
    if design.datapath is Datapath.W8:
        if design.direction is Direction.DECRYPT:
            return _bytes_back_schedule(rounds)
        return _bytes_schedule(design.key_width, rounds)
    parts = design.parts
    columns = 4 // parts
    look_up, mixing = _narrow_work(design)
    rows = []
    for clock in range(parts * (rounds + 1)):
        number, part = divmod(clock, parts)
        first = part * columns
        which = f"column {first}" if columns == 1 else f"columns {first} and {first + 1}"
        key = _key(design, rounds, number)
        if number == 0:
            source = "block" if part == 0 else "waiting block"
            text = f"{source} + {key}, {which}"
        elif number == rounds:
            text = f"round {number} + {key}, {which} -> output register"
        else:
            names = {"key": f"K{number}", "back": f"K{rounds - number}"}
            text = f"round {number}, {mixing.format(**names)}, {which}"
        # The part after this one, of the state that is complete.
        following, then = divmod(clock + 1, parts)
        if 1 <= following <= rounds:
            text += f"; {look_up} of round {following}, part {then}"
        rows.append((str(clock), text))
    return [*rows, (str(parts * (rounds + 1)), "out_valid_o, out_block_o")]


def _narrow_work(design: Design) -> tuple[str, str]:
    """What leads to a look-up and, with gaps for the keys, what follows it in an inner round."""
    shift = {
        Direction.ENCRYPT: "ShiftRows",
        Direction.DECRYPT: "InvShiftRows",
        Direction.BOTH: "(Inv)ShiftRows",
    }[design.direction]
    if design.tbox is not Tbox.NONE:
        key = {
            Direction.ENCRYPT: "{key}",
            Direction.DECRYPT: "InvMixColumns({back})",
            Direction.BOTH: "{key} (decryption: InvMixColumns({back}))",
        }[design.direction]
        return f"{shift}, T-boxes", f"XOR of 4 words a column, + {key}"
    return f"{shift}, S-boxes", {
        Direction.ENCRYPT: "MixColumns, + {key}",
        Direction.DECRYPT: "+ {back}, InvMixColumns",
        Direction.BOTH: "MixColumns, + {key} (decryption: + {back}, InvMixColumns)",
    }[design.direction]


def _shared_sboxes_schedule(rounds: int) -> list[tuple[str, str]]:
    """A block of two that take turns, five clocks each: four columns, then the word for the key."""
    rows = [
        ("0", "block, key -> input registers"),
        ("1", "-> registers of their words"),
        ("2", "word 0 of K0 -> key register"),
    ]
    for clock in range(3, 10 * rounds + 7):
        number, slot = divmod(clock - 3, 10)
        if slot > 4:
            text = "(the other block)"
        elif slot == 4:
            text = f"word 3 of K{number} to the S-boxes"
        elif number == 0:
            text = f"word {slot} of the block + K0 -> column register"
        elif number < rounds:
            text = f"column {slot} of round {number}, + K{number} -> column register"
        else:
            text = f"column {slot} of round {number}, + K{number} -> output register"
        rows.append((str(clock), text))
    return [*rows, (str(10 * rounds + 7), "out_valid_o, out_block_o")]


def _turns_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    """A block of two that take turns, four clocks each, with stored keys.

    Between a column register and that of the next round are two of the S-boxes, four of ShiftRows
    and one of MixColumns. With both directions the words of the block wait a clock.
    """
    wait = int(design.direction is Direction.BOTH)
    last = 8 * rounds + 7 + wait
    texts: list[list[str]] = [[] for _ in range(last)]
    texts[0].append("block -> registers of its words")
    for number in range(rounds + 1):
        key = _key(design, rounds, number)
        added = "the block" if number == 0 else f"round {number}"
        for column in range(4):
            clock = 8 * number + column + wait
            what = f"column {column} of {added} + {key}"
            texts[clock].append(f"word {column} of {key} is read")
            texts[clock + 2].append(f"{what} -> column register")
            if number == rounds:
                texts[clock + 3].append(f"{what} -> output register")
    rows = [(str(clock), "; ".join(events) or "-") for clock, events in enumerate(texts)]
    return [*rows, (str(last), "out_valid_o, out_block_o")]


def _bytes_schedule(bits: int, rounds: int) -> list[tuple[str, str]]:
    """A byte a clock: 16 of the state, four of the key for the S-box, four to come back."""
    first = bits // 8 + 3  # the clock of slot 0 of round 0
    rows = [("0", "block, key -> registers of their bytes")]
    rows += [(str(clock), "-") for clock in range(1, first - 2)]
    rows += [
        (str(first - 2), "block, key -> shift registers"),
        (str(first - 1), "byte 0 of K0 -> key register"),
    ]
    for clock in range(first, 24 * rounds + first + 16):
        number, slot = divmod(clock - first, 24)
        if slot < 16:
            source = "the block" if number == 0 else f"round {number}"
            register = "output register" if number == rounds else "state register"
            text = f"byte {slot} of {source} + K{number} -> {register}"
        else:
            text = _byte_of_key(bits, number, slot)
        rows.append((str(clock), text))
    return [*rows, (str(24 * rounds + first + 16), "out_valid_o, out_block_o")]


def _byte_of_key(bits: int, number: int, slot: int) -> str:
    """What a byte-wide encryption does in one of the slots 16 to 23 of a round."""
    word = 4 * number + 3
    if bits == 128 and slot < 20:
        return f"byte {slot - 4} of K{number} to the S-box"
    if bits == 192 and number % 3 == 0:
        # Six words are made; of the last two, the second goes to the S-box at once.
        which, byte = divmod(slot - 16, 4)
        text = f"byte {byte} of W[{word + 1 + which}] -> key register"
        return f"{text}, to the S-box" if which else text
    if (bits == 256 or (bits == 192 and number % 3 == 2)) and 17 <= slot < 21:
        # With RotWord, which 256-bit keys have in every other round.
        rotated = bits == 192 or number % 2 == 1
        return f"byte {(slot - 17 + rotated) % 4} of W[{word}] to the S-box"
    return "-"


def _bytes_back_schedule(rounds: int) -> list[tuple[str, str]]:
    """A byte-wide decryption: a round key in 28 clocks, forward to the last one, then backward."""
    rows = [("0", "block, key -> registers of their bytes")]
    for clock in range(1, 28 * (2 * rounds + 1) + 15):
        period, slot = divmod(clock + 1, 28)
        events = []
        done = period - rounds - 1
        if done >= 0 and slot < 16:
            source = "the block" if done == 0 else f"round {done}"
            register = "output register" if done == rounds else "state register"
            events.append(f"byte {slot} of {source} + K{rounds - done} -> {register}")
        if 1 <= period <= 2 * rounds and 4 <= slot < 20:
            made = period if period <= rounds else 2 * rounds - period
            events.append(f"byte {slot - 4} of K{made} -> ring")
        # In slots 26 to 1, behind MixColumns and its correction.
        coming, byte = divmod(clock + 3, 28)
        if 1 <= coming <= 2 * rounds and byte < 4:
            operand = coming - 1 if coming <= rounds else 2 * rounds - coming
            events.append(f"byte {12 + byte} of K{operand} to the S-box")
        if (period, slot) == (0, 18):
            events.append("K0 -> ring")
        if (period, slot) == (rounds, 27):
            events.append("block -> shift register")
        rows.append((str(clock), "; ".join(events) or "-"))
    return [*rows, (str(28 * (2 * rounds + 1) + 15), "out_valid_o, out_block_o")]


def _shared_sboxes_diagram(design: Design) -> str:
    """Everything behind the adder leads back to it; the fifth word is for the key."""
    levels = design.sbox_levels.value
    part, count, after = "word", 4, "[ ShiftRows |R| ]--[ Mix |R|R| ]"
    if not design.in_turn:
        if design.direction is Direction.DECRYPT:
            return _bytes_back_diagram(design)
        part, count, after = "byte", 1, "[ ShiftRows |R| ]--[ Mix |R| ]"
    ring = "ring" if design.key_bits is KeyBits.K128 else "window"
    boxes = f"{count} x {design.sbox.value} {_registers(levels)}" + "-|R|" * (3 - levels)
    head = f"in_block_i --[ {part}s ]--(+ key {part})--|R|--+"
    tail = f"--[ {boxes} ]--+--{after}--+"
    line = head + tail
    marks = [head.index("(+") + 1, len(head) - 1, len(head) + tail.index("]--+") + 3, len(line) - 1]

    def below(*texts: str) -> str:
        """A text under each mark but the last, to which the loop leads."""
        return _in_columns(dict(zip(marks, texts, strict=True)))

    return "\n".join(
        [
            f"in_key_i --[ {part}s ]--[ {ring} of the round keys of "
            f"{'two blocks' if design.in_turn else 'a block'} ]-- key {part}",
            "",
            line,
            below("|", "|", "|", "|"),
            below("|", "out_block_o", "SubWord", "|"),
            below("+" + "-" * (marks[-1] - marks[0] - 1), "-", "-", "+"),
        ]
    )


def _bytes_back_diagram(design: Design) -> str:
    """Decryption, whose key is added before InvMixColumns: the S-box stands behind that."""
    levels = design.sbox_levels.value
    boxes = f"1 x {design.sbox.value} {_registers(levels)}" + "-|R|" * (4 - levels)
    head = "in_block_i --[ bytes ]-(+ key)--|R|--+"
    entry = "--[ InvMix "
    line = head + entry + f"|R| ]--[ {boxes} ]--+--[ InvShiftRows |R| ]--+"
    places = [
        head.index("(+") + 1,
        len(head) - 1,
        len(head + entry),
        line.index("]--+--[ InvShift") + 3,
        len(line) - 1,
    ]
    names = ["|", "out_block_o", "last word of a key", "SubWord", "|"]
    return "\n".join(
        [
            "in_key_i --[ ring of the round keys of a block, forward, then backward ]-- key byte",
            "",
            line,
            _in_columns(dict.fromkeys(places, "|")),
            _in_columns(dict(zip(places, names, strict=True))),
            _in_columns({places[0]: "+" + "-" * (places[-1] - places[0] - 1) + "+"}),
        ]
    )


def _turns_diagram(design: Design) -> str:
    """Two sums: of what is added to a column, and of that with the column; keys go the same way."""
    both = design.direction is Direction.BOTH
    _, shift, mix = _names(design)
    wait = "|R|--" if both else ""
    before = "(+ key)--" if both else ""
    head = f"in_block_i --[ words ]--{wait}(+)--|R|--(+)--|R|--+"
    boxes = f"[ 4 x {design.sbox.value} |R||R| ]"
    line = f"{head}--{boxes}--+--[ {shift} ]--{before}[ {mix} |R| ]--+"
    key, plus = head.index("(+)") + 1, head.rindex("(+)") + 1
    places = [key, plus, len(head) - 1, len(head + boxes) + 4, len(line) - 1]
    words = "round keys"
    names = {key + 1 - len(words): words, plus: "|", places[2]: "out_block_o, w[i]"}
    return "\n".join(
        [
            "w[i] --[ key memory, 32 bits wide, 1 bank ]--|R|--+-- round keys",
            "key_i, w[i-1], SubWord + Rcon ---------------|R|--+",
            "",
            line,
            _in_columns(dict.fromkeys(places, "|")),
            _in_columns({**names, places[3]: "|R|-- SubWord", places[4]: "|"}),
            _in_columns({plus: "+" + "-" * (places[-1] - plus - 1) + "+"}),
        ]
    )


def _narrow_diagram(design: Design) -> str:
    if design.in_turn and design.stored_keys:
        return _turns_diagram(design)
    if design.shared_sboxes:
        return _shared_sboxes_diagram(design)
    width, banks = design.datapath.value, 2 if design.key_schedule is KeySchedule.STORED else 1
    columns = width // 32
    boxes, after = "S-boxes", "Mix + key"
    if design.tbox is not Tbox.NONE:
        boxes, after = "T-boxes", "XOR + key"
    kind = "ram" if design.tbox is Tbox.REFILLED else design.sbox.value
    lines = [
        f"{_key_words(design)}--[ key memory, {width} bits wide, {banks} bank(s) ]-- round keys"
    ]
    if design.tbox is Tbox.REFILLED:
        lines.append("{S, S^-1} --[ x 2, 1, 3 or e, 9, d, b ]-- content of the T-boxes")
    head = f"in_block_i --{_registers(4 // columns - 1)}--(+ key)--[ mux ]--[ ShiftRows |R| ]--"
    tail = f"[ {4 * columns} {boxes}: {kind} |R| ]--[ {after} ]--+"
    line = head + tail
    at, plus = head.index("[ mux ]") + 3, len(line) - 1
    back = " " * at + "|" + " " * (plus - at - 1) + "+-- last"
    loop = " " * at + "+" + f" {width} bits a clock ".center(plus - at - 1, "-") + "+"
    result = f"last --[ output register, {width} bits a clock ]-- out_block_o"
    return "\n".join([*lines, "", line, back, loop, "", result])


# ------------------------------------------------------------------------------ rolling


def _rolling_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    if design.order is Order.COLUMNS:
        return _column_schedule(design, rounds)
    turns = design.lookups.value
    sbox = "RAM address register" if design.sbox is Sbox.ROM else "S-box register"
    # The registers that a look-up passes on its way from the block to the result of a round.
    way = {
        1: [sbox],
        2: [sbox, "feed-back registers"],
        4: ["selection register", sbox, "S-box output register", "feed-back registers"],
    }[turns]
    shifted = [4 * ((n // 4 + n) % 4) + n % 4 for n in range(16)]  # ShiftRows: byte n comes from
    rows = []
    for clock in range(2 * rounds * turns):
        number, step = clock // (2 * turns) + 1, clock % (2 * turns)
        events = []
        if step < turns:
            given = f"P{number - 1}, MixColumns, + K{number - 1}"
            if number == 1:
                given = "block + K0" if step == 0 else "held block + K0"
            chosen = " ".join(f"X{n}" for n in shifted[step::turns]) if turns > 1 else "ShiftRows"
            events.append(f"{given}: {chosen} -> {way[0]}")
        for at, register in enumerate(way[1:], start=1):
            if 0 <= step - at < turns:
                events.append(f"look-up {step - at + 1} -> {register}")
        if step == 2 * turns - 1:
            events.append(f"-> P{number}, K{number}")
        rows.append((str(clock), "; ".join(events)))
    rows.append((str(2 * rounds * turns), f"P{rounds} + K{rounds}: out_valid_o, out_block_o"))
    return rows


def _rolling_diagram(design: Design) -> str:
    if design.order is Order.COLUMNS:
        return _column_diagram(design)
    turns = design.lookups.value
    boxes = f"{16 // turns} x {design.sbox.value}"
    if design.lookups is Lookups.ONE:
        hold, part = "", f"[ ShiftRows ]--[ {boxes} |R| ]"
    else:
        hold = "[ hold, mux ]--"
        select = "shifter" if design.order is Order.SHIFTER else "permutation, selector"
        if design.lookups is Lookups.FOUR:
            part = f"[ {select} |R| ]--[ {boxes} |R|R| ]--[ feed-back x {turns} ]"
        else:
            part = f"[ {select} ]--[ {boxes} |R| ]--[ feed-back x {turns} ]"
    period = "each clock" if turns == 1 else f"every {turns} clocks"
    return "\n".join(
        [
            f"in_block_i --(+ K0)--{hold}[ part 1 ]--|P1|--[ MixColumns ]--(+ K1)-- ...",
            "... --[ part 10 ]--|P10|--(+ K10)-- out_block_o",
            "",
            f"part: {part}",
            f"in_key_i --{hold.replace(', mux', '')}[ round key circuit ]-- K1 -- ... -- K10",
            f"round key circuit: |R|--[ 4 x {design.key_sbox.value} |R|, XORs ]--|K|",
            f"registers P and those of the round keys load {period}",
        ]
    )


def _column_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    """A block through rounds that take its columns one after the other, or two at a time."""
    parts, sbox_levels = int(design.lookups.value), int(design.sbox_levels.value)
    mix_levels = int(design.mix_levels.value)
    size = 4 // parts
    shifted = [4 * ((n // 4 + n) % 4) + n % 4 for n in range(16)]  # ShiftRows: byte n comes from
    rows: list[list[str]] = [[] for _ in range(design.latency() + 1)]
    rows[0].append("block + K0 -> entry registers")
    for number in range(1, rounds + 1):
        # The clock in which the S-boxes give the first columns of this round.
        substituted = 1 + sbox_levels + (number - 1) * (parts + sbox_levels - 1 + mix_levels)
        for part in range(parts):
            columns = ", ".join(str(size * part + column + 1) for column in range(size))
            name = f"round {number}, column{'s' * (size > 1)} {columns}"
            chosen = " ".join(f"X{n}" for n in shifted[4 * size * part : 4 * size * (part + 1)])
            for level, text in enumerate(_levels("S-boxes", sbox_levels)):
                what = f"{chosen}, " if level == 0 else ""
                rows[substituted - sbox_levels + part + level].append(f"{name}: {what}{text}")
            if number == rounds:
                rows[substituted + part].append(f"{name}: + K{number} -> output registers")
                continue
            to = ["registers of ShiftRows"]
            if mix_levels:
                to.insert(0, "register of MixColumns")
                rows[substituted + part + 1].append(f"{name}: -> {to[1]}")
            rows[substituted + part].append(f"{name}: MixColumns, + K{number} -> {to[0]}")
    rows[-1].append("out_valid_o, out_block_o")
    return [(str(clock), "; ".join(events)) for clock, events in enumerate(rows)]


def _column_diagram(design: Design) -> str:
    parts = int(design.lookups.value)
    width = 128 // parts
    boxes = f"[ {16 // parts} x {design.sbox.value} {'|R' * int(design.sbox_levels.value)}| ]"
    level = "--|R|" if design.mix_levels.value else ""
    return "\n".join(
        [
            f"in_block_i --(+ K0)--[ ShiftRows |R| ]-- {width} bits a clock --[ round 1 ]-- ...",
            "... --[ round 10 ]--[ |R| ]-- out_block_o",
            "",
            f"round:    {boxes}--[ MixColumns ]--(+ K){level}--[ ShiftRows |R| ]",
            f"round 10: {boxes}--(+ K)",
            f"in_key_i --[ |R| ]-- {width} bits a clock --[ round key circuit ]-- K1 -- ... -- K10",
        ]
    )


# --------------------------------------------------------- interleaved and pipelined


def _levels(text: str, levels: int) -> list[str]:
    """``text`` once for each of its register levels."""
    return [text] if levels == 1 else [f"{text}, level {n}" for n in range(1, levels + 1)]


def _staged_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    """A block through a pipeline, or round and round a loop, with its key beside it.

    Each entry of ``state`` and ``key`` is the work of one clock, which ends in a register.
    """
    if design.shared_add is SharedAdd.YES:
        return _shared_add_schedule(design, rounds)
    sbox, mix = design.sbox_levels.value, design.mix_levels.value
    selector: list[str] = []
    prefix = ""
    if design.architecture is Architecture.INTERLEAVED:
        if design.loop_level.value:
            selector = ["multiplexer of the loop"]
        elif design.shared_add is SharedAdd.NO:
            prefix = "multiplexer, "
    sub_bytes, shift_rows, mix_columns = _names(design)
    ahead = design.key_register is KeyRegister.AHEAD
    state = ["input register"] * (mix - 1 + ahead) + [f"+ {_key(design, rounds, 0)}"]
    for number in range(1, rounds + 1):
        state += selector + _levels(f"{prefix}{sub_bytes} of round {number}", sbox)
        if number < rounds:
            added = _mixed_key(design, rounds, number)
            state += _levels(f"{shift_rows}, {mix_columns}, + {added}", mix)
    last = f"{shift_rows}, + {_key(design, rounds, rounds)}"
    if design.shared_add is SharedAdd.FIRST:
        state[1] += ", in the key addition of the round"
        state += [last, "-> output register"]
    else:
        state += ["delay"] * (mix - 1) + [f"{last} -> output register"]
    if design.stored_keys:
        return _beside(state, _key_reads(design, rounds), "out_valid_o, out_block_o")
    key = ["input register"] * (mix - 1)
    for number in range(1, rounds + 1):
        sub_word, new_key = _key_step(design, number)
        key += selector + _levels(sub_word, sbox)
        key += [new_key[0]] if mix == 1 else new_key[1:]
    return _beside(state, key, "out_valid_o, out_block_o")


def _key_step(design: Design, number: int) -> tuple[str, list[str]]:
    """Step ``number`` of a key that is made on the way, from 1.

    Its SubWord, and its new words: in one clock, and in the first and second of two.
    """
    if design.key_width == 128:
        new = f"K{number}"
        return f"SubWord for {new}", [new, f"{new}, word 0", f"{new}, words 1 to 3"]
    first = design.key_width // 32 + 4 * (number - 1)
    words = range(first, first + 4)
    substituted = [i for i in substituted_words(design.key_width) if i in words]
    new = f"W[{words[0]}] to W[{words[-1]}]"
    sub_word = f"SubWord for W[{substituted[0]}]" if substituted else "delay"
    return sub_word, [new, f"{new}, part 1", f"{new}, part 2"]


def _key_reads(design: Design, rounds: int) -> list[str]:
    """The clocks in which a loop reads a stored key from its memory; a pipeline has registers."""
    if design.architecture is Architecture.PIPELINED:
        return []
    front = 2 if design.mix_levels is MixLevels.TWO else 1
    reads = [""] * (design.round_levels * rounds + front - 1)
    for number in range(1, rounds + 1):
        added = _key if number == rounds else _mixed_key
        text = f"read {added(design, rounds, number)}"
        reads[design.round_levels * number + front - 2] = text
    return reads


def _beside(state: list[str], key: list[str], result: str) -> list[tuple[str, str]]:
    """The rows of a schedule with the work on the state and that on the key side by side."""
    width = max(len(text) for text in state)
    texts = [
        f"{text:<{width}} | {work}" if work else text
        for text, work in zip(state, key, strict=False)
    ]
    texts += [*state[len(key) :], result]
    return [(str(clock), text) for clock, text in enumerate(texts)]


def _shared_add_schedule(design: Design, rounds: int) -> list[tuple[str, str]]:
    """A block in the loop with one key adder (standaert2003, Fig. 9)."""
    sub_bytes, shift_rows, mix_columns = _names(design)
    state = [f"block + {_key(design, rounds, 0)} -> state register"]
    key = []
    for number in range(1, rounds + 1):
        added = _key(design, rounds, number)
        if number < rounds:
            added = f"{mix_columns}, + {_mixed_key(design, rounds, number)}"
        else:
            added = f"+ {added}"
        state.append(f"{sub_bytes} of round {number}")
        state.append(f"{shift_rows}, {added} -> state register")
        sub_word, new_key = _key_step(design, number)
        key += [sub_word, new_key[0]]
    if design.stored_keys:
        key = _key_reads(design, rounds)
    own = design.output_register is OutputRegister.YES
    shows = "out_block_o" if own else "out_block_o (the state register)"
    return _beside(state, key, f"out_valid_o, {shows}")


def _outer_keys(design: Design, rounds: int) -> tuple[str, str]:
    """Names of the first and the last round key in a drawing."""
    if design.direction is Direction.BOTH:
        return "first key", "last key"
    return _key(design, rounds, 0), _key(design, rounds, rounds)


def _registers(count: int) -> str:
    """So many registers in a row."""
    return "|R|" * count if count <= 6 else f"{count} x |R|"


def _sub_bytes(design: Design) -> str:
    """The S-boxes of a staged round, with the multiples that they give besides."""
    doubles = ", {02}" if design.doubled is Doubled.YES else ""
    return f"{_names(design)[0]}: {design.sbox.value}{doubles}"


def _expander(design: Design, memory: str) -> str:
    """Where stored keys come from."""
    banks = 2 if design.key_schedule is KeySchedule.STORED else 1
    mixed = ", InvMixColumns" if design.can_decrypt else ""
    clocks = "a clock"
    if design.key_register is KeyRegister.STAGED:
        clocks = f"in 4 clocks, or {design.sbox_levels.value + 5} with SubWord"
    return f"key_i --[ expander, 2 words {clocks}{mixed} ]--[ {memory}, {banks} bank(s) ]"


def _pipelined_diagram(design: Design) -> str:
    """Every round beside its key round; the number of |R| is that of register levels."""
    rounds = ROUNDS_OF_KEY[design.key_width]
    sbox, mix = design.sbox_levels.value, design.mix_levels.value
    front = _registers(mix - 1)
    ahead = design.key_register is KeyRegister.AHEAD
    entry = _registers(mix - 1 + ahead)
    first, last = _outer_keys(design, rounds)
    waiting = design.key_memory is KeyMemory.DISTRIBUTED and not design.stored_keys
    key_round = f"[ key round {_registers(sbox + mix)} ]"
    layer = f"{_sub_bytes(design)} {_registers(sbox)}"
    mixadd = f"Mix + key {_registers(mix)}"
    state = [
        f"in_block_i --{entry}-(+)-|R|--[ {layer} ]--[ {mixadd} ]-- ... x {rounds - 1}",
        f"           ... --[ {layer} ]--{front}--(+ {last})--|R|-- out_block_o",
    ]
    if design.stored_keys:
        return "\n".join(
            [
                _expander(design, "key registers") + "-- a key beside each round",
                "",
                state[0].replace("(+)", f"(+ {first})"),
                state[1],
            ]
        )
    return "\n".join(
        [
            f"in_key_i   --{front}--+--{key_round}--K1-- ... --{key_round}--K{rounds}",
            " " * (len(front) + 15) + "| K0",
            *([" " * (len(front) + 14) + "|R|, and so beside each round"] if ahead else []),
            *state,
            *(["", "A key waits for SubWord in LUT RAM."] if waiting else []),
        ]
    )


def _interleaved_diagram(design: Design) -> str:
    """One round and one key round, each with a loop back to its multiplexer."""
    if design.shared_add is SharedAdd.YES:
        return _shared_add_diagram(design)
    if design.shared_add is SharedAdd.FIRST:
        return _shared_first_diagram(design)
    sbox, mix, loop = design.sbox_levels.value, design.mix_levels.value, design.loop_level.value
    front, loop_register = _registers(mix - 1), _registers(loop)
    first_key, last_key = _outer_keys(design, ROUNDS_OF_KEY[design.key_width])

    def looped(head: str, tail: str, label: str) -> list[str]:
        at, end = head.index("[ mux ]") + 3, len(head) + tail.rindex("+")
        return [
            head + tail,
            " " * at + "|" + " " * (end - at - 1) + "|",
            " " * at + "+" + f" {label} ".center(end - at - 1, "-") + "+",
        ]

    if design.stored_keys:
        key = [_expander(design, "key memory") + "-- a key each clock", ""]
    else:
        key = looped(
            f"in_key_i   --{front}--------------[ mux ]-{loop_register}-",
            f"-[ key round {_registers(sbox + mix)} ]--+-- round keys",
            "next round",
        )
    state = looped(
        f"in_block_i --{front}-(+ {first_key})-|R|---[ mux ]-{loop_register}-",
        f"-[ {_sub_bytes(design)} {_registers(sbox)} ]--x--[ Mix + key {_registers(mix)} ]--+",
        "next round",
    )
    last = f"                    x --{_registers(mix - 1)}--(+ {last_key})--|R|-- out_block_o"
    return "\n".join([*key, *state, last])


def _shared_first_diagram(design: Design) -> str:
    """A loop without multiplexers of its own: new blocks come in by the last additions."""
    sbox = _registers(design.sbox_levels.value)
    layer = _sub_bytes(design)

    def looped(head: str, enters: str, tail: str, label: str) -> list[str]:
        at, end = len(head) + 2, len(head) + tail.rindex("+")
        return [
            enters + "-" * (at - len(enters)) + "+",
            " " * at + "v",
            head + tail,
            "   |" + " " * (end - 4) + "|",
            "   +" + f" {label} ".center(end - 4, "-") + "+",
        ]

    return "\n".join(
        [
            *looped(
                f"   +--[ key round {sbox}|R| ]--",
                "in_key_i ",
                "[ mux ]-|R|--+-- round keys",
                "next round",
            ),
            *looped(
                f"   +--[ {layer} {sbox} ]--x--[ Mix |R| ]-",
                "in_block_i --|R|",
                "(+ key)-|R|--+",
                "next round",
            ),
            f"      x --(+ K{ROUNDS_OF_KEY[design.key_width]})--|R|--|R|-- out_block_o",
        ]
    )


def _shared_add_diagram(design: Design) -> str:
    """Fig. 9: a selector in front of the only key adder."""
    sub_bytes, shift_rows, mix_columns = _names(design)
    layer = f"[ {sub_bytes}: {design.sbox.value} |R| ]"
    if design.output_register is OutputRegister.YES:
        state = f"in_block_i --[ mux ]-(+)-+--|R|--{layer}--[ {shift_rows} ]--+-- last"
        result = "+--|R|-- out_block_o"
    else:
        state = f"in_block_i --[ mux ]-(+)-|R|--+--{layer}--[ {shift_rows} ]--+-- last"
        result = "+-- out_block_o"
    tap = state.index("+--")
    down = state.rindex("+") - tap - 1
    key = [
        "in_key_i   --[ mux ]--+--[ key round |R||R| ]--+",
        "                |     |                        |",
        "                +-----|------ next round ------+",
        "                      v",
    ]
    if design.stored_keys:
        expander = _expander(design, "key memory")
        key = [
            f"{expander}--+",
            "+".rjust(23) + "-" * (len(expander) - 21) + "+",
            "v".rjust(23),
        ]
    return "\n".join(
        [
            *key,
            state,
            "     inner --[     ]".ljust(tap) + "|" + " " * down + "|",
            "      last --[     ]".ljust(tap)
            + result.ljust(down + 1)
            + f"+--[ {mix_columns} ]-- inner",
        ]
    )
