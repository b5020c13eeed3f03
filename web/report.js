/* What makes a report interactive: each figure's numbers (report/graph_data.h says how they are
 * written) become a chart of uPlot; zoom and cursor are the same in all charts over time. */
"use strict";
(() => {
const MANTISSAS = 9000, LEAST_EXPONENT = -10;
const DENSE = 300;          // points in view from which on lines are painted: dashes would not be seen
const charts = [];          // {figure, graph, plot, tile, log}
const colors = new Map();   // by name, as looked up; emptied when the reader's setting changes
function css(name) {
	if (!colors.has(name))
		colors.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
	return colors.get(name);
}
const ink = name => css("--ink-" + name);

/* --- the numbers --- */

async function unpack(text) {
	const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function value(code) {
	if (code < 2)
		return code ? 0 : null;
	const exponent = Math.floor((code - 2) / MANTISSAS) + LEAST_EXPONENT;
	const mantissa = 1000 + (code - 2) % MANTISSAS;
	return exponent < 0 ? mantissa / 10 ** -exponent : mantissa * 10 ** exponent;
}

/* One array: whether it is differences, then three planes of bytes. */
function codes(bytes, at, count) {
	const values = new Array(count), steps = bytes[at++];
	let code = 0;
	for (let i = 0; i < count; i++) {
		const read = bytes[at + i] | bytes[at + count + i] << 8 | bytes[at + 2 * count + i] << 16;
		code = steps ? code + ((read >>> 1) ^ -(read & 1)) : read;
		values[i] = value(code);
	}
	return values;
}

/* Each tile as uPlot takes it: x, then low and high of each line. A coarser tile says by a byte
 * which of the points of the one before is the least, and by another which is the greatest. */
function tilesOf(graph, bytes) {
	const tiles = graph.join.map(join => {
		const count = Math.ceil(graph.count / join), step = graph.step * join;
		return {join, step, data: [Array.from({length: count}, (_, i) => graph.begin + (i + 0.5) * step)]};
	});
	let at = 0;
	for (let l = 0; l < graph.lines.length; l++) {
		let ends = codes(bytes, at, graph.count);
		at += 1 + 3 * graph.count;
		ends = [ends, ends];
		tiles[0].data.push(...ends);
		for (let t = 1; t < tiles.length; t++) {
			const ratio = tiles[t].join / tiles[t - 1].join, {length} = tiles[t].data[0];
			ends = ends.map((finer, end) =>
				Array.from({length}, (_, i) => finer[i * ratio + bytes[at + end * length + i]]));
			at += 2 * length;
			tiles[t].data.push(...ends);
		}
	}
	return tiles;
}

/* The finest tile, where there are windows of finer steps: all points, and in the windows those of
 * the finer ones; a line has no value (undefined) at the others' places. Made when it is first
 * looked at. */
function fineTile({lines, fine}, [xs, ...base], bytes) {
	const inside = x => fine.windows.some(([begin, count]) => x >= begin && x < begin + count * fine.step);
	const finer = fine.windows.flatMap(([begin, count]) => Array.from({length: count}, (_, i) => begin + (i + 0.5) * fine.step));
	const values = fine.lines.map((_, i) => codes(bytes, i * (1 + 3 * finer.length), finer.length));
	const points = xs.map((x, i) => ({x, i, within: inside(x)})).concat(finer.map((x, k) => ({x, k}))).sort((a, b) => a.x - b.x);
	const data = lines.flatMap((_, l) => {
		const at = fine.lines.indexOf(l);
		const y = points.map(({i, k, within}) => k === undefined ? at >= 0 && within ? undefined : base[2 * l][i]
			: at >= 0 ? values[at][k] : undefined);
		return [y, y];
	});
	return [points.map(point => point.x), ...data];
}

function withFine(graph, tiles, bytes) {
	let data;
	return [{join: 1, step: graph.fine.step, fine: true, get data() {
		return data ??= fineTile(graph, tiles[0].data, bytes);
	}}, ...tiles];
}

/* Lines over an x of their own: one common x. */
function joined(graph) {
	const tables = graph.lines.map(line => [line.x, line.y]);
	const data = uPlot.join(tables.length ? tables : [[[graph.x.low, graph.x.high], [null, null]]]);
	return [{join: 1, step: 0, data: [data[0], ...data.slice(1).flatMap(y => [y, y])]}];
}

/* Many dots at an x of their own, or several of a line at the same x: all are one after another, each
 * known in its own line alone, where a common x would have room for one of a line. */
function scatters({lines}) {
	const points = lines.reduce((sum, line) => sum + (line.x?.length ?? 0), 0);
	return points > 0 && lines.every(line => line.dots && line.x)
		&& (points > DENSE || lines.some(({x}) => x.some((v, i) => v === x[i - 1])));
}

function scattered(graph) {
	const points = graph.lines.flatMap((line, l) => line.x.map((x, i) => ({x, l, y: line.y[i]})));
	points.sort((a, b) => a.x - b.x);
	const columns = graph.lines.map((_, l) => points.map(point => point.l === l ? point.y : undefined));
	return [{join: 1, step: 0, data: [points.map(point => point.x), ...columns.flatMap(y => [y, y])]}];
}

/* --- words --- */

function digits(v) {
	const a = Math.abs(v);
	if (a >= 1000)
		return Math.round(v).toLocaleString("en-US");
	return a === 0 ? "0" : a.toPrecision(3).includes("e") ? v.toExponential(2) : String(+v.toPrecision(a >= 100 ? 4 : 3));
}

function time(ns) {
	for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]])
		if (ns >= size)
			return digits(ns / size) + " " + unit;
	return digits(ns) + " ns";
}

