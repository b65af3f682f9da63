// Runs in a page: presses the buttons of its charts as a reader would, and tells what does not come of it.
(async () => {
  const faults = [];
  const expect = (holds, what) => holds || faults.push(what);
  // What is saved lands here and on no disk.
  const saved = [];
  let blob = null;
  const create = URL.createObjectURL;
  URL.createObjectURL = one => create.call(URL, blob = one);
  HTMLAnchorElement.prototype.click = function () { saved.push({ name: this.download, blob }); };
  const until = async holds => {
    for (let tries = 0; !holds() && tries < 100; tries += 1) await new Promise(resolve => setTimeout(resolve, 20));
    return holds();
  };

  for (const svg of document.querySelectorAll("svg.chart")) {
    const title = svg.getAttribute("aria-label"), tools = svg.parentNode.querySelector(".tools");
    const button = text => [...tools.querySelectorAll("button")].find(one => one.textContent === text);
    const press = async text => {
      const before = saved.length;
      button(text).click();
      if (!["CSV", "SVG", "PNG"].includes(text)) return null;
      if (!await until(() => saved.length > before)) return expect(false, `${title}: ${text} saves nothing`);
      const file = saved[saved.length - 1];
      expect(file.name.endsWith("." + text.toLowerCase()) && file.name.length > 4, `${title}: ${text} is saved as "${file.name}"`);
      return new Uint8Array(await file.blob.arrayBuffer());
    };
    const text = async what => new TextDecoder().decode(await press(what) || new Uint8Array());
    const chart = svg.fairwireChart, names = [...svg.querySelectorAll("[data-name]:not(.mute)")].map(one => one.dataset.name);

    const alone = new DOMParser().parseFromString(await text("SVG"), "image/svg+xml");
    expect(!alone.querySelector("parsererror"), `${title}: the saved SVG is no XML`);
    const words = [...alone.querySelectorAll("text")].map(one => one.textContent);
    expect(names.every(name => words.includes(name)), `${title}: the saved SVG does not name all of its lines`);
    const png = await press("PNG") || new Uint8Array(24);
    const [width, wanted] = [new DataView(png.buffer).getUint32(16), svg.viewBox.baseVal.width * 2];
    expect(png[1] === 80 && png[2] === 78 && png[3] === 71 && width === wanted, `${title}: the saved PNG is ${width} and not ${wanted} wide`);
    if (!chart) continue;

    const drawn = () => chart.lines.map(line => line.path.getAttribute("d")).join(), whole = drawn();
    const [start, end] = chart.range;
    button("+").click();
    const [from, to] = chart.range;
    expect(Math.abs((to - from) / (end - start) - .5) < 1e-9 && from > start && to < end, `${title}: + does not show the middle half`);
    expect(svg.querySelectorAll("text.zoomed").length > 1, `${title}: no times stand below what is zoomed`);
    const rows = (await text("CSV")).trim().split("\n").slice(1);
    const times = rows.map(row => Number(row.split(",").at(-2)) / chart.factor);
    const near = (to - from) * 1e-3 + Math.abs(to) * 1e-3;
    expect(times.every(time => time >= from - near && time <= to + near), `${title}: the saved CSV has times that are not shown`);
    button("›").click();
    expect(chart.range[0] > from && chart.range[1] <= end, `${title}: › does not go on`);
    button("‹").click();
    button("‹").click();
    expect(chart.range[0] < from && chart.range[0] >= start, `${title}: ‹ does not go back`);
    button("−").click();
    expect(drawn() === whole && !svg.querySelector(".zoomed"), `${title}: − does not bring everything back`);
    const all = (await text("CSV")).trim().split("\n").slice(1);
    expect(all.length >= rows.length && all.length >= chart.visible().length, `${title}: the whole has fewer rows than its middle`);
  }
  for (const toggle of document.querySelectorAll(".legend button[aria-pressed]")) {
    const off = () => document.querySelectorAll("svg.chart [data-name].off").length, before = off();
    toggle.click();
    const hidden = off();
    toggle.click();
    expect(hidden > before && off() === before, `${toggle.textContent.trim()}: its line is not hidden and shown again`);
  }
  return { faults, saved: saved.length };
})()
