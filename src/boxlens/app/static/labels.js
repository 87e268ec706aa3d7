// Labels of boxes, as large on the screen at any zoom, and never one upon another.

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 17;
const PADDING = 5;
const FONT = '12px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif';
const MOST_CHARACTERS = 60;

const pen = document.createElement("canvas").getContext("2d");
pen.font = FONT;

// wanted: [{ box: {x, y, width, height}, text, colour, ink, must }], the most important first.
export function drawLabels(layer, stage, wanted) {
  const scale = stage.scale;
  const { view } = stage;
  const taken = [];
  const drawn = [];
  for (const { box, text, colour, ink, must } of wanted) {
    if (!must && !meet(box, view)) continue;
    const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
    const size = { width: (pen.measureText(short).width + 2 * PADDING) / scale, height: HEIGHT / scale };
    const place = places(box, size, view).find((one) => !taken.some((other) => meet(one, other)));
    const chosen = place ?? (must ? places(box, size, view)[0] : null);
    if (!chosen) continue;
    taken.push(chosen);
    drawn.push(label(chosen, short, colour, ink, scale));
  }
  // What must be seen lies on top.
  layer.replaceChildren(...drawn.reverse());
}

function places(box, size, view) {
  const inside = (at) => ({
    x: Math.min(Math.max(at.x, view.x), view.x + view.width - size.width),
    y: Math.min(Math.max(at.y, view.y), view.y + view.height - size.height),
    ...size,
  });
  const right = box.x + box.width - size.width;
  const bottom = box.y + box.height;
  return [
    inside({ x: box.x, y: box.y - size.height }),
    inside({ x: box.x, y: box.y }),
    inside({ x: box.x, y: bottom }),
    inside({ x: right, y: box.y - size.height }),
    inside({ x: right, y: bottom - size.height }),
  ];
}

function meet(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function label(place, text, colour, ink, scale) {
  const group = document.createElementNS(SVG, "g");
  group.setAttribute("transform", `translate(${place.x} ${place.y}) scale(${1 / scale})`);
  const plate = document.createElementNS(SVG, "rect");
  const words = document.createElementNS(SVG, "text");
  const attributes = { width: place.width * scale, height: HEIGHT, rx: 2, fill: colour, class: "plate" };
  for (const [name, value] of Object.entries(attributes)) plate.setAttribute(name, value);
  words.setAttribute("x", PADDING);
  words.setAttribute("y", HEIGHT - 5);
  words.setAttribute("fill", ink);
  words.textContent = text;
  group.append(plate, words);
  return group;
}
