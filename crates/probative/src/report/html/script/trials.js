// A case with several trials: one cell per trial, and the rates.

/** `Trial 3: `, for the trial whose assertions and output the page shows. */
const trialHead = (trials) => (trials && trials.shown ? `Trial ${trials.shown}: ` : "");

/** The section about trials. */
function trialsSection(trials) {
  if (!trials) return null;
  const about = el("p.told", { "aria-live": "polite" });
  const cells = trials.outcomes.map((trial, at) => cellOf(trial, at, () => select(at)));
  const select = (at) => {
    cells.forEach((cell, index) => cell.firstChild.setAttribute("aria-pressed", String(index === at)));
    put(about, aboutTrial(trials, at));
  };
  const first = trials.outcomes.findIndex((trial) => trial.status !== "pass");
  if (cells.length) select(trials.shown ? trials.shown - 1 : Math.max(first, 0));
  return el(
    "section.panel.trials",
    null,
    el("h3", null, "Trials"),
    el("ol.strip", { "aria-label": counted(trials.outcomes.length, "trial") }, cells),
    about,
    figuresOf(trials),
    modesOf(trials),
  );
}

function cellOf(trial, at, choose) {
  const label = `trial ${at + 1}: ${STATUSES[trial.status].word}`;
  return el(
    "li",
    null,
    el(
      `button.cell.${trial.status}`,
      { type: "button", "aria-label": label, title: label, onclick: choose },
      icon(trial.status),
    ),
  );
}

function aboutTrial({ outcomes, shown }, at) {
  const trial = outcomes[at];
  const facts = [
    trial.recording,
    trial.duration_ms !== undefined && lasting(trial.duration_ms),
    trial.cost !== undefined && costing(trial.cost),
    shown === at + 1 ? "shown below" : shown && `trial ${shown} is shown below`,
  ];
  const words = [
    `Trial ${at + 1} `,
    el(`b.${trial.status}`, null, STATUSES[trial.status].word),
    ...facts.filter(Boolean).map((fact) => ` · ${fact}`),
  ];
  return [words, trial.message && el("span.message", null, trial.message)];
}

function figuresOf({ passed, ran, n, pass, rate, interval: [low, high], pass_at: at, pass_hat: hat }) {
  return el(
    "div.rates",
    null,
    el(
      "div.rate",
      { role: "img", "aria-label": `${percent(rate)} passed, 95% interval ${percent(low)} to ${percent(high)}` },
      el("span.interval", { style: { left: `${low * 100}%`, width: `${(high - low) * 100}%` } }),
      el("span.point", { style: { left: `${rate * 100}%` } }),
    ),
    el(
      "ul.facts",
      null,
      el("li", null, el("b", null, `${passed} of ${ran}`), " passed", n !== ran && ` (${n} planned)`),
      el("li", null, `required: ${isNested(pass) ? compact(pass, 40) : pass}`),
      el("li", null, `${percent(rate)}, 95% interval ${percent(low)} – ${percent(high)}`),
    ),
    ran > 1 && estimatesOf(at, hat),
  );
}

/** The estimated probability that any, and that all, of k trials pass. */
function estimatesOf(at, hat) {
  const line = (head, meaning, values) =>
    el(
      "tr",
      null,
      el("th", { scope: "row", title: meaning }, head),
      Object.values(values).map((value) => el("td", null, percent(value))),
    );
  return el(
    "table.estimates",
    null,
    el(
      "tr",
      null,
      el("th", { scope: "row" }, "k"),
      Object.keys(at).map((k) => el("th", { scope: "col" }, k)),
    ),
    line("pass@k", "probability that at least one of k trials passes", at),
    line("pass^k", "probability that all k trials pass", hat),
  );
}

function modesOf({ modes }) {
  if (!modes.length) return null;
  const line = ({ message, count, trials }) =>
    el(
      "li",
      null,
      el("b.times", null, `${count}×`),
      el(
        "span",
        null,
        message,
        el(
          "small",
          null,
          ` trial${count === 1 ? "" : "s"} ${trials.slice(0, 12).join(", ")}${trials.length > 12 ? " …" : ""}`,
        ),
      ),
    );
  return el("div.modes", null, el("h4", null, "Failure modes"), el("ul", null, modes.map(line)));
}
