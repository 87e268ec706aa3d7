// The filter form works without this; here it becomes quicker to use.

const form = document.getElementById("filters");

// A long list is narrowed by what is typed above it.
for (const search of document.querySelectorAll("[data-narrows]")) {
  const list = document.getElementById(search.dataset.narrows);
  const choices = list.querySelectorAll(":scope > .choice, :scope > .part");
  search.hidden = false;
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const choice of choices) choice.hidden = !choice.textContent.toLowerCase().includes(wanted);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}

// One field "from..to" becomes two.
for (const whole of document.querySelectorAll("input[data-range]")) {
  const [from, to] = whole.value.includes("..") ? whole.value.split("..", 2) : [whole.value, whole.value];
  const ends = [["least", from], ["most", to]].map(([word, value]) => {
    const end = document.createElement("input");
    Object.assign(end, { type: "number", step: "any", value, placeholder: word, autocomplete: "off" });
    end.setAttribute("aria-label", `${whole.dataset.range}, ${word}`);
    return end;
  });
  const row = document.createElement("div");
  row.className = "ends";
  row.append(ends[0], "to", ends[1]);
  const join = () => {
    const [low, high] = ends.map((end) => end.value.trim());
    whole.value = low || high ? `${low}..${high}` : "";
  };
  for (const end of ends) end.addEventListener("input", join);
  whole.labels[0]?.removeAttribute("for");
  whole.type = "hidden";
  whole.after(row);
}

// Fields left empty do not appear in the address.
form?.addEventListener("submit", () => {
  for (const field of form.elements) if (field.name && field.value === "") field.disabled = true;
});
window.addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("form :disabled")) field.disabled = false;
});

for (const select of document.querySelectorAll("select[data-at-once]")) {
  select.addEventListener("change", () => {
    // Another order comes with its own direction.
    if (select.name === "sort") select.form.elements.order.disabled = true;
    select.form.requestSubmit();
  });
}

// On a narrow screen pictures come first.
if (window.matchMedia("(max-width: 56rem)").matches) document.querySelector(".filters")?.removeAttribute("open");
