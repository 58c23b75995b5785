{# Copyright AESFab contributors. SPDX-License-Identifier: Apache-2.0 #}
// ---- from a need to a core: the limits and the order of aesfab/choosing/answer.py and candidates.py
let choices = { devices: {}, rows: [] };
const rates = { k: 1e-3, m: 1, g: 1e3, t: 1e6 }, clocks = { k: 1e-3, m: 1, g: 1e3 }, times = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6 };

// A number above zero with its unit; null without a text, NaN for what is none.
function quantity(text, units, after) {
  text = text.trim().toLowerCase();
  if (!text) return null;
  const found = new RegExp(`^([0-9]+(?:\\.[0-9]*)?(?:e[0-9]+)?|\\.[0-9]+)\\s*(?:(${Object.keys(units).join("|")})${after})?$`).exec(text);
  const value = found ? Number(found[1]) * (found[2] ? units[found[2]] : 1) : NaN;
  return value > 0 && value < Infinity ? value : NaN;
}

function whole(text, least) {
  text = text.trim().replaceAll(",", "");
  if (!text) return null;
  return /^[0-9]{1,12}$/.test(text) && Number(text) >= least ? Number(text) : NaN;
}

function needOf(form) {
  const said = (name) => form.elements[name].value, is = (name) => form.elements[name].checked;
  const need = {
    device: said("device"), key: said("key"), direction: said("direction"), mode: said("mode"),
    agile: is("agile"), optimise: said("optimise"), packet: whole(said("packet"), 1), streams: whole(said("streams"), 1), limits: {},
  };
  const limits = {
    mbit: quantity(said("mbit"), rates, "(?:bit/s|bps|bit)?"),
    latency_ns: quantity(said("latency_ns"), times, ""),
    clock_mhz: quantity(said("clock"), clocks, "(?:hz)?"),
    max_lut: whole(said("max_lut"), 1), max_cells: whole(said("max_cells"), 1), max_ram: whole(said("max_ram"), 0),
  };
  for (const [name, value] of Object.entries(limits)) if (value !== null) need.limits[name] = value;
  const parts = !need.mode ? [[need.direction, false]]
    : need.direction === "both" ? Object.values(choices.modes[need.mode]) : [choices.modes[need.mode][need.direction]];
  const cores = new Set(parts.map(([core]) => core));
  need.engine = need.packet !== null || need.streams !== null;
  need.core = cores.size > 1 || cores.has("both") ? "both" : [...cores][0];
  need.waits = is("chained") || parts.some(([, waits]) => waits);
  const placed = choices.devices[need.device].placed, asks = Object.keys(need.limits).length > 0;
  const fast = ["mbit", "latency_ns", "clock_mhz"].some((name) => name in need.limits);
  need.optimise ||= fast || !placed ? "cells" : asks ? "mbit" : "mbit/lut";
  const bad = Object.entries(need.limits).find(([, value]) => Number.isNaN(value));
  if (bad) need.wrong = `${bad[0]} is no number with its unit`;
  else if (need.packet !== null && !(need.mode in choices.engines)) need.wrong = `packets go with the modes ${Object.keys(choices.engines).join(", ")}`;
  else if (need.packet !== null && !(need.packet >= choices.engines[need.mode][0] && need.packet <= choices.engines[need.mode][1])) need.wrong = `${need.mode} takes ${choices.engines[need.mode].join(" to ")} bytes`;
  else if (need.streams !== null && !(need.mode in choices.streamed)) need.wrong = `streams go with the modes ${Object.keys(choices.streamed).join(", ")}`;
  else if (Number.isNaN(need.streams) || need.streams > 1e6) need.wrong = "streams are a whole number from 1 to 1000000";
  else if (need.packet !== null && need.streams === null && choices.streamed[need.mode]?.[need.direction]) need.wrong = `packets of ${need.mode} go with streams`;
  else if (need.mode === "xts" && !choices.xts_keys.includes(need.key)) need.wrong = "xts has keys of 128 and 256 bits";
  else if (!placed && (fast || !["lut", "cells"].includes(need.optimise))) need.wrong = `no open tool places ${need.device}, so only areas are known of it`;
  else if (is("chained") && need.mode && !parts.some(([, waits]) => waits)) need.wrong = `blocks do not wait in ${need.mode}`;
  return need;
}

// Clocks from a packet, sector or message to the next one in an engine, as size_clocks has them.
function packetClocks(row, need) {
  const [kind, costs] = row.costs, size = need.packet ?? choices.long, blocks = Math.ceil(size / 16);
  const opens = need.direction === "encrypt" ? 0 : 1;
  if (kind === "ccm") {
    const [alone, each, decrypts] = costs;
    return alone + Math.ceil(blocks * each) + opens * decrypts;
  }
  if (kind === "sectors") {
    const [interval, more, least, steal] = costs;
    return Math.max(Math.ceil((blocks + more) * interval), least) + (size % 16 ? steal : 0);
  }
  if (kind === "streams") {
    const [alone, shared, interval, served] = costs, busy = Math.min(need.streams ?? 1, served);
    return Math.max(3, blocks * Math.max(interval, busy === 1 ? alone : shared / busy));
  }
  if (kind === "bytes") return costs[0] + blocks * costs[1];
  const [interval, hashing, dead] = costs, items = blocks + 1;
  if (need.mode === "ctr") return Math.ceil(interval * items);
  const slots = (interval > 1 ? Math.ceil(interval * items) + (hashing ? 0 : 1) : items) + opens;
  return hashing ? Math.max(slots, hashing * items + dead + opens) : slots;
}

