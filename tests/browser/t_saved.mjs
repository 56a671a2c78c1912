// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_saved.mjs - what `sonde export` draws, held against what the page draws: names, colours, times.
 *
 * The page and the program paint on their own (web/draw_gl.js, src/view/picture/boxes.c), from tables of their own
 * (colours.js and lanes.js, palette.c and lanewords.c). Here both are opened and asked for the same things.
 *
 * covers: B02 K09
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { same, ok } from './lib.mjs';

const { SONDE, GOLDEN, SHOTS, WORK } = process.env;
const FROM = 139e6, TO = 145e6, SOME = 'cpu:0:0,cpu:0:1,irq:0:1,softirq:0:1,task:0:127,task:0:15,sys:0:127,field:0:sched/sched_stat_runtime:runtime,event:0:sched/sched_waking';

function save(kind, trace, ...options) {
	const file = path.join(WORK, `saved.${kind}`);
	execFileSync(SONDE, ['export', `--${kind}`, path.join(GOLDEN, `${trace}.dat`), '-o', file, ...options]);
	return `file://${file}`;
}

/* A saved file in a page of its own, which may ask for nothing. */
async function open(t, url, scheme) {
	const context = await t.lab.browser.newContext({ viewport: { width: 1400, height: 900 }, colorScheme: scheme, offline: true });
	const page = await context.newPage(), asked = [];
	page.on('request', (r) => r.url() !== url && asked.push(r.url()));
	page.on('pageerror', (error) => t.said.push(error.stack));
	page.on('console', (m) => ['error', 'warning'].includes(m.type()) && t.said.push(m.text()));
	await page.goto(url);
	return { page, asked, close: () => context.close() };
}

/* Names of lanes and heads from top to bottom, as text. */
function saved_names(page) {
	return page.evaluate(() => [...document.querySelectorAll('svg > text.name, svg > text.head')].map((e) => e.textContent));
}

function shown_names(t) {
	return t.page.evaluate(() => {
		const a = window.sonde;
		return a.lanes.rows.map((row) => (row.lane ? a.lanes.name(row.lane).filter(Boolean).join(' ') : row.title));
	});
}

/* Colours of the classes that a saved picture uses: {t12: [r, g, b]}. */
function saved_colours(page) {
	return page.evaluate(() => {
		const out = {};
		for (const e of document.querySelectorAll('.plot rect[class], .plot path[class]'))
			out[e.classList[0]] = getComputedStyle(e).fill.match(/\d+/g).slice(0, 3).map(Number);
		return out;
	});
}

function near(a, b) {
	return a && b && a.every((v, i) => Math.abs(v - b[i]) <= 1);
}

