// Tables that are sorted by a click on a heading.

export function makeSortable(table) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.querySelector("button")?.addEventListener("click", () => {
      const numeric = heading.classList.contains("number");
      const before = heading.getAttribute("aria-sort");
      // Numbers start with the largest, names with the first.
      const descending = before ? before === "ascending" : numeric;
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = [...body.rows];
      body.append(...rows.sort((a, b) => compare(a.cells[column], b.cells[column], numeric, descending)));
    });
  });
}

function compare(first, second, numeric, descending) {
  const sign = descending ? -1 : 1;
  if (!numeric) return sign * first.textContent.localeCompare(second.textContent, undefined, { numeric: true });
  const [a, b] = [first, second].map((cell) => cell.dataset.value);
  // What is undefined stays at the end, whichever way is sorted.
  if (!a || !b) return Number(!a) - Number(!b);
  return sign * (Number(a) - Number(b));
}
