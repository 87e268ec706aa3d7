"use strict";

const ENLARGED = 1.35;

async function drawFigures() {
  const options = JSON.parse(document.getElementById("embed-options").textContent);
  for (const chart of document.querySelectorAll(".chart")) {
    const spec = JSON.parse(document.getElementById(chart.dataset.spec).textContent);
    try {
      await vegaEmbed(chart, spec, { ...options, downloadFileName: chart.dataset.name });
      const drawing = chart.querySelector("svg.marks");
      // Type of a printed figure is small on a screen: it may be enlarged, but never be smaller.
      const width = drawing.viewBox.baseVal.width;
      drawing.style.maxWidth = `${ENLARGED * width}px`;
      drawing.style.minWidth = `${width}px`;
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", chart.dataset.title);
    } catch (problem) {
      chart.textContent = `This figure cannot be drawn: ${problem.message}`;
      console.error(problem);
    }
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

document.querySelectorAll("table.sortable").forEach(makeSortable);
drawFigures();
