// Formats numbers, durations and strings for people, independent of the locale.

/** The word for each status, worst first. */
const STATUSES = {
  fail: { word: "failed", chip: "Failed" },
  error: { word: "error", chip: "Errors" },
  skip: { word: "skipped", chip: "Skipped" },
  pass: { word: "passed", chip: "Passed" },
};

/** `12,345`. */
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** `1 step`, `12,345 steps`. */
const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** `340 ms`, `1.72 s`, `2 min 5 s`. */
function lasting(milliseconds) {
  if (milliseconds < 1) return "<1 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60000) return `${(milliseconds / 1000).toFixed(milliseconds < 10000 ? 2 : 1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a cost in dollars, as the terminal does: `$0.0123`, `$4.10`, and enough digits of a tiny one to tell it from zero. */
function costing(cost) {
  if (cost >= 1e15) return `$${cost.toExponential(4)}`;
  if (cost >= 1) return `$${cost.toFixed(2).replace(/^\d+/, grouped)}`;
  if (cost >= 0.0001 || cost === 0) return `$${cost.toFixed(4)}`;
  return `$${cost.toPrecision(2)}`;
}

/** `35.7%`. */
const percent = (share) => `${Number((share * 100).toFixed(1))}%`;

/** `12 B`, `1.5 MiB`. */
function sized(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${Number(bytes.toFixed(1))} ${units[unit]}`;
}

/** Cuts a string after so many characters, never within one. */
function cut(text, limit) {
  if (text.length <= limit) return text;
  const whole = text.charCodeAt(limit - 1) >> 10 === 0x36 ? limit - 1 : limit;
  return `${text.slice(0, whole)}…`;
}

// Control characters other than tabs and line ends, and those that reorder or hide others.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** Replaces invisible characters by escapes. */
const visible = (text) =>
  text.replace(HIDDEN, (hidden) =>
    [...Array(hidden.length).keys()].map((at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
