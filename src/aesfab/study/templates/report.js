{# Copyright AESFab contributors. SPDX-License-Identifier: Apache-2.0 #}
(() => {
"use strict";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const views = {}, all = (words, of = document) => [...of.querySelectorAll(words)];
window.aesfab = { views, errors: [] };

// ---- data: in this page, or in script files beside it, since a page of a folder cannot fetch
const loading = {}, waiting = {};
window.aesfabData = (name, value) => waiting[name](value);

function script(name, file) {
  return new Promise((resolve, reject) => {
    const here = document.getElementById(`file-${name}`), added = document.createElement("script");
    if (here) { added.textContent = here.textContent; document.head.append(added); resolve(); return; }
    Object.assign(added, { src: file, onload: resolve, onerror: () => reject(new Error(`${file} is not beside this page`)) });
    document.head.append(added);
  });
}

function load(name) {
  return loading[name] ||= new Promise((resolve, reject) => {
    const here = document.getElementById(`file-${name}`);
    if (here) { resolve(JSON.parse(here.textContent)); return; }
    waiting[name] = resolve;
    script(name, `data/${name}.js`).catch(reject);
  });
}

// Rows are written as lists, their keys once.
const rowsOf = ({ keys, rows }) => rows.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at]])));

function failed(place, error) {
  window.aesfab.errors.push(String(error));
  console.error(error);
  place.textContent = `Nothing to show: ${error.message}.`;
}

const designs = document.body.dataset.designs;
function linkTo(design) {
  const link = document.createElement("a");
  link.href = `${designs}#design-${design.split(" ")[0]}`;
  link.textContent = design;
  return link;
}

const shownAs = (value) => value === null || value === undefined ? "\u2013" : String(value);

// Cells of a row; the first one names it.
function addRow(body, row, columns) {
  const line = body.insertRow();
  columns.forEach(({ key, number }, at) => {
    const cell = at ? line.insertCell() : line.appendChild(document.createElement("th"));
    if (!at) cell.scope = "row";
    if (key === "design") cell.append(linkTo(row[key])); else cell.textContent = shownAs(row[key]);
    cell.dataset.key = key;
    if (number) cell.className = "number";
  });
}

const columnsOf = (table) => [...table.tHead.rows[0].cells].map((head) =>
  ({ key: head.dataset.key, number: head.classList.contains("number") }));

// What is missing stays last in both directions.
function order(x, y, number, ascending) {
  const none = (value) => value === "" || value === null || value === undefined;
  if (number && (none(x) || none(y))) return none(x) - none(y);
  const first = number ? Number(x) - Number(y) : shownAs(x).localeCompare(shownAs(y), "en", { numeric: true });
  return ascending ? first : -first;
}

// A click, or Enter or Space, on the button of a heading.
function sorting(table, sort) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => head.querySelector("button").addEventListener("click", () => {
    // Numbers are most wanted largest first.
    const now = head.getAttribute("aria-sort"), first = !head.classList.contains("number");
    const ascending = now === "none" ? first : now !== "ascending";
    sort(at, ascending);
    heads.forEach((each, index) =>
      each.setAttribute("aria-sort", index !== at ? "none" : ascending ? "ascending" : "descending"));
  }));
}

// Tables of the papers and classes get the buttons that the others are written with.
for (const table of all("table.lines")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
  }
}

// ---- tables whose rows stand in the page
const valueOf = (cell) => cell.dataset.value !== undefined ? cell.dataset.value : cell.textContent.trim();

for (const table of all("table.data, table.lines")) {
  sorting(table, (index, ascending) => {
    const body = table.tBodies[0], number = table.tHead.rows[0].cells[index].classList.contains("number");
    const value = (row) => {
      const found = valueOf(row.cells[index]);
      return number && Number.isNaN(Number(found)) ? parseFloat(found) || "" : found;
    };
    body.append(...[...body.rows].sort((a, b) => order(value(a), value(b), number, ascending)));
  });
}

const controls = (name) => ({
  words: document.querySelector(`input[data-table="${name}"]`),
  selects: all(`select[data-table="${name}"]`),
  count: document.querySelector(`output[data-count="${name}"]`),
});

function asked(name) {
  const { words, selects } = controls(name);
  return { words: words.value.toLowerCase().split(/\s+/).filter(Boolean), chosen: selects.filter((each) => each.value) };
}

function filterTable(name) {
  const table = document.getElementById(name), { words, chosen } = asked(name);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !(words.every((word) => text.includes(word)) && chosen.every((each) =>
      row.querySelector(`[data-key="${each.dataset.key}"]`).textContent.trim() === each.value));
    shown += !row.hidden;
  }
  controls(name).count.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
}

// ---- tables whose rows are data: some of them at a time stand in the page
const STEP = 200, live = {};

