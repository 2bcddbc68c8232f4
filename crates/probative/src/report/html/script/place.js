// Places in JSON as assertions name them: `results[2].file`, `odd['a.b']`, `$` for the whole.

/** The steps of a place: names and indexes. Null where it is no place. */
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

/** A number that this language would change, as it is written: `12345678901234567890`, `1.0`. */
class Exact {
  constructor(source) {
    this.source = source;
  }

  toString() {
    return this.source;
  }
}

/** JSON with its numbers as they are written, where the browser tells how that is. */
const parsed = (json) =>
  JSON.parse(json, (_, value, context) =>
    typeof value === "number" && context && context.source !== String(value) ? new Exact(context.source) : value,
  );

const isNested = (value) => value !== null && typeof value === "object" && !(value instanceof Exact);

const member = (value, step) =>
  isNested(value) && Object.prototype.hasOwnProperty.call(value, step) ? value[step] : undefined;

/** As many of the steps as lead somewhere: what is missing is told at what should hold it. */
function existing(value, steps) {
  const way = [];
  for (const step of steps) {
    value = member(value, step);
    if (value === undefined) break;
    way.push(step);
  }
  return way;
}
