// Timelines: every bank a row, drawn on a canvas from the events that stand in the page. Zoom and pan by wheel, drag,
// two fingers, buttons and keys. What is narrower than a pixel is drawn once per pixel, so a redraw costs one pass over
// the events in view.
"use strict";
(() => {
  const kRow = 20, kAxis = 34, kCommandRow = 68, kMinSpan = 16;
  const kKinds = ["ACT", "RD", "WR", "PRE", "REF"];
  const kStyle = { ACT: "--c5", RD: "--c0", WR: "--c1", PRE: "--c6", REF: "--c4" };
  const grouped = (x) => Math.round(x).toLocaleString("en-US");

  /** A column of the data as an array: one number stands for many equal ones. */
  function column(values, count) {
    return typeof values === "number" ? new Int32Array(count).fill(values) : Int32Array.from(values);
  }

  /** A track with its starts, and the latest end so far, for searching. */
  function unpack(raw, names) {
    const count = raw.count;
    const track = { process: raw.p, name: raw.n, count, start: new Float64Array(count), end: new Float64Array(count) };
    const steps = column(raw.s, count), lengths = column(raw.d, count);
    let at = 0, latest = -Infinity;
    for (let i = 0; i < count; ++i) {
      at += steps[i];
      track.start[i] = at;
      latest = Math.max(latest, at + Math.max(1, lengths[i]));
      track.end[i] = latest;
    }
    for (const key of ["k", "u", "b", "r", "c"]) track[key] = column(raw[key], count);
    track.length = lengths;
    track.isCommands = raw.n === "commands";
    const bank = /\(bank (\d+)\)/.exec(raw.n);
    track.bank = bank ? Number(bank[1]) : -1;
    track.short = bank ? "bank " + bank[1] : raw.n;
    if (raw.n === "phases" && raw.p) track.name = raw.p + " " + raw.n;
    track.commands = null;
    track.kind = track.k.map((k) => kKinds.indexOf(names[k]));
    return track;
  }

  /** The first index whose `ends` lies behind `at`. */
  function firstAfter(ends, at) {
    let low = 0, high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  class Timeline {
    constructor(box) {
      this.box = box;
      this.canvas = box.querySelector("canvas");
      this.range = box.querySelector(".range");
      const data = JSON.parse(document.getElementById(box.dataset.for).textContent);
      this.data = data;
      this.tracks = data.tracks.map((t) => unpack(t, data.names));
      this.assignCommands();
      this.place();
      this.isFocused = false;
      this.show(data.first, data.last);
      this.listen();
      new ResizeObserver(() => this.draw()).observe(this.canvas);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    /** Commands are drawn in the rows of their banks, too. */
    assignCommands() {
      const commands = this.tracks.find((t) => t.isCommands);
      if (!commands) return;
      const lists = new Map();
      for (let i = 0; i < commands.count; ++i) {
        const bank = commands.b[i];
        if (bank < 0 || kKinds[commands.kind[i]] === "REF") continue;
        if (!lists.has(bank)) lists.set(bank, []);
        lists.get(bank).push(i);
      }
      for (const track of this.tracks) {
        if (track.bank < 0 || !lists.has(track.bank)) continue;
        const list = Int32Array.from(lists.get(track.bank));
        track.commands = { list, of: commands, starts: Float64Array.from(list, (i) => commands.start[i] + 1) };
      }
    }

    place() {
      let y = kAxis;
      for (const track of this.tracks) {
        track.y = y;
        track.height = track.isCommands ? kCommandRow : kRow;
        y += track.height;
      }
      this.height = y + 4;
      this.canvas.style.height = this.height + "px";
    }

    show(from, to) {
      const low = this.data.begin, high = Math.max(this.data.end, low + kMinSpan);
      const span = Math.min(Math.max(to - from, kMinSpan), high - low);
      this.from = Math.min(Math.max(from, low), high - span);
      this.to = this.from + span;
      this.draw();
    }
    zoom(factor, at = (this.from + this.to) / 2) {
      const span = Math.max(kMinSpan, (this.to - this.from) / factor);
      const share = (at - this.from) / (this.to - this.from);
      this.show(at - span * share, at + span * (1 - share));
    }
    move(share) {
      const by = (this.to - this.from) * share;
      this.show(this.from + by, this.to + by);
    }

    colours() {
      const style = getComputedStyle(document.documentElement);
      const get = (name) => style.getPropertyValue(name).trim();
      const colours = { ink: get("--ink"), soft: get("--soft"), grid: get("--grid"), rule: get("--rule"), paper: get("--paper"),
        panel: get("--panel"), open: get("--open"), edge: get("--c5"), inside: get("--inside"), other: get("--c7"), host: get("--c2") };
      colours.kinds = kKinds.map((k) => get(kStyle[k]));
      return colours;
    }

    x(cycle) { return this.left + ((cycle - this.from) / (this.to - this.from)) * this.plot; }
    cycleAt(x) { return this.from + ((x - this.left) / this.plot) * (this.to - this.from); }

    draw() {
      const width = this.canvas.clientWidth, ratio = devicePixelRatio || 1;
      if (!width) return;
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(this.height * ratio);
      this.left = width < 600 ? 74 : 190;
      this.plot = width - this.left - 2;
      const g = this.canvas.getContext("2d"), c = this.colours();
      g.scale(ratio, ratio);
      g.font = "11px system-ui, sans-serif";
      g.fillStyle = c.paper;
      g.fillRect(0, 0, width, this.height);
      this.drawAxis(g, c);
      for (const track of this.tracks) this.drawTrack(g, c, track, width);
      g.strokeStyle = c.rule;
      g.strokeRect(this.left - 0.5, kAxis - 0.5, this.plot + 1, this.height - kAxis - 3);
      this.range.textContent = `cycles ${grouped(this.from)} to ${grouped(this.to)}`;
    }

    drawAxis(g, c) {
      const span = this.to - this.from, raw = span / Math.max(2, this.plot / 90);
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw));
      g.fillStyle = c.soft;
      g.textAlign = "left";
      g.fillText("cycle of the device", this.left, 11);
      g.textAlign = "center";
      for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
        const x = this.x(t);
        g.fillStyle = c.grid;
        g.fillRect(Math.round(x), kAxis, 1, this.height - kAxis);
        const label = grouped(t), half = g.measureText(label).width / 2;
        if (x - half < this.left - 8 || x + half > this.left + this.plot + 2) continue;
        g.fillStyle = c.soft;
        g.fillText(label, x, kAxis - 6);
      }
    }

    drawTrack(g, c, track, width) {
      g.fillStyle = c.grid;
      g.fillRect(0, track.y + track.height - 1, width, 1);
      g.fillStyle = c.ink;
      g.textAlign = "left";
      g.save();
      g.beginPath();
      g.rect(0, track.y, this.left - 6, track.height);
      g.clip();
      g.fillText(width < 600 ? track.short : track.name, 4, track.y + 14);
      g.restore();
      g.save();
      g.beginPath();
      g.rect(this.left, track.y, this.plot, track.height);
      g.clip();
      if (track.isCommands) this.drawCommandSlot(g, c, track);
      else this.drawIntervals(g, c, track);
      if (track.commands) this.drawBankCommands(g, c, track);
      g.restore();
    }

    /** The command slot: each kind at its own height. */
    drawCommandSlot(g, c, track) {
      const lanes = kKinds.length + 1, height = (track.height - 6) / lanes;
      const last = new Float64Array(lanes).fill(-1);
      for (let i = firstAfter(track.end, this.from); i < track.count && track.start[i] < this.to; ++i) {
        const kind = track.kind[i], lane = kind < 0 ? kKinds.length : kind;
        const x = this.x(track.start[i]), w = Math.max(1, this.x(track.start[i] + 1) - x - 0.5);
        if (Math.floor(x) <= last[lane] && w <= 1) continue;
        last[lane] = Math.floor(x);
        g.fillStyle = kind < 0 ? c.other : c.kinds[kind];
        const y = track.y + 3 + lane * height;
        g.fillRect(x, y, w, height - 1);
      }
      if (this.left >= 150) {
        g.restore();
        g.save();
        g.font = "9px system-ui, sans-serif";
        g.textAlign = "right";
        g.fillStyle = c.soft;
        kKinds.forEach((k, lane) => g.fillText(k, this.left - 6, track.y + 3 + lane * height + 8));
        g.font = "11px system-ui, sans-serif";
      }
    }

    drawIntervals(g, c, track) {
      const isHost = track.bank < 0 && !/refresh/.test(track.name);
      let last = -1;
      g.textAlign = "left";
      for (let i = firstAfter(track.end, this.from); i < track.count && track.start[i] < this.to; ++i) {
        const x = this.x(track.start[i]), end = this.x(track.start[i] + Math.max(1, track.length[i]));
        const w = Math.max(1, end - x);
        if (w <= 1 && Math.floor(x) <= last) continue;
        last = Math.floor(x);
        g.fillStyle = isHost ? c.host : track.bank < 0 ? c.kinds[4] : c.open;
        g.fillRect(x, track.y + 2, w, track.height - 5);
        if (w > 3 && track.bank >= 0) {
          g.strokeStyle = c.edge;
          g.lineWidth = 0.6;
          g.strokeRect(x + 0.3, track.y + 2.3, w - 0.6, track.height - 5.6);
        }
        const label = this.data.names[track.k[i]] || "";
        const from = Math.max(x, this.left), room = Math.min(end, this.left + this.plot) - from;
        if (room > 6.2 * label.length + 8 && (!track.commands || this.to - this.from < 4000)) {
          g.fillStyle = track.bank < 0 ? c.inside : c.ink;
          if (track.bank < 0) g.fillText(label, from + 4, track.y + 13);
        }
      }
    }

    /** Ticks of a bank's commands over its open rows, named where there is room. */
    drawBankCommands(g, c, track) {
      const { list, of, starts } = track.commands;
      const last = new Float64Array(kKinds.length + 1).fill(-1);
      g.textAlign = "center";
      for (let j = firstAfter(starts, this.from); j < list.length; ++j) {
        const i = list[j];
        if (of.start[i] >= this.to) break;
        const kind = of.kind[i], x = this.x(of.start[i]), w = Math.max(1, this.x(of.start[i] + 1) - x);
        if (w <= 1 && Math.floor(x) <= last[kind + 1]) continue;
        last[kind + 1] = Math.floor(x);
        g.fillStyle = kind < 0 ? c.other : c.kinds[kind];
        // Activates reach up and precharges down, so that their kind shows in grey, too.
        const top = kKinds[kind] === "PRE" ? 8 : 3, bottom = kKinds[kind] === "ACT" ? 9 : 4;
        g.fillRect(x, track.y + top, w, track.height - top - bottom);
        if (w > 24) {
          g.fillStyle = c.inside;
          g.fillText(kKinds[kind] || "", x + w / 2, track.y + 13);
        }
      }
    }

    /** What is under a place of the canvas, as text. */
    textAt(x, y) {
      const track = this.tracks.find((t) => y >= t.y && y < t.y + t.height);
      if (!track || x < this.left) return "";
      const reach = ((this.to - this.from) / this.plot) * 2, at = this.cycleAt(x);
      if (track.commands) {
        const { list, of, starts } = track.commands;
        let best = -1;
        for (let j = firstAfter(starts, at - reach); j < list.length && of.start[list[j]] <= at + reach; ++j)
          if (best < 0 || Math.abs(of.start[list[j]] - at) < Math.abs(of.start[best] - at)) best = list[j];
        if (best >= 0) return this.describe(of, best, track);
      }
      let best = -1, nearest = Infinity;
      const lanes = kKinds.length + 1, lane = Math.floor((y - track.y - 3) / ((track.height - 6) / lanes));
      for (let i = firstAfter(track.end, at - reach); i < track.count && track.start[i] <= at + reach; ++i) {
        const end = track.start[i] + Math.max(1, track.length[i]);
        const isLane = track.isCommands && (track.kind[i] < 0 ? lanes - 1 : track.kind[i]) === lane;
        const distance = (at >= track.start[i] && at < end ? 0 : Math.min(Math.abs(at - track.start[i]), Math.abs(at - end))) +
          (track.isCommands && !isLane ? reach * 4 : 0);
        if (distance < nearest) { nearest = distance; best = i; }
      }
      return best < 0 ? track.name : this.describe(track, best, track);
    }

    describe(track, i, row) {
      const name = this.data.names[track.k[i]], isOpenRow = track.bank >= 0;
      const lines = [name + (isOpenRow ? " open" : "") + (track.u[i] >= 0 ? ", " + this.data.names[track.u[i]] : "")];
      lines.push("cycle " + grouped(track.start[i]) + (track.length[i] > 1 ? `, ${grouped(track.length[i])} cycles long` : ""));
      const where = [];
      if (track.b[i] >= 0) where.push("bank " + track.b[i]);
      if (track.r[i] >= 0 && !isOpenRow) where.push("row " + track.r[i]);
      if (track.c[i] >= 0) where.push("column " + track.c[i]);
      if (where.length) lines.push(where.join(", "));
      if (row.bank >= 0) lines.push(row.name);
      return lines.join("\n");
    }

    act(what) {
      if (what === "in") this.zoom(2);
      else if (what === "out") this.zoom(0.5);
      else if (what === "left") this.move(-0.25);
      else if (what === "right") this.move(0.25);
      else if (what === "device") this.show(this.data.first, this.data.last);
      else if (what === "all") this.show(this.data.begin, this.data.end);
    }

    listen() {
      const canvas = this.canvas;
      const placeOf = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
      };
      for (const button of this.box.querySelectorAll("[data-do]"))
        button.addEventListener("click", () => this.act(button.dataset.do));
      const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", 0: "device", a: "all" };
      canvas.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
        event.preventDefault();
        this.act(keys[event.key]);
      });
      canvas.addEventListener("wheel", (event) => {
        const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
        if (isSideways) {
          this.move((event.deltaX || event.deltaY) / this.plot);
        } else {
          if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
          this.zoom(1.0015 ** -event.deltaY, this.cycleAt(placeOf(event)[0]));
        }
        event.preventDefault();
      }, { passive: false });
      this.listenToPointers(canvas, placeOf);
    }

    listenToPointers(canvas, placeOf) {
      const down = new Map();
      canvas.addEventListener("pointerdown", (event) => {
        down.set(event.pointerId, placeOf(event));
        canvas.setPointerCapture(event.pointerId);
        canvas.focus({ preventScroll: true });
        window.pimentoTip(this.textAt(...placeOf(event)), event.clientX, event.clientY);
      });
      canvas.addEventListener("pointermove", (event) => {
        const now = placeOf(event), before = down.get(event.pointerId);
        if (!before) {
          window.pimentoTip(this.textAt(...now), event.clientX, event.clientY);
          return;
        }
        const others = Array.from(down).filter(([id]) => id !== event.pointerId);
        if (others.length) {
          const fixed = others[0][1][0], was = Math.abs(before[0] - fixed), is = Math.abs(now[0] - fixed);
          if (was > 8 && is > 8) this.zoom(is / was, this.cycleAt(fixed));
        } else {
          this.move((before[0] - now[0]) / this.plot);
        }
        down.set(event.pointerId, now);
        window.pimentoTip("");
      });
      for (const name of ["pointerup", "pointercancel"])
        canvas.addEventListener(name, (event) => down.delete(event.pointerId));
      canvas.addEventListener("pointerleave", () => window.pimentoTip(""));
      canvas.addEventListener("dblclick", (event) => this.zoom(3, this.cycleAt(placeOf(event)[0])));
    }
  }

  for (const box of document.querySelectorAll(".timeline")) new Timeline(box);
})();
