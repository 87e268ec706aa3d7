"use strict";

// Type of a printed figure is small on a screen: it may be enlarged, but hardly be smaller.
const ENLARGED = 1.35;
const REDUCED = 0.9;
const NEAR = "800px";
const CONFIRMED_MS = 2500;
// What a spreadsheet would take for a formula.
const FORMULA = /^[=+\-@\t\r]/;

async function drawFigures() {
  const options = JSON.parse(document.getElementById("embed-options").textContent);
  const waiting = new Set(document.querySelectorAll(".chart"));
  const draw = async (chart) => {
    if (waiting.delete(chart)) await drawFigure(chart, options);
  };
  const watch = new IntersectionObserver((seen) => {
    for (const one of seen) if (one.isIntersecting) draw(one.target);
  }, { rootMargin: NEAR });
  for (const chart of waiting) watch.observe(chart);
  // What is in sight comes first; the others follow, so that a printed page has them all.
  for (const chart of [...waiting]) {
    await new Promise((resume) => setTimeout(resume));
    await draw(chart);
  }
  watch.disconnect();
}

async function drawFigure(chart, options) {
  const title = chart.dataset.title;
  try {
    const spec = JSON.parse(document.getElementById(chart.dataset.spec).textContent);
    await vegaEmbed(chart, spec, { ...options, downloadFileName: chart.dataset.name });
    const drawing = chart.querySelector("svg.marks");
    const width = drawing.viewBox.baseVal.width;
    drawing.style.maxWidth = `${ENLARGED * width}px`;
    drawing.style.minWidth = `${REDUCED * width}px`;
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", title);
    chart.querySelector("summary")?.setAttribute("aria-label", `Save figure: ${title}`);
    if (chart.scrollWidth > chart.clientWidth) {
      chart.tabIndex = 0;
      chart.setAttribute("role", "group");
      chart.setAttribute("aria-label", `${title}, scrolls sideways`);
    }
  } catch (problem) {
    chart.textContent = `This figure cannot be drawn: ${problem.message}`;
    console.error(problem);
  }
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const numeric = heading.classList.contains("number");
      const before = heading.getAttribute("aria-sort");
      // Numbers start with the largest, names with the first.
      const descending = before ? before === "ascending" : numeric;
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      body.append(...[...body.rows].sort((a, b) => compare(a.cells[column], b.cells[column], numeric, descending)));
    });
  });
}

function compare(first, second, numeric, descending) {
  const sign = descending ? -1 : 1;
  if (!numeric) return sign * first.textContent.localeCompare(second.textContent, undefined, { numeric: true });
  const [a, b] = [first, second].map((cell) => cell.dataset.value);
  // What is undefined stays at the end, whichever way is sorted.
  if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
  return sign * (Number(a) - Number(b));
}

function makeCopyable(button) {
  const table = button.closest("figure").querySelector("table");
  const words = button.textContent;
  button.addEventListener("click", async () => {
    const copied = await copy(tabSeparated(table));
    button.textContent = copied ? "Copied" : "Not copied";
    document.getElementById("spoken").textContent = copied
      ? `Copied ${table.tBodies[0].rows.length} rows: ${table.getAttribute("aria-label")}`
      : "The browser did not allow copying.";
    setTimeout(() => { button.textContent = words; }, CONFIRMED_MS);
  });
}

function tabSeparated(table) {
  return [...table.rows]
    .map((row) => [...row.cells].map(cellText).join("\t"))
    .join("\n") + "\n";
}

// Numbers with all their digits; what is undefined is empty.
function cellText(cell) {
  if (cell.dataset.value !== undefined) return cell.dataset.value;
  if (cell.tagName === "TD" && cell.classList.contains("number")) return "";
  const text = cell.textContent.replace(/\s+/g, " ").trim();
  return FORMULA.test(text) ? `'${text}` : text;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages from disk may lack the clipboard.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}

// A link may lead into something that is folded.
function unfoldTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  let unfolded = false;
  for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) {
    unfolded ||= !one.open;
    one.open = true;
  }
  if (unfolded) target.scrollIntoView();
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll("button.copy").forEach(makeCopyable);
// Also where the address does not change, since the link was followed before.
document.addEventListener("click", (event) => {
  if (event.target.closest('a[href^="#"]')) setTimeout(unfoldTarget);
});
window.addEventListener("hashchange", unfoldTarget);
unfoldTarget();
drawFigures();
