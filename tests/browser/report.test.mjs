// The HTML report in a browser: what people do with it, and what must not happen to them.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { NARROW, WIDE, fields, fits, isLegible, isTouchable, launch, listed, open, openAll } from "./browser.mjs";
import {
  HIDDEN,
  HOSTILE,
  Place,
  backwards,
  budgeted,
  changed,
  chatted,
  crashed,
  conversation,
  deepAndHidden,
  described,
  differing,
  everyKind,
  hostile,
  places,
  roomless,
  spreadOut,
  tenThousand,
} from "./subjects.mjs";

const FAILING = ["RUN-1", "RUN-2", "SAID-1", "SAW-1", "TRIED-1", "CLI-1", "javascript:window.hacked=1"];
const ALL = [...FAILING, "BROKEN-1", "FINE-1", "FINE-2"];

const place = new Place();
let browser;
let every;

before(async () => {
  every = everyKind(place);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  Place.removeAll();
});

const at = (id) => `#case=${encodeURIComponent(id)}`;

describe("the list", () => {
  it("has what did not pass first", async () => {
    const { page, quiet } = await open(browser, every);
    assert.deepEqual(await listed(page), ALL);
    assert.match(await page.title(), /^7 failed, 1 error, 2 passed/);
    assert.equal(await page.locator("#bar h1").textContent(), "8 of 10 cases did not pass");
    await quiet();
  });

  it("is filtered by status, words, file and type, and the address says so", async () => {
    const { page, quiet } = await open(browser, every);
    await page.getByRole("button", { name: /^Failed/ }).click();
    assert.deepEqual(await listed(page), FAILING);
    await page.getByRole("button", { name: /^Errors/ }).click();
    assert.equal((await listed(page)).length, 8);
    await page.getByRole("button", { name: /^Failed/ }).click();
    assert.deepEqual(await listed(page), ["BROKEN-1"]);
    await page.getByRole("button", { name: /^Errors/ }).click();

    await page.getByLabel("Search").fill("JOURNAL said");
    assert.deepEqual(await listed(page), ["SAID-1"]);
    assert.deepEqual(await fields(page), { q: "JOURNAL said" });
    await page.getByLabel("Search").fill("no such thing");
    assert.ok(await page.getByText("No matching results.").isVisible());
    await page.getByLabel("Search").fill("");

    await page.getByLabel("All files").selectOption("other.spec.md");
    assert.deepEqual(await listed(page), ["FINE-2"]);
    await page.getByLabel("All files").selectOption("");
    await page.getByLabel("All types").selectOption("context.selection");
    assert.deepEqual(await listed(page), ["SAW-1"]);
    await page.getByLabel("All types").selectOption("");
    await page.getByLabel("Sort by").selectOption("slow");
    const slowest = await page.evaluate(() => {
      const lines = document.getElementById("results").textContent.split("\n");
      const results = lines.filter((line) => line.startsWith('{"result":')).map((line) => JSON.parse(line).result);
      return results.sort((a, b) => b.duration_ms - a.duration_ms).map((result) => result.id);
    });
    assert.deepEqual(await listed(page), slowest);
    await quiet();
  });

  it("leaves out the directory that all ids begin with", async () => {
    const names = (...files) => open(browser, places(new Place(), files));
    const deep = await names("/a/b/one.json", "/a/c/two.json");
    assert.deepEqual(await listed(deep.page), ["b/one.json", "c/two.json"]);
    await deep.page.locator(".result").first().click();
    assert.match(await deep.page.locator("#case-title .id").textContent(), /\/a\/b\/one\.json$/);
    await deep.quiet();
  });

  it("is walked with keys", async () => {
    const { page, quiet } = await open(browser, every);
    const current = () => page.locator(".result[aria-current] .id").textContent();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    assert.equal(await current(), "RUN-2");
    assert.equal((await fields(page)).case, "RUN-2");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "case-title");
    await page.keyboard.press("n");
    assert.match(await page.locator(".step:focus").textContent(), /delete_account/);
    await page.keyboard.press("Escape");
    assert.deepEqual(await fields(page), {});
    await page.locator(".result", { hasText: "CLI-1" }).focus();
    await page.keyboard.press("Enter");
    assert.equal((await fields(page)).case, "CLI-1", "what has the focus, wherever the keys have been");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("saw");
    assert.deepEqual(await listed(page), ["SAW-1"]);
    await page.keyboard.press("Enter");
    assert.equal((await fields(page)).case, "SAW-1");
    await quiet();
  });
});