function short(v) {
	const a = Math.abs(v);
	for (const [unit, size] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]])
		if (a >= size)
			return +(v / size).toPrecision(4) + unit;
	return String(+v.toPrecision(4));
}

function seconds(s) {
	if (s < 120)
		return +s.toFixed(3) + " s";
	const h = Math.floor(s / 3600), m = Math.floor(s % 3600 / 60), r = Math.floor(s % 60);
	const two = n => String(n).padStart(2, "0");
	return h ? `${h}:${two(m)}${r ? ":" + two(r) : ""} h` : `${m}${r ? ":" + two(r) : ""} min`;
}

const nines = v => v < 0.01 ? "0 %" : +(100 - 100 * 10 ** -v).toFixed(Math.max(0, Math.ceil(v) + 0)) + " %";

function words(scale, v, unit) {
	switch (scale.unit) {
	case "ns": return time(v);
	case "s": return seconds(v);
	case "percent": return nines(v);
	}
	return digits(v) + (unit ? " " + unit : "");
}

const tick = (scale, v) => scale.unit === "plain" ? short(v) : words(scale, v);

/* --- one chart --- */

function dash(line) {
	return [[], [6, 4], [2, 3]][line.dash];
}

/* uPlot draws what has few points; of a tile that joins nothing low and high are the same line. */
const linear = uPlot.paths.linear();

/* Points between unknown ones, or at the end beside one: no line leads to them, so they are drawn.
 * What is undefined is another line's place and no gap. */
function alone(u, line, from, to) {
	const values = u.data[line], found = [];
	const known = (i, by) => {
		while (values[i += by] === undefined && i >= 0 && i < values.length);
		return i >= 0 && i < values.length && values[i] !== null;
	};
	for (let i = from; i <= to; i++)
		if (values[i] != null && !known(i, -1) && !known(i, 1))
			found.push(i);
	return found;
}

function series(chart) {
	const {graph} = chart, all = [{}];
	const paths = high => (u, s, from, to) =>
		chart.dense || (high && chart.tiles[chart.tile].join === 1) ? null : linear(u, s, from, to);
	for (const line of graph.lines) {
		const one = {
			label: line.name, scale: "y", stroke: () => ink(line.ink), width: line.width,
			dash: dash(line), points: line.dots ? {show: () => !chart.dense, size: 4} : {show: false, size: 6, fill: () => ink(line.ink),
				filter: (u, l) => chart.dense ? [] : alone(u, l, ...u.series[0].idxs)},
			paths: line.dots ? () => null : paths(false),
		};
		all.push(one, {...one, points: {show: false}, paths: line.dots ? () => null : paths(true)});
	}
	return all;
}

/* The field, and lines with so many points that they are painted (raster.js). */
function drawRaster(chart, u) {
	const image = raster.picture(u), color = name => parseInt(ink(name).slice(1), 16);
	if (chart.raster)
		raster.field(u, image, chart.raster, color("blue"));
	if (chart.dense)
		chart.graph.lines.forEach((line, l) => {
			const points = {xs: u.data[0], lows: u.data[1 + 2 * l], highs: u.data[2 + 2 * l],
				color: color(line.ink), thick: line.width};
			if (u.series[1 + 2 * l].show)
				(line.dots ? raster.dots : raster.envelope)(u, image, points);
		});
	raster.show(u, image);
}

