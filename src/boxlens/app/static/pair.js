// Two detectors on one image: both pictures show the same part.

import { Boxes } from "./boxes.js";
import { Stage, keyIsTaken, stageKey, zoomButtons } from "./stage.js";

const stages = [...document.querySelectorAll("svg.stage")].map((svg) => new Stage(svg));
const kinds = JSON.parse(document.getElementById("kinds").textContent);

stages.forEach((stage, place) => {
  const cut = Number(stage.svg.dataset.cut);
  const settings = {
    hidden: new Set(),
    cuts: { [stage.svg.dataset.detector]: cut },
    labels: true,
    // The first one gives the colours.
    scheme: 0,
  };
  const boxes = new Boxes(stage, kinds, settings);
  const point = (group) => {
    if (boxes.pointed === group) return;
    boxes.pointed = group;
    boxes.refresh();
  };
  stage.svg.addEventListener("pointerover", (event) => point(event.target.closest(".box")));
  stage.svg.addEventListener("pointerleave", () => point(null));
  stage.addEventListener("moved", () => stages[1 - place].show(stage.view, true));
  boxes.refresh();
});

zoomButtons(document, stages[0]);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return document.querySelector("a[data-step='grid']").click();
  if (keyIsTaken(event)) return undefined;
  if (stageKey(event, stages[0])) event.preventDefault();
  else if (event.shiftKey) return undefined;
  else if (event.key === "n" || event.key === "ArrowRight") document.querySelector("a[data-step='next'][href]")?.click();
  else if (event.key === "p" || event.key === "ArrowLeft") document.querySelector("a[data-step='previous'][href]")?.click();
  return undefined;
});
