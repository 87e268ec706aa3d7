// One image: what is shown of it, the table beside it, and the keys.

import { Boxes } from "./boxes.js";
import { Stage, keyIsTaken, stageKey, zoomButtons } from "./stage.js";
import { makeSortable } from "./tables.js";

const svg = document.getElementById("stage");
const stage = new Stage(svg);
const kinds = JSON.parse(document.getElementById("kinds").textContent);
const panel = document.getElementById("panel");
const table = document.getElementById("boxes");
const rows = new Map([...table.tBodies[0].rows].map((row) => [row.dataset.box, row]));
const toggles = [...panel.querySelectorAll("input[data-layer]")];
const cuts = [...panel.querySelectorAll("input[data-cut]")];
const labels = document.getElementById("show-labels");
const scheme = document.getElementById("scheme");
const legend = document.getElementById("legend");
const help = document.getElementById("help");

const settings = { hidden: new Set(), cuts: {}, labels: true, scheme: Number(scheme.value) };
const boxes = new Boxes(stage, kinds, settings);

// What is shown is kept behind the # of the address, and taken along to the next image.
function readSettings() {
  const kept = new URLSearchParams(window.location.hash.slice(1));
  for (const toggle of toggles) if (kept.getAll("hide").includes(toggle.dataset.layer)) toggle.checked = false;
  for (const cut of cuts) if (kept.has(`cut${cut.dataset.cut}`)) cut.value = kept.get(`cut${cut.dataset.cut}`);
  if (kept.get("labels") === "0") labels.checked = false;
  if ([...scheme.options].some((option) => option.value === kept.get("scheme"))) scheme.value = kept.get("scheme");
}

function keepSettings() {
  const kept = new URLSearchParams();
  for (const toggle of toggles) if (!toggle.checked) kept.append("hide", toggle.dataset.layer);
  for (const cut of cuts) {
    if (Number(cut.value) !== Number(cut.defaultValue)) kept.set(`cut${cut.dataset.cut}`, Number(cut.value).toFixed(3));
  }
  if (!labels.checked) kept.set("labels", "0");
  if (scheme.value !== scheme.dataset.usual) kept.set("scheme", scheme.value);
  const hash = kept.size ? `#${kept}` : "";
  history.replaceState(null, "", window.location.pathname + window.location.search + hash);
  for (const link of document.querySelectorAll("a[data-step='next'], a[data-step='previous']")) link.hash = hash;
}

function apply() {
  settings.hidden = new Set(toggles.filter((one) => !one.checked).map((one) => one.dataset.layer));
  settings.cuts = Object.fromEntries(cuts.map((one) => [one.dataset.cut, Number(one.value)]));
  settings.labels = labels.checked;
  settings.scheme = Number(scheme.value);
  for (const cut of cuts) {
    panel.querySelector(`output[for="${cut.id}"]`).value = Number(cut.value).toFixed(3);
  }
  boxes.refresh();
  for (const group of boxes.groups) showRow(group);
  showLegend();
}

// The colours in use, in words.
function showLegend() {
  const used = new Map();
  for (const group of boxes.groups) {
    const kind = group.dataset.layer === "truth" ? null : boxes.kindOf(group);
    if (kind) used.set(kind.words, kind.colour);
  }
  const pattern = table.querySelector(".swatch");
  legend.replaceChildren(
    ...[...used].map(([words, colour]) => {
      const item = document.createElement("li");
      const swatch = pattern.cloneNode(true);
      swatch.querySelector("rect").setAttribute("fill", colour);
      item.append(swatch, words);
      return item;
    }),
  );
}

function showRow(group) {
  const row = rows.get(group.dataset.box);
  row.hidden = !boxes.isShown(group);
  row.classList.toggle("chosen", group === boxes.chosen);
  row.classList.toggle("pointed", group === boxes.pointed);
  row.querySelector("button").setAttribute("aria-pressed", String(group === boxes.chosen));
  const kind = boxes.kindOf(group);
  const cell = row.querySelector(".kind");
  cell.querySelector(".words").textContent = kind?.words ?? "";
  cell.querySelector("rect")?.setAttribute("fill", kind?.colour ?? "none");
}

function point(group) {
  if (boxes.pointed === group) return;
  const before = boxes.pointed;
  boxes.pointed = group;
  boxes.refresh();
  for (const one of [before, group]) if (one) showRow(one);
}

function choose(group, from) {
  const before = boxes.chosen;
  boxes.chosen = group === before ? null : group;
  boxes.refresh();
  for (const one of [before, group]) if (one) showRow(one);
  if (!boxes.chosen) return;
  if (from === "table") stage.reveal(boxes.places.get(group));
  else rows.get(group.dataset.box).scrollIntoView({ block: "nearest" });
}

function link() {
  svg.addEventListener("pointerover", (event) => point(event.target.closest(".box")));
  svg.addEventListener("pointerleave", () => point(null));
  svg.addEventListener("click", (event) => {
    const group = event.target.closest(".box");
    if (!stage.moved && (group || boxes.chosen)) choose(group ?? boxes.chosen, "picture");
  });
  for (const [name, row] of rows) {
    const group = boxes.get(name);
    row.addEventListener("pointerenter", () => point(group));
    row.addEventListener("pointerleave", () => point(null));
    row.addEventListener("focusin", () => point(group));
    row.addEventListener("focusout", () => point(null));
    row.addEventListener("click", () => choose(group, "table"));
  }
}

function go(step) {
  document.querySelector(`a[data-step="${step}"][href]`)?.click();
}

function flip(toggle) {
  if (toggle) toggle.click();
}

function key(event) {
  if (event.key === "Escape" && !event.defaultPrevented && !help.open) {
    if (boxes.chosen) choose(boxes.chosen, "picture");
    else go("grid");
    return;
  }
  if (keyIsTaken(event)) return;
  if (stageKey(event, stage)) event.preventDefault();
  else if (event.shiftKey && event.key !== "?") return;
  else if (event.key === "n" || event.key === "ArrowRight") go("next");
  else if (event.key === "p" || event.key === "ArrowLeft") go("previous");
  else if (event.key === "g") flip(toggles.find((one) => one.dataset.layer === "truth"));
  else if (/^[1-9]$/.test(event.key)) flip(toggles.find((one) => one.dataset.layer === String(event.key - 1)));
  else if (event.key === "l") flip(labels);
  else if (event.key === "?") help.showModal();
}

readSettings();
link();
zoomButtons(document, stage);
makeSortable(table);
for (const field of [...toggles, ...cuts, labels, scheme]) {
  field.addEventListener("input", () => {
    apply();
    keepSettings();
  });
}
document.getElementById("open-help").addEventListener("click", () => help.showModal());
document.addEventListener("keydown", key);
apply();
keepSettings();
