// The data of the page: one small entry per result; the rest is parsed when a result is opened.

const WHOLE = JSON.parse(document.getElementById("whole").textContent);
const SUMMARY = WHOLE.summary;
const NOUN = WHOLE.noun;

/** The list shows one line of a message, and search covers this much of it. */
const SEARCHED = 600;

const isBad = (row) => row.status === "fail" || row.status === "error";

/** Returns whether an assertion wasn't judged because of another one's error. */
const isUnjudged = (row) => row.because_of !== undefined;

/** Returns what an assertion is called: by its author, or by what it asserts. */
const headlineOf = (row) => row.headline || row.label || row.name;

function gistOf(result, cause) {
  if (cause && !result.trials) return cause;
  const bad = result.assertions.filter((row) => isBad(row) && !isUnjudged(row));
  const first = bad.find((row) => row.message);
  if (!first || result.trials) return cut(result.message || "", SEARCHED * 2);
  return cut(first.message, SEARCHED * 2) + (bad.length > 1 ? `  (+${bad.length - 1} more)` : "");
}

function entryOf(line, index) {
  const { result, suite, cause } = JSON.parse(line);
  const named = (status) =>
    [...new Set(result.assertions.filter((row) => row.status === status && !isUnjudged(row)).map(headlineOf))];
  const [failing, broken] = [named("fail"), named("error")];
  const gist = cut(gistOf(result, cause), SEARCHED);
  const { id, title, type, file, status } = result;
  return {
    index,
    line,
    id,
    title,
    type,
    file,
    status,
    gist,
    failing,
    cause,
    panels: null,
    suite: result.suite,
    suiteName: suite || result.suite,
    place: result.line === null || file === "-" ? file : `${file}:${result.line}`,
    flaky: Boolean(result.flaky),
    noted: Boolean(result.warnings || result.health),
    duration: result.duration_ms,
    cost: result.cost,
    trials: result.trials && { passed: result.trials.passed, ran: result.trials.ran },
    text: [id, title, file, gist, ...failing, ...broken].join("\n").toLowerCase(),
  };
}

/** All results, in the order of the run. A line of panels belongs to the result before it. */
const ENTRIES = [];
for (const line of document.getElementById("results").textContent.split("\n")) {
  if (line.startsWith('{"panels":')) ENTRIES[ENTRIES.length - 1].panels = line;
  else if (line) ENTRIES.push(entryOf(line, ENTRIES.length));
}

/** Results by id. `nth` distinguishes results that share an id. */
const BY_ID = new Map();
for (const entry of ENTRIES) {
  const same = BY_ID.get(entry.id) || [];
  entry.nth = same.length;
  same.push(entry);
  BY_ID.set(entry.id, same);
}

/**
 * The directory that all ids begin with, where ids are file names. The list leaves it out, because ids differ at the end.
 */
const SHARED = ENTRIES.every((entry) => entry.id.startsWith(entry.file))
  ? sharedDirectory(ENTRIES.map((entry) => entry.file))
  : "";

function sharedDirectory([first = "", ...others]) {
  let shared = first.slice(0, first.lastIndexOf("/") + 1);
  for (const other of others) {
    while (!other.startsWith(shared)) shared = shared.slice(0, shared.slice(0, -1).lastIndexOf("/") + 1);
  }
  return shared;
}

/** Parses everything about an entry. */
const recordOf = (entry) => JSON.parse(entry.line);

/** Parses what was judged, the prose and the input; `panels` is null where the page had no room for them. */
const evidenceOf = (entry) => (entry.panels ? parsed(entry.panels) : { panels: null });