// What a need asks of a candidate, with a part of the error of an estimate to the worse side.
function judged(row, need, part) {
  const area = 1 + part * row.error[0], slow = 1 + part * row.error[1];
  const least = row.slowest === null ? null : row.slowest / slow;
  const runs = need.limits.clock_mhz !== undefined && least ? need.limits.clock_mhz : row.mhz === null ? null : row.mhz / slow;
  const [latency, interval] = row.cycles[need.key === "any" ? 256 : need.key];
  const clock = row.costs ? packetClocks(row, need) : need.waits ? Math.max(latency, (choices.blocks[need.mode] ?? 1) * interval) : interval;
  const bits = row.costs ? 8 * (need.packet ?? choices.long) : 128;
  return {
    mbit: runs === null ? null : bits * runs / clock, latency_ns: runs === null ? null : 1000 * latency / runs,
    clock_mhz: least, max_lut: row.lut * area, max_cells: row.cells * area, max_ram: row.ram * (1 + part * row.error[2]),
  };
}

const labels = { mbit: "Mbit/s", latency_ns: "ns of latency", clock_mhz: "MHz of the slowest seed", max_lut: "LUTs", max_cells: "cells", max_ram: "block RAMs" };

function missed(row, need) {
  const has = judged(row, need, 1), found = {};
  for (const [name, limit] of Object.entries(need.limits)) {
    const value = has[name], least = name === "mbit" || name === "clock_mhz";
    if (value === null) found[name] = Infinity;
    else if (least && value < limit) found[name] = limit / value;
    else if (!least && value > limit) found[name] = limit ? value / limit : Infinity;
  }
  return found;
}

function rank(row, need) {
  const has = judged(row, need, choices.ranked), mbit = has.mbit ?? 0, latency = has.latency_ns ?? Infinity;
  const best = { lut: has.max_lut, cells: has.max_cells, mbit: -mbit, "mbit/lut": -mbit / Math.max(1, has.max_lut), latency }[need.optimise];
  return [need.engine && row.estimate ? 1 : 0, best, choices.devices[need.device].sites, has.max_cells, has.max_lut, row.ram, -mbit, row.words, row.recipe];
}

function compare(a, b) {
  for (const at in a) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
  return 0;
}

function chosen(need) {
  const rows = choices.rows
    .filter((row) => row.devices.includes(need.device) && Boolean(row.costs) === need.engine && row.serves.includes(need.engine ? `${need.mode} ${need.direction} ${need.key}` : `${need.core} ${need.key}`) && (row.agile || !need.agile))
    .map((row) => {
      const misses = missed(row, need);
      return { row, misses, away: Object.values(misses).reduce((sum, factor) => sum + Math.log(factor), 0), rank: rank(row, need) };
    });
  const meets = rows.filter((each) => !Object.keys(each.misses).length).sort((a, b) => compare(a.rank, b.rank));
  const others = rows.filter((each) => Object.keys(each.misses).length).sort((a, b) => a.away - b.away || compare(a.rank, b.rank));
  return { meets, others };
}
window.aesfab.choose = (need) => chosen(need).meets.map((each) => [each.row.words, each.row.recipe]);

let asking = 0;
async function answer() {
  const form = document.getElementById("choose-form"), said = document.getElementById("choose-said"), need = needOf(form);
  const body = document.querySelector("#choose-table tbody"), turn = ++asking;
  for (const group of need.wrong ? [] : choices.groups[need.device]) {
    if (!(group in choices.read)) {
      // Candidates of a device are read when it is asked for.
      const read = choices.read[group] = load(group);
      choices.rows.push(...rowsOf(await read));
    }
    await choices.read[group];
  }
  if (turn !== asking) return;
  body.replaceChildren();
  if (need.wrong) { said.textContent = `Refused: ${need.wrong}.`; return; }
  const { meets, others } = chosen(need), once = new Set();
  const shown = (meets.length ? meets : others).filter((each) => !once.has(each.row.words) && once.add(each.row.words)).slice(0, 6);
  said.textContent = meets.length
    ? `${shown[0].row.words}, ${shown[0].row.estimate ? "by an estimate" : "by a record"}. ${meets.length} candidates meet the need, the best first:`
    : shown.length ? `No ${need.engine ? "engine" : "core"} that is known meets this need. The nearest:` : `No ${need.engine ? "engine" : "core"} is known on this device that serves this need.`;
  const number = (value, digits = 0) => value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: digits });
  for (const { row, misses } of shown) {
    const has = judged(row, need, 0), line = body.insertRow(), head = document.createElement("th");
    head.scope = "row";
    head.append(linkTo(row.words));
    line.append(head);
    const why = Object.keys(misses).map((name) => `${number(judged(row, need, 1)[name])} for ${number(need.limits[name])} ${labels[name]}`).join(", ");
    const [area, clock, ram] = row.error.map((error) => number(100 * error)), more = row.ram && row.error[2] ? `, block RAMs up to ${ram} % more` : "";
    const source = row.estimate ? `estimate, areas ±${area} %, clock ±${clock} %${more}` : "record";
    const values = [row.recipe, number(row.cells), number(row.lut), number(row.ram), number(row.mhz, 1), number(has.mbit), number(has.latency_ns), source, why || "–"];
    values.forEach((value, at) => {
      const cell = line.insertCell();
      cell.textContent = value;
      if (at > 0 && at < 7) cell.className = "number";
    });
  }
}

const chooseForm = document.getElementById("choose-form");
async function startForm() {
  if (!chooseForm) return;
  choices = { ...await load("choices"), rows: [], read: {} };
  const anew = () => answer().catch((error) => failed(document.getElementById("choose-said"), error));
  chooseForm.addEventListener("input", anew);
  chooseForm.addEventListener("submit", (event) => { event.preventDefault(); anew(); });
  await anew();
}
const formStarted = startForm().catch((error) => failed(document.getElementById("choose-said"), error));
