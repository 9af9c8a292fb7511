/* Space for the words of a figure, measured in the reader's font. Letters are not counted, because one
   font can be half as wide again as another. */
"use strict";

const lettering = (() => {
  const LINE = 15;
  /* A name takes at most this many lines beside an axis; a longer name is shortened in its middle. */
  const MOST_LINES = 3;
  const paper = document.createElement("canvas").getContext("2d");

  function widthOf(text, theme, size) {
    paper.font = `${size}px ${theme.font}`;
    return Math.ceil(paper.measureText(text).width);
  }

  /* Names often differ only at their ends, so both ends stay. */
  function shorter(name, most) {
    if (name.length <= most) return name;
    const head = Math.ceil((most - 1) / 2);
    return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
  }

  /* The text on lines that fit into `room`, broken where words and parts of names end, or anywhere when a single part
     is too wide. */
  function linesOf(text, theme, size, room) {
    const fits = (line) => widthOf(line.trimEnd(), theme, size) <= room;
    const lines = [""];
    const add = (part) => (fits(lines.at(-1) + part) || !lines.at(-1) ? (lines[lines.length - 1] += part) : lines.push(part));
    for (const part of text.split(/(?<=[\s_.-])/)) (fits(part) ? [part] : [...part]).forEach(add);
    return lines.map((line) => line.trimEnd());
  }

  function named(name, theme, size, room) {
    for (let most = name.length; ; most -= Math.ceil(most / 10)) {
      const lines = linesOf(shorter(name, most), theme, size, room);
      if (lines.length <= MOST_LINES || most < 8) return lines;
    }
  }

  /* Names beside an axis, never wider than `most`: their width, their text, and their height beyond one line. */
  function column(names, theme, size, most) {
    const wide = Math.min(most, Math.max(0, ...names.map((name) => widthOf(name, theme, size))));
    const written = names.map((name) => named(name, theme, size, wide));
    const further = LINE * (Math.max(1, ...written.map((lines) => lines.length)) - 1);
    return { wide, written: written.map((lines) => lines.join("\n")), further };
  }

  /* A legend's texts, and its height beyond one line: echarts breaks it where the figure ends. */
  function legend(names, theme, width) {
    let [further, used, high] = [0, 0, 0];
    const written = names.map((name) => {
      const lines = linesOf(name, theme, 12, width - 44);
      const size = 44 + Math.max(...lines.map((line) => widthOf(line, theme, 12)));
      if (used && used + size > width) [further, used, high] = [further + 22 + high, 0, 0];
      used += size;
      high = Math.max(high, LINE * (lines.length - 1));
      return lines.join("\n");
    });
    return { written, further: further + high };
  }

  /* Position of a point's name, as in leaderboard/output/label_positions.py for print: each takes the first free place, near
     its point and then farther away, with a line. */
  const RINGS = [10, 16, 25, 36, 49, 64, 81];
  const ANGLES = [90, 45, 135, 270, 0, 180, 315, 225, 65, 115, 20, 160].map((angle) => (angle * Math.PI) / 180);
  const start = (at, direction, far, size) => {
    const near = at + direction * far;
    return Math.abs(direction) < 0.3 ? near - size / 2 : direction > 0 ? near : near - size;
  };
  const meet = (one, other) =>
    one.x < other.x + other.width + 1 &&
    other.x < one.x + one.width + 1 &&
    one.y < other.y + other.height + 1 &&
    other.y < one.y + one.height + 1;

  function freePlace(at, size, taken, bounds) {
    for (const far of RINGS)
      for (const angle of ANGLES) {
        const [x, y] = [start(at[0], Math.cos(angle), far, size.width), start(at[1], -Math.sin(angle), far, size.height)];
        const box = { x, y, width: size.width, height: size.height };
        const inside = x >= bounds.x && y >= bounds.y && x + box.width <= bounds.x + bounds.width && y + box.height <= bounds.y + bounds.height;
        if (inside && !taken.some((other) => meet(box, other))) return { ...box, led: far > RINGS[0] };
      }
    return null;
  }

  return { LINE, widthOf, shorter, linesOf, column, legend, freePlace };
})();
