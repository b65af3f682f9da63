// Asks the module what the library is asked, byte for byte, and uses the page as somebody would: `node test.mjs MODULE.wasm ANSWER PAGE.html`
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser } from "../lints/pages/browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, answerer, page] = process.argv.slice(2);
const bytes = readFileSync(wasm);
const folder = join(here, "..", "scenarios");
const load = new Function(`${readFileSync(join(here, "module.js"), "utf8")}; return load;`)();
const scenario = path => readFileSync(join(folder, path), "utf8");

const SCENARIOS = readdirSync(folder, { recursive: true }).filter(path => path.endsWith(".toml")).sort();

function questions() {
  const of = path => {
    const text = scenario(path);
    return [{ ask: "check", text }, { ask: "allocate", text }, { ask: "compare", text, laws: [] }];
  };
  const ring = scenario("papers/parallel-parking-lot.toml");
  const wrong = ["", "x", "schema = 1", "\u0000", "é".repeat(1e4), "[".repeat(1e5), ring.replace("622 Mb/s", "-1 Mb/s"), ring.replace("10", "99999999999999999999")];
  return [
    ...SCENARIOS.flatMap(of),
    { ask: "compare", text: ring.replace("5 s", "50 ms"), laws: ["dvsr", "fifo", "rpr-aggressive", "dvsr-plus"] },
    { ask: "compare", text: ring, laws: ["red"] },
    ...wrong.map(text => ({ ask: "compare", text, laws: [] })),
    { ask: "nothing" },
  ];
}

async function compare() {
  const asked = questions();
  const input = asked.map(question => JSON.stringify(question)).join("\n");
  const said = execFileSync(answerer, { input, maxBuffer: 1 << 30 }).toString().split("\n").slice(0, -1);
  assert.equal(said.length, asked.length);
  const answer = await load(bytes, { progress: () => {}, now: () => 0 });
  let pages = 0;
  for (const [place, question] of asked.entries()) {
    const [here, there] = [JSON.stringify(answer(question)), JSON.stringify(JSON.parse(said[place]))];
    assert.equal(here, there, `question ${place} (${question.ask}) is answered otherwise`);
    pages += JSON.parse(here).page !== null;
  }
  assert(pages >= 2 * SCENARIOS.length, `only ${pages} pages`);
  console.log(`${asked.length} questions, ${pages} pages: the same bytes from the module and from the library`);
}

const program = spawnSync("lints/pages/browser").stdout.toString().trim();

async function until(tab, expression) {
  for (let tries = 0; tries < 600; tries++) {
    if (await tab.evaluate(expression)) return;
    await new Promise(later => setTimeout(later, 50));
  }
  throw new Error(`never: ${expression}; the page says: ${await tab.evaluate(`document.getElementById("said").textContent`)}`);
}

const SAID = `document.getElementById("said").textContent`;
const type = text => `(text => { const place = document.getElementById("text"); place.value = text; place.dispatchEvent(new Event("input")); })(${JSON.stringify(text)})`;
const FINDING = `document.querySelector("#findings .error")?.textContent ?? ""`;
const ANSWER = `document.getElementById("page").srcdoc`;

// `PICTURES=docs/pictures make test-web` draws the picture of the page about it anew.
async function keep(tab, width) {
  if (!process.env.PICTURES) return;
  await new Promise(later => setTimeout(later, 500));
  const { data } = await tab.send("Page.captureScreenshot", { clip: { x: 0, y: 0, width, height: 800, scale: 0.75 } });
  mkdirSync(process.env.PICTURES, { recursive: true });
  writeFileSync(join(process.env.PICTURES, width > 1000 ? "browser.png" : "browser-narrow.png"), Buffer.from(data, "base64"));
}

async function use(browser, width, scheme) {
  const tab = await browser.open(pathToFileURL(resolve(page)).href, width, scheme);
  await until(tab, `${SAID}.startsWith("Answered")`);
  assert(await tab.evaluate(`${ANSWER}.includes("Parallel parking lot") && !${ANSWER}.includes(">fifo<")`), "what is fair is shown at once");
  assert.equal(await tab.evaluate(`document.documentElement.scrollWidth > innerWidth`), false, `wider than ${width} px`);

  // Another law, and the report of both.
  await tab.evaluate(`document.querySelector("#laws [value=fifo]").click(), document.getElementById("said").textContent = "", document.getElementById("ask").requestSubmit()`);
  await until(tab, `${SAID}.startsWith("Answered") && ${ANSWER}.includes(">fifo<")`);

  // A mistake is told with its line; mended, it is gone.
  const ring = scenario("papers/parallel-parking-lot.toml");
  await tab.evaluate(type(ring.replace("stations", "sations")));
  await until(tab, `${FINDING}.includes("sations")`);
  assert.match(await tab.evaluate(FINDING), /^Line 14: /);
  await keep(tab, width);
  await tab.evaluate(`document.querySelector("#findings button").click()`);
  assert.equal(await tab.evaluate(`document.getElementById("text").value.slice(0, document.getElementById("text").selectionStart).split("\\n").length`), 14);
  await tab.evaluate(type(ring));
  await until(tab, `${FINDING} === ""`);

  // A run that takes for ever is stopped, and the next question answered.
  await tab.evaluate(`${type(ring.replace('"5 s"', '"3600 s"'))}, document.getElementById("ask").requestSubmit()`);
  await until(tab, `!document.getElementById("stop").hidden && document.getElementById("progress").value > 0`);
  await tab.evaluate(`document.getElementById("stop").click()`);
  assert.equal(await tab.evaluate(SAID), "Stopped.");
  await tab.evaluate(`document.getElementById("allocate").click()`);
  await until(tab, `${SAID}.startsWith("Answered")`);

  // What a link holds is what its reader sees.
  await tab.evaluate(type(ring.replace("Parallel parking lot", "Mine, é")));
  await tab.evaluate(`document.getElementById("link").click()`);
  await until(tab, `location.hash.length > 100`);
  const linked = await browser.open(await tab.evaluate("location.href"), width, scheme);
  await until(linked, `${ANSWER}.includes("Mine, é")`);
  await linked.close();

  // All scenarios can be chosen, and are without a mistake, also while another check takes the place of the first.
  await tab.evaluate(`(place => { place.value = "gateways/one-reno"; place.dispatchEvent(new Event("change")); check(); })(document.getElementById("example"))`);
  await until(tab, `${ANSWER}.includes("One Reno connection") && !!document.querySelector("#laws [value=red]")`);
  return tab;
}

// What axe finds, where `make test-pages` has got it.
async function look(tab) {
  const axe = "target/pages/node_modules/axe-core/axe.min.js";
  if (!existsSync(axe)) return;
  await tab.evaluate(readFileSync(axe, "utf8"));
  const found = await tab.evaluate(`axe.run(document, { iframes: false, resultTypes: ["violations"] }).then(found => found.violations
    .filter(rule => rule.impact !== "minor").map(rule => rule.id + ": " + rule.nodes.map(node => node.html.slice(0, 120)).join(", ")))`);
  assert.deepEqual(found, [], "what axe finds");
}

async function browse() {
  if (!program) return console.log("the page is not used: no chromium and no google-chrome here");
  const browser = new Browser(program);
  try {
    for (const [width, scheme] of [[1280, "light"], [390, "dark"]]) {
      const tab = await use(browser, width, scheme);
      await look(tab);
      await tab.close();
    }
  } finally {
    await browser.close();
  }
  console.log("the page answers, tells mistakes, stops, and opens from links");
}

await compare();
await browse();
