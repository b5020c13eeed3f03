/* Opens pages in a real Chromium and says what is seen there, as JSON. Standard input:
 *   {"chromium": PATH, "pages": [{"path", "width", "height", "scheme", "script", "print",
 *    "hover": {"figure", "at", "down"}, "probe": {"figure", "x", "y"}, "zoom": [from, to], "click": SELECTOR, "screenshot": PATH}]}
 * Standard output: for each page {"errors", "requests", "charts", "figures", "overflow", "tips",
 * "fits" (overflow at each of "widths", and on "paper"), "ranges", "zoom_ms" until the charts in view show it, "zoom_all_ms" until all do, "paint_ms",
 * "probe", "focus", "outcomes" (how many cells say one, and of those out of sight the words)}. */
import {chromium} from "playwright-core";
import {readFileSync} from "node:fs";

const work = JSON.parse(readFileSync(0, "utf8"));
const browser = await chromium.launch({
	executablePath: work.chromium, args: ["--no-sandbox", "--disable-gpu"],
});

/* Of each figure: is there a chart or a picture with ink in it, and how wide is what is shown. The
 * ink of a chart is counted in its canvas, that of a picture in its elements. */
function figures() {
	return [...document.querySelectorAll("figure[id]")].map(figure => {
		const canvas = figure.querySelector("canvas"), svg = figure.querySelector(".still svg");
		const box = figure.querySelector(".live");
		const live = box !== null && getComputedStyle(box).display !== "none"; // not on paper
		let ink = 0;
		if (live) {
			const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
			const text = parseInt(getComputedStyle(document.documentElement).getPropertyValue("--ink-text").trim().slice(1), 16);
			for (let i = 0; i < data.length; i += 4) {
				const r = data[i], g = data[i + 1], b = data[i + 2], a = data[i + 3];
				ink += a > 40 && (Math.max(r, g, b) - Math.min(r, g, b) > 40 || (r << 16 | g << 8 | b) === text);
			}
		} else {
			const lines = [...svg.querySelectorAll("polyline:not(.l-grid), image, rect[width='3'][height='3']")]; // the last are dots
			ink = lines.filter(line => {
				const area = line.getBoundingClientRect();
				return area.width * area.height > 0 || Math.max(area.width, area.height) > 40;
			}).length;
		}
		const shown = (live ? box : svg).getBoundingClientRect();
		const {top, left} = figure.getBoundingClientRect();
		const chart = live && assayCharts.charts.find(one => one.figure === figure).plot;
		const axes = live && ["x", "y"].flatMap(key => [chart.scales[key].min, chart.scales[key].max]);
		return {id: figure.id, live, ink, top, left, axes, width: shown.width, height: shown.height};
	});
}

/* What does not fit: elements that are wider than the window and do not scroll by themselves, words
 * cut off in buttons and heads of tables, and words of pictures that leave them. */
function overflow() {
	const wide = [];
	for (const picture of document.querySelectorAll(".still svg")) {
		const box = picture.getBoundingClientRect();
		for (const word of box.width ? picture.querySelectorAll("text") : []) {
			const at = word.getBoundingClientRect();
			if (at.left < box.left - 1 || at.right > box.right + 1)
				wide.push("picture " + word.textContent);
		}
	}
	if (document.documentElement.scrollWidth > innerWidth + 1)
		wide.push("page " + document.documentElement.scrollWidth);
	for (const one of document.querySelectorAll("button, th, h1, h2, dt"))
		if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
			wide.push(one.tagName + " " + one.textContent);
	return wide;
}

/* A verdict must be seen without scrolling a table sideways. */
function outcomes() {
	const cells = [...document.querySelectorAll("td.pass, td.fail, td.untold")];
	const hidden = cells.filter(cell => cell.getBoundingClientRect().right > innerWidth + 1);
	return {count: cells.length, hidden: hidden.map(cell => cell.textContent)};
}

