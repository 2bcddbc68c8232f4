// Follows the system's light or dark theme until the reader picks one.

const THEME = "probative-theme";

/** Reads or stores the choice. Pages opened from disk may have no storage. */
function kept(value) {
  try {
    if (value !== undefined) localStorage.setItem(THEME, value);
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

function applyTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

function switchTheme() {
  const system = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (document.documentElement.dataset.theme || system) === "dark" ? "light" : "dark";
  applyTheme(next);
  kept(next);
}

applyTheme(kept());
