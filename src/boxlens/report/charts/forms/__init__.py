"""The forms that figures share: from rows (dictionaries) and a few names to a Vega-Lite chart.

A chart function makes rows of a result and calls one form; titles, readings and reasons for absence
stand in the `Plot`. Undefined values (None, NaN) may be in the rows: they are never drawn.

Which form for which figure:

- One row per class, detector or transform, with dots, intervals, bars, strokes or ranges across:
  `panels.name_rows`. Columns of numbers stand beside it, several series below one another.

      name_rows(
          [{"row": "car", "value": 0.41, "low": 0.38, "high": 0.45, "tip": {"AP": score(0.41)}}],
          Names.of(["car"]), Axis("AP"), spans(), dots("value"),
          width=200, columns={"AP": {"car": score(0.41)}},
      )

  Bars: `bars("value")`; from one value to another: `bars("high", "low")`; a stroke:
  `ticks("clean")`; two detectors: `series=Series(names)` and rows with a `series`; bars up:
  `upright=True`.
- Curves, staircases, bands and areas over a grid: `panels.plot` with `lines`,
  `lines(steps="after")`, `bands`, `dots`, `rule_at`; one line per `series` of the rows.

      plot([{"x": 0.5, "y": 0.6, "series": "a", **styles["a"].look}], Axis("IoU"), Axis("recall"),
           bands(), lines(), dots(size=10), width=300, height=180)

- Points with names and a line through them: `scatter.scatter`, rows with `x`, `y` and perhaps
  `name`.
- Kinds on top of each other: `marks.stacks("bar" or "area", field, Palette("kind", colours))`, as a
  mark of `name_rows` or `plot`; any other mark with such a legend: `by_kind(bands(), palette)`;
  shares of a whole as a pie: `pies.pie`.
- A matrix with numbers: `cells.matrix` of `cells.cell(level, text, column=..., row=...)`; how much
  lies where: `cells.density`.
- From one number to another by steps: `steps.waterfall`.
- Small multiples: `panels.grid(panels, columns, above=key(...))`; panels beside or below each
  other: `panels.beside`, `panels.below`. A name before a line of them: `panels.line_name`. A panel
  among others that has nothing to show: `panels.message`.
- Marks that are the rows of a table of the description: `tables.table_rows`,
  `tables.table_columns`; of plain tuples, each value with its form: `tables.told_rows`.
- What colours mean: `keys.key({"name": colour or Style}, width=...)`, with numbers beside the names
  `keys.key_table`; looks of lines: `keys.styles_of`.
- More rows than there is room for: `choosing.both_ends`, `choosing.spread_out`.

A row's own look (`colour`, `size`, `opacity`, `dash`), what a pointer shows (`tip`) and what a
click opens in the app (`**picks(...)`) are keys of the row: see `layers`. A mark's look is given in
Vega-Lite's words: `dots("value", color=INK, size=46)`. What only one figure needs is a
`layers.Mark` with channels `x`, `y`, `x2`, `y2` (fields, or places in pixels) and its own rows.

Where axes begin and end: `axes.around`, `from_zero`, `to_a_tenth`. Colours: `charts.colours` alone.
Number forms: `boxlens.wording` writes texts and tips, `Axis(form=SHARES)` labels.
"""