function drawMarks(chart, u) {
	const {ctx, bbox} = u, graph = chart.graph;
	ctx.save();
	ctx.beginPath();
	ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
	ctx.clip();
	ctx.globalAlpha = 0.2;
	for (const shade of graph.shades) {
		const from = u.valToPos(shade.from, "x", true), to = u.valToPos(shade.to, "x", true);
		ctx.fillStyle = ink(shade.ink);
		ctx.fillRect(from, bbox.top, Math.max(to - from, 2), bbox.height);
	}
	ctx.globalAlpha = 1;
	if (chart.raster || chart.dense)
		drawRaster(chart, u);
	ctx.strokeStyle = ctx.fillStyle = css("--text");
	ctx.setLineDash([6, 4]);
	ctx.font = 12 * devicePixelRatio + "px system-ui, sans-serif";
	ctx.textAlign = "right";
	for (const limit of graph.limits) {
		const scale = u.scales[limit.upright ? "x" : "y"];
		if (limit.at < scale.min || limit.at > scale.max)
			continue;
		const at = u.valToPos(limit.at, limit.upright ? "x" : "y", true);
		ctx.beginPath();
		if (limit.upright) {
			ctx.moveTo(at, bbox.top);
			ctx.lineTo(at, bbox.top + bbox.height);
			ctx.fillText(limit.text, at - 4, bbox.top + 14 * devicePixelRatio);
		} else {
			ctx.moveTo(bbox.left, at);
			ctx.lineTo(bbox.left + bbox.width, at);
			ctx.fillText(limit.text, bbox.left + bbox.width - 4, at - 4);
		}
		ctx.stroke();
	}
	ctx.restore();
}

function element(name, kind, text) {
	const made = document.createElement(name);
	if (kind)
		made.className = kind;
	if (text !== undefined)
		made.textContent = text;
	return made;
}

function tipLine(chart, line, low, high) {
	const row = element("div"), mark = element("i"), graph = chart.graph;
	mark.style.background = ink(line.ink);
	const text = low === high ? words(graph.y, low, graph.unit)
		: words(graph.y, low, graph.unit) + " – " + words(graph.y, high, graph.unit);
	row.dataset.line = line.name;
	row.dataset.low = low;
	row.dataset.high = high;
	row.append(mark, line.name + ": ", element("b", "", text));
	return row;
}

/* Of the dots as near to the cursor in x as NEAR pixels, the nearest in y; else the one that uPlot
 * found by x alone. */
const NEAR = 4;
function nearest(u) {
	const {idx, left, top} = u.cursor, [xs, ...lines] = u.data;
	let best = idx, least = Infinity;
	for (let i = 0; i < xs.length; i++) {
		if (Math.abs(u.valToPos(xs[i], "x") - left) > NEAR)
			continue;
		for (const [l, values] of lines.entries()) {
			const away = values[i] == null || !u.series[1 + l].show ? Infinity : Math.abs(u.valToPos(values[i], "y") - top);
			if (away < least)
				[best, least] = [i, away];
		}
	}
	return best;
}

function showTip(chart, u) {
	const {left, top} = u.cursor, tip = chart.tip, graph = chart.graph;
	const idx = u.cursor.idx != null && chart.scatter ? nearest(u) : u.cursor.idx;
	if (left == null || left < 0 || idx == null) {
		tip.hidden = true;
		return;
	}
	const tile = chart.tiles[chart.tile], x = u.data[0][idx], rows = [];
	graph.lines.forEach((line, l) => {
		const low = u.data[1 + 2 * l][idx], high = u.data[2 + 2 * l][idx];
		if (low != null && u.series[1 + 2 * l].show)
			rows.push(tipLine(chart, line, low, high));
	});
	let head = words(graph.x, x);
	if (tile.join > 1)
		head = words(graph.x, x - tile.step / 2) + " – " + words(graph.x, x + tile.step / 2);
	if (chart.raster) {
		const at = u.posToVal(left, "x"), row = element("div");
		head = words(graph.x, at);
		row.dataset.line = "field";
		row.dataset.low = row.dataset.high = raster.countAt(chart.raster, at, u.posToVal(top, "y"));
		row.append(time(u.posToVal(top, "y")) + ": ", element("b", "", row.dataset.low + " " + graph.unit));
		rows.push(row);
	}
	tip.replaceChildren(element("div", "", head), ...rows);
	tip.dataset.x = x;
	tip.hidden = !rows.length;
	const room = u.root.clientWidth - tip.offsetWidth;
	tip.style.left = Math.max(0, Math.min(left + u.over.offsetLeft + 14, room)) + "px";
	tip.style.top = u.over.offsetTop + 6 + "px";
}

