// A list of chat messages, as agents and models exchange them.

/** A longer conversation shows its beginning and its end. */
const SHOWN_MESSAGES = 40;

/** Returns whether a value is a list of objects with a `role`. */
const isConversation = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isNested(one) && typeof one.role === "string");

/** Shows messages one below the other. */
function conversation(messages) {
  const isKept = (at) => at < 10 || at >= messages.length - 10;
  const make = (at) => turnItem(messages[at]);
  return gapped(el("ol.chat"), messages.length, { whole: SHOWN_MESSAGES, noun: "message", isKept, make });
}

/** Shows the text of a message, and whatever else it has as a tree. */
function turnItem({ role, name, content, ...rest }) {
  const others = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const parts = Array.isArray(content) ? content : [content];
  return el(
    "li.turn",
    null,
    el("h4", null, cut(role, 60), typeof name === "string" && ` · ${cut(name, 60)}`),
    parts.map(contentOf),
    Object.keys(others).length > 0 && tree(others),
  );
}

function contentOf(part) {
  if (part === null || part === undefined || part === "") return null;
  if (typeof part === "string") return longText(part, "div.prose");
  if (isNested(part) && part.type === "text" && typeof part.text === "string") return longText(part.text, "div.prose");
  return tree(part);
}
