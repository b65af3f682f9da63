(() => {
  // Reads the drawn lines back, so the data need not be in the page twice.
  const tip = document.body.appendChild(Object.assign(document.createElement("div"), { id: "tip" }));
  const points = path => path.points ??= (() => {
    const n = path.getAttribute("d").match(/-?\d*\.?\d+/g).map(Number), out = [[n[0], n[1]]];
    for (let i = 2, x = n[0], y = n[1]; i + 1 < n.length; i += 2) out.push([x += n[i], y += n[i + 1]]);
    return out;
  })();
  const at = (path, x) => {
    const p = points(path);
    if (x < p[0][0] - 2 || x > p[p.length - 1][0] + 2) return null;
    let low = 0, high = p.length - 1;
    while (low < high) { const mid = (low + high) >> 1; p[mid][0] < x ? low = mid + 1 : high = mid; }
    return p[low][1];
  };
  const short = v => v === 0 ? "0" : String(Number(v.toPrecision(4)));
  for (const svg of document.querySelectorAll("svg[data-frame]")) {
    const [left, right, top, bottom, t0, t1, most] = svg.dataset.frame.split(" ").map(Number);
    const [factor, unit] = svg.dataset.time.split(" ");
    svg.addEventListener("pointerleave", () => tip.style.display = "none");
    svg.addEventListener("pointermove", event => {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      let best = null;
      for (const path of svg.querySelectorAll("path[data-name]")) {
        const y = at(path, p.x);
        if (y !== null && (!best || Math.abs(y - p.y) <= Math.abs(best.y - p.y))) best = { y, name: path.dataset.name };
      }
      const inside = p.x >= left && p.x <= right && p.y >= top && p.y <= bottom;
      if (!inside || !best || Math.abs(best.y - p.y) > 20) return void (tip.style.display = "none");
      const time = (t0 + (p.x - left) / (right - left) * (t1 - t0)) * factor;
      const value = (bottom - best.y) / (bottom - top) * most;
      tip.textContent = `${best.name}: ${short(value)} ${svg.dataset.unit} at ${short(time)} ${unit}`;
      tip.style.display = "block";
      const room = innerWidth - tip.offsetWidth - 8;
      tip.style.left = Math.max(4, Math.min(event.clientX + 14, room)) + "px";
      tip.style.top = Math.max(4, event.clientY - 34) + "px";
    });
  }
})();
