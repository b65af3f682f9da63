// A headless browser, led through its own pipe: no port, and nothing to install.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run", "--hide-scrollbars"];

export class Browser {
  constructor(program) {
    this.home = mkdtempSync(join(tmpdir(), "fairwire-pages-"));
    // As root, in containers, a browser has no sandbox to begin with.
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const flags = [...FLAGS, ...sandbox, "--remote-debugging-pipe", `--user-data-dir=${this.home}`];
    this.process = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.next = 1;
    this.waiting = new Map();
    this.events = [];
    let rest = "";
    this.process.stdio[4].on("data", data => {
      const parts = (rest + data).split("\0");
      rest = parts.pop();
      parts.forEach(part => this.#hear(JSON.parse(part)));
    });
    const fail = why => this.waiting.forEach(({ reject }) => reject(new Error(why)));
    this.process.on("error", error => fail(error.message));
    this.process.on("exit", () => fail("the browser has ended"));
    this.process.stdio[3].on("error", error => fail(error.message));
  }

  #hear(message) {
    const call = this.waiting.get(message.id);
    if (call) {
      this.waiting.delete(message.id);
      message.error ? call.reject(new Error(message.error.message)) : call.resolve(message.result);
    }
    this.events = this.events.filter(event => !(event.method === message.method && event.session === message.sessionId && (event.resolve(), true)));
  }

  send(method, params = {}, session = undefined) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: session }) + "\0");
    });
  }

  // A page of this width, in light or dark, once it has been loaded.
  async open(address, width, scheme) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, targetId, sessionId);
    await page.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await page.send("Page.enable");
    const loaded = new Promise(resolve => this.events.push({ method: "Page.loadEventFired", session: sessionId, resolve }));
    await page.send("Page.navigate", { url: address });
    await loaded;
    return page;
  }

  close() {
    return new Promise(resolve => {
      this.process.on("exit", () => {
        rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
        resolve();
      });
      this.send("Browser.close").catch(() => {});
    });
  }
}

class Page {
  constructor(browser, target, session) {
    Object.assign(this, { browser, target, session });
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  // What an expression comes to, once it has been settled.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // The whole page as PNG, up to a height that a reader still looks at.
  async picture(tallest = 12000) {
    const { cssContentSize: { width, height } } = await this.send("Page.getLayoutMetrics");
    const clip = { x: 0, y: 0, width, height: Math.min(height, tallest), scale: 1 };
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true, clip });
    return Buffer.from(data, "base64");
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
