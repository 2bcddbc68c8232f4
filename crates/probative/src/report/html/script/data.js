// What the page holds: one entry per result, small enough that all of them are kept; the rest is read when it is opened.

const WHOLE = JSON.parse(document.getElementById("whole").textContent);
const SUMMARY = WHOLE.summary;
const NOUN = WHOLE.noun;

/** What stands before a message of a case in a spec document, for those who read many of them in a log. */
const PREFIX = /\[case_id=[^]*? assert_path=[^]*? target=([^]*?) op=[^]*?\] /;

/** A message has one line in the list, and is searched up to here. */
const SEARCHED = 600;

/** A message without what the page tells elsewhere. */
function plain(message) {
  const start = message.slice(0, SEARCHED * 2);
  if (!start.includes("[case_id=")) return message;
  return start.replace(new RegExp(PREFIX, "g"), "") + message.slice(SEARCHED * 2);
}

/** The target that an assertion of a case is about, where its message says so. */
const targetOf = (row) => (row.message ? (PREFIX.exec(row.message.slice(0, SEARCHED * 2)) || [])[1] : undefined);

const isBad = (row) => row.status === "fail" || row.status === "error";

function gistOf(result) {
  const bad = result.assertions.filter(isBad);
  const first = bad.find((row) => row.message);
  if (!first || result.trials) return plain(cut(result.message || "", SEARCHED * 2));
  return plain(cut(first.message, SEARCHED * 2)) + (bad.length > 1 ? `  (+${bad.length - 1} more)` : "");
}

function entryOf(line, index) {
  const { result, title, suite } = JSON.parse(line);
  const bad = [...new Set(result.assertions.filter(isBad).map((row) => row.name))];
  const gist = cut(gistOf(result), SEARCHED);
  const { id, type, file, status } = result;
  return {
    index,
    line,
    id,
    title,
    type,
    file,
    status,
    gist,
    bad,
    panels: null,
    suite: result.suite,
    suiteName: suite || result.suite,
    place: result.line === null || file === "-" ? file : `${file}:${result.line}`,
    flaky: Boolean(result.flaky),
    noted: Boolean(result.warnings || result.health),
    duration: result.duration_ms,
    cost: result.cost,
    trials: result.trials && { passed: result.trials.passed, ran: result.trials.ran },
    text: [id, title, file, gist, ...bad].join("\n").toLowerCase(),
  };
}

/** Every result, in the order of the run. A line of panels belongs to the result before it. */
const ENTRIES = [];
for (const line of document.getElementById("results").textContent.split("\n")) {
  if (line.startsWith('{"panels":')) ENTRIES[ENTRIES.length - 1].panels = line;
  else if (line) ENTRIES.push(entryOf(line, ENTRIES.length));
}

/** Results by id. Where several have the same, `nth` tells them apart. */
const BY_ID = new Map();
for (const entry of ENTRIES) {
  const same = BY_ID.get(entry.id) || [];
  entry.nth = same.length;
  same.push(entry);
  BY_ID.set(entry.id, same);
}

/**
 * The directory that all ids begin with, where ids are places of files. The list leaves it out: the ends of such ids tell
 * them apart.
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

/** All that is known of an entry. */
const recordOf = (entry) => JSON.parse(entry.line);

/** What was judged; null where there was no room for it. */
const panelsOf = (entry) => (entry.panels ? parsed(entry.panels).panels : null);
