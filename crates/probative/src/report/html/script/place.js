// Places in JSON as assertions name them: `results[2].file`, `odd['a.b']`, `$` for the root.

/** Parses a place into names and indexes; null if it isn't one. */
function stepsOf(place) {
  if (place === "$") return [];
  const steps = [];
  const piece = /\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\.?([^.[\]]+)/y;
  while (piece.lastIndex < place.length) {
    const found = piece.exec(place);
    if (!found) return null;
    const [, index, quoted, name] = found;
    steps.push(index !== undefined ? Number(index) : quoted !== undefined ? unquoted(quoted) : name);
  }
  return steps;
}

const unquoted = (text) =>
  text.replace(/\\(u([0-9a-f]{4})|n|r|t|.)/g, (_, escape, unit) => {
    if (unit) return String.fromCharCode(parseInt(unit, 16));
    return { n: "\n", r: "\r", t: "\t" }[escape] || escape;
  });

/** A number that JavaScript would print differently: `12345678901234567890`, `1.0`. */
class Exact {
  constructor(source) {
    this.source = source;
  }

  toString() {
    return this.source;
  }
}

/** Parses JSON, keeping the spelling of numbers where the browser exposes it. */
const parsed = (json) =>
  JSON.parse(json, (_, value, context) =>
    typeof value === "number" && context && context.source !== String(value) ? new Exact(context.source) : value,
  );

/** Returns the JSON object or array that a string holds, as chat messages carry results; else the value itself. */
function heldIn(value) {
  if (typeof value !== "string" || value.length > 65536 || !/^\s*[[{]/.test(value)) return value;
  try {
    return parsed(value);
  } catch {
    return value;
  }
}

const isNested = (value) => value !== null && typeof value === "object" && !(value instanceof Exact);

const member = (value, step) =>
  isNested(value) && Object.prototype.hasOwnProperty.call(value, step) ? value[step] : undefined;

/** Returns the leading steps that exist: a missing value is reported at its parent. */
function existing(value, steps) {
  const way = [];
  for (const step of steps) {
    value = member(value, step);
    if (value === undefined) break;
    way.push(step);
  }
  return way;
}