/* The finest tile that has no more points in view than three for two pixels. */
function wantedTile(chart, min, max, width) {
	const {fine} = chart.graph;
	let tile = chart.base;
	if (fine && (max - min) / fine.step <= 1.5 * width &&
		fine.windows.some(([begin, count]) => begin < max && begin + count * fine.step > min))
		return 0;
	while (tile + 1 < chart.tiles.length && (max - min) / chart.tiles[tile].step > 1.5 * width)
		tile++;
	return tile;
}

/* Charts over one time axis share their view. Those that are seen follow in the next frame, and as many of the
 * others as FRAME_MS leave time for; the rest wait until nothing else is to be done, or until they
 * are scrolled to. */
const FRAME_MS = 40;
const waiting = new Set();
let frame = 0, spare = 0;
const later = window.requestIdleCallback ?? (work => setTimeout(work, 50));

function zoom(min, max, axis = "") {
	for (const chart of charts)
		if (chart.timed && chart.graph.axis === axis)
			view(chart, min, max);
}

function view(chart, min, max) {
	chart.range = [min, max];
	waiting.add(chart);
	frame ||= requestAnimationFrame(() => {
		const until = performance.now() + FRAME_MS;
		frame = 0;
		catchUp(one => one.seen);
		catchUp(() => performance.now() < until);
		awaitSpare();
	});
}

function catchUp(wanted) {
	for (const chart of waiting)
		if (wanted(chart)) {
			waiting.delete(chart);
			move(chart);
		}
}

function awaitSpare() {
	if (waiting.size && !spare)
		spare = later(() => {
			spare = 0;
			const [chart] = waiting;
			catchUp(one => one === chart);
			awaitSpare();
		});
}

const sight = new IntersectionObserver(entries => {
	for (const {target, isIntersecting} of entries) {
		const chart = charts.find(one => one.live === target);
		if (chart)
			chart.seen = isIntersecting;
	}
	catchUp(one => one.seen);
}, {rootMargin: "100px"});

/* All that was asked for is drawn: for tests. */
async function settled() {
	while (frame || waiting.size)
		await new Promise(done => setTimeout(done, 5));
}

function move(chart) {
	const [min, max] = chart.range, {plot} = chart;
	const tile = wantedTile(chart, min, max, plot.over.clientWidth || 600), {step} = chart.tiles[tile];
	chart.dense = chart.scatter ? plot.data[0].length > DENSE : step > 0 && !chart.tiles[tile].fine && (max - min) / step > DENSE;
	plot.batch(() => {
		if (tile !== chart.tile) {
			chart.tile = tile;
			plot.setData(chart.tiles[tile].data, false);
		}
		plot.setScale("x", {min, max});
	});
}

const full = chart => [chart.graph.x.low, chart.graph.x.high];

function reset(axis) {
	for (const chart of charts)
		if (axis === undefined || chart.timed && chart.graph.axis === axis)
			view(chart, ...full(chart));
}

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600,
	1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];

const STEPS = Array.from({length: 60}, (_, i) => [1, 2, 5][i % 3] * 10 ** (Math.floor(i / 3) - 6)); // as scale.c's

function axes(graph) {
	const common = {stroke: () => css("--muted"), grid: {stroke: () => css("--line"), width: 1},
		ticks: {stroke: () => css("--line"), width: 1}, font: "12px system-ui, sans-serif"};
	const logFilter = (u, splits) => {
		const shown = splits[splits.length - 1] / splits[0] > 2e3 ? [1] : [1, 2, 5];
		return splits.map(v => v && shown.includes(+v.toExponential(0)[0]) ? v : null);
	};
	const axis = (scale, words) => ({...common, label: words, labelSize: 18, labelFont: "12px system-ui, sans-serif",
		values: (u, splits) => splits.map(v => v == null ? "" : tick(scale, v)),
		...(scale.kind === "log" ? {filter: logFilter} : {})});
	const steps = {s: SECONDS, percent: [1, 2], plain: STEPS}[graph.x.unit];
	return [{...axis(graph.x, graph.x_words), size: 34, space: 80, ...(steps && graph.x.kind !== "log" ? {incrs: steps} : {})}, {...axis(graph.y, graph.y_words), size: 62}];
}

