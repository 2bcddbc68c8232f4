// JSON as a tree that unfolds part by part, with marks at the places that explain a failure.

const SHOWN_TEXT = 600;
const SHOWN_MEMBERS = 100;

/** Formats the beginning of a value on one line, without visiting the rest. */
function compact(value, limit) {
  if (typeof value === "string") return JSON.stringify(cut(value, limit));
  if (!isNested(value)) return String(value);
  const isList = Array.isArray(value);
  const keys = Object.keys(isList ? value.slice(0, limit) : value);
  let text = "";
  for (const key of keys) {
    if (text.length > limit) break;
    text += `${text && ", "}${isList ? "" : `${cut(key, limit)}: `}${compact(value[key], limit - text.length)}`;
  }
  return cut(isList ? `[${text}]` : `{${text}}`, limit);
}

/** Formats arguments on one line: `order: 4713, reason: "broken"`. */
const compactArguments = (value, limit) =>
  isNested(value) && !Array.isArray(value)
    ? compact(value, limit).slice(1, -1) || "no arguments"
    : compact(value, limit);

/** Arranges marks as a tree parallel to the value: `notes` at a place, and the places below it. */
function markTree(value, marks) {
  const root = { notes: [], below: new Map() };
  for (const mark of marks) {
    const steps = stepsOf(mark.place);
    if (!steps) continue;
    const way = existing(value, steps);
    let at = root;
    for (const step of way) {
      const key = String(step);
      if (!at.below.has(key)) at.below.set(key, { notes: [], below: new Map() });
      at = at.below.get(key);
    }
    at.notes.push({ ...mark, isMissing: way.length < steps.length });
  }
  return root;
}

/** Shows a value as a tree. `marked` is called with each mark and its element. */
function tree(value, marks = [], marked = () => {}) {
  const root = markTree(value, marks);
  const isSmall = JSON.stringify(value).length < 2000;
  return el("div.tree", null, branch(null, value, root, { depth: 0, isSmall, marked }));
}

function branch(key, value, marks, { depth, isSmall, marked }) {
  const below = { depth: depth + 1, isSmall, marked };
  const count = isNested(value) ? Object.keys(value).length : 0;
  const head = [key !== null && el("span.key", null, key), count ? opening(value, count) : leaf(value)];
  // The space allows a line break before the note.
  const notes = marks ? marks.notes.flatMap((mark) => [" ", noteOf(mark)]) : [];
  const isOpen = depth === 0 || (isSmall && depth < 3) || Boolean(marks && (marks.below.size || marks.notes.length));
  const node = count
    ? fold("node", [head, notes], () => members(value, marks, below), isOpen)
    : el("div.node.leaf", null, head, notes);
  if (notes.length) {
    node.classList.add("marked");
    marks.notes.forEach((mark) => marked(mark, node));
  }
  return node;
}

function noteOf({ note, place, isMissing }) {
  return el("span.note", null, icon("fail"), isMissing ? `${place} is missing – ` : "", note);
}

function opening(value, count) {
  const isList = Array.isArray(value);
  const preview = el("span.preview", null, compact(value, 80));
  return [el("span.brackets", null, isList ? `[${grouped(count)}]` : `{${grouped(count)}}`), preview];
}

function members(value, marks, below) {
  const keys = Object.keys(value);
  const list = el("ul");
  const make = (at) => el("li", null, branch(keys[at], value[keys[at]], marks && marks.below.get(keys[at]), below));
  const isKept = (at) => at < SHOWN_MEMBERS || Boolean(marks && marks.below.has(keys[at]));
  return gapped(list, keys.length, { whole: SHOWN_MEMBERS, noun: "value", isKept, make });
}

function leaf(value) {
  if (typeof value === "string") return longText(JSON.stringify(value), "span.text");
  if (isNested(value)) return el("span.brackets", null, Array.isArray(value) ? "[ ] empty" : "{ } empty");
  return el(`span.${value === null ? "null" : typeof value === "boolean" ? "boolean" : "number"}`, null, String(value));
}

/** Shows the beginning of a long text, and more on a click. */
function longText(text, kind) {
  let shown = SHOWN_TEXT;
  if (text.length <= shown * 1.5) return el(kind, null, text);
  const start = el("span", null, cut(text, shown));
  const more = () => {
    shown *= 10;
    put(start, cut(text, shown));
    put(button, `${grouped(text.length)} characters, show more`);
    if (shown >= text.length) button.remove();
  };
  const button = el(
    "button.more",
    { type: "button", onclick: (event) => (event.preventDefault(), more()) },
    `${grouped(text.length)} characters, show more`,
  );
  return el(kind, null, start, button);
}