describe("a case", () => {
  it("shows a failing run as a timeline whose wrong steps are marked", async () => {
    const { page, quiet } = await open(browser, every);
    await page.locator(".result", { hasText: "RUN-1" }).click();
    assert.ok(await page.getByText("'check_policy' was not called before 'refund'").last().isVisible());
    assert.equal(await page.locator(".rerun code").textContent(), "probative run all.spec.md --case=RUN-1");
    assert.deepEqual(await page.locator(".step.marked .name").allTextContents(), ["refund", "check_policy"]);
    assert.ok(await page.locator(".step.failed", { hasText: "LimitError: above the limit" }).isVisible());
    assert.equal(await page.locator(".step .agent").textContent(), "by clerk");

    await page.getByRole("button", { name: "step 3" }).click();
    assert.ok(await page.locator(".step.mark:focus", { hasText: "refund" }).isVisible());

    const step = page.locator(".step", { hasText: "by clerk" });
    await step.locator("summary").first().click();
    // The arguments are a tree.
    await step.locator(".tree .text", { hasText: "onerror" }).waitFor();
    assert.ok(await page.getByText("1 passed").isVisible());
    await quiet();
  });

  it("lists the steps of a failure in the order of the run", async () => {
    const { page, quiet } = await open(browser, backwards(new Place()), { hash: at("run.json") });
    assert.deepEqual(await page.locator(".pointers .jump b").allTextContents(), ["step 2", "step 3"]);
    await quiet();
  });

  it("shows a crash once, with the traceback, and counts what wasn't judged", async () => {
    const { page, quiet } = await open(browser, crashed(new Place()));
    const errors = page.locator(".card", { hasText: "Errors" });
    assert.match(await errors.textContent(), /Errors *the agent crashed: KeyError: 'items'1 case/);
    assert.equal(await page.locator(".card", { hasText: "Failing assertions" }).count(), 0, "nothing else failed");
    await errors.getByRole("link", { name: "KeyError" }).click();
    assert.deepEqual(await listed(page), ["CRASH-1"]);
    assert.match(await page.locator(".result .gist").textContent(), /^the agent crashed: KeyError: 'items'$/);
    await page.locator(".result").click();
    assert.equal(await page.locator(".assertions > h3").textContent(), "3 of 4 assertions not judged");
    const cards = page.locator(".failure");
    assert.equal(await cards.count(), 1);
    assert.match(await cards.locator("pre").textContent(), /^Traceback[^]*in price\n[^]*KeyError: 'items'$/);
    assert.match(await cards.locator(".ending").textContent(), /^sh crash\.sh exited with code 1$/);
    await cards.getByText("3 assertions not judged", { exact: true }).click();
    await cards.locator(".row .name").last().waitFor();
    assert.deepEqual(await cards.locator(".row .name").allTextContents(), ["status", "has_fields", "contains"]);
    assert.equal((await page.locator("#detail").innerText()).match(/KeyError: 'items'/g).length, 1, "in its card only");
    await quiet();
  });

  it("shows the prose before a case as text, and its input", async () => {
    const { page, quiet } = await open(browser, described(new Place()), { hash: at("TOLD-1") });
    const story = page.locator(".story");
    assert.equal(await story.locator("h3").textContent(), "Refunds above a limit");
    assert.deepEqual(await story.locator("p").allTextContents(), [
      "The agent asks a human before it refunds. See the policy.",
      "It says <b>why</b>.",
    ]);
    assert.equal(await story.locator("strong").textContent(), "a human");
    assert.deepEqual(await story.locator("li").allTextContents(), ["never twice"]);
    assert.equal(await story.locator("a, script, img, b").count(), 0, "no markup from the spec file");
    const input = page.locator(".panel.input");
    assert.equal(await input.locator("h3").textContent(), "input");
    assert.match(await input.locator(".tree").textContent(), /order: 4713.*message: "It is broken\."/);

    await page.evaluate(() => (location.hash = "#case=TOLD-2"));
    await page.waitForFunction(() => document.querySelector("#case-title .id").textContent === "TOLD-2");
    assert.equal(await story.count(), 0, "prose belongs to the case that follows it");
    assert.match(await input.textContent(), /Are you open\?/);
    await quiet();
  });

  it("shows the messages of a trace", async () => {
    const { page, quiet } = await open(browser, chatted(new Place()), { hash: at("CHAT-1") });
    const messages = page.locator(".chat .turn");
    assert.deepEqual(await messages.locator("h4").allTextContents(), ["user", "assistant", "tool", "assistant"]);
    assert.equal(await messages.nth(0).locator(".prose").textContent(), "Where is <b>4713</b>?");
    assert.match(await messages.nth(1).textContent(), /Let me look\..*tool_calls.*lookup_order/);
    assert.equal(await messages.locator("b").count(), 0);
    await quiet();
  });

  it("shows the trial that it names", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("TRIED-1") });
    assert.equal(await page.locator(".assertions > h3").textContent(), "Trial 3: 1 of 2 assertions failed");
    assert.match(await page.locator(".told").textContent(), /^Trial 3 failed.*shown below/);
    const response = page.locator(".panel:not(.trials)", { hasText: "response" }).first();
    assert.match(await response.textContent(), /^Trial 3: response *not now/);
    await page.getByRole("button", { name: "trial 1: passed" }).click();
    assert.match(await page.locator(".told").textContent(), /^Trial 1 passed.*trial 3 is shown below/);
    await quiet();
  });

  it("shows costs in dollars", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("RUN-1") });
    assert.match(await page.locator(".case .facts").textContent(), /\$0\.0010/);
    assert.match(await page.locator(".step .figures").first().textContent(), /305 → 20 tokens · \$0\.0010/);
    await quiet();
  });

  it("folds a long run around what is marked", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("RUN-2") });
    const steps = () => page.locator(".step").count();
    assert.equal(await steps(), 5 + 5 + 3);
    await page.locator(".gap button").first().click();
    assert.equal(await steps(), 13 + 200);
    assert.ok(await page.locator(".step.marked", { hasText: "delete_account" }).count());
    await quiet();
  });

  it("marks failing places of a response, and what lacks something at what should hold it", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("SAID-1") });
    const marked = await page
      .locator(".node.marked")
      .evaluateAll((nodes) => nodes.map((node) => (node.querySelector(":scope > summary") || node).textContent));
    assert.equal(marked.length, 3);
    assert.match(marked[0], /file.*work\/doc\.md/);
    assert.match(marked[1], /it's.*1/);
    assert.match(marked[2], /pagination.*pagination\.next is missing/);
    assert.ok(
      await page.getByText("12345678901234567890", { exact: true }).isVisible(),
      "numbers are as they are written",
    );
    await page.getByRole("button", { name: "results[2].file" }).click();
    assert.ok(await page.locator(".node.mark:focus", { hasText: "work/doc.md" }).isVisible());
    await quiet();
  });

  it("marks the turn of a conversation that failed", async () => {
    const { page, quiet } = await open(browser, conversation(new Place()));
    await page.locator(".result").click();
    const panels = page.locator(".panel.json");
    assert.deepEqual(
      await panels.locator("h3").allTextContents(),
      ["step 2: response", "step 1: response"],
      "what is marked comes first",
    );
    assert.equal(await panels.nth(0).locator(".node.marked").count(), 1);
    assert.equal(await panels.nth(1).locator(".node.marked").count(), 0);
    await quiet();
  });

  it("shows a selection in lanes, with what was taken of what was considered", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("SAW-1") });
    assert.ok(await page.getByRole("img", { name: "200 of 400 tokens included, 50%" }).isVisible());
    assert.equal(await page.locator(".lane.included .item").count(), 2);
    const left = page.locator(".lane.excluded .item.marked");
    assert.match(await left.textContent(), /Refund policy.*BudgetExceeded – item tokens 200, available tokens 4/);
    await left.locator("summary").first().click();
    await left.getByRole("heading", { name: "Content" }).waitFor();
    await quiet();
  });

  it("shows a run that was written over many lines", async () => {
    const { page, quiet } = await open(browser, spreadOut(new Place()), { hash: at("run.json") });
    assert.ok((await page.locator(".mark").count()) > 0);
    await quiet();
  });

  it("shows how much of a budget was taken that a question names", async () => {
    const { page, quiet } = await open(browser, budgeted(new Place()), { hash: at("selection.json") });
    assert.ok(await page.getByRole("img", { name: "200 of 250 budgeted tokens, 80%" }).isVisible());
    assert.ok(await page.getByRole("img", { name: "200 of 400 tokens included, 50%" }).isVisible());
    await quiet();
  });

  it("shows how long values differ, line by line", async () => {
    const { page, quiet } = await open(browser, differing(new Place()), { hash: at("plan.json") });
    assert.deepEqual(await page.locator(".diff .minus").allTextContents(), ['-    "weigh",\n']);
    assert.equal(await page.locator(".diff .plus").count(), 0);
    assert.match(await page.locator(".diff").textContent(), /"read",[^]*"answer"/);
    await quiet();
  });

  it("shows trials as a strip and describes the selected one", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("TRIED-1") });
    assert.equal(await page.locator(".strip .cell").count(), 6);
    assert.equal(await page.locator(".strip .cell.fail").count(), 2);
    assert.match(await page.locator(".told").textContent(), /^Trial 3 failed/);
    await page.getByRole("button", { name: "trial 1: passed" }).click();
    assert.match(await page.locator(".told").textContent(), /^Trial 1 passed/);
    assert.match(await page.locator(".rates").textContent(), /4 of 6 passed.*pass@k.*pass\^k/);
    assert.match(await page.locator(".modes").textContent(), /2×.*trials 3, 6/);
    await quiet();
  });

  it("shows an invalid case with its line", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("BROKEN-1") });
    assert.match(await page.locator(".notice.error pre").textContent(), /asert: \[\]\n.*\^\^\^\^\^/);
    await quiet();
  });

  it("says where output was left out", async () => {
    const { page, quiet } = await open(browser, roomless(new Place()), { hash: "#case=large.json" });
    await page.getByText("Omitted to keep this report small. To see it, rerun:").waitFor();
    assert.equal(await page.locator(".command").textContent(), "probative check q.yaml large.json");
    await quiet();
  });

  it("copies its command", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("RUN-1") });
    await page.getByRole("button", { name: "Copy the rerun command" }).click();
    // The clipboard takes its time.
    await page.locator("#said", { hasText: /^Copied$/ }).waitFor({ state: "attached" });
    await quiet();
  });
});

