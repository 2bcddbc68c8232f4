// Light or dark: as the system says, until somebody says otherwise.

const THEME = "probative-theme";

/** What is kept may be out of reach, as for files that are opened from a disk. */
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