async function startLive(table) {
  if (live[table.id]) return;
  const rows = rowsOf(await load(table.dataset.set)), columns = columnsOf(table), { selects } = controls(table.id);
  const more = document.querySelector(`[data-more="${table.id}"]`);
  for (const row of rows) row.text = columns.map(({ key }) => shownAs(row[key])).join(" ").toLowerCase();
  for (const select of selects) {
    for (const value of new Set(rows.map((row) => shownAs(row[select.dataset.key])))) select.add(new Option(value));
  }
  let sorted = rows, limit = STEP;
  const fill = () => {
    const { words, chosen } = asked(table.id);
    const fits = sorted.filter((row) => words.every((word) => row.text.includes(word))
      && chosen.every((each) => shownAs(row[each.dataset.key]) === each.value));
    const body = document.createElement("tbody");
    fits.slice(0, limit).forEach((row) => addRow(body, row, columns));
    table.tBodies[0].replaceWith(body);
    more.hidden = fits.length <= limit;
    const some = more.hidden ? "" : `, the first ${limit} are shown`;
    controls(table.id).count.textContent = `${fits.length} of ${rows.length} rows${some}`;
  };
  live[table.id] = () => { limit = STEP; fill(); };
  more.addEventListener("click", () => { limit += STEP; fill(); });
  sorting(table, (at, ascending) => {
    const { key, number } = columns[at];
    sorted = [...rows].sort((a, b) => order(a[key], b[key], number, ascending));
    live[table.id]();
  });
  fill();
}

const anew = (name) => document.getElementById(name).classList.contains("live") ? live[name]?.() : filterTable(name);
for (const control of all("input[data-table], select[data-table]")) {
  control.addEventListener("input", () => anew(control.dataset.table));
}
for (const button of all("button[data-reset]")) {
  button.addEventListener("click", () => {
    const { words, selects } = controls(button.dataset.reset);
    [words, ...selects].forEach((each) => { each.value = ""; });
    anew(button.dataset.reset);
  });
}

// ---- what is read when it is unfolded: rows of plots, figures and pictures of designs
let figures = null;
async function fillDetails(details) {
  if (details.dataset.filled) return;
  details.dataset.filled = "yes";
  if (details.dataset.set) {
    const body = document.createElement("div");
    body.innerHTML = await load(details.dataset.set);
    details.append(body);
  }
  const canvas = details.matches(".rows") && details.parentElement.querySelector(".canvas");
  if (canvas) {
    const { spec, columns } = (await load(canvas.dataset.set))[canvas.dataset.plot];
    const keys = Object.keys(columns), body = details.querySelector("tbody");
    for (const row of spec.data.values) {
      const line = body.insertRow();
      for (const key of keys) {
        const cell = line.insertCell(), value = row[key];
        cell.textContent = value === null || value === undefined ? "" : value;
        if (typeof value === "number") cell.className = "number";
      }
    }
  }
  const table = details.querySelector(":scope table.of-design");
  if (table) {
    figures ||= rowsOf(await load("figures"));
    figures.filter((row) => row.design === table.dataset.design)
      .forEach((row) => addRow(table.tBodies[0], row, columnsOf(table)));
  }
  for (const picture of all("img[data-picture]", details)) {
    const text = (await load("pictures"))[picture.dataset.picture];
    picture.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  }
}
for (const details of all("details.rows, article.design > details")) {
  details.addEventListener("toggle", () => {
    if (details.open) fillDetails(details).catch((error) => failed(details.appendChild(document.createElement("p")), error));
  });
}

{% include "choose.js" %}

// ---- plots
function themed() {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim(), line = style.getPropertyValue("--line").trim();
  const text = { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12 };
  return {
    background: "transparent",
    axis: { ...text, gridColor: line, domainColor: ink, tickColor: ink, gridOpacity: 0.7 },
    legend: { ...text, symbolOpacity: 1 },
    view: { stroke: null },
    title: { color: ink },
    header: { labelColor: ink },
    text: { fill: ink },
  };
}

// Names in lines of so many pixels, in the words of Vega; a word that is longer breaks at its hyphens.
function inLines(names, room, letter) {
  const lines = {}, letters = Math.floor(room / letter);
  for (const name of names) {
    const words = name.split(/(?<= )/).flatMap((word) => word.length > letters ? word.split(/(?<=-)/) : [word]);
    const found = lines[name] = [""];
    for (const word of words) {
      const last = found.length - 1;
      if (found[last] && (found[last] + word).trim().length > letters) found.push(word);
      else found[last] += word;
    }
  }
  const most = Math.max(...Object.values(lines).map((each) => each.length));
  return { most, text: JSON.stringify(lines) };
}

const widest = (names) => 6.6 * Math.max(...names.map((name) => name.length));

