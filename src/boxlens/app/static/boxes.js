// The boxes of a picture: which are shown, which is chosen, their colours and their labels.

import { drawLabels } from "./labels.js";

const MOST_LABELS = 60;
const GROUND_TRUTH = "truth";

export class Boxes {
  // kinds: of each scheme { label: { words, colour, ink } }
  constructor(stage, kinds, settings) {
    this.stage = stage;
    this.kinds = kinds;
    this.settings = settings;
    this.layer = stage.svg.querySelector(".names");
    this.groups = [...stage.svg.querySelectorAll(".box")];
    this.places = new Map(this.groups.map((group) => [group, placeOf(group)]));
    this.labels = new Map(this.groups.map((group) => [group, JSON.parse(group.dataset.kinds)]));
    this.chosen = null;
    this.pointed = null;
    stage.addEventListener("view", () => this.label());
  }

  get(name) {
    return this.groups.find((group) => group.dataset.box === name) ?? null;
  }

  // What is hidden, and where the scores are cut, is in the settings.
  isShown(group) {
    const { layer, score } = group.dataset;
    if (group === this.chosen || group === this.pointed) return true;
    if (this.settings.hidden.has(layer)) return false;
    if (layer === GROUND_TRUTH || group.classList.contains("match")) return true;
    return Number(score) >= this.settings.cuts[layer];
  }

  refresh() {
    for (const group of this.groups) {
      group.toggleAttribute("hidden", !this.isShown(group));
      group.classList.toggle("chosen", group === this.chosen);
      group.classList.toggle("pointed", group === this.pointed);
      if (group.dataset.hits) group.classList.toggle("missed", this.isMissed(group));
      const kind = this.kindOf(group);
      if (group.dataset.layer !== GROUND_TRUTH && kind) {
        group.querySelector(".edge").setAttribute("stroke", kind.colour);
      }
    }
    this.label();
  }

  // An object that no box on the screen hits.
  isMissed(group) {
    const { cuts, hidden } = this.settings;
    const hits = JSON.parse(group.dataset.hits);
    const shown = Object.keys(cuts).filter((layer) => !hidden.has(layer));
    return hits.length > 0 && shown.length > 0 && !shown.some((layer) => hits[layer] !== null && hits[layer] >= cuts[layer]);
  }

  kindOf(group) {
    const label = this.labels.get(group)[this.settings.scheme];
    return label ? this.kinds[this.settings.scheme][label] : null;
  }

  label() {
    const shown = this.groups.filter((group) => this.isShown(group));
    const urgent = shown.filter((group) => group === this.chosen || group === this.pointed);
    const others = this.settings.labels ? shown.filter((group) => !urgent.includes(group)) : [];
    others.sort((a, b) => importance(b) - importance(a));
    const wanted = [
      ...urgent.map((group) => this.#labelOf(group, true)),
      ...others.slice(0, MOST_LABELS).map((group) => this.#labelOf(group, false)),
    ];
    drawLabels(this.layer, this.stage, wanted);
  }

  #labelOf(group, whole) {
    const { name, score, iou, layer } = group.dataset;
    const kind = this.kindOf(group);
    const parts = [score ? `${name} ${short(score)}` : name];
    if (whole && kind) parts.push(kind.words);
    if (whole && iou) parts.push(`IoU ${short(iou)}`);
    const colours = layer === GROUND_TRUTH || !kind ? { colour: "#ffffff", ink: "#222222" } : kind;
    return { box: this.places.get(group), text: parts.join(", "), must: whole, colour: colours.colour, ink: colours.ink };
  }
}

function placeOf(group) {
  const { x, y, width, height } = group.querySelector(".edge");
  return { x: x.baseVal.value, y: y.baseVal.value, width: width.baseVal.value, height: height.baseVal.value };
}

// What was asked for comes first, then detections by score, then ground truth.
function importance(group) {
  const { score } = group.dataset;
  return (group.classList.contains("match") ? 1e6 : 0) + (score ? 1e3 + Number(score) : 0);
}

function short(number) {
  return Number(number).toFixed(3);
}