describe("the address", () => {
  it("leads to a case, and back", async () => {
    const { page, quiet } = await open(browser, every, { hash: "#case=SAW-1&status=fail&q=eyes" });
    assert.deepEqual(await listed(page), ["SAW-1"]);
    assert.equal(await page.locator("#case-title .id").textContent(), "SAW-1");
    assert.equal(await page.getByLabel("Search").inputValue(), "eyes");
    await page.getByLabel("Search").fill("");
    await page.locator(".result", { hasText: "RUN-1" }).click();
    assert.equal(await page.locator("#case-title .id").textContent(), "RUN-1");
    await page.goBack();
    assert.equal(await page.locator("#case-title .id").textContent(), "SAW-1");
    await page.goForward();
    assert.equal(await page.locator("#case-title .id").textContent(), "RUN-1");
    await quiet();
  });

  it("of a case that is not there says so", async () => {
    const { page, quiet } = await open(browser, every, { hash: at("<b>GONE</b>") });
    assert.ok(await page.getByText("No result with the id <b>GONE</b>.").isVisible());
    await quiet();
  });

  it("may be a strange one", async () => {
    const { page, quiet } = await open(browser, every, { hash: "#%E0%A4%A&case=%00&sort=constructor&status=,,x" });
    assert.deepEqual(await listed(page), []);
    await quiet();
  });
});

