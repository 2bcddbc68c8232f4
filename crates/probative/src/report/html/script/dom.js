// The only place that creates elements: strings become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: `el("div.card", { title: "…", onclick: act }, "text", child)`.
 *
 * Skips children that are null or false, flattens lists, and escapes invisible characters.
 */
function el(kind, properties, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([key, to]) => element.style.setProperty(key, to));
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
}

/** Replaces the children of an element. */
function put(element, ...children) {
  element.textContent = "";
  fill(element, children);
}

/** Makes an element for a path: where there is no room, its start is cut off, not the file name. */
function pathIn(kind, path) {
  const end = path.length > 200 ? `…${[...path].slice(-200).join("")}` : path;
  return el(`${kind}.keeps-end`, null, el("bdi", { dir: "ltr" }, end));
}

/** Makes text for screen readers only. */
const spoken = (text) => el("span.spoken", null, text);

/** Announces something to screen readers, and shows it briefly. */
function say(text) {
  const said = document.getElementById("said");
  said.textContent = visible(text);
  said.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), 1600);
}

/** Makes a button that copies a string. */
function copier(text, label, drawing = "copy") {
  return el(
    "button.quiet",
    { type: "button", title: label, "aria-label": label, onclick: () => copy(text()) },
    icon(drawing),
  );
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without clipboard access, the old command still works.
    const field = el("textarea.spoken", { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  say("Copied");
}
