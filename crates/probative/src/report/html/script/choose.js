// Which results are listed, and in which order.

const SORTS = {
  "": {
    label: "Not passed first",
    rank: (entry) => (entry.status === "pass" && entry.flaky ? 2.5 : RANKS[entry.status]),
  },
  run: { label: "As run", rank: null },
  slow: { label: "Slowest first", rank: (entry) => -(entry.duration ?? -1) },
  cost: { label: "Costliest first", rank: (entry) => -(entry.cost ?? -1) },
};

const RANKS = { fail: 0, error: 1, skip: 3, pass: 4 };

/** Whether an entry has one of the statuses asked for; `flaky` may be asked for like one. */
const hasStatus = (entry, statuses) => statuses.includes(entry.status) || (entry.flaky && statuses.includes("flaky"));

/** The entries that the address asks for. Every word must be found. */
function chosen({ q, status, file, suite, type, fails, sort }) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const statuses = status ? status.split(",") : null;
  const found = ENTRIES.filter(
    (entry) =>
      (!statuses || hasStatus(entry, statuses)) &&
      (!file || entry.file === file) &&
      (!suite || entry.suite === suite) &&
      (!type || entry.type === type) &&
      (!fails || entry.bad.includes(fails)) &&
      words.every((word) => entry.text.includes(word)),
  );
  const { rank } = SORTS[sort] || SORTS[""];
  return rank ? found.sort((a, b) => rank(a) - rank(b) || a.index - b.index) : found;
}