describe("the overview", () => {
  it("leads to what fails most, and to files", async () => {
    const { page, quiet } = await open(browser, every);
    await page.locator(".groups a", { hasText: "tool_called_before" }).click();
    assert.deepEqual(await listed(page), ["RUN-1"]);
    await page.getByRole("button", { name: "fails: tool_called_before" }).click();
    assert.equal((await listed(page)).length, ALL.length);
    await page.locator(".groups a", { hasText: "other.spec.md" }).click();
    assert.deepEqual(await listed(page), ["FINE-2"]);
    await quiet();
  });

  it("shows what changed and what was never exercised", async () => {
    const { page, quiet } = await open(browser, changed(new Place()));
    assert.match(
      await page.locator(".card", { hasText: "Since the baseline" }).textContent(),
      /Worse1.*CHANGES.*passed → failed/,
    );
    const idle = page.locator(".card", { hasText: "Never exercised" }).locator(".by-case > li");
    assert.equal(await idle.count(), 1, "one entry per case");
    assert.match(await idle.textContent(), /QUIET.*says nothing.*all_match.*results is empty.*a\.spec\.md:\d+/);
    await page.locator(".card a", { hasText: "CHANGES" }).first().click();
    assert.equal(await page.locator("#case-title .id").textContent(), "CHANGES");
    await quiet();
  });
});