function options(chart, width) {
	const graph = chart.graph, log = chart.log;
	const low = !log ? (graph.y.kind === "log" ? 0 : graph.y.low) : graph.y.kind === "log" ? graph.y.low : lowest(chart);
	/* Of finer steps the rates exceed those that the axis is made for. */
	const range = (u, least, most) => chart.tiles[chart.tile].fine
		? [log && least > 0 ? Math.min(low, least / 1.2) : low, Math.max(graph.y.high, (most ?? 0) * 1.05)] : [low, graph.y.high];
	const y = {range, ...(log ? {distr: 3} : {})};
	return {
		width, height: width < 500 ? 260 : 300, legend: {show: false}, padding: [8, 22, 0, 0],
		scales: {x: {time: false, ...(graph.x.kind === "log" ? {distr: 3} : {}), range: (u, min, max) => [min ?? graph.x.low, max ?? graph.x.high]}, y},
		series: series(chart), axes: axes(graph),
		bands: graph.lines.map((line, l) => ({series: [2 + 2 * l, 1 + 2 * l], fill: () => ink(line.ink) + "40"})),
		cursor: {drag: {x: true, y: false, setScale: false},
			...(chart.timed ? {sync: {key: "time " + graph.axis, setSeries: false, filters: {
				pub: type => type === "mousemove" || type === "mouseleave",
				sub: type => type === "mousemove" || type === "mouseleave"}}} : {})},
		hooks: {
			drawClear: [],
			drawAxes: [u => drawMarks(chart, u)],
			setCursor: [u => showTip(chart, u)],
			setSelect: [u => {
				if (u.select.width < 4)
					return;
				const min = u.posToVal(u.select.left, "x"), max = u.posToVal(u.select.left + u.select.width, "x");
				u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
				chart.timed ? zoom(min, max, graph.axis) : view(chart, min, max);
			}],
		},
	};
}

/* The least value above 0: where a linear chart begins on a logarithmic axis. */
function lowest(chart) {
	let least = chart.graph.y.high;
	for (const values of chart.tiles[chart.base].data.slice(1))
		for (const v of values)
			if (v > 0 && v < least)
				least = v;
	return least / 1.2;
}

function build(chart) {
	const width = Math.max(chart.live.clientWidth, 280);
	if (chart.plot)
		chart.plot.destroy();
	chart.tile = chart.base;
	chart.plot = new uPlot(options(chart, width), chart.tiles[chart.base].data, chart.box);
	chart.plot.over.addEventListener("dblclick", event => {
		event.stopImmediatePropagation();
		chart.timed ? reset(chart.graph.axis) : view(chart, ...full(chart));
	}, true);
	chart.box.append(chart.tip);
	chart.range ??= full(chart);
	waiting.delete(chart);
	move(chart);
	chart.plot.series.forEach((one, i) => i && chart.hidden.has((i - 1) >> 1) && chart.plot.setSeries(i, {show: false}));
}

function tools(chart) {
	const bar = element("div", "tools");
	const names = chart.graph.lines.map(line => line.name);
	chart.graph.lines.forEach((line, l) => {
		if (names.indexOf(line.name) !== l)
			return; // a pair, such as two bounds, has one key
		const key = element("button", "key", line.name), mark = element("i");
		mark.style.borderTopColor = ink(line.ink);
		mark.style.borderTopStyle = ["solid", "dashed", "dotted"][line.dash];
		key.prepend(mark);
		key.setAttribute("aria-pressed", "true");
		key.addEventListener("click", () => {
			const show = chart.hidden.has(l);
			key.setAttribute("aria-pressed", String(show));
			names.forEach((name, k) => {
				if (name !== line.name)
					return;
				show ? chart.hidden.delete(k) : chart.hidden.add(k);
				for (const i of [1 + 2 * k, 2 + 2 * k])
					chart.plot.setSeries(i, {show});
			});
		});
		bar.append(key);
	});
	if (chart.graph.y.unit !== "percent") {
		const log = element("button", "scale", chart.words.log);
		log.setAttribute("aria-pressed", String(chart.log));
		log.addEventListener("click", () => {
			chart.log = !chart.log;
			log.setAttribute("aria-pressed", String(chart.log));
			build(chart);
		});
		bar.append(log);
	}
	const all = element("button", "all", chart.words.all);
	all.addEventListener("click", () => chart.timed ? reset(chart.graph.axis) : view(chart, ...full(chart)));
	bar.append(all);
	return bar;
}

