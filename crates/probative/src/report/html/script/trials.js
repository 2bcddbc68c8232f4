// A case that was run several times: one cell per trial, and what they say together.

/** The section about trials. */
function trialsSection(trials) {
  if (!trials) return null;
  const told = el("p.told", { "aria-live": "polite" });
  const first = trials.outcomes.findIndex((trial) => trial.status !== "pass");
  const cells = trials.outcomes.map((trial, at) => cellOf(trial, at, () => select(at)));
  const select = (at) => {
    cells.forEach((cell, index) => cell.firstChild.setAttribute("aria-pressed", String(index === at)));
    put(told, tellTrial(trials.outcomes[at], at));
  };
  if (cells.length) select(Math.max(first, 0));
  return el(
    "section.panel.trials",
    null,
    el("h3", null, "Trials"),
    el("ol.strip", { "aria-label": counted(trials.outcomes.length, "trial") }, cells),
    told,
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
      { type: "button", "aria-label": label, title: label, onclick: choose, onmouseenter: choose, onfocus: choose },
      icon(trial.status),
    ),
  );
}

function tellTrial(trial, at) {
  const facts = [
    trial.duration_ms !== undefined && lasting(trial.duration_ms),
    trial.cost !== undefined && costing(trial.cost),
  ];
  const words = [
    `Trial ${at + 1} `,
    el(`b.${trial.status}`, null, STATUSES[trial.status].word),
    ...facts.filter(Boolean).map((fact) => ` · ${fact}`),
  ];
  return [words, trial.message && el("span.message", null, plain(trial.message))];
}

function figuresOf({ passed, ran, n, pass, rate, interval: [low, high], pass_at: at, pass_hat: hat }) {
  return el(
    "div.rates",
    null,
    el(
      "div.rate",
      { role: "img", "aria-label": `${percent(rate)} passed, 95 % interval ${percent(low)} to ${percent(high)}` },
      el("span.interval", { style: { left: `${low * 100}%`, width: `${(high - low) * 100}%` } }),
      el("span.point", { style: { left: `${rate * 100}%` } }),
    ),
    el(
      "ul.facts",
      null,
      el("li", null, el("b", null, `${passed} of ${ran}`), " passed", n !== ran && ` (of ${n} planned)`),
      el("li", null, `must pass: ${isNested(pass) ? compact(pass, 40) : pass}`),
      el("li", null, `${percent(rate)}, 95 % interval ${percent(low)} – ${percent(high)}`),
    ),
    ran > 1 && estimatesOf(at, hat),
  );
}

/** How likely some of k trials passes, and all of them. */
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
    line("pass@k", "at least one of k trials passes", at),
    line("pass^k", "all of k trials pass", hat),
  );
}

function modesOf({ modes }) {
  if (!modes.length) return null;
  const told = ({ message, count, trials }) =>
    el(
      "li",
      null,
      el("b.times", null, `${count}×`),
      el(
        "span",
        null,
        plain(message),
        el(
          "small",
          null,
          ` trial${count === 1 ? "" : "s"} ${trials.slice(0, 12).join(", ")}${trials.length > 12 ? " …" : ""}`,
        ),
      ),
    );
  return el("div.modes", null, el("h4", null, "Ways in which it failed"), el("ul", null, modes.map(told)));
}
