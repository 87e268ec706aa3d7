// Draws the figures as they come near, and turns a click on a mark into the boxes it counts.

const ENLARGED = 1.35;
const refuse = () => Promise.reject(new Error("loading is disabled"));
const OPTIONS = {
  renderer: "svg",
  actions: false,
  // The page's policy forbids compiled expressions and styles that scripts bring along.
  ast: true,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
  // Figures may come from strangers. They hold their data: no address in one is followed.
  loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse },
  // Errors alone: the compiler warns of facets that are as meant.
  logLevel: 1,
};

async function draw(chart) {
  const spec = JSON.parse(document.getElementById(chart.dataset.spec).textContent);
  // Options in it would count more than ours.
  delete spec.usermeta;
  try {
    const { view } = await vegaEmbed(chart, spec, OPTIONS);
    fit(chart);
    if (chart.dataset.images) makeClickable(chart, view);
  } catch (problem) {
    chart.textContent = `This figure cannot be drawn: ${problem.message}`;
    console.error(problem);
  }
  chart.classList.add("drawn");
}

function fit(chart) {
  const drawing = chart.querySelector("svg.marks");
  // Type of a printed figure is small on a screen: it may be enlarged, but never be smaller.
  const width = drawing.viewBox.baseVal.width;
  drawing.style.maxWidth = `${ENLARGED * width}px`;
  drawing.style.minWidth = `${width}px`;
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", chart.dataset.title);
  // One image with a name; its marks are links below it.
  for (const part of drawing.children) part.setAttribute("aria-hidden", "true");
}

function makeClickable(chart, view) {
  const address = (item) => {
    const select = item?.datum?.select;
    if (!select) return null;
    const query = new URLSearchParams(select);
    if (chart.dataset.detector && !query.has("detector")) query.set("detector", chart.dataset.detector);
    return `${chart.dataset.images}?${query}`;
  };
  view.addEventListener("mouseover", (_, item) => chart.classList.toggle("pointing", address(item) !== null));
  view.addEventListener("mouseout", () => chart.classList.remove("pointing"));
  view.addEventListener("click", (event, item) => {
    const target = address(item);
    if (!target) return;
    if (event.ctrlKey || event.metaKey) window.open(target, "_blank", "noopener");
    else window.location.assign(target);
  });
}

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      draw(target);
    }
  },
  { rootMargin: "600px" },
);
for (const chart of document.querySelectorAll(".chart[data-spec]")) observer.observe(chart);