describe("any screen", () => {
  for (const [name, viewport] of Object.entries({ narrow: NARROW, wide: WIDE })) {
    for (const colorScheme of ["light", "dark"]) {
      it(`${name} and ${colorScheme}: all fits, can be read and hit`, async () => {
        const { page, quiet } = await open(browser, every, { viewport, colorScheme });
        for (const hash of ["#", "#view=overview", ...ALL.map(at)]) {
          await page.evaluate((to) => (location.hash = to), hash);
          await page.waitForTimeout(30);
          await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
          await page.waitForTimeout(30);
          await fits(page, hash);
          await isLegible(page, hash);
          if (name === "narrow") await isTouchable(page, hash);
        }
        await quiet();
      });
    }
  }

  it("narrow: every control is whole and within the page", async () => {
    const { page, quiet } = await open(browser, every, { viewport: NARROW });
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll("#bar *, #controls :is(button, select, input, .count, a)")]
        .filter((element) => element.checkVisibility())
        .map((element) => [element, element.getBoundingClientRect()])
        .filter(([, box]) => box.width && (box.left < 0 || box.right > innerWidth))
        .map(([element]) => element.textContent),
    );
    assert.deepEqual(outside, []);
    const cut = await page.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d");
      return [...document.querySelectorAll("#controls select")]
        .filter((menu) => {
          canvas.font = getComputedStyle(menu).font;
          const label = menu.selectedOptions[0].textContent;
          return menu.clientWidth < canvas.measureText(label).width;
        })
        .map((menu) => menu.selectedOptions[0].textContent);
    });
    assert.deepEqual(cut, []);
    assert.equal(await page.locator(".count").first().textContent(), "10 cases");
    assert.equal(await page.getByLabel("Sort by").locator("option:checked").textContent(), "Failures first");
    await quiet();
  });

  it("narrow: the list, and a case as a view of its own", async () => {
    const { page, quiet } = await open(browser, every, { viewport: NARROW });
    await page.locator(".result", { hasText: "SAW-1" }).click();
    assert.ok(await page.locator("#case-title").isVisible());
    assert.ok(!(await page.locator("#list").isVisible()));
    await page.getByRole("link", { name: "All results" }).click();
    assert.ok(await page.locator("#list").isVisible());
    assert.equal(await page.locator(".result:focus .id").textContent(), "SAW-1", "where it was left");
    await page.getByRole("link", { name: "Overview" }).click();
    assert.ok(await page.getByText("Failing assertions").isVisible());
    await quiet();
  });

  it("is light or dark as somebody likes", async () => {
    const { page, quiet } = await open(browser, every, { colorScheme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByRole("button", { name: /light and dark/ }).click();
    assert.notEqual(await ground(), dark);
    await quiet();
  });
});

