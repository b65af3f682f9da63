(() => {
  // Reads the drawn lines back, so the data need not be in the page twice.
  const make = (name, set) => Object.assign(document.createElement(name), set);
  const tip = document.body.appendChild(make("div", { id: "tip" }));
  const short = v => v === 0 ? "0" : String(Number(v.toPrecision(4)));
  const read = d => {
    const n = d.match(/-?\d*\.?\d+/g).map(Number), out = [[n[0], n[1]]];
    for (let i = 2, x = n[0], y = n[1]; i + 1 < n.length; i += 2) out.push([x += n[i], y += n[i + 1]]);
    return out;
  };
  const write = points => points.map(([x, y], i) => (i ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1)).join("");
  const at = (p, x) => {
    if (!p.length || x < p[0][0] - 2 || x > p[p.length - 1][0] + 2) return null;
    let low = 0, high = p.length - 1;
    while (low < high) { const mid = (low + high) >> 1; p[mid][0] < x ? low = mid + 1 : high = mid; }
    return p[low][1];
  };

  class Chart {
    constructor(svg) {
      this.svg = svg;
      [this.left, this.right, this.top, this.bottom, this.start, this.end, this.most] = svg.dataset.frame.split(" ").map(Number);
      const [factor, unit] = svg.dataset.time.split(" ");
      this.factor = Number(factor);
      this.unit = unit || "";
      this.lines = [...svg.querySelectorAll("path[data-name]")].map(path => {
        const d = path.getAttribute("d");
        return { path, name: path.dataset.name, d, all: read(d) };
      });
      this.lines.forEach(line => line.shown = line.all);
      // What stands at a place from left to right besides lines.
      this.placed = [...svg.querySelectorAll("path.mark,text.ml,circle")].map(thing => {
        const key = thing.tagName === "circle" ? "cx" : thing.tagName === "text" ? "x" : "d";
        const value = thing.getAttribute(key);
        return { thing, key, value, x: key === "d" ? read(value)[0][0] : Number(value) };
      });
      this.ticks = [...svg.querySelectorAll("[data-tick]")];
      this.range = [this.start, this.end];
    }
    visible() { return this.lines.filter(line => !line.path.classList.contains("off")); }
    time(x) { return this.range[0] + (x - this.left) / (this.right - this.left) * (this.range[1] - this.range[0]); }
    value(y) { return (this.bottom - y) / (this.bottom - this.top) * this.most; }
    place(event) {
      return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    }
    // Shows the stretch from `from` to `to`, as far as the chart has it.
    zoom(from, to) {
      const least = (this.end - this.start) / 200, length = Math.min(Math.max(to - from, least), this.end - this.start);
      from = Math.max(this.start, Math.min(from, this.end - length));
      this.range = [from, from + length];
      const whole = length > (this.end - this.start) * 0.9999, wide = this.right - this.left;
      const home = t => this.left + (t - this.start) / (this.end - this.start) * wide;
      const [a, b] = this.range.map(home), move = x => this.left + (x - a) / (b - a) * wide;
      for (const line of this.lines) {
        line.shown = whole ? line.all : cut(line.all, a, b).map(([x, y]) => [move(x), y]);
        line.path.setAttribute("d", whole ? line.d : line.shown.length ? write(line.shown) : "M0 0");
        line.path.style.visibility = line.shown.length ? "" : "hidden";
      }
      for (const { thing, key, value, x } of this.placed) {
        const by = move(x) - x;
        thing.setAttribute(key, whole ? value : key === "d" ? value.replace(/^M[\d.]+/, "M" + move(x).toFixed(1)) : (Number(value) + by).toFixed(1));
        thing.style.visibility = x < a - .1 || x > b + .1 ? "hidden" : "";
      }
      this.svg.querySelectorAll(".zoomed").forEach(old => old.remove());
      this.ticks.forEach(tick => tick.style.display = whole ? "" : "none");
      if (!whole) this.draw(move, home);
      this.svg.parentNode.classList.toggle("closer", !whole);
    }
    draw(move, home) {
      const [from, to] = this.range.map(t => t * this.factor), rough = (to - from) / 6, power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].find(f => f * power >= rough * .999) * power, digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
      for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k++) {
        const x = move(home(k * step / this.factor)).toFixed(1);
        const add = (name, set) => {
          const made = document.createElementNS(this.svg.namespaceURI, name);
          Object.entries(set).forEach(([key, value]) => made.setAttribute(key, value));
          return this.svg.appendChild(made);
        };
        add("path", { class: "base zoomed", d: `M${x} ${this.bottom}v4` });
        add("text", { class: "tk zoomed", x, y: this.bottom + 16, "text-anchor": "middle" }).textContent = (k * step).toFixed(digits);
      }
    }
    hover(event) {
      const p = this.place(event);
      let best = null;
      for (const { shown, name } of this.visible()) {
        const y = at(shown, p.x);
        if (y !== null && (!best || Math.abs(y - p.y) <= Math.abs(best.y - p.y))) best = { y, name };
      }
      const inside = p.x >= this.left && p.x <= this.right && p.y >= this.top && p.y <= this.bottom;
      if (!inside || !best || Math.abs(best.y - p.y) > 20) return void (tip.style.display = "none");
      tip.textContent = `${best.name}: ${short(this.value(best.y))} ${this.svg.dataset.unit} at ${short(this.time(p.x) * this.factor)} ${this.unit}`;
      tip.style.display = "block";
      const room = innerWidth - tip.offsetWidth - 8;
      tip.style.left = Math.max(4, Math.min(event.clientX + 14, room)) + "px";
      tip.style.top = Math.max(4, event.clientY - 34) + "px";
    }
    listen() {
      const svg = this.svg;
      let down = null, box = null;
      svg.addEventListener("pointerleave", () => tip.style.display = "none");
      svg.addEventListener("pointerdown", event => {
        if (event.pointerType === "mouse" && event.button === 0) { down = this.place(event).x; event.preventDefault(); }
      });
      svg.addEventListener("pointermove", event => {
        if (down === null) return this.hover(event);
        box ??= svg.appendChild(document.createElementNS(svg.namespaceURI, "rect"));
        const x = Math.max(this.left, Math.min(this.right, this.place(event).x)), from = Math.max(this.left, Math.min(down, x));
        const set = { class: "pick", x: from, y: this.top, width: Math.max(0, Math.max(down, x) - from), height: this.bottom - this.top };
        Object.entries(set).forEach(([key, value]) => box.setAttribute(key, value));
      });
      addEventListener("pointerup", event => {
        if (down === null) return;
        const [a, b] = [down, this.place(event).x].map(x => Math.max(this.left, Math.min(this.right, x))).sort((a, b) => a - b);
        down = null;
        box?.remove();
        box = null;
        if (b - a > 6) this.zoom(this.time(a), this.time(b));
      });
      svg.addEventListener("dblclick", () => this.zoom(this.start, this.end));
    }
    csv() {
      const cell = text => /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
      const head = ["line", `${this.svg.dataset.below || "time"}${this.svg.dataset.below ? "" : ` (${this.unit})`}`, `value (${this.svg.dataset.unit})`];
      const rows = this.visible().flatMap(({ name, shown }) => shown.map(([x, y]) => [name, short(this.time(x) * this.factor), short(this.value(y))]));
      return [head, ...rows].map(row => row.map(cell).join(",")).join("\n") + "\n";
    }
  }

  // The part of a line from `a` to `b`, cut where it enters and leaves.
  const cut = (points, a, b) => {
    const between = ([x0, y0], [x1, y1], x) => [x, x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y1], out = [];
    points.forEach((point, i) => {
      const before = points[i - 1];
      if (before && before[0] < a && point[0] > a) out.push(between(before, point, a));
      if (point[0] >= a && point[0] <= b) out.push(point);
      if (before && before[0] < b && point[0] > b) out.push(between(before, point, b));
    });
    return out;
  };

  // A copy that looks the same without the page, with the names of its lines beneath.
  const alone = svg => {
    const copy = svg.cloneNode(true), keep = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity", "font-size", "font-weight", "font-family", "paint-order", "visibility", "display"];
    const [own, copied] = [svg, copy].map(of => [of, ...of.querySelectorAll("*")]);
    own.forEach((from, i) => {
      const style = getComputedStyle(from);
      copied[i].setAttribute("style", keep.map(key => `${key}:${style.getPropertyValue(key)}`).join(";"));
    });
    const names = new Map([...svg.querySelectorAll("path[data-name]:not(.off):not(.mute),rect[data-name]:not(.off)")].map(one => [one.dataset.name, getComputedStyle(one)]));
    const { width, height } = svg.viewBox.baseVal, background = getComputedStyle(document.body);
    const add = (name, set, text) => {
      const made = document.createElementNS(svg.namespaceURI, name);
      Object.entries(set).forEach(([key, value]) => made.setAttribute(key, value));
      made.textContent = text ?? "";
      return copy.appendChild(made);
    };
    let x = 12, y = height + 14;
    for (const [name, style] of names) {
      const room = 40 + name.length * 7;
      if (x + room > width && x > 12) { x = 12; y += 18; }
      add("path", { d: `M${x} ${y}h22`, style: `stroke:${style.stroke === "none" ? style.fill : style.stroke};stroke-width:3;stroke-dasharray:${style.strokeDasharray};fill:none` });
      add("text", { x: x + 28, y: y + 4, style: `font-size:12px;fill:${background.color};font-family:${background.fontFamily.replaceAll('"', "'")}` }, name);
      x += room;
    }
    const tall = y + 14;
    copy.prepend(add("rect", { width, height: tall, style: `fill:${background.backgroundColor}` }));
    copy.setAttribute("viewBox", `0 0 ${width} ${tall}`);
    copy.setAttribute("width", width);
    copy.setAttribute("height", tall);
    return { text: new XMLSerializer().serializeToString(copy), width, height: tall };
  };
  const save = (name, blob) => {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const picture = ({ text, width, height }, done) => {
    const image = new Image(), sharp = 2;
    image.onload = () => {
      const canvas = make("canvas", { width: width * sharp, height: height * sharp });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(done, "image/png");
    };
    image["src"] = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  };

  for (const svg of document.querySelectorAll("svg.chart")) {
    const box = make("div", { className: "plot" }), tools = make("div", { className: "tools" });
    svg.replaceWith(box);
    box.append(svg, tools);
    const title = svg.getAttribute("aria-label") || "chart";
    const around = svg.closest(".row")?.querySelector("h3")?.textContent;
    const section = svg.closest("section")?.querySelector("h2")?.textContent;
    const file = [section, around, title].filter(Boolean).join(" ").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
    const button = (text, does, action) => {
      const made = tools.appendChild(make("button", { type: "button", textContent: text, title: does, onclick: action }));
      made.setAttribute("aria-label", `${does}: ${title}`);
      return made;
    };
    if (svg.dataset.frame) {
      const chart = svg.fairwireChart = new Chart(svg);
      chart.listen();
      const by = (part, factor) => {
        const [a, b] = chart.range, length = (b - a) * factor, middle = a + (b - a) * part;
        chart.zoom(middle - length / 2, middle + length / 2);
      };
      button("‹", "Earlier", () => by(0, 1)).className = "near";
      button("›", "Later", () => by(1, 1)).className = "near";
      button("−", "Zoom out", () => by(.5, 2)).className = "near";
      button("+", "Zoom in (or drag over the chart; a double click shows all)", () => by(.5, .5));
      button("CSV", "Save the numbers as drawn, as CSV", () => save(file + ".csv", new Blob([chart.csv()], { type: "text/csv" })));
    }
    button("SVG", "Save the picture as SVG", () => save(file + ".svg", new Blob([alone(svg).text], { type: "image/svg+xml" })));
    button("PNG", "Save the picture as PNG", () => picture(alone(svg), blob => save(file + ".png", blob)));
  }

  // Names in legends switch their lines off and on.
  for (const entry of document.querySelectorAll(".legend li[data-line]")) {
    const name = entry.dataset.line, scope = entry.closest(".legend").parentNode;
    const lines = [...scope.querySelectorAll("svg.chart [data-name]")].filter(path =>
      name === "" ? path.classList.contains("mute") : path.dataset.name === name || path.dataset.name.startsWith(name + ","));
    if (!lines.length) continue;
    const toggle = make("button", { type: "button", title: "Hide or show" });
    toggle.setAttribute("aria-pressed", "true");
    toggle.append(...entry.childNodes);
    entry.append(toggle);
    toggle.onclick = () => {
      const on = toggle.getAttribute("aria-pressed") === "false";
      toggle.setAttribute("aria-pressed", on);
      lines.forEach(line => line.classList.toggle("off", !on));
    };
  }
})();
