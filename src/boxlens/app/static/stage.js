// A picture in an SVG that can be zoomed and moved. The view is its viewBox: nothing else moves.

const MOST_ENLARGED = 60;
const STEP = 1.3;
const MOVE = 0.15;

export class Stage extends EventTarget {
  constructor(svg) {
    super();
    this.svg = svg;
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.home = { x, y, width, height };
    this.view = { ...this.home };
    this.pointers = new Map();
    this.moved = false;
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    svg.addEventListener("dblclick", (event) => {
      event.preventDefault();
      this.zoom(event.shiftKey ? 1 / STEP ** 2 : STEP ** 2, this.#place(event));
    });
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      svg.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    }
    new ResizeObserver(() => this.#changed()).observe(svg);
  }

  // Screen pixels a unit of the picture.
  get scale() {
    return this.svg.getScreenCTM()?.a || 1;
  }

  get zoomed() {
    return this.view.width < this.home.width * 0.999;
  }

  reset() {
    this.show(this.home);
  }

  zoom(factor, at = this.#middle()) {
    const { view, home } = this;
    const least = home.width / MOST_ENLARGED;
    const width = Math.min(home.width, Math.max(least, view.width / factor));
    const share = width / view.width;
    this.show({
      x: at.x - (at.x - view.x) * share,
      y: at.y - (at.y - view.y) * share,
      width,
      height: view.height * share,
    });
  }

  // Of the visible part: 1, 0 is one step to the right.
  pan(right, down) {
    const { x, y, width, height } = this.view;
    this.show({ ...this.view, x: x + right * MOVE * width, y: y + down * MOVE * height });
  }

  // Brings a box into view, and near if it is tiny.
  reveal(box) {
    const { view } = this;
    const inside =
      box.x >= view.x && box.y >= view.y &&
      box.x + box.width <= view.x + view.width && box.y + box.height <= view.y + view.height;
    const small = Math.max(box.width, box.height) * this.scale < 14;
    if (inside && !small) return;
    const share = small
      ? Math.max(box.width / this.home.width, box.height / this.home.height, 1e-3) * 6
      : this.view.width / this.home.width;
    const width = Math.min(this.home.width, share * this.home.width);
    const height = width * (this.home.height / this.home.width);
    const [x, y] = [box.x + box.width / 2 - width / 2, box.y + box.height / 2 - height / 2];
    this.show({ x, y, width, height });
  }

  show(view, quietly = false) {
    const { home } = this;
    const within = (start, length, from, whole) =>
      Math.min(Math.max(start, from), from + Math.max(whole - length, 0));
    this.view = {
      x: within(view.x, view.width, home.x, home.width),
      y: within(view.y, view.height, home.y, home.height),
      width: view.width,
      height: view.height,
    };
    const { x, y, width, height } = this.view;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.#changed();
    if (!quietly) this.dispatchEvent(new Event("moved"));
  }

  #changed() {
    // Hatching is as wide on the screen at any zoom.
    document.getElementById("hatch")?.setAttribute("patternTransform", `rotate(45) scale(${1 / this.scale})`);
    this.svg.classList.toggle("zoomed", this.zoomed);
    this.dispatchEvent(new Event("view"));
  }

  #middle() {
    const { x, y, width, height } = this.view;
    return { x: x + width / 2, y: y + height / 2 };
  }

  #place(event) {
    const matrix = this.svg.getScreenCTM();
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  }

  #wheel(event) {
    // A wheel that cannot zoom out any further scrolls the page.
    if (event.deltaY > 0 && !this.zoomed) return;
    event.preventDefault();
    this.zoom(Math.exp(-Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) / 400), this.#place(event));
  }

  #down(event) {
    if (event.button !== 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = false;
  }

  #move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const [first, second] = [...this.pointers.keys()];
    if (second === undefined) {
      if (!this.zoomed || (!this.moved && Math.hypot(now.x - before.x, now.y - before.y) < 4)) return;
      this.#capture(event);
      const { x, y } = this.view;
      const scale = this.scale;
      this.show({ ...this.view, x: x - (now.x - before.x) / scale, y: y - (now.y - before.y) / scale });
    } else {
      this.#capture(event);
      const other = this.pointers.get(event.pointerId === first ? second : first);
      const spread = (at) => Math.hypot(at.x - other.x, at.y - other.y) || 1;
      const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
      this.zoom(spread(now) / spread(before), this.#place(middle));
    }
    this.pointers.set(event.pointerId, now);
  }

  // Only a drag is captured: a click must reach the box below it.
  #capture(event) {
    if (!this.moved) this.svg.setPointerCapture(event.pointerId);
    this.moved = true;
  }
}

// Keys of a stage; true where the key was one of them.
export function stageKey(event, stage) {
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (event.shiftKey && arrows[event.key]) stage.pan(...arrows[event.key]);
  else if (event.key === "+" || event.key === "=") stage.zoom(STEP);
  else if (event.key === "-" || event.key === "_") stage.zoom(1 / STEP);
  else if (event.key === "0") stage.reset();
  else return false;
  return true;
}

// Buttons with data-zoom "in", "out" or "home".
export function zoomButtons(root, stage) {
  const actions = { in: () => stage.zoom(STEP), out: () => stage.zoom(1 / STEP), home: () => stage.reset() };
  for (const button of root.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", actions[button.dataset.zoom]);
  }
}

// Whether a key belongs to what has the focus, or to the browser.
export function keyIsTaken(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("dialog[open]")) return true;
  const field = event.target.closest?.("select, textarea, input:not([type='checkbox'])");
  // A slider takes keys that move it, and no letters.
  if (field?.type === "range") return event.key.length > 1;
  return Boolean(field);
}
