// What was judged, one panel per part.

/** A panel's body. Panels of a kind that this page does not know are shown as what they are. */
function panelBody(panel, panels, marks, budget) {
  switch (panel.kind) {
    case "trajectory":
      return trajectory(panel.run, marks);
    case "selection":
      return selection(panel.report, marks, budget);
    case "json":
      return tree(panel.value, marks.within(panel, panels), (mark, node) => marks.show(mark.index, mark.place, node));
    case "text":
      return textPanel(panel);
    case "oversized":
      return el("p.none", null, `Too large to be shown here${panel.bytes ? `: ${sized(Number(panel.bytes))}` : ""}.`);
    default:
      return tree(panel);
  }
}

/** A text is at most as long as its panel was made, so all of it is shown. */
function textPanel({ text, left_out: leftOut }) {
  if (isShort({ kind: "text", text })) return null;
  const note =
    Number(leftOut) === 1
      ? "The first line is left out."
      : `The first ${counted(Number(leftOut), "line")} are left out.`;
  return [Number(leftOut) > 0 && el("p.none", null, note), el("pre.plaintext", { tabindex: "0" }, text)];
}

/** A text that fits beside its title: an exit code, a status. */
const isShort = ({ kind, text }) => kind === "text" && text.length <= 60 && !text.includes("\n");

const titleOf = (panel) =>
  el(
    "h3",
    null,
    panel.title,
    isShort(panel) && (panel.text ? el("code.short", null, panel.text) : el("span.count", null, "empty")),
  );

/** All panels of a case. What has failing places comes first. */
function panelsSection(entry, marks, { rerun, exhibited, budget }) {
  const panels = panelsOf(entry);
  if (!panels) return exhibited ? missingPanels(rerun) : null;
  const [marked, others] = [true, false].map((wanted) =>
    panels.filter((panel) => isMarked(panel, panels, marks) === wanted),
  );
  return [...marked, ...others].map((panel) =>
    el(`section.panel.${panel.kind}`, null, titleOf(panel), panelBody(panel, panels, marks, budget)),
  );
}

function isMarked(panel, panels, marks) {
  const marked = {
    trajectory: () => marks.steps.size > 0,
    selection: () => marks.items.size > 0,
    json: () => marks.within(panel, panels).length > 0,
  };
  return Boolean(marked[panel.kind]?.());
}

function missingPanels(rerun) {
  const hint = rerun ? " Run it alone to see it:" : "";
  return el(
    "section.panel",
    null,
    el("h3", null, "What was judged"),
    el("p.none", null, `There was no room for it in this report.${hint}`),
    rerun && el("code.command", null, rerun),
  );
}