// A plot as wide as its place. Panels have no width of the place: as many as fit beside each other.
function fitted(spec, width) {
  const copy = structuredClone(spec);
  const narrow = width < 520;
  // Of the legend, which begins where the plot does: beside the names of the bars.
  let room = width - 60;
  if (copy.facet) {
    const gap = 20, axis = 78;
    const panels = copy.facet.sort.length, most = Math.max(1, Math.floor((width - axis) / 270));
    // In lines of about as many.
    copy.columns = Math.ceil(panels / Math.ceil(panels / most));
    copy.spec.width = Math.floor((width - axis - gap * (copy.columns - 1)) / copy.columns);
  } else {
    copy.width = "container";
    copy.autosize = { type: "fit-x", contains: "padding" };
  }
  const bars = copy.encoding && copy.encoding.y.type === "nominal" ? copy.encoding.y : null;
  if (bars && bars.sort.length) {
    const limit = narrow ? width * 0.42 : bars.axis.labelLimit;
    if (narrow) {
      const { most, text } = inLines(bars.sort, limit, 5.8);
      // Vega puts the first line where one line would be.
      const condition = [2, 3, 4, 5].map((n) => ({ test: `length(${text}[datum.value]) === ${n}`, value: -5.5 * (n - 1) }));
      Object.assign(bars.axis, {
        labelExpr: `${text}[datum.label]`, labelOffset: { condition, value: 0 },
        labelFontSize: 11, labelLineHeight: 11,
      });
      copy.height = Math.max(copy.height, (11 * most + 4) * bars.sort.length);
      bars.title = null;
    }
    room -= Math.min(limit, widest(bars.sort)) - 20;
  }
  const dress = (value) => {
    if (Array.isArray(value)) { value.forEach(dress); return; }
    if (value === null || typeof value !== "object") return;
    if (value.legend) {
      const names = value.scale.domain, each = Math.min(room, widest(names) + 32);
      value.legend.labelLimit = room;
      value.legend.columns = Math.min(6, Math.max(1, Math.floor(room / each)));
      if (each === room) value.legend.labelExpr = `${inLines(names, room - 32, 6.6).text}[datum.label]`;
    }
    for (const key of ["encoding", "layer", "spec", "stroke", "fill", "shape", "strokeDash"]) {
      if (key in value) dress(value[key]);
    }
  };
  dress(copy);
  return copy;
}

async function draw(canvas) {
  const name = canvas.dataset.plot;
  canvas.dataset.drawn = "yes";
  try {
    const { spec } = (await load(canvas.dataset.set))[name];
    await (loading.vega ||= script("vega", "vega.js"));
    const result = await window.vegaEmbed(canvas, fitted(spec, canvas.clientWidth), {
      renderer: "svg", config: themed(), mode: "vega-lite",
      actions: { export: true, source: false, compiled: false, editor: false },
      downloadFileName: name,
    });
    const menu = canvas.querySelector("details > summary");
    if (menu) menu.setAttribute("aria-label", `save the plot ${name} as a file`);
    views[name] = result.view;
  } catch (error) {
    failed(canvas, error);
  }
}

const start = (place) => place.matches(".live")
  ? startLive(place).catch((error) => failed(place.tBodies[0], error))
  : place.dataset.drawn !== "yes" && draw(place);
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) start(entry.target);
}, { rootMargin: "400px" });
all(".canvas, table.live").forEach((place) => seen.observe(place));
window.aesfab.drawAll = () => Promise.all(all(".canvas").map(draw));
window.aesfab.loadAll = () => Promise.all([
  ...all("table.live").map(start), ...all("details[open]:is(.rows, article.design > details)").map(fillDetails)]);
dark.addEventListener("change", () =>
  document.querySelectorAll('.canvas[data-drawn="yes"]').forEach(draw));
let width = window.innerWidth, timer = 0;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  clearTimeout(timer);
  timer = setTimeout(() => document.querySelectorAll('.canvas[data-drawn="yes"]').forEach(draw), 200);
});

// ---- one device at a time, one unit of area, and all architectures or one
const device = document.getElementById("device"), area = document.getElementById("area");
const architecture = document.getElementById("architecture");
function showDevice() {
  all(".device").forEach((group) => { group.hidden = group.dataset.device !== device.value; });
  all("[data-area]").forEach((plot) => { plot.hidden = plot.dataset.area !== area.value; });
  all("[data-architecture]").forEach((plot) => {
    plot.hidden = Boolean(architecture.value) && plot.dataset.architecture !== architecture.value;
  });
}
if (device) {
  [device, area, architecture].forEach((each) => each.addEventListener("input", showDevice));
  showDevice();
}

// ---- a link to a design or a table opens it
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const details = target.matches("details") ? target : target.querySelector(":scope > details");
  if (details) { details.open = true; target.scrollIntoView(); }
}
window.addEventListener("hashchange", openTarget);
openTarget();
formStarted.then(() => { window.aesfab.ready = true; });
})();