describe("hostile texts", () => {
  for (const viewport of [NARROW, WIDE]) {
    it(`are shown as texts, ${viewport.width} wide`, async () => {
      const { page, quiet } = await open(browser, hostile(place), { viewport });
      await page.locator(".result", { hasText: "<img" }).first().click();
      await page.waitForSelector(".tree");
      await page.evaluate(() => document.querySelectorAll("details").forEach((part) => (part.open = true)));
      assert.equal(await page.locator("img, iframe, object, embed, body script:not([id]) ~ script").count(), 0);
      assert.equal(await page.locator("#results").count(), 1);
      const shown = await page.locator("#detail").innerText();
      for (const text of [HOSTILE.ends, HOSTILE.script, "abc\\u202edef\\u2066", "nul\\u0000escape\\u001b[31m"]) {
        assert.ok(shown.includes(text), text);
      }
      assert.ok(shown.includes("onerror="));
      assert.ok(!/[\u0000\u001b\u202e\u2066]/.test(shown));
      assert.ok(shown.length < 20000, "of a long text the beginning is shown");
      await fits(page, "hostile");
      for (const link of await page.locator("a").all()) assert.match(await link.getAttribute("href"), /^#/);
      await page.locator(".more").first().click();
      await fits(page, "more of it");
      await page.evaluate(() => (location.hash = "#case=large.json"));
      await page.getByText("Too large for this report (1 MiB).").waitFor();
      await fits(page, "a megabyte");
      await quiet();
    });
  }

  for (const viewport of [NARROW, WIDE]) {
    it(`nested as deep as can be are laid out whole, ${viewport.width} wide`, async () => {
      const { responses, run } = deepAndHidden(place);
      for (const [address, id] of [
        [responses, "deep.json"],
        [run, "run.json"],
      ]) {
        const { page, quiet } = await open(browser, address, { viewport, hash: at(id) });
        await page.waitForSelector("#case-title");
        await openAll(page);
        assert.match(await page.locator("#detail").innerText(), /bottom/);
        await fits(page, id);
        await quiet();
      }
    });
  }

  it("that hide something show it", async () => {
    const { page, quiet } = await open(browser, deepAndHidden(place).responses);
    await page.locator(".result").last().click();
    await page.waitForSelector(".tree");
    await openAll(page);
    const [list, detail] = [await page.locator("#list").innerText(), await page.locator("#detail").innerText()];
    for (const hidden of HIDDEN) {
      const written = [...Array(hidden.length).keys()].map((unit) => hidden.charCodeAt(unit).toString(16));
      const escape = written.map((unit) => `\\u${unit.padStart(4, "0")}`).join("");
      const scalar = `\\u{${hidden.codePointAt(0).toString(16)}}`;
      for (const [where, text] of Object.entries({ list, detail, title: await page.title() })) {
        assert.ok(!text.includes(hidden), `${escape} is hidden in the ${where}`);
      }
      for (const text of [list, detail]) {
        assert.ok(text.includes(escape) || text.includes(scalar), `${escape} is not shown`);
      }
    }
    await quiet();
  });

  it("an id that would be an address leads to its case", async () => {
    const { page, quiet } = await open(browser, every);
    await page.locator(".result", { hasText: "javascript:" }).click();
    assert.equal(await page.locator("#case-title .id").textContent(), "javascript:window.hacked=1");
    await quiet();
  });
});

describe("ten thousand cases", () => {
  it("open and filter without delay", async (test) => {
    const { page, quiet } = await open(browser, tenThousand(place));
    const opened = await page.evaluate(() => window.listedAt);
    const filter = (words) =>
      page.evaluate((text) => {
        const field = document.querySelector("input[type=search]");
        const start = performance.now();
        field.value = text;
        field.dispatchEvent(new Event("input"));
        void document.body.offsetHeight;
        return performance.now() - start;
      }, words);
    const times = [await filter("many.jsonl:99"), await filter("expected status"), await filter("")];
    test.diagnostic(
      `listed after ${opened.toFixed(0)} ms; filtered in ${times.map((time) => time.toFixed(1)).join(", ")} ms`,
    );
    assert.ok(opened < 3000, `listed after ${opened} ms`);
    assert.ok(Math.max(...times) < 300, `filtered in ${times} ms`);

    assert.equal(await page.locator(".count").first().textContent(), "10,000 subjects");
    assert.ok((await page.locator(".rows li").count()) < 60, "only rows in sight are on the page");
    await page.getByRole("button", { name: /^Failed/ }).click();
    assert.equal(await page.locator(".count").first().textContent(), "500 of 10,000 subjects");
    await page.evaluate(() => (document.getElementById("list").scrollTop = 1e9));
    await page.locator(".result", { hasText: "many.jsonl:9981" }).click();
    assert.ok(await page.locator(".node.marked", { hasText: "error" }).isVisible());
    assert.match(
      await page.locator(".rerun code").textContent(),
      /^sed -n 9981p many\.jsonl \| probative check many\.yaml -$/,
    );
    await quiet();
  });
});