function keyboard(chart, event) {
	const u = chart.plot, [min, max] = chart.range, span = max - min, data = u.data[0];
	const go = (from, to) => {
		const [low, high] = full(chart);
		const a = Math.max(from, low), b = Math.min(to, high);
		if (b > a)
			chart.timed ? zoom(a, b, chart.graph.axis) : view(chart, a, b);
	};
	const step = by => {
		const last = data.length - 1, from = u.cursor.idx ?? 0;
		let at = Math.min(Math.max(from + by, 0), last);
		while (at > 0 && at < last && data[at] === data[from])
			at += by; // dots at the same x are one place
		u.setCursor({left: u.valToPos(data[at], "x"), top: 10});
	};
	const keys = {
		ArrowLeft: () => event.shiftKey ? go(min - span / 4, max - span / 4) : step(-1),
		ArrowRight: () => event.shiftKey ? go(min + span / 4, max + span / 4) : step(1),
		"+": () => go(min + span / 4, max - span / 4),
		"-": () => go(min - span / 2, max + span / 2),
		Escape: () => reset(),
		"0": () => reset(),
	};
	if (!keys[event.key])
		return;
	keys[event.key]();
	event.preventDefault();
}

async function start(figure) {
	const graph = JSON.parse(figure.querySelector("script").textContent);
	const chart = {figure, graph, hidden: new Set(), log: graph.y.kind === "log",
		timed: graph.x.unit === "s", words: document.body.dataset};
	chart.scatter = !graph.tiles && scatters(graph);
	if (graph.tiles)
		chart.tiles = tilesOf(graph, await unpack(graph.tiles));
	else
		chart.tiles = chart.scatter ? scattered(graph) : joined(graph);
	if (graph.fine)
		chart.tiles = withFine(graph, chart.tiles, await unpack(graph.fine.tiles));
	chart.base = graph.fine ? 1 : 0; // the first tile of whole steps
	if (graph.field) {
		const bytes = await unpack(graph.field.counts), cells = graph.field.columns * graph.field.rows;
		chart.raster = {...graph.field, counts: new Uint32Array(cells), most: 1};
		for (let i = 0; i < cells; i++) {
			const count = bytes[i] + bytes[cells + i] * 256 + bytes[2 * cells + i] * 65536 + bytes[3 * cells + i] * 16777216;
			chart.raster.counts[i] = count;
			chart.raster.most = Math.max(chart.raster.most, count);
		}
	}
	chart.live = element("div", "live");
	chart.box = element("div", "plot");
	chart.tip = element("div", "tip");
	chart.box.tabIndex = 0;
	chart.box.setAttribute("role", "application");
	chart.box.setAttribute("aria-label", graph.title);
	chart.box.addEventListener("keydown", event => keyboard(chart, event));
	chart.live.append(tools(chart), chart.box);
	figure.insertBefore(chart.live, figure.querySelector(".still"));
	figure.classList.add("on");
	build(chart);
	charts.push(chart);
	sight.observe(chart.live);
}

function links() {
	for (const link of document.querySelectorAll("a[data-from]"))
		link.addEventListener("click", () => zoom(+link.dataset.from, +link.dataset.to));
	for (const code of document.querySelectorAll("pre")) {
		const copy = element("button", "copy", document.body.dataset.copy);
		copy.addEventListener("click", () => {
			const range = document.createRange();
			range.selectNodeContents(code.querySelector("code"));
			getSelection().removeAllRanges();
			getSelection().addRange(range);
			document.execCommand("copy");
		});
		code.before(copy);
	}
}

async function all() {
	const figures = [...document.querySelectorAll("figure[id]")].filter(f => f.querySelector("script"));
	for (const figure of figures)
		try {
			await start(figure);
		} catch (error) {
			figure.classList.remove("on"); // the picture that stands there stays
			console.error(figure.id, error);
		}
	links();
	let width = innerWidth;
	addEventListener("resize", () => {
		if (innerWidth !== width)
			charts.forEach(build);
		width = innerWidth;
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		colors.clear();
		charts.forEach(build);
	});
	document.documentElement.dataset.charts = charts.length;
}

all();
window.assayCharts = {charts, zoom, reset, settled}; // for tests
})();
