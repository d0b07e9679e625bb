// The page's script: tooltips, sorting, zoom of scatter plots. Nothing on the page needs it to be read.
"use strict";
(() => {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);

  /** Shows `text` beside a place of the window; nothing without text. */
  function showTip(text, x, y) {
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const box = tip.getBoundingClientRect();
    const left = Math.min(x + 14, innerWidth - box.width - 6);
    const top = y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.max(4, top) + "px";
  }
  window.pimentoTip = showTip;

  // Titles become tooltips of our own, which come at once and work on touch screens; their texts stay as labels.
  for (const title of document.querySelectorAll("svg.chart title")) {
    const mark = title.parentElement;
    mark.dataset.tip = title.textContent;
    mark.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  for (const element of document.querySelectorAll(".n[title]")) {
    element.dataset.tip = element.title;
    element.removeAttribute("title");
  }
  document.addEventListener("pointermove", (event) => {
    if (event.target.tagName === "CANVAS") return;
    const element = event.target.closest && event.target.closest("[data-tip]");
    showTip(element && element.dataset.tip, event.clientX, event.clientY);
  });
  document.addEventListener("pointerdown", (event) => {
    const element = event.target.closest && event.target.closest("[data-tip]");
    if (event.target.tagName !== "CANVAS") showTip(element && element.dataset.tip, event.clientX, event.clientY);
  });
  document.addEventListener("scroll", () => showTip(""), true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") showTip(""); });

  // Sorting: a button in every heading.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.replace(/[,%\s]/g, "");
    const number = Number.parseFloat(text);
    return Number.isNaN(number) || !/^[-+<]?[\d.]/.test(text) ? cell.textContent.toLowerCase() : number;
  };
  function sortBy(table, heading, column) {
    const isDown = heading.getAttribute("aria-sort") === "ascending";
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: keyOf(row, column) }));
    const compare = (a, b) => {
      if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
      return typeof a === "number" ? -1 : 1;
    };
    rows.sort((a, b) => (isDown ? compare(b.key, a.key) : compare(a.key, b.key)));
    body.append(...rows.map((r) => r.row));
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    if (table.tBodies[0].rows.length < 2) continue;
    Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
      if (!heading.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      button.addEventListener("click", () => sortBy(table, heading, column));
      heading.replaceChildren(button);
    });
  }

  // Zoom of scatter plots.
  const numbers = (text) => text.split(" ").map(Number);

  function roundSteps(low, high, count) {
    const raw = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => raw <= s * 1.0000001);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-6; ++i) ticks.push(i * step);
    return ticks;
  }
  function logSteps(low, high, count) {
    if (high / low < 8) return roundSteps(low, high, count).filter((t) => t > 0);
    const ticks = [];
    const decades = Math.log10(high / low);
    const multiples = decades * 3 <= count * 1.5 ? [1, 2, 5] : [1];
    const stride = Math.max(1, Math.ceil(decades / count));
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e += stride)
      for (const m of multiples) if (m * 10 ** e >= low && m * 10 ** e <= high) ticks.push(m * 10 ** e);
    return ticks;
  }
  const short = (x) => Number(x.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });

  class Zoom {
    constructor(svg) {
      this.svg = svg;
      [this.left, this.top, this.width, this.height] = numbers(svg.dataset.zoom);
      [this.xLow, this.xHigh, this.isXLog] = numbers(svg.dataset.x);
      [this.yLow, this.yHigh, this.isYLog] = numbers(svg.dataset.y);
      this.plot = svg.querySelector(".plot");
      this.marks = Array.from(this.plot.querySelectorAll(".m"), (mark) => {
        const [x, y] = mark.getAttribute("transform").slice(10, -1).split(",").map(Number);
        return { mark, x, y };
      });
      this.line = this.plot.querySelector(".through");
      this.points = this.line ? this.line.getAttribute("points").split(" ").map((p) => p.split(",").map(Number)) : [];
      this.original = { x: svg.querySelector(".axis.x").innerHTML, y: svg.querySelector(".axis.y").innerHTML };
      this.reset();
    }
    reset() {
      Object.assign(this, { x0: 0, y0: 0, k: 1 });
      this.draw();
    }
    /** Zooms by `factor` around a place of the plot. */
    zoom(factor, x, y) {
      const k = Math.min(400, Math.max(1, this.k * factor));
      this.x0 += x / this.k - x / k;
      this.y0 += y / this.k - y / k;
      this.k = k;
      this.draw();
    }
    move(dx, dy) {
      this.x0 += dx / this.k;
      this.y0 += dy / this.k;
      this.draw();
    }
    draw() {
      this.x0 = Math.min(Math.max(this.x0, 0), this.width * (1 - 1 / this.k));
      this.y0 = Math.min(Math.max(this.y0, 0), this.height * (1 - 1 / this.k));
      const px = (x) => (x - this.x0) * this.k, py = (y) => (y - this.y0) * this.k;
      for (const { mark, x, y } of this.marks)
        mark.setAttribute("transform", `translate(${px(x).toFixed(2)},${py(y).toFixed(2)})`);
      if (this.line)
        this.line.setAttribute("points", this.points.map(([x, y]) => `${px(x).toFixed(2)},${py(y).toFixed(2)}`).join(" "));
      this.axis("x", px);
      this.axis("y", py);
    }
    axis(which, place) {
      const group = this.svg.querySelector(".axis." + which);
      if (this.k === 1) {
        group.innerHTML = this.original[which];
        return;
      }
      const isX = which === "x", isLog = isX ? this.isXLog : this.isYLog;
      const low = isX ? this.xLow : this.yLow, high = isX ? this.xHigh : this.yHigh;
      const size = isX ? this.width : this.height;
      const valueAt = (share) => (isLog ? low * (high / low) ** share : low + (high - low) * share);
      const shareOf = (value) => (isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
      const first = isX ? this.x0 / size : 1 - (this.y0 + size / this.k) / size;
      const from = valueAt(first), to = valueAt(first + 1 / this.k);
      const ticks = (isLog ? logSteps : roundSteps)(from, to, isX ? (this.width < 400 ? 4 : 8) : 6);
      for (const old of group.querySelectorAll(".grid, text:not(.axis-title)")) old.remove();
      const make = (name, attributes) => {
        const element = document.createElementNS(this.svg.namespaceURI, name);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        group.prepend(element);
        return element;
      };
      const right = this.left + this.width, bottom = this.top + this.height;
      for (const tick of ticks) {
        const at = place(isX ? shareOf(tick) * size : size - shareOf(tick) * size);
        if (isX) {
          make("text", { x: this.left + at, y: bottom + 16, "text-anchor": "middle" }).textContent = short(tick);
          make("line", { class: "grid", x1: this.left + at, x2: this.left + at, y1: this.top, y2: bottom });
        } else {
          make("text", { x: this.left - 6, y: this.top + at + 4, "text-anchor": "end" }).textContent = short(tick);
          make("line", { class: "grid", x1: this.left, x2: right, y1: this.top + at, y2: this.top + at });
        }
      }
    }
  }

  for (const svg of document.querySelectorAll("svg[data-zoom]")) {
    const zoom = new Zoom(svg);
    const tools = document.createElement("div");
    tools.className = "tools " + (svg.classList.contains("wide") ? "for-wide" : "for-narrow");
    const button = (label, title, act) => {
      const b = document.createElement("button");
      b.type = "button";
      b.textContent = label;
      b.title = title;
      b.addEventListener("click", act);
      tools.append(b);
    };
    const middle = [zoom.width / 2, zoom.height / 2];
    button("+", "Zoom in", () => zoom.zoom(1.6, ...middle));
    button("−", "Zoom out", () => zoom.zoom(1 / 1.6, ...middle));
    button("all", "Show all points", () => zoom.reset());
    svg.after(tools);
    const placeOf = (event) => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      return [(event.clientX - box.left) * scale - zoom.left, (event.clientY - box.top) * scale - zoom.top];
    };
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && zoom.k === 1) return;
      event.preventDefault();
      zoom.zoom(1.0015 ** -event.deltaY, ...placeOf(event));
    }, { passive: false });
    svg.addEventListener("dblclick", (event) => zoom.zoom(2, ...placeOf(event)));
    let last = null;
    svg.addEventListener("pointerdown", (event) => {
      if (zoom.k > 1) last = placeOf(event);
    });
    addEventListener("pointermove", (event) => {
      if (!last) return;
      const now = placeOf(event);
      zoom.move(last[0] - now[0], last[1] - now[1]);
      last = now;
    });
    addEventListener("pointerup", () => { last = null; });
  }
})();
