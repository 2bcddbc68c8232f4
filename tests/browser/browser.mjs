// A browser whose pages are watched: what they say to the console, what they ask for, what they open.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const WIDE = { width: 1600, height: 1000 };
export const NARROW = { width: 390, height: 844 };

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: FLAGS });

/** A page that must stay quiet: `quiet()` fails if it said, asked for or opened anything. */
export async function open(browser, address, { viewport = WIDE, colorScheme = "light", hash = "" } = {}) {
  const context = await browser.newContext({ viewport, colorScheme });
  const page = await context.newPage();
  const heard = [];
  page.on("console", (message) => heard.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => heard.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => (heard.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("popup", () => heard.push("a window was opened"));
  page.on("request", (request) => request.url().split("#")[0] !== address && heard.push(`request: ${request.url()}`));
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".rows li")) return;
      window.listedAt = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(address + hash);
  await page.waitForSelector("#bar h1");
  const quiet = async () => {
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.deepEqual(heard, []);
    await context.close();
  };
  return { page, quiet };
}

/** Opens everything that can be opened, and what that brings to light. */
export const openAll = (page) =>
  page.evaluate(async () => {
    for (let closed; (closed = [...document.querySelectorAll("#detail details:not([open])")]).length; ) {
      closed.forEach((part) => (part.open = true));
      await new Promise((next) => setTimeout(next, 5));
    }
  });

/** The ids of the rows that are in sight. */
export const listed = (page) => page.locator(".result .id").allTextContents();

/** The address's fields. */
export const fields = async (page) => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)));

/** Nothing is wider than the page, nor than the pane that it stands in. */
export async function fits(page, what) {
  const wide = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("#detail, #list, #cases")]
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => `${element.id || element.tagName}: ${element.scrollWidth} > ${element.clientWidth}`),
  );
  assert.deepEqual(wide, [], what);
  // Panes scroll; the page itself never does.
  assert.deepEqual(
    await page.evaluate(() =>
      [document.body.scrollHeight, document.documentElement.scrollHeight].filter((height) => height > innerHeight),
    ),
    [],
    what,
  );
}

/** Every text that can be seen stands out from what is behind it, as WCAG AA wants. */
export async function isLegible(page, what) {
  const faint = await page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const channels = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return canvas.getImageData(0, 0, 1, 1).data;
    };
    const luminance = (colour) => {
      const [r, g, b] = [...channels(colour)].map((channel) =>
        channel / 255 <= 0.03928 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (channels(colour)[3] === 255) return colour;
      }
      return "white";
    };
    const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const found = new Set();
    for (const element of document.querySelectorAll("body *")) {
      if (
        !hasText(element) ||
        !element.checkVisibility({ visibilityProperty: true }) ||
        element.matches(".spoken, script, style, option, :disabled, #said")
      )
        continue;
      const style = getComputedStyle(element);
      const [light, dark] = [luminance(style.color), luminance(ground(element))].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < 4.5)
        found.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}: ${element.textContent.slice(0, 30)}`);
    }
    return [...found];
  });
  assert.deepEqual(faint, [], what);
}

/** What a finger must hit is at least 40 pixels high; links within a sentence are as high as the sentence. */
export async function isTouchable(page, what) {
  const small = await page.evaluate(() =>
    [
      ...document.querySelectorAll(
        "#bar button, #controls button, #controls select, #controls input, #list a, #detail nav :is(a, button), .jump, .gap button, .cell, .passes > summary",
      ),
    ]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().height < 40,
      )
      .map((element) => `${element.tagName}.${element.className} ${element.getBoundingClientRect().height}`),
  );
  assert.deepEqual(small, [], what);
}
