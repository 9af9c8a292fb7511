/* Interactive figures. Each reads the JSON block beside it (described in leaderboard/output/chart.py) and
   replaces the static figure, which stays for pages without scripts. The tables have the same numbers. */
"use strict";

(() => {
  // Okabe and Ito, in the order of leaderboard/output/drawing.py; the last is black on white or white on black.
  const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"];
  // The same on dark pages, with the light blue and orange first: --official and --preference of dark.css.
  const DARK_COLORS = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2", "#f0e442"];
  const SYMBOLS = ["circle", "rect", "diamond", "triangle", "pin", "arrow"];
  const ROW = 22;
  /* From this width in pixels, points have names beside them. */
  const NAMES_FROM = 600;
  const TOP = 36;
  const BOTTOM = 56;
  /* Share of the figure's width that an axis name leaves free. */
  const ASIDE = 24;
  /* Number of rows shown at first: if there are more, the best ones; a button shows the others. */
  const ROWS_FIRST = 60;
  /* Rotation of column names, in degrees. */
  const TURN = 60;
  const { LINE, widthOf, shorter, linesOf, freePlace } = lettering;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const darkSheet = document.querySelector("link[href*='dark.css']") ?? { media: dark.media };
  const isDark = () => matchMedia(darkSheet.media).matches;
  const palette = () => (isDark() ? DARK_COLORS : COLORS);
  const ON_PAPER = "640px";

  function tokens() {
    const style = getComputedStyle(document.documentElement);
    const names = ["paper", "surface", "ink", "ink-soft", "line", "line-strong"];
    const found = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    return { ...found, font: getComputedStyle(document.body).fontFamily, colors: [...palette(), found.ink] };
  }

  const percent = (share) => `${(share * 100).toFixed(1)}%`;
  /* Unicode isolates keep a right-to-left name from reordering the text beside it. */
  const isolated = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(name) ? `\u2068${name}\u2069` : name);
  const joined = (...said) => said.filter(Boolean).join("\n");

  /* As in the tables: 0.4213 [0.401, 0.441], or 65.7 [60.1, 70.2]% where values are shares. */
  function marked([value, low, high], share = false) {
    if (value === null) return "–";
    const [fine, rough] = share ? [1, 1] : [4, 3];
    const written = (part, digits) => (share ? part * 100 : part).toFixed(digits).replace("-", "−");
    const bounds = low === null ? "" : ` [${written(low, rough)}, ${written(high, rough)}]`;
    return `${written(value, fine)}${bounds}${share ? "%" : ""}`;
  }

  /* An axis name is centered, on as many lines as it needs, and moves left where the figure would cut it off. */
  function middle(name, theme, width, room) {
    const lines = linesOf(name, theme, 12, width - ASIDE);
    const widest = Math.max(...lines.map((line) => widthOf(line, theme, 12)));
    const over = (room + width - 24) / 2 + widest / 2 - (width - 4);
    const padding = [0, Math.max(0, 2 * over), 0, 0];
    return { name: lines.join("\n"), nameGap: 30, nameTextStyle: { color: theme["ink-soft"], padding, lineHeight: LINE } };
  }

  /* Options that every figure shares. Names are left of the axis, never wider than `most` of the figure: on a phone
     half of it, so that names with the same start differ when cut. The name with the most lines sets the row height. */
  function frame(theme, width, names, { legend = [], most = width < 600 ? 0.45 : 1 / 3, across = 0, bottom = BOTTOM, axis = "" } = {}) {
    const column = lettering.column(names, theme, 12, Math.min(320, width * most) - 16);
    const room = column.wide + 16;
    const { written, further } = lettering.legend(legend, theme, width);
    const below = bottom + LINE * (linesOf(axis, theme, 12, width - ASIDE).length - 1);
    return {
      animation: false,
      useUTC: true, // a day is the same day for every reader
      textStyle: { fontFamily: theme.font, color: theme.ink },
      tooltip: {
        renderMode: "richText",
        confine: true,
        transitionDuration: 0,
        backgroundColor: theme.surface,
        borderColor: theme["line-strong"],
        textStyle: { color: theme.ink, fontFamily: theme.font, fontSize: 13 },
      },
      legend: legend.length
        ? { top: 0, left: 0, type: "plain", textStyle: { color: theme.ink, lineHeight: LINE }, formatter: (name) => written[legend.indexOf(name)] }
        : undefined,
      // Axis names already have their space; labels that need more get it from echarts.
      grid: { left: room, right: 24, top: TOP + further + across, bottom: below, outerBoundsContain: "axisLabel" },
      room,
      names: column.written,
      row: ROW + column.further,
      around: TOP + further + across + below,
    };
  }

  function axis(theme, more) {
    return {
      axisLabel: { color: theme["ink-soft"], ...more.axisLabel },
      axisLine: { lineStyle: { color: theme["line-strong"] } },
      splitLine: { lineStyle: { color: theme.line } },
      nameTextStyle: { color: theme["ink-soft"] },
      nameLocation: "middle",
      ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== "axisLabel")),
    };
  }

  function rowAxis(theme, names, written) {
    const label = { formatter: (_, place) => written[place], interval: 0, fontSize: 12, lineHeight: LINE };
    return axis(theme, { type: "category", data: names, inverse: true, axisLabel: label, axisTick: { show: false } });
  }

  function intervalShape(place, count, kind, color, theme) {
    const shift = (place - (count - 1) / 2) * Math.min(8, 14 / count);
    return (_, api) => {
      const [y, x] = [api.value(0), api.value(1)];
      if (Number.isNaN(x) || y < 0) return null;
      const at = api.coord([x, y]);
      const dot = { cx: at[0], cy: at[1] + shift, r: 4 };
      const shape = { x: dot.cx - 3.5, y: dot.cy - 3.5, width: 7, height: 7 };
      const style = { fill: color, stroke: theme.ink, lineWidth: 0.5 };
      const children = [kind % 2 ? { type: "rect", shape, style } : { type: "circle", shape: dot, style }];
      if (!Number.isNaN(api.value(2))) {
        const ends = { x1: api.coord([api.value(2), y])[0], x2: api.coord([api.value(3), y])[0], y1: dot.cy, y2: dot.cy };
        children.unshift({ type: "line", shape: ends, style: { stroke: color, lineWidth: 2 } });
      }
      return { type: "group", children };
    };
  }

  /* A box from the lower to the upper quartile with the median in it, and whiskers to the lowest and the highest value. */
  function boxShape(color, theme) {
    return (_, api) => {
      const [y, median, lower, upper, low, high] = [0, 1, 2, 3, 4, 5].map((place) => api.value(place));
      const [middle, left, right, start, end] = [median, lower, upper, low, high].map((value) => api.coord([value, y])[0]);
      const at = api.coord([median, y])[1];
      const line = (x1, x2, y1, y2, style) => ({ type: "line", shape: { x1, x2, y1, y2 }, style });
      const box = { x: left, y: at - 6, width: right - left, height: 12 };
      return {
        type: "group",
        children: [
          line(start, end, at, at, { stroke: theme["ink-soft"], lineWidth: 1 }),
          { type: "rect", shape: box, style: { fill: color, fillOpacity: 0.35, stroke: color, lineWidth: 1 } },
          line(middle, middle, at - 6, at + 6, { stroke: theme.ink, lineWidth: 2 }),
        ],
      };
    };
  }

  function spans(chart, theme, width) {
    const legend = chart.series.length > 1 ? chart.series.map((one) => one.name) : [];
    const { room, names, row, around, ...option } = frame(theme, width, chart.rows, { legend, axis: chart.axis });
    const told = (row) =>
      joined(chart.rows[row], ...chart.series.map((one) => `${one.name}: ${marked(one.marks[row], chart.share)}`), chart.notes[row]);
    const line = { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: theme.ink, type: "dotted" } };
    const reach = [...(chart.line === null ? [] : [chart.line]), ...chart.span].map((value) => [-1, value, NaN, NaN]);
    const series = chart.series.map((one, place) => {
      const kind = place + chart.first_colour;
      const color = theme.colors[kind % theme.colors.length];
      return {
        type: "custom",
        name: one.name,
        itemStyle: { color: color },
        renderItem: chart.reach.length ? boxShape(color, theme) : intervalShape(place, chart.series.length, kind, color, theme),
        encode: { x: [1, 2, 3, 4, 5], y: 0 },
        // Values of row -1 are not drawn: the axis extends as far as they do.
        data: [...one.marks.map((mark, row) => [row, ...mark.map((part) => part ?? NaN), ...(chart.reach[row] ?? [])]), ...reach],
        markLine: chart.line === null || place ? undefined : { ...line, data: [{ xAxis: chart.line }] },
        tooltip: { formatter: (item) => told(item.dataIndex) },
      };
    });
    return {
      ...option,
      height: around + row * chart.rows.length,
      items: chart.rows.map((_, row) => ({ series: 0, data: row, text: told(row) })),
      xAxis: axis(theme, {
        type: "value",
        scale: true,
        ...middle(chart.axis, theme, width, room),
        axisLabel: chart.share ? { formatter: (share) => `${Math.round(share * 100)}%`, hideOverlap: true } : { hideOverlap: true },
      }),
      yAxis: rowAxis(theme, chart.rows, names),
      series,
    };
  }

  const parts = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
  const hex = (channels) => `#${channels.map((part) => Math.round(part * 255).toString(16).padStart(2, "0")).join("")}`;

  /* A cell's color is between the page's color, for a weak value, and one that stands out from it. Shares of many runs are
     small, so their color scale uses the square root. */
  function scaleOf(chart) {
    const [weak, [strong, opposite]] = [isDark() ? "#2b3138" : "#f4f4f4", palette()];
    if (chart.diverging) return [strong, weak, opposite];
    return [0, 0.25, 0.5, 0.75, 1].map((at) => hex(between([weak, strong], Math.sqrt(at))));
  }

  function between(scale, value) {
    const at = Math.max(0, Math.min(1, value));
    const place = Math.min(scale.length - 2, Math.floor(at * (scale.length - 1)));
    const share = at * (scale.length - 1) - place;
    const [from, to] = [parts(scale[place]), parts(scale[place + 1])];
    return from.map((part, channel) => part + (to[channel] - part) * share);
  }

  /* Black or white, whichever has more contrast on the cell (WCAG 2). */
  function inkOn(chart) {
    const scale = scaleOf(chart);
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return (share) => {
      const [red, green, blue] = between(scale, (share - chart.low) / (chart.high - chart.low)).map(linear);
      return (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) ** 2 > 1.05 * 0.05 ? "#000000" : "#ffffff";
    };
  }

  function cells(chart, theme, width) {
    const turned = chart.columns.some((name) => name.length > 3);
    const tops = chart.columns.map((name) => shorter(name, 40));
    const highest = Math.max(0, ...tops.map((name) => widthOf(name, theme, 11)));
    const angle = (TURN * Math.PI) / 180;
    const across = turned ? 16 + Math.ceil(highest * Math.sin(angle) + 11 * Math.cos(angle)) : 20;
    const { room, names, row, around, ...option } = frame(theme, width, chart.rows, { most: 1 / 3, across, bottom: 64 });
    const ends = [percent(chart.high) + (chart.high < 1 ? " or more" : ""), percent(chart.low) + (chart.low > 0 ? " or less" : "")];
    const wide = (width - room) / chart.columns.length;
    const many = chart.rows.length > 30 || width < 600 || wide < widthOf("100", theme, 10);
    const bold = new Set(chart.marked.map(([row, column]) => row * chart.columns.length + column));
    const isBold = ([column, row]) => bold.has(row * chart.columns.length + column);
    const told = ([column, row, share]) =>
      joined(
        chart.diverging
          ? `${isolated(chart.columns[column])} ${chart.across} to ${isolated(chart.rows[row])}: ${percent(share)}${isBold([column, row]) ? ", significant" : ""}`
          : `${isolated(chart.rows[row])}, ${chart.across} ${chart.columns[column]}: ${percent(share)}`,
        chart.notes[row],
      );
    const data = chart.cells.map(([row, column, share]) => [column, row, share]);
    const ink = inkOn(chart);
    // Lines between cells a few pixels wide would hide them.
    const gap = wide < 6 ? 0 : 0.5;
    return {
      ...option,
      height: around + row * chart.rows.length,
      items: data.map((cell, place) => ({ series: 0, data: place, text: told(cell) })),
      columns: chart.columns.length,
      xAxis: axis(theme, {
        type: "category",
        data: chart.columns,
        position: "top",
        name: chart.diverging ? "" : chart.across,
        nameGap: across,
        splitLine: { show: false },
        axisTick: { show: false },
        axisLine: { show: false },
        axisLabel: {
          formatter: (_, place) => tops[place],
          rotate: turned ? TURN : 0,
          interval: (turned && wide >= 12) || !many ? 0 : "auto",
          fontSize: 11,
        },
      }),
      yAxis: rowAxis(theme, chart.rows, names),
      visualMap: {
        type: "continuous",
        min: chart.low,
        max: chart.high,
        orient: "horizontal",
        left: "center",
        bottom: 0,
        itemHeight: Math.max(40, Math.min(220, width / 2, width - 40 - widthOf(ends.join(""), theme, 12))),
        text: ends,
        textStyle: { color: theme.ink },
        inRange: { color: scaleOf(chart) },
        calculable: false,
      },
      series: [
        {
          type: "heatmap",
          data: data.map((value) => ({
            value,
            itemStyle: { borderColor: isBold(value) ? theme.ink : theme.paper, borderWidth: isBold(value) ? 1.5 : gap },
            label: { color: ink(value[2]), fontWeight: isBold(value) ? "bold" : "normal" },
          })),
          label: { show: !many, fontSize: 10, formatter: (item) => Math.round(item.value[2] * 100).toString() },
          tooltip: { formatter: (item) => told(item.value) },
        },
      ],
    };
  }

  /* Names beside these values, in the order of `named`, as a separate series, because echarts labels do not avoid each
     other. The first one places all names, again after each zoom; `tell` is called for names without a place. */
  function names(values, named, theme, tell) {
    const font = `11px ${theme.font}`;
    const sizes = named.map(({ text }) => ({ width: widthOf(text, theme, 11), height: 13 }));
    let places = [];
    const settle = (bounds, coord) => {
      const lost = [];
      const taken = values.map(coord).map(([x, y]) => ({ x: x - 6, y: y - 6, width: 12, height: 12 }));
      places = named.map(({ value }, place) => {
        const [x, y] = coord(value);
        // A point on the edge counts as inside the figure, however coordinates are rounded.
        const seen = x > bounds.x - 1 && x < bounds.x + bounds.width + 1 && y > bounds.y - 1 && y < bounds.y + bounds.height + 1;
        if (!seen) return null;
        const free = freePlace([x, y], sizes[place], taken, bounds);
        (free ? taken : lost).push(free ?? named[place].name);
        return free;
      });
      tell(lost);
    };
    return {
      type: "custom",
      silent: true,
      z: 4,
      data: named.map(({ value }) => value),
      renderItem: (params, api) => {
        if (params.dataIndex === 0) settle(params.coordSys, api.coord);
        const place = places[params.dataIndex];
        if (!place) return null;
        const [x1, y1] = api.coord(named[params.dataIndex].value);
        const nearest = (at, from, size) => Math.min(Math.max(at, from), from + size);
        const line = { x1, y1, x2: nearest(x1, place.x, place.width), y2: nearest(y1, place.y, place.height) };
        const style = { text: named[params.dataIndex].text, x: place.x, y: place.y + 1, font, fill: theme.ink, stroke: theme.paper, lineWidth: 2 };
        const led = { type: "line", shape: line, style: { stroke: theme["ink-soft"], lineWidth: 0.75 } };
        return { type: "group", children: [...(place.led ? [led] : []), { type: "text", style }] };
      },
    };
  }

  /* Runs of a single day are shown in the middle of a week. */
  function timeShown(times) {
    const [first, last, day] = [Math.min(...times), Math.max(...times), 24 * 3600 * 1000];
    const aside = Math.max(3 * day, (last - first) * 0.04);
    return { min: first - aside, max: last + aside, minInterval: day };
  }

  function points(chart, theme, width, tell) {
    const groups = [...new Set(chart.groups)].sort();
    const { room, names: _, row, around, ...option } = frame(theme, width, [], { axis: chart.x_axis, legend: groups });
    const height = Math.max(320, Math.min(520, width * 0.6));
    const upward = linesOf(chart.y_axis, theme, 12, height - TOP - BOTTOM);
    const beside = widthOf("−0.0000", theme, 12) + 12;
    const left = beside + LINE * upward.length;
    const dated = chart.points.some((point) => typeof point.x === "string");
    const told = (point) =>
      joined(point.name, `${chart.x_axis}: ${dated ? point.x : marked(point.x)}`, `${chart.y_axis}: ${marked(point.y)}`, chart.groups[chart.points.indexOf(point)], point.note);
    const across = (point) => (dated ? point.x : point.x[0]);
    const value = (point) => [across(point), point.y[0]];
    // A phone has no room: there, touching a point shows its name.
    const named = width >= NAMES_FROM ? (chart.named ?? chart.points.map((_, place) => place)) : chart.steps;
    const stairs = new Set(chart.steps);
    // One color, as in print: named points stand out, and the selected point most of all.
    const standsOut = new Set(chart.named ?? chart.points.map((_, place) => place));
    const whiskers = {
      type: "custom",
      silent: true,
      // Points without bounds are not drawn: the axes extend as far as they do.
      data: dated ? [] : [...chart.points.map((point) => [...point.x, ...point.y].map((part) => part ?? NaN)), ...chart.x_span.map((x, at) => [x, NaN, NaN, chart.y_span[at], NaN, NaN])],
      encode: { x: [0, 1, 2], y: [3, 4, 5] },
      renderItem: (params, api) => {
        const [x, left, right, y, low, high] = [0, 1, 2, 3, 4, 5].map((place) => api.value(place));
        // Hundreds of intervals would hide the points.
        const style = { stroke: theme["line-strong"], lineWidth: 1, opacity: standsOut.has(params.dataIndex) ? 0.6 : 0.12 };
        const line = ([x1, y1], [x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
        const lines = [];
        if (!Number.isNaN(left)) lines.push(line(api.coord([left, y]), api.coord([right, y])));
        if (!Number.isNaN(low)) lines.push(line(api.coord([x, low]), api.coord([x, high])));
        return { type: "group", children: lines };
      },
    };
    const staircase = {
      type: "line",
      step: "end",
      silent: true,
      symbol: "none",
      lineStyle: { color: theme["ink-soft"], width: 1.5 },
      data: chart.steps.map((place) => [across(chart.points[place]), chart.points[place].y[0]]),
    };
    const ends = chart.diagonal ? chart.points.flatMap(value) : [];
    const diagonal = {
      type: "line",
      silent: true,
      z: 1,
      symbol: "none",
      lineStyle: { color: theme["ink-soft"], width: 1 },
      data: chart.diagonal ? [Math.min(...ends), Math.max(...ends)].map((end) => [end, end]) : [],
    };
    const dot = (place, color) => ({
      place,
      value: value(chart.points[place]),
      symbolSize: stairs.has(place) ? 13 : 10,
      itemStyle: { color: color, borderColor: theme.ink, borderWidth: stairs.has(place) ? 1.5 : 0.5 },
    });
    const ownColor = (place) => (standsOut.has(place) ? theme.colors[0] : theme["line-strong"]);
    const places = chart.points.map((_, place) => place);
    const dots = (groups.length ? groups : [""]).map((group, kind) => {
      const color = theme.colors[kind % theme.colors.length];
      return {
        type: "scatter",
        name: group,
        symbol: SYMBOLS[kind % SYMBOLS.length],
        itemStyle: { color: color },
        emphasis: { scale: 1.5, itemStyle: groups.length ? { borderWidth: 2 } : { color: theme.colors[1] } },
        tooltip: { formatter: (item) => told(chart.points[item.data.place]) },
        data: groups.length
          ? places.filter((place) => chart.groups[place] === group).map((place) => dot(place, color))
          : places.map((place) => dot(place, ownColor(place))),
      };
    });
    const zoom = { type: "inside", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, filterMode: "none" };
    return {
      ...option,
      grid: { ...option.grid, left },
      height,
      items: dots.flatMap(({ data }, kind) => data.map(({ place }, at) => ({ series: 2 + kind, data: at, text: told(chart.points[place]) }))),
      xAxis: axis(theme, {
        type: dated ? "time" : "value",
        scale: true,
        ...(dated ? timeShown(chart.points.map((point) => Date.parse(point.x))) : {}),
        ...middle(chart.x_axis, theme, width, left),
        axisLabel: { hideOverlap: true, formatter: dated ? "{yyyy}-{MM}-{dd}" : undefined },
      }),
      yAxis: axis(theme, { type: "value", scale: true, name: upward.join("\n"), nameGap: beside, nameTextStyle: { color: theme["ink-soft"], lineHeight: LINE } }),
      dataZoom: [{ ...zoom, xAxisIndex: 0 }, { ...zoom, yAxisIndex: 0 }],
      series: [
        whiskers,
        staircase,
        ...dots,
        names(
          chart.points.map(value),
          named.map((place) => {
            const { name } = chart.points[place];
            return { name, text: isolated(shorter(name, 24)), value: value(chart.points[place]) };
          }),
          theme,
          tell,
        ),
        diagonal,
      ],
    };
  }

  /* Curves of counts from (0, 0), with marks; those at the ends have names beside them. */
  function curves(chart, theme, width, tell) {
    const { room, names: _, row, around, ...option } = frame(theme, width, [], { axis: chart.x_axis });
    const height = Math.max(320, Math.min(520, width * 0.6));
    const upward = linesOf(chart.y_axis, theme, 12, height - TOP - BOTTOM);
    const beside = widthOf("00,000", theme, 12) + 12;
    const left = beside + LINE * upward.length;
    const value = (curve, x) => [x, curve.values[x - 1]];
    const told = (curve, [x, note]) => joined(curve.name, note, `${chart.x_axis}: ${x}`, `${chart.y_axis}: ${curve.values[x - 1]}`);
    const end = (curve) => value(curve, curve.values.length);
    const drawn = chart.curves.map((curve, place) => {
      const color = theme.colors[place % theme.colors.length];
      const notes = new Map(curve.marks.map((mark) => [mark[0], mark]));
      return {
        type: "line",
        name: curve.name,
        symbol: "circle",
        showAllSymbol: true,
        symbolSize: ([x]) => (notes.has(x) ? 7 : 0),
        itemStyle: { color: color },
        lineStyle: { color: color, width: 1.5, opacity: 0.8 },
        emphasis: { focus: "series", lineStyle: { width: 3 } },
        tooltip: { formatter: (item) => told(curve, notes.get(item.data[0]) ?? [item.data[0], ""]) },
        data: [[0, 0], ...curve.values.map((found, at) => [at + 1, found])],
      };
    });
    const named = chart.named.map((place) => chart.curves[place]);
    const label = ({ name }) => ({ name, text: isolated(shorter(name, 24)) });
    return {
      ...option,
      grid: { ...option.grid, left },
      height,
      items: chart.curves.flatMap((curve, series) => curve.marks.map((mark) => ({ series, data: mark[0], text: told(curve, mark) }))),
      xAxis: axis(theme, { type: "value", min: 0, minInterval: 1, ...middle(chart.x_axis, theme, width, left), axisLabel: { hideOverlap: true } }),
      yAxis: axis(theme, { type: "value", min: 0, minInterval: 1, name: upward.join("\n"), nameGap: beside, nameTextStyle: { color: theme["ink-soft"], lineHeight: LINE } }),
      series: [...drawn, names(chart.curves.map(end), named.map((curve) => ({ ...label(curve), value: end(curve) })), theme, tell)],
    };
  }

  /* A part of a bar from ``from`` to ``to``, with its number inside, or to its right where it stands alone. */
  function piece(theme, [color, ink], { top, high, alone = false }) {
    return (_, api) => {
      const [row, from, to] = [0, 1, 2].map((place) => api.value(place));
      const [x, y] = api.coord([from, row]);
      const wide = api.coord([to, row])[0] - x;
      const number = ((to - from) * 100).toFixed(1);
      const text = alone || wide >= widthOf(number, theme, 11) + 4 ? number : "";
      return {
        type: "rect",
        shape: { x, y: y + top, width: wide, height: high },
        style: { fill: color, stroke: theme.paper, lineWidth: alone ? 0 : 0.5 },
        textContent: { style: { text, fill: ink, fontSize: 11, fontFamily: theme.font } },
        textConfig: { position: alone ? "right" : "inside", distance: 4 },
      };
    };
  }

  /* Rows divided into parts, which also differ in lightness, each with a thin bar of its own below. */
  function bars(chart, theme, width) {
    const legend = [...chart.parts, chart.beside].map((one) => one.name);
    const { room, names, row, around, ...option } = frame(theme, width, chart.rows, { legend, axis: chart.axis });
    const shares = (row) => [...chart.parts, chart.beside].map((one) => `${one.name}: ${percent(one.shares[row])}`);
    const told = (row) => joined(chart.rows[row], ...shares(row), chart.notes[row]);
    const tooltip = { formatter: (item) => told(item.dataIndex) };
    const [first, second, , , , other] = theme.colors;
    const looks = [first, other, second].map((color) => [color, color === "#0072b2" ? "#ffffff" : "#000000"]);
    const starts = chart.rows.map(() => 0);
    const made = (one, look, place, starts) => ({
      type: "custom",
      name: one.name,
      itemStyle: { color: look[0] },
      encode: { x: [1, 2], y: 0 },
      data: one.shares.map((share, row) => [row, starts[row], (starts[row] += share)]),
      renderItem: piece(theme, look, place),
      tooltip,
    });
    const parts = chart.parts.map((one, place) => made(one, looks[place % looks.length], { top: -13, high: 18 }, starts));
    const beside = made(chart.beside, [theme.ink, theme.ink], { top: 9, high: 5, alone: true }, chart.rows.map(() => 0));
    return {
      ...option,
      grid: { ...option.grid, right: Math.max(24, 8 + widthOf("100.0", theme, 11)) },
      height: around + (row + ROW) * chart.rows.length,
      items: chart.rows.map((_, row) => ({ series: 0, data: row, text: told(row) })),
      xAxis: axis(theme, { type: "value", min: 0, max: 1, ...middle(chart.axis, theme, width, room), axisLabel: { formatter: (share) => `${Math.round(share * 100)}%`, hideOverlap: true } }),
      yAxis: rowAxis(theme, chart.rows, names),
      series: [...parts, beside],
    };
  }

  const FORMS = { spans, cells, points, bars, curves };

  /* Arrow keys move from item to item; the item's text is written beside the figure for screen readers. */
  function withKeys(plot, said, now) {
    let at = -1;
    plot.addEventListener("keydown", (event) => {
      const { drawn, items, columns = 1 } = now();
      const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -Infinity, End: Infinity };
      if (event.key === "Escape") {
        drawn.dispatchAction({ type: "hideTip" });
        return drawn.dispatchAction({ type: "dataZoom", batch: [0, 1].map((dataZoomIndex) => ({ dataZoomIndex, start: 0, end: 100 })) });
      }
      if (!(event.key in moves) || !items.length) return;
      event.preventDefault();
      at = Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + moves[event.key]));
      said.textContent = items[at].text;
      drawn.dispatchAction({ type: "downplay" });
      drawn.dispatchAction({ type: "highlight", seriesIndex: items[at].series, dataIndex: items[at].data });
      drawn.dispatchAction({ type: "showTip", seriesIndex: items[at].series, dataIndex: items[at].data });
    });
    plot.addEventListener("blur", () => {
      for (const type of ["hideTip", "downplay"]) now().drawn.dispatchAction({ type });
    });
  }

  function firstRows(chart) {
    const cut = (list) => list.slice(0, ROWS_FIRST);
    const series = chart.series.map((one) => ({ ...one, marks: cut(one.marks) }));
    return { ...chart, rows: cut(chart.rows), notes: cut(chart.notes), reach: cut(chart.reach), series };
  }

  let shown = [];
  function draw(whole, into) {
    let chart = whole;
    const title = Object.assign(document.createElement("p"), { className: "plot-title", textContent: chart.title });
    const plot = Object.assign(document.createElement("div"), { className: "plot", tabIndex: 0 });
    const said = Object.assign(document.createElement("p"), { className: "hidden" });
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", `Figure: ${chart.title}. Use the arrow keys to move through it. The table has the same numbers.`);
    said.setAttribute("aria-live", "polite");
    const panel = document.createElement("div");
    panel.append(...("untitled" in into.dataset ? [] : [title]), plot, said);
    if (chart.note) panel.append(Object.assign(document.createElement("p"), { className: "soft", textContent: chart.note }));
    const hint = Object.assign(document.createElement("p"), { className: "soft" });
    if (chart.form === "points" || chart.form === "curves") panel.append(hint);
    if (chart.form === "spans" && chart.rows.length > ROWS_FIRST) {
      chart = firstRows(whole);
      const more = Object.assign(document.createElement("button"), { type: "button", textContent: `Show all ${whole.rows.length} rows` });
      const note = Object.assign(document.createElement("p"), { className: "soft rest", textContent: `The first ${ROWS_FIRST} of ${whole.rows.length} rows. ` });
      more.addEventListener("click", () => {
        chart = whole;
        note.remove();
        show();
        plot.focus();
      });
      note.append(more);
      panel.append(note);
    }
    into.append(panel);
    let drawn, items, columns, width;
    const tell = (lost) => {
      const said = lost.length ? `Not labeled for lack of room: ${lost.map(isolated).join(", ")}. ` : "";
      hint.textContent = `${said}Touch a ${chart.form === "curves" ? "mark" : "point"} to read its name.`;
      hint.hidden = width >= NAMES_FROM && !lost.length;
    };
    const show = () => {
      width = plot.clientWidth;
      tell([]);
      const { height, items: found, columns: wide, ...option } = FORMS[chart.form](chart, tokens(), width, tell);
      [items, columns] = [found, wide];
      plot.style.height = `${height}px`;
      drawn ??= echarts.init(plot, null, { renderer: "canvas" });
      drawn.resize();
      drawn.setOption(option, true);
    };
    show();
    new ResizeObserver(() => plot.clientWidth && plot.clientWidth !== width && show()).observe(plot);
    const print = (width) => {
      const kept = chart;
      if (width) chart = { ...whole, rows: whole.printed ?? whole.rows };
      plot.style.width = width;
      show();
      chart = kept;
    };
    shown.push({ plot, show, print, dispose: () => drawn.dispose() });
    withKeys(plot, said, () => ({ drawn, items, columns }));
  }

  /* In print: all rows with their teams, in light colors, as wide as the sheet. */
  const { media } = darkSheet;
  for (const [event, sheet, width] of [["beforeprint", "not all", ON_PAPER], ["afterprint", media, ""]]) {
    addEventListener(event, () => {
      darkSheet.media = sheet;
      for (const { print } of shown) print(width);
    });
  }

  dark.addEventListener("change", () => {
    for (const { show } of shown) show();
  });

  function drawAll() {
    for (const { plot, dispose } of shown) if (!plot.isConnected) dispose();
    shown = shown.filter(({ plot }) => plot.isConnected);
    for (const into of document.querySelectorAll("[data-charts]:empty")) {
      const block = document.getElementById(into.dataset.charts);
      const charts = JSON.parse(block.textContent);
      if (!charts.length) continue;
      into.closest("figure").classList.add("drawn");
      for (const chart of charts) draw(chart, into);
    }
  }
  drawAll();
  /* Filters replace figures together with their list. */
  document.addEventListener("list-replaced", drawAll);
})();
