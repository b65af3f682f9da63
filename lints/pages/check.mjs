// Opens pages in a browser, has axe look at them, and presses the buttons of their charts: `node check.mjs BROWSER AXE [--pictures FOLDER] PAGE...`
// Nothing above "minor" may be found, in light or dark, wide or narrow, no page may be wider than the window, and what scrolls shows it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [program, axe, ...rest] = process.argv.slice(2);
const pictures = rest[0] === "--pictures" ? rest.splice(0, 2)[1] : null;
const views = pictures
  ? [1300, 800, 390].flatMap(width => [[width, "light"], [width, "dark"]])
  : [[1300, "light"], [390, "dark"]];
const source = readFileSync(axe, "utf8");
const press = readFileSync(new URL("press.js", import.meta.url), "utf8");

// Rules that are broken, with where and how; what is folded away is opened first. Above a shade axe cannot tell a contrast.
const LOOK = `
  document.head.append(Object.assign(document.createElement("style"), { textContent: ".scroll, pre { background: var(--ground) !important }" }));
  document.querySelectorAll("details").forEach(one => one.open = true);
  axe.run(document, { resultTypes: ["violations"] }).then(found => found.violations
    .filter(rule => rule.impact !== "minor")
    .map(rule => rule.impact + " " + rule.id + ": " + rule.help + rule.nodes.slice(0, 3).map(node =>
      "\\n      " + node.html.slice(0, 160) + "\\n      " + node.failureSummary.split("\\n").slice(1, 2).join("").trim()).join("")))`;

// What is wider than its place and does not say so: by a shade at its edge, a name, and by taking the keyboard.
const SCROLLING = `
  document.querySelectorAll("details").forEach(one => one.open = true);
  [...document.querySelectorAll("body *")].filter(one => one.scrollWidth > one.clientWidth + 1).flatMap(one => {
    const style = getComputedStyle(one);
    if (!["auto", "scroll"].includes(style.overflowX)) return [];
    const shows = style.backgroundImage.includes("gradient") && style.backgroundAttachment.includes("local");
    const says = one.tabIndex === 0 && one.role === "group" && one.ariaLabel;
    return shows && says ? [] : ["scrolls " + (shows ? "without a name or the keyboard" : "without a shade") + ": " + one.outerHTML.slice(0, 80)];
  })`;

async function look(page) {
  const scrolling = await page.evaluate(SCROLLING);
  await page.evaluate(source);
  return [...scrolling, ...await page.evaluate(LOOK)];
}

const browser = new Browser(program);
let wrong = 0, looks = 0, files = 0;
try {
  // A check that finds nothing here would find nothing anywhere.
  const bad = await browser.open("data:text/html,<title>x</title><table><tr><th></th></tr></table><img src=x><p style='color:%23eee'>words<pre style='overflow:auto;width:9px'>words", 800, "light");
  const seen = (await look(bad)).map(text => text.split(":")[0]);
  for (const rule of ["image-alt", "color-contrast", "html-has-lang"]) {
    if (!seen.some(text => text.endsWith(" " + rule))) throw new Error(`axe does not find ${rule}`);
  }
  if (!seen.some(text => text.startsWith("scrolls without"))) throw new Error("what scrolls unseen is not found");
  await bad.close();

  for (const path of rest) {
    for (const [width, scheme] of views) {
      const page = await browser.open(pathToFileURL(resolve(path)).href, width, scheme);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        const name = `${basename(dirname(path))}-${basename(path, ".html")}-${width}-${scheme}.png`;
        writeFileSync(join(pictures, name), await page.picture());
      }
      const found = await look(page);
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      if (wide > width) found.push(`wider than its window: ${wide} px`);
      // Last, as it changes the page.
      if (scheme === "light" && width === 1300) {
        const { faults, saved } = await page.evaluate(press);
        found.push(...faults);
        files += saved;
      }
      found.forEach(text => console.log(`${path}, ${width} px, ${scheme}: ${text}`));
      wrong += found.length;
      looks += 1;
      await page.close();
    }
  }
} finally {
  await browser.close();
}
console.log(`pages: axe looked ${looks} times at ${rest.length} pages, charts saved ${files} files, and ${wrong || "nothing"} was wrong`);
process.exitCode = wrong ? 1 : 0;
