// The page: a scenario, what is wrong with it, and the answer beside it.
"use strict";
const at = id => document.getElementById(id);
const examples = JSON.parse(at("examples").textContent);
const bytes = Uint8Array.from(atob(at("module").textContent), letter => letter.charCodeAt(0));
const source = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));
const text = at("text");

// A worker that can be ended at any time: the next question gets a new one.
// Whoever waits for a question that is ended or followed by another gets null.
class Solver {
  #worker = null;
  #waiting = null;

  ask(question, progress = () => {}) {
    this.stop();
    if (!this.#worker) {
      this.#worker = new Worker(source);
      this.#worker.postMessage({ bytes });
      this.#worker.onmessage = ({ data }) => this.#hear(data);
      this.#worker.onerror = event => this.#hear({ failure: event.message });
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, progress };
      this.#worker.postMessage({ question });
    });
  }

  // Ends what is being answered.
  stop() {
    if (!this.#waiting) return;
    this.#worker.terminate();
    this.#waiting.resolve(null);
    this.#worker = this.#waiting = null;
  }

  #hear({ progress, answer, failure }) {
    if (!this.#waiting) return;
    if (progress !== undefined) return this.#waiting.progress(progress);
    const { resolve, reject } = this.#waiting;
    this.#waiting = null;
    if (failure === undefined) return resolve(answer);
    // Whatever it was, the module is not to be trusted any more.
    this.#worker.terminate();
    this.#worker = null;
    reject(new Error(failure));
  }
}

const checker = new Solver(), solver = new Solver();
let chosen = null, shown = null, typed = null, title = "scenario";

function number() {
  const bad = new Set([...at("findings").querySelectorAll(".error")].map(one => Number(one.dataset.line)));
  const count = text.value.split("\n").length;
  const line = n => bad.has(n) ? `<b>${n}</b>` : String(n);
  at("lines").innerHTML = Array.from({ length: count }, (_, index) => line(index + 1)).join("\n");
  at("lines").scrollTop = text.scrollTop;
}

function go(line, column) {
  const begin = text.value.split("\n").slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(begin + column - 1, begin + column - 1);
  text.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(text).lineHeight));
}

function tell(findings) {
  at("findings").replaceChildren(...findings.map(({ is_error, line, column, message, help }) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: `Line ${line}: ${message}` });
    button.className = is_error ? "error" : "";
    button.dataset.line = line;
    button.append(Object.assign(document.createElement("small"), { textContent: help }));
    button.onclick = () => go(line, column);
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
  number();
}

// The scenario's own law is chosen until somebody chooses others.
function offer(laws) {
  const names = laws.map(law => law.name).join();
  if (chosen && at("laws").dataset.names === names) return;
  at("laws").dataset.names = names;
  chosen = null;
  at("laws").replaceChildren(...laws.map(({ name, summary, is_own }) => {
    const label = Object.assign(document.createElement("label"), { title: summary });
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name, checked: is_own });
    box.onchange = () => { chosen = true; };
    label.append(box, ` ${name}`);
    return label;
  }));
}

async function check() {
  clearTimeout(typed);
  try {
    const answer = await checker.ask({ ask: "check", text: text.value });
    if (!answer) return;
    const { findings, laws, title: called } = answer;
    tell(findings);
    if (laws.length) offer(laws);
    if (called) title = called;
  } catch (error) {
    at("said").textContent = `This should not happen: ${error.message}`;
  }
}

function busy(on) {
  at("stop").hidden = at("progress").hidden = !on;
  at("progress").value = 0;
}

// True once the answer is shown; false where another question took its place.
async function ask(question) {
  busy(true);
  at("said").textContent = "";
  const begun = performance.now();
  try {
    const answer = await solver.ask(question, fraction => { at("progress").value = fraction; });
    if (!answer) return false;
    const { findings, page, warnings, title: called } = answer;
    tell(findings);
    if (page) {
      shown = page;
      title = called;
      at("page").srcdoc = page;
      at("keep").disabled = false;
    }
    const took = `${((performance.now() - begun) / 1e3).toFixed(1)} s`;
    at("said").textContent = page ? [`Answered in ${took}.`, ...warnings].join(" ") : "Something has to be mended first.";
  } catch (error) {
    at("said").textContent = `This should not happen: ${error.message}`;
  }
  busy(false);
  return true;
}

const laws = () => [...at("laws").querySelectorAll("input:checked")].map(box => box.value);
const allocate = () => ask({ ask: "allocate", text: text.value });
const compare = () => ask({ ask: "compare", text: text.value, laws: laws() });

// Where the answer stands below the question, who asks is taken there.
const turn = answered => answered && matchMedia("(max-width: 820px)").matches && at("page").scrollIntoView({ behavior: "smooth" });

async function put(scenario) {
  text.value = scenario;
  text.scrollTop = 0;
  chosen = null;
  number();
  await check();
  await allocate();
}

function save(name, type, content) {
  const link = Object.assign(document.createElement("a"), { download: name, href: URL.createObjectURL(new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
}

const file = ending => `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "") || "scenario"}.${ending}`;
const packed = scenario => btoa(String.fromCharCode(...new TextEncoder().encode(scenario))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const unpacked = hash => new TextDecoder().decode(Uint8Array.from(atob(hash.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0)));

for (const { folder, scenarios } of examples) {
  const group = Object.assign(document.createElement("optgroup"), { label: folder });
  group.append(...scenarios.map(({ name, title }) => new Option(`${title} (${name})`, `${folder}/${name}`)));
  at("example").append(group);
}
const example = path => examples.flatMap(({ folder, scenarios }) => scenarios.map(one => [`${folder}/${one.name}`, one.text])).find(([key]) => key === path)?.[1];

text.oninput = () => {
  number();
  clearTimeout(typed);
  typed = setTimeout(check, 250);
};
text.onscroll = () => { at("lines").scrollTop = text.scrollTop; };
text.onkeydown = event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    compare();
  }
};
at("example").onchange = () => put(example(at("example").value));
at("allocate").onclick = () => allocate().then(turn);
at("ask").onsubmit = event => {
  event.preventDefault();
  compare().then(turn);
};
at("stop").onclick = () => {
  solver.stop();
  busy(false);
  at("said").textContent = "Stopped.";
};
at("open").onclick = () => at("file").click();
at("file").onchange = async () => {
  const [opened] = at("file").files;
  if (opened) await put(await opened.text());
  at("file").value = "";
};
at("save").onclick = () => save(file("toml"), "application/toml", text.value);
at("keep").onclick = () => save(file("html"), "text/html", shown);
at("link").onclick = async () => {
  location.hash = packed(text.value);
  try {
    await navigator.clipboard.writeText(location.href);
    at("said").textContent = "Copied.";
  } catch {
    at("said").textContent = "The link is in the address bar.";
  }
};

function begin() {
  const hash = location.hash.slice(1);
  let linked = null;
  try {
    linked = hash && unpacked(hash);
  } catch {
    at("said").textContent = "The link holds no scenario.";
  }
  at("example").value = FIRST;
  return put(linked || example(FIRST));
}
const FIRST = "papers/parallel-parking-lot";
onhashchange = () => {
  if (location.hash.slice(1) !== packed(text.value)) begin();
};
begin();
