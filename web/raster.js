/* Pictures that are painted pixel by pixel, since a path of thousands of corners takes a browser
 * without a GPU 5 ms and more: envelopes of lines, and fields of counts. */
"use strict";
const raster = (() => {
const INSIDE = 0.45; // opacity between the edges of an envelope of many points: what lies below is seen
const MANY = 3;      // points of a column of pixels

const pictures = new WeakMap(); // of each chart, used again while its size stays

function picture(u) {
	const width = Math.round(u.bbox.width), height = Math.round(u.bbox.height);
	let one = pictures.get(u);
	if (!one || one.width !== width || one.height !== height) {
		const canvas = document.createElement("canvas");
		canvas.width = width;
		canvas.height = height;
		one = {width, height, canvas, image: new ImageData(width, height)};
		one.data = one.image.data;
		pictures.set(u, one);
	}
	one.data.fill(0);
	return one;
}

function show(u, {canvas, image}) {
	canvas.getContext("2d").putImageData(image, 0, 0);
	u.ctx.drawImage(canvas, u.bbox.left, u.bbox.top);
}

/* Over what is there already. */
function paint(data, at, color, opacity) {
	const below = data[at + 3] / 255 * (1 - opacity), whole = opacity + below, old = below / whole, share = 1 - old;
	data[at] = (color >> 16) * share + data[at] * old;
	data[at + 1] = (color >> 8 & 255) * share + data[at + 1] * old;
	data[at + 2] = (color & 255) * share + data[at + 2] * old;
	data[at + 3] = 255 * whole;
}

/* The position of a value on an axis, in pixels from the left or the top. */
function placeOf(u, key, pixels) {
	const {min, max, distr} = u.scales[key], log = distr === 3;
	const low = log ? Math.log10(min) : min, span = (log ? Math.log10(max) : max) - low;
	const upright = key === "y";
	return v => {
		const share = ((log ? Math.log10(v) : v) - low) / span;
		return pixels * (upright ? 1 - share : share);
	};
}

/* For each column of pixels the least and the greatest place that a line has there, between its
 * points too; empty ones have top > foot. `lows` and `highs` are the values of each point. */
function columnsOf(u, {width, height}, xs, lows, highs) {
	const top = new Float64Array(width).fill(Infinity), foot = new Float64Array(width).fill(-Infinity);
	const xAt = placeOf(u, "x", width), yAt = placeOf(u, "y", height), {min, max} = u.scales.x;
	const reach = (column, a, b) => {
		if (column < 0 || column >= width)
			return;
		top[column] = Math.min(top[column], a, b);
		foot[column] = Math.max(foot[column], a, b);
	};
	let last = null, first = u.valToIdx(min), end = u.valToIdx(max);
	first = Math.max(first - 1, 0);
	end = Math.min(end + 1, xs.length - 1);
	for (let i = first; i <= end; i++) {
		if (lows[i] == null || !(highs[i] > 0 || u.scales.y.distr !== 3)) {
			last = null;
			continue;
		}
		const one = {x: xAt(xs[i]), top: yAt(highs[i]), foot: yAt(lows[i])}, column = Math.floor(one.x);
		reach(column, one.top, one.foot);
		/* Each border between two columns that the way from the last point crosses. */
		if (last)
			for (let border = Math.max(Math.floor(last.x) + 1, 0); border <= Math.min(column, width); border++) {
				const share = (border - last.x) / (one.x - last.x);
				const a = last.top + share * (one.top - last.top), b = last.foot + share * (one.foot - last.foot);
				reach(border - 1, a, b);
				reach(border, a, b);
			}
		last = one;
	}
	return {top, foot};
}

/* A line that has as many points as there are columns, or more. */
function envelope(u, image, {xs, lows, highs, color, thick}) {
	const {width, height, data} = image, {top, foot} = columnsOf(u, image, xs, lows, highs);
	const half = thick * devicePixelRatio / 2;
	const points = u.valToIdx(u.scales.x.max) - u.valToIdx(u.scales.x.min);
	const between = points / width > MANY || lows !== highs ? INSIDE : 1;
	for (let x = 0; x < width; x++) {
		if (top[x] > foot[x])
			continue;
		const from = top[x] - half, to = foot[x] + half;
		const end = Math.min(Math.ceil(to), height);
		for (let y = Math.max(Math.floor(from), 0); y < end; y++) {
			const cover = Math.min(y + 1, to) - Math.max(y, from);
			const inside = y > top[x] + half && y + 1 < foot[x] - half;
			paint(data, 4 * (y * width + x), color, inside ? between : cover);
		}
	}
}

/* Each point as a square, and the greatest of a coarse tile beside the least. */
function dots(u, {width, height, data}, {xs, lows, highs, color}) {
	const xAt = placeOf(u, "x", width), yAt = placeOf(u, "y", height), side = Math.round(2 * devicePixelRatio);
	const square = (x, y) => {
		const left = Math.round(x - side / 2), top = Math.round(y - side / 2);
		for (let r = Math.max(top, 0); r < Math.min(top + side, height); r++)
			for (let c = Math.max(left, 0); c < Math.min(left + side, width); c++)
				paint(data, 4 * (r * width + c), color, 0.6);
	};
	const {min, max} = u.scales.x;
	let i = u.valToIdx(min), end = u.valToIdx(max);
	while (i > 0 && xs[i - 1] >= min) // several may have the same x
		i--;
	while (end + 1 < xs.length && xs[end + 1] <= max)
		end++;
	for (; i <= end; i++)
		for (const values of lows === highs ? [lows] : [lows, highs])
			if (values[i] != null)
				square(xAt(xs[i]), yAt(values[i]));
}

/* The row of a field in which a value lies: -1 below all, the number of rows above. */
function rowOf(edges, value) {
	let low = 0, high = edges.length - 1;
	if (value < edges[0] || value >= edges[high])
		return value < edges[0] ? -1 : high;
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if (edges[middle] <= value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The density: a pixel shows the greatest count of the cells below it, so that one request is
 * seen. Rows have their own edges, and may be higher or lower than a pixel. */
function field(u, image, {columns, rows, counts, edges, x_low, x_step, most}, color) {
	const {width, height, data} = image, words = new Uint32Array(data.buffer), rowAt = new Int32Array(height + 1);
	for (let y = 0; y <= height; y++)
		rowAt[y] = rowOf(edges, u.posToVal(u.bbox.top + y, "y", true));
	const edge = x => (u.posToVal(u.bbox.left + x, "x", true) - x_low) / x_step;
	const full = Math.max(Math.log(most), 1e-9), same = {from: -1, end: -1};
	for (let x = 0; x < width; x++) {
		const from = Math.max(Math.floor(edge(x)), 0), end = Math.min(Math.max(Math.ceil(edge(x + 1)), from + 1), columns);
		if (from === same.from && end === same.end) { // as the pixel to the left
			for (let at = x; at < words.length; at += width)
				words[at] = words[at - 1];
			continue;
		}
		Object.assign(same, {from, end});
		for (let y = 0, low = -1, high = -1, opacity = 0; y < height; y++) {
			const bottom = Math.max(rowAt[y + 1], 0), top = Math.min(rowAt[y], rows - 1);
			if (bottom !== low || top !== high) { // else as the pixel above
				let count = 0;
				for (let c = from; c < end; c++)
					for (let r = bottom; r <= top; r++)
						count = Math.max(count, counts[c * rows + r]);
				opacity = count && 0.22 + 0.78 * Math.log(count) / full;
				[low, high] = [bottom, top];
			}
			if (opacity)
				paint(data, 4 * (y * width + x), color, opacity);
		}
	}
}

function countAt({columns, rows, counts, edges, x_low, x_step}, x, y) {
	const column = Math.floor((x - x_low) / x_step), row = rowOf(edges, y);
	return column >= 0 && column < columns && row >= 0 && row < rows ? counts[column * rows + row] : 0;
}

return {picture, show, envelope, dots, field, countAt};
})();
