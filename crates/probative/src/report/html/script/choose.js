// Selects and sorts the listed results.

const SORTS = {
  "": {
    label: "Failures first",
    rank: (entry) => (entry.status === "pass" && entry.flaky ? 2.5 : RANKS[entry.status]),
  },
  run: { label: "Run order", rank: null },
  slow: { label: "Slowest", rank: (entry) => -(entry.duration ?? -1) },
  cost: { label: "Most expensive", rank: (entry) => -(entry.cost ?? -1) },
};

const RANKS = { fail: 0, error: 1, skip: 3, pass: 4 };

/** Returns whether an entry has one of these statuses; `flaky` counts as one. */
const hasStatus = (entry, statuses) => statuses.includes(entry.status) || (entry.flaky && statuses.includes("flaky"));

/** Returns the entries that the address selects. All words must match. */
function chosen({ q, status, file, suite, type, fails, cause, sort }) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const statuses = status ? status.split(",") : null;
  const found = ENTRIES.filter(
    (entry) =>
      (!statuses || hasStatus(entry, statuses)) &&
      (!file || entry.file === file) &&
      (!suite || entry.suite === suite) &&
      (!type || entry.type === type) &&
      (!fails || entry.failing.includes(fails)) &&
      (!cause || entry.cause === cause) &&
      words.every((word) => entry.text.includes(word)),
  );
  const { rank } = SORTS[sort] || SORTS[""];
  return rank ? found.sort((a, b) => rank(a) - rank(b) || a.index - b.index) : found;
}
