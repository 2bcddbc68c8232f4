// What was judged: one panel per part.

/** Makes the body of a panel. An unknown kind is shown as JSON. */
function panelBody(panel, panels, marks, budget) {
  switch (panel.kind) {
    case "trajectory":
      return trajectory(panel.run, marks);
    case "selection":
      return selection(panel.report, marks, budget);
    case "json":
      if (isConversation(panel.value) && !marks.within(panel, panels).length) return conversation(panel.value);
      return tree(panel.value, marks.within(panel, panels), (mark, node) => marks.show(mark.index, mark.place, node));
    case "text":
      return textPanel(panel);
    case "oversized":
      return el("p.none", null, `Too large for this report${panel.bytes ? ` (${sized(Number(panel.bytes))})` : ""}.`);
    default:
      return tree(panel);
  }
}

/** Shows all of a text; panels are limited in length. */
function textPanel({ text, left_out: leftOut }) {
  if (isShort({ kind: "text", text })) return null;
  const note =
    Number(leftOut) === 1
      ? "The first line is omitted."
      : `The first ${counted(Number(leftOut), "line")} are omitted.`;
  return [Number(leftOut) > 0 && el("p.none", null, note), el("pre.plaintext", { tabindex: "0" }, text)];
}

/** Returns whether a text fits beside its title: an exit code, a status. */
const isShort = ({ kind, text }) => kind === "text" && text.length <= 60 && !text.includes("\n");

const titleOf = (panel, head = "") =>
  el(
    "h3",
    null,
    head,
    panel.title,
    isShort(panel) && (panel.text ? el("code.short", null, panel.text) : el("span.count", null, "empty")),
  );

/** All panels of a case: those with failing places first, under the trial that they are of. */
function panelsSection({ panels: judged }, marks, { result, rerun, exhibited, budget, crashes = [] }) {
  if (!judged) return exhibited ? missingPanels(rerun) : null;
  const panels = judged.filter((panel) => !crashes.some((crash) => isStderrOf(panel, crash)));
  const [marked, others] = [true, false].map((wanted) =>
    panels.filter((panel) => isMarked(panel, panels, marks) === wanted),
  );
  const head = trialHead(result.trials);
  return [...marked, ...others].map((panel) => {
    const make = () => panelBody(panel, panels, marks, budget);
    const title = titleOf(panel, head);
    return el(
      `section.panel.${panel.kind}`,
      null,
      isSource(panel, panels) ? fold("source", title, make, false) : [title, make()],
    );
  });
}

/** Returns whether the card of a crash shows all of a panel. */
const isStderrOf = ({ kind, title, text }, { stderr }) =>
  kind === "text" && title === "stderr" && text.trim() === stderr.join("\n").trim();

/** Returns whether a panel is the stdout from which other panels were read; it is folded. */
const isSource = (panel, panels) =>
  panel.kind === "text" && panel.title === "stdout" && !isShort(panel) && panels.some(({ kind }) => kind !== "text");

function isMarked(panel, panels, marks) {
  const marked = {
    trajectory: () => marks.steps.size > 0,
    selection: () => marks.items.size > 0,
    json: () => marks.within(panel, panels).length > 0,
  };
  return Boolean(marked[panel.kind]?.());
}

function missingPanels(rerun) {
  const hint = rerun ? " To see it, rerun:" : "";
  return el(
    "section.panel",
    null,
    el("h3", null, "Output"),
    el("p.none", null, `Omitted to keep this report small.${hint}`),
    rerun && commandOf("code.command", rerun),
  );
}
