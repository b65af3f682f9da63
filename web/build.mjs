// Makes one file of the page, the module and the shipped scenarios: `node build.mjs MODULE.wasm PAGE.html`
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const scenarios = join(here, "..", "scenarios");
const [wasm, page] = process.argv.slice(2);

const read = name => readFileSync(join(here, name), "utf8");
const title = text => text.match(/^title = "(.*)"$/m)?.[1] ?? "";
const of = folder => readdirSync(join(scenarios, folder)).filter(name => name.endsWith(".toml")).sort().map(file => {
  const text = readFileSync(join(scenarios, folder, file), "utf8");
  return { name: file.replace(/\.toml$/, ""), title: title(text), text };
});
const folders = readdirSync(scenarios, { withFileTypes: true }).filter(entry => entry.isDirectory()).map(entry => entry.name).sort();
const examples = folders.map(folder => ({ folder, scenarios: of(folder) })).filter(({ scenarios }) => scenarios.length);

// No text ends the element that it stands in.
const parts = {
  "style.css": read("style.css"),
  "worker.js": read("module.js") + read("worker.js"),
  "app.js": read("app.js"),
  examples: JSON.stringify(examples).replaceAll("<", "\\u003c"),
  module: readFileSync(wasm).toString("base64"),
};
const filled = Object.entries(parts).reduce((text, [name, part]) => text.replace(`/* ${name} */`, () => part), read("index.html"));
mkdirSync(dirname(page), { recursive: true });
writeFileSync(page, filled);
console.log(`${page}: ${(filled.length / 1e6).toFixed(1)} MB, ${examples.reduce((sum, { scenarios }) => sum + scenarios.length, 0)} scenarios`);