async function look(job) {
	const context = await browser.newContext({
		viewport: {width: job.width ?? 1100, height: job.height ?? 900},
		colorScheme: job.scheme ?? "light", javaScriptEnabled: job.script ?? true,
	});
	const page = await context.newPage(), errors = [], requests = [];
	page.on("console", message => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
	page.on("pageerror", error => errors.push(String(error)));
	page.on("request", request => /^(file|data|blob):/.test(request.url()) || requests.push(request.url()));
	await page.goto("file://" + job.path);
	const seen = {errors, requests};
	const live = (job.script ?? true) && await page.$("figure script");
	if (live)
		await page.waitForSelector("html[data-charts]");
	if (job.print)
		await page.emulateMedia({media: "print"});
	seen.paint_ms = await page.evaluate(() =>
		performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null);
	seen.charts = await page.evaluate(() => Number(document.documentElement.dataset.charts ?? 0));
	seen.lang = await page.evaluate(() => document.documentElement.lang);
	if (job.click) {
		await page.click(job.click);
		if (live)
			await page.evaluate(() => assayCharts.settled());
	}
	if (job.hover) {
		const over = await page.$(`#${job.hover.figure} .u-over`);
		await over.scrollIntoViewIfNeeded();
		const box = await over.boundingBox();
		for (const nudge of [3, 0]) {
			await page.mouse.move(box.x + box.width * job.hover.at + nudge, box.y + box.height * (job.hover.down ?? 1 / 3));
			await page.waitForTimeout(60);
		}
		seen.tips = await page.evaluate(() => [...document.querySelectorAll(".tip")].filter(tip => !tip.hidden)
			.map(tip => ({figure: tip.closest("figure").id, x: Number(tip.dataset.x), text: tip.innerText,
				lines: [...tip.querySelectorAll("[data-line]")].map(row => ({...row.dataset}))})));
	}
	if (job.zoom)
		[seen.zoom_ms, seen.zoom_all_ms] = await page.evaluate(async ([from, to]) => {
			/* The second frame begins when what the first has painted is shown. */
			const frame = () => new Promise(done => requestAnimationFrame(done));
			const shown = async () => { await frame(); await frame(); };
			const inView = [], all = [];
			document.querySelector("figure[id]").scrollIntoView();
			for (let i = 0; i < 7; i++) { // the best: others use this machine too
				assayCharts.reset();
				await assayCharts.settled();
				await shown();
				const begin = performance.now();
				assayCharts.zoom(from, to);
				await shown();
				inView.push(performance.now() - begin);
				await assayCharts.settled();
				await shown();
				all.push(performance.now() - begin);
			}
			return [Math.min(...inView), Math.min(...all)];
		}, job.zoom);
	if (live)
		await page.evaluate(() => assayCharts.settled());
	if (job.probe) // is there ink of a line where a value belongs?
		seen.probe = await page.evaluate(({figure, x, y}) => {
			const {plot} = assayCharts.charts.find(chart => chart.figure.id === figure);
			const at = [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)].map(Math.round);
			const copy = new OffscreenCanvas(3, 3).getContext("2d");
			copy.drawImage(plot.ctx.canvas, 1 - at[0], 1 - at[1]);
			const {data} = copy.getImageData(0, 0, 3, 3);
			return data.some((v, i) => i % 4 === 3 && v > 40 && Math.max(...data.subarray(i - 3, i)) - Math.min(...data.subarray(i - 3, i)) > 40);
		}, job.probe);
	seen.ranges = live ? await page.evaluate(() => assayCharts.charts.filter(chart => chart.timed)
		.map(chart => [chart.plot.scales.x.min, chart.plot.scales.x.max, chart.tiles[chart.tile].join])) : [];
	seen.figures = await page.evaluate(figures);
	seen.overflow = await page.evaluate(overflow);
	seen.outcomes = await page.evaluate(outcomes);
	seen.fits = {};
	for (const width of job.widths ?? []) {
		await page.setViewportSize({width, height: job.height ?? 900});
		seen.fits[width] = await page.evaluate(overflow);
	}
	if (job.paper) { // A4 without its margins
		await page.setViewportSize({width: 700, height: 1000});
		await page.emulateMedia({media: "print"});
		seen.fits.paper = await page.evaluate(overflow);
	}
	if (job.keys) {
		seen.focus = [];
		for (let i = 0; i < job.keys; i++) {
			await page.keyboard.press("Tab");
			seen.focus.push(await page.evaluate(() => document.activeElement.className || document.activeElement.tagName));
		}
	}
	if (job.screenshot)
		await page.screenshot({path: job.screenshot, fullPage: job.full ?? true});
	await context.close();
	return seen;
}

const answers = [];
for (const job of work.pages)
	answers.push(await look(job));
await browser.close();
console.log(JSON.stringify(answers));