export const saved = [
	...['light', 'dark'].map((scheme) => ({
		name: `a saved page has the names and colours of the page, ${scheme}`, scheme, hash: `#v=${FROM},${TO}&l=${SOME}`,
		async run(t) {
			const url = save('html', 'events-v7-zstd', '--from', '+139ms', '--to', '+145ms', '--width', '1150', '--lanes', SOME);
			const alone = await open(t, url, scheme);
			same(await alone.page.evaluate(() => document.documentElement.dataset.theme), scheme, 'theme');
			same(await saved_names(alone.page), await shown_names(t), 'names');
			const got = await saved_colours(alone.page);
			const wanted = await t.page.evaluate(() => {
				const a = window.sonde, rgb = (row, i) => a.colours.rgb(row, i), out = { tasks: [], states: [], spans: [] };
				for (const task of a.tasks)
					out.tasks.push(task && task.pid ? a.colours.task_rgb(task.comm, task.pid) : null);
				for (let i = 0; i < 9; i++)
					out.states.push(rgb(256, i));
				for (let i = 0; i < 64; i++)
					out.spans.push(rgb(257, i));
				out.things = { tick: rgb(258, 0), missed: rgb(258, 2), counter: rgb(258, 3) };
				return out;
			});
			let spans = 0;
			for (const [name, rgb] of Object.entries(got)) {
				const kind = name[0], n = Number(name.slice(1));
				if (wanted.things[name])
					ok(near(rgb, wanted.things[name]), `${name}: ${rgb}, the page has ${wanted.things[name]}`);
				else if (kind === 's')
					ok(near(rgb, wanted.states[n]), `state ${n}: ${rgb}, the page has ${wanted.states[n]}`);
				else if (kind === 'l')
					ok(near(rgb, wanted.spans[n]) && ++spans, `label ${n}: ${rgb}, the page has ${wanted.spans[n]}`);
				else
					ok(wanted.tasks.some((w) => w && near(rgb, w)), `no task of the page has ${rgb}`);
			}
			ok(spans > 3 && got.tick && got.counter && got.s1, `too few colours: ${Object.keys(got)}`);
			await this.pixels(t, alone.page, TO - FROM);
			await alone.page.screenshot({ path: `${SHOTS}/saved-${scheme}.png` });
			await t.shot(`saved-beside-${scheme}`);
			same(alone.asked, [], 'requests');
			await alone.close();
		},
		/* The same moments of the same tracks have the same colour on both screens. */
		async pixels(t, page, span) {
			const place = await page.evaluate(() => {
				const plot = document.querySelector('.plot').getBoundingClientRect(), lanes = {};
				for (const g of document.querySelectorAll('.plot g[data-lane]'))
					lanes[g.dataset.lane] = g.getBoundingClientRect().bottom;
				return { left: plot.left, width: plot.width, lanes };
			});
			const image = (await page.screenshot()).toString('base64');
			const runs = [...t.oracle.ran(0), ...t.oracle.ran(1)].filter((s) => s.start > FROM && s.end < TO && s.end - s.start > 5e4);
			ok(runs.length > 5, 'runs in the range');
			const at = runs.map((s) => ({ lane: `cpu:0:${s.cpu}`, t: s.start + (s.end - s.start) * .25 }));
			const points = at.map((p) => [place.left + (p.t - FROM) / span * place.width, place.lanes[p.lane] - 4]);
			const theirs = await t.page.evaluate(async ([data, list]) => {	/* the saved page's policy lets no picture in */
				const bitmap = new Image(), canvas = document.createElement('canvas'), ctx = canvas.getContext('2d', { willReadFrequently: true });
				bitmap.src = `data:image/png;base64,${data}`;
				await bitmap.decode();
				canvas.width = bitmap.width;
				canvas.height = bitmap.height;
				ctx.drawImage(bitmap, 0, 0);
				return list.map(([x, y]) => [...ctx.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3));
			}, [image, points]);
			for (const [i, p] of at.entries()) {
				const [mine] = await t.pixels(p.lane, p.t, p.t + 1, .8);
				ok(near(mine, theirs[i]), `${p.lane} at ${p.t}: ${theirs[i]}, the page has ${mine}`);
			}
		},
	})),
	{
		name: 'a saved page zooms, moves, and keeps its texts in shape',
		async run(t) {
			const alone = await open(t, save('html', 'events-v7-zstd', '--from', '+139ms', '--to', '+145ms'), 'light'), { page } = alone;
			const view = () => page.evaluate(() => document.querySelector('.plot').getAttribute('viewBox').split(' ').map(Number));
			const named = () => page.evaluate(() => [...document.querySelectorAll('.plot text.in')].filter((e) => e.textContent).length);
			const before = await view(), few = await named();
			const box = await page.evaluate(() => {
				const r = document.querySelector('.plot').getBoundingClientRect();
				return { x: r.left + r.width * .3, y: r.top + 100 };
			});
			await page.mouse.move(box.x, box.y);
			for (let i = 0; i < 6; i++) {
				const { width } = await page.evaluate(() => ({ width: document.querySelector('.plot').viewBox.baseVal.width }));
				await page.mouse.wheel(0, -100);
				await page.waitForFunction((w) => document.querySelector('.plot').viewBox.baseVal.width < w, width, { timeout: 30000 });
			}
			const after = await view();
			ok(Math.abs((after[0] + after[2] * .3) - (before[0] + before[2] * .3)) < 2, `the place under the pointer stays: ${before} ${after}`);
			ok(await named() > 0 && few > 0, 'names');
			const shape = await page.evaluate(() => [...document.querySelectorAll('.plot text')].filter((e) => e.textContent)
				.map((e) => e.getBoundingClientRect()).filter((r) => r.width).map((r) => r.height));
			ok(shape.every((h) => h < 20), `texts are ${Math.max(...shape)} high`);
			const labels = await page.evaluate(() => [...document.querySelectorAll('.ticks text')].map((e) => e.textContent));
			ok(labels.length >= 4 && labels.every((text) => /^[\d.]+ (ns|µs|ms|s)$/.test(text)), `times on the axis: ${labels}`);
			await page.screenshot({ path: `${SHOTS}/saved-zoomed.png` });
			await page.keyboard.press('Tab');
			await page.focus('#pic');
			await page.keyboard.press('0');
			same((await view()).slice(0, 3), before.slice(0, 3), 'all of it again');
			await alone.close();
		},
	},
	{
		name: 'a saved picture: nothing is cut off, times are true',
		async run(t) {
			const lanes = 'cpu:0:0,task:0:127,pair:0:irq/irq_handler_entry:irq/irq_handler_exit:cpu,field:0:sched/sched_stat_runtime:runtime';
			const alone = await open(t, save('svg', 'events-v7-zstd', '--from', '+139ms', '--to', '+145ms', '--width', '900', '--lanes', lanes), 'light');
			const { page } = alone;
			const out = await page.evaluate(() => {
				const whole = document.documentElement.getBoundingClientRect(), names = Number(document.documentElement.dataset.names);
				const all = [...document.querySelectorAll('text')].filter((e) => e.textContent).map((e) => [e.textContent, e.getBoundingClientRect(), e.getAttribute('class')]);
				return all.map(([text, r, cls]) => [text, cls, r.left, r.right, r.top, r.bottom, whole.width, whole.height, names]);
			});
			for (const [text, cls, left, right, top, bottom, width, height, names] of out) {
				ok(left >= 0 && right <= width + .5 && top >= 0 && bottom <= height + .5, `${text} is cut off`);
				if (cls === 'name')
					ok(right <= names, `${text} reaches into the lanes: ${right} > ${names}`);
			}
			const slice = t.oracle.ran(0).find((s) => s.known && s.start > FROM && s.end < TO && s.end - s.start > 1e5);
			const drawn = await page.evaluate(() => [...document.querySelectorAll('g[data-lane="cpu:0:0"] rect')]
				.map((e) => [Number(e.getAttribute('x')), Number(e.getAttribute('x')) + Number(e.getAttribute('width')), e.textContent]));
			const x = (time) => (time - FROM) / (TO - FROM) * 900;
			const found = drawn.find(([a, b]) => Math.abs(a - x(slice.start)) < 1.6 && Math.abs(b - x(slice.end)) < .6);
			ok(found, `no box at ${x(slice.start)} … ${x(slice.end)}: ${JSON.stringify(drawn.slice(0, 5))}`);
			ok(found[2].includes(`${(slice.end - slice.start) / 1000} µs`), `its length is ${slice.end - slice.start} ns: ${found[2]}`);
			const line = await page.evaluate(() => [...document.querySelectorAll('g[data-lane^="field:"] rect:not([fill-opacity])')]
				.reduce((sum, e) => sum + Number(e.getAttribute('width')), 0));
			ok(Math.abs(line - 900) < 20, `the line of a number is ${line} of 900 long, though a value lasts until the next`);
			const ticks = await page.evaluate(() => [...document.querySelectorAll('.ticks text')].map((e) => [e.textContent, Number(e.previousElementSibling.getAttribute('x1'))]));
			ok(ticks.length >= 5, `${ticks.length} times`);
			for (const [text, at] of ticks)
				ok(Math.abs(x(parseFloat(text) * 1e6) - at) < .1, `${text} is at ${at}`);
			await page.screenshot({ path: `${SHOTS}/saved-svg.png` });
			await alone.close();
		},
	},
	{
		name: 'the table of tasks in a saved page is that of the page',
		async run(t) {
			const alone = await open(t, save('html', 'events-v7-zstd', '--from', '+3000ms', '--to', '+3400ms'), 'light');
			const [titles, ...saved] = await alone.page.evaluate(() => [...document.querySelectorAll('#tasks tr')]
				.map((tr) => [...tr.children].map((td) => td.textContent)));
			await t.page.evaluate(() => window.sonde.set_range(3e9, 3.4e9));
			await t.panel('tasks');
			await t.page.waitForSelector('#panel-tasks table', { timeout: 90000 });
			const rows = await t.rows('#panel-tasks table'), wanted = Object.keys(rows[0]).filter((name) => name !== 'States');
			same(titles.map((name) => name.replace(' µs', '').toLowerCase()), wanted.map((name) => name.toLowerCase()), 'columns');
			const answer = await t.page.evaluate(async () => (await fetch('api/stats?what=tasks&from=3000000000&to=3400000000')).json());
			const sleep = await t.task(131), mine = answer.tasks.find((x) => x.task === sleep);
			const row = saved.find((line) => line[0] === 'sleep-131');
			for (const [name, n] of [['running', 1], ['runnable', 2], ['preempted', 3], ['blocked', 5], ['sleeping', 4]])
				same(Number(row[titles.indexOf(`${name} µs`)]), mine.states[n] / 1000, `sleep 131, ${name}`);
			same(Number(row[titles.indexOf('preemptions')]), mine.preemptions, 'preemptions');
			await alone.close();
		},
	},
];
