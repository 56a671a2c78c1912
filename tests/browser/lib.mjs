// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib.mjs - viewers, pages, and what tests do with them.
 *
 *	Lab         the browser, and one `sonde view` for each trace
 *	Visit (t)   a page of a test: t.page (Playwright), t.oracle, and helpers in the user's terms: where a
 *	            moment of a track is on the screen, click there, read what the details say
 *
 * Pages are asked through the DOM where the DOM shows it; what only canvases show is read from the page's
 * model (window.sonde) and from the pixels of its own picture.
 */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Oracle } from './oracle.mjs';

const { SONDE, GOLDEN, CHROMIUM, WORK, SHOTS } = process.env;
const { chromium } = createRequire(path.join(WORK, 'package.json'))('playwright-core');
const FLAGS = ['--disable-gpu', '--enable-unsafe-swiftshader'];	/* no graphics card; WebGL is emulated for who asks */

const PATIENCE_MS = 180000;	/* on a busy machine */

export class Complaint extends Error {}
export class Skip extends Error {}

export function same(got, wanted, what) {
	if (JSON.stringify(got) !== JSON.stringify(wanted))
		throw new Complaint(`${what}: is ${JSON.stringify(got)}, should be ${JSON.stringify(wanted)}`);
}

export function ok(truth, what) {
	if (!truth)
		throw new Complaint(what);
}

/* "154 097 ns" with any kind of gap → 154097 */
export function digits(text) {
	return Number(text.replace(/[^\d.]/g, ''));
}

class Viewer {
	constructor(files, live) {
		this.words = live ? ['--live', ...live] : [...files, '--no-cache'];
	}

	start() {
		this.child = spawn(SONDE, ['view', '--no-browser', '--port', '0', ...this.words], { stdio: ['ignore', 'pipe', 'pipe'] });
		return new Promise((done, refuse) => {
			let text = '';
			const timer = setTimeout(() => refuse(new Error(`sonde view says no address: ${text}`)), 120000);
			const read = (data) => {
				text += data;
				const found = text.match(/http:\/\/[\w.[\]:]+\/[\w-]+\//);
				if (!found)
					return;
				clearTimeout(timer);
				this.url = found[0];
				done(this);
			};
			this.child.stdout.on('data', read);
			this.child.stderr.on('data', read);
			this.child.on('exit', (code) => refuse(new Error(`sonde view ended (${code}): ${text}`)));
		});
	}

	stop() {
		this.child?.kill('SIGINT');
	}
}

function golden(trace) {
	return trace.split(' ').map((name) => path.join(GOLDEN, `${name}.dat`));
}

export class Lab {
	constructor() {
		this.viewers = new Map();
		this.oracles = new Map();
		this.recorded = new Set();
	}

	async start() {
		const args = process.getuid() === 0 ? [...FLAGS, '--no-sandbox'] : FLAGS;
		this.browser = await chromium.launch({ executablePath: CHROMIUM, args });
	}

	/* The viewer of files; started when first asked for. */
	serve(...files) {
		const key = files.join(' ');
		if (!this.viewers.has(key))
			this.viewers.set(key, new Viewer(files).start());
		return this.viewers.get(key);
	}

	/* trace: the name of a golden trace, or of several, "host guest" */
	viewer(trace) {
		return this.serve(...golden(trace));
	}

	oracle(trace) {
		if (!this.oracles.has(trace))
			this.oracles.set(trace, new Oracle(SONDE, golden(trace)));
		return this.oracles.get(trace);
	}

	/* A viewer that records, for tests that have live: [options]. */
	async record(options) {
		const viewer = new Viewer([], options), key = `live ${this.viewers.size} ${options.join(' ')}`;	/* two may record the same: both are stopped */
		const started = viewer.start().catch((error) => {
			throw new Skip(`nothing can be recorded here: ${error.message.split('\n').slice(-2).join(' ').slice(0, 120)}`);
		});
		this.viewers.set(key, started);
		return started;
	}

	/* The program calling.c, built when first asked for. */
	static program() {
		const file = path.join(WORK, 'calling');
		if (!Lab.is_built)
			try {
				execFileSync('gcc', ['-g', '-O1', '-pthread', '-o', file, new URL('calling.c', import.meta.url).pathname]);
			} catch (error) {
				throw new Skip(`calling.c cannot be built: ${error.message.slice(0, 120)}`);
			}
		Lab.is_built = true;
		return file;
	}

	/* The viewer of a recording of calling.c, for tests that have calls: [options]. */
	calls(options) {
		const file = path.join(WORK, `calls${options.join('')}.dat`), key = `calls ${file}`;
		if (!this.recorded.has(key)) {
			execFileSync(SONDE, ['record', '-q', '-u', ...options, '-o', file, '--', Lab.program()]);
			this.recorded.add(key);
		}
		return this.serve(file);
	}

	/* A trace made larger, for what only large ones have. */
	grown(trace, megabytes) {
		const file = path.join(WORK, `${trace}-${megabytes}.dat`);
		if (!fs.existsSync(file))
			execFileSync(new URL('../bench/grow', import.meta.url).pathname, [path.join(GOLDEN, `${trace}.dat`), file, String(megabytes)]);
		return this.serve(file);
	}

	async open(test) {
		const live = typeof test.live === 'function' ? test.live(Lab.program()) : test.live;
		const viewer = await (test.grown ? this.grown(...test.grown) : test.calls ? this.calls(test.calls) : live ? this.record(live) : this.viewer(test.trace || 'events-v7-zstd'));
		const visit = new Visit(this, viewer, test);
		await visit.open(test.hash || '', test.query || '');
		return visit;
	}

	async stop() {
		await this.browser?.close();
		for (const viewer of this.viewers.values())
			(await viewer.catch(() => null))?.stop();
	}
}

export class Visit {
	constructor(lab, viewer, test) {
		this.lab = lab;
		this.viewer = viewer;
		this.test = test;
		this.said = [];
	}

	get oracle() {
		return this.lab.oracle(this.test.trace || 'events-v7-zstd');
	}

	async open(hash, query) {
		this.context = await this.lab.browser.newContext({
			viewport: { width: 1400, height: 900 }, acceptDownloads: true, reducedMotion: 'reduce',
			colorScheme: this.test.scheme || 'light',
		});
		this.context.setDefaultTimeout(PATIENCE_MS);
		this.context.setDefaultNavigationTimeout(PATIENCE_MS);
		this.page = await this.context.newPage();
		this.page.on('console', (m) => ['error', 'warning'].includes(m.type()) &&
			!/GPU stall|GL Driver|Failed to load resource/.test(m.text()) && this.said.push(m.text()));
		this.page.on('response', async (r) => r.status() >= 400 &&
			this.said.push(`${r.status()} ${r.url()} ${await r.text().catch(() => '')}`));
		this.page.on('pageerror', (error) => this.said.push(error.stack));
		await this.page.goto(this.viewer.url + query + hash);
		await this.page.waitForFunction(() => window.sonde && window.sonde.ready && window.sonde.info.progress >= 1, null, { timeout: 180000 });
		if (!this.test.live)	/* what grows is never quite there */
			await this.settle();
	}

	async close() {
		await this.context?.close();
	}

	no_complaints() {
		const bad = this.said.filter((line) => !(this.test.expect_console && this.test.expect_console.test(line)));
		if (bad.length)
			throw new Complaint(`the page complains: ${bad.join('\n')}`);
	}

	/* Until everything that is in sight has arrived, and is drawn. */
	async settle() {
		await this.page.waitForFunction(() => {
			const a = window.sonde, busy = a.tiles.busy || a.stage.queued || a.view.glide;
			const missing = [...a.tiles.wanted.values()].some((want) => want[3] === 0);
			return !busy && !missing;
		}, null, { timeout: 180000, polling: 50 });
		await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	}

	async go(from, to) {
		await this.page.evaluate(([a, b]) => window.sonde.view.go(a, b), [from, to]);
		await this.settle();
	}

	async add(spec) {
		await this.page.evaluate((s) => window.sonde.show_lane(s), spec);
		await this.settle();
	}

	/* Shows a moment of a track around [from, to]; where that moment is on the screen. */
	async place(spec, t, row = 0) {
		await this.page.evaluate((s) => window.sonde.stage.scroll_to(s), spec);
		await this.settle();
		return this.page.evaluate(([s, time, depth]) => {
			const a = window.sonde, place = a.stage.place_of(s), lane = a.lanes.find(s);
			const rect = document.getElementById('paint').getBoundingClientRect();
			const inner = a.lanes.inner(lane, place.height);
			const y = lane.kind === 3 ? inner.y + inner.row * (depth + .5) : place.height * .62;
			return { x: rect.left + a.view.x(time), y: rect.top + place.top + y };
		}, [spec, t, row]);
	}

	async click(spec, t, row = 0, options = {}) {
		const at = await this.place(spec, t, row);
		await this.page.evaluate(() => {	/* what was selected before is no answer */
			window.before_click = window.sonde.selection;
		});
		await this.page.mouse.click(at.x, at.y, options);
		await this.page.waitForFunction(() => window.sonde.selection !== null && window.sonde.selection !== window.before_click, null, { timeout: 90000 });
		await this.settle();
	}

	/* The details at the right: {name: text}. */
	details() {
		return this.page.evaluate(() => {
			const out = { title: document.querySelector('#details h3')?.textContent };
			for (const dt of document.querySelectorAll('#details dt'))
				out[dt.textContent] = dt.nextElementSibling.textContent;
			return out;
		});
	}

	spoken() {
		return this.page.textContent('#spoken');
	}

	/* Boxes that are drawn on a track now, in ns: [{start, end, value, weight, row, exact}]. */
	drawn(spec) {
		return this.page.evaluate((s) => {
			const a = window.sonde, out = [];
			for (const p of a.stage.last.pieces) {
				if (p.lane.spec !== s)
					continue;
				const f = new Float32Array(p.tile.data), u = new Uint32Array(p.tile.data), bucket = 2 ** p.level;
				const base = p.number * 1024 * bucket;
				for (let i = 0; i < p.tile.n; i++) {
					const packed = u[i * 4 + 3];
					out.push({ start: base + f[i * 4] * bucket, end: base + f[i * 4 + 1] * bucket, value: u[i * 4 + 2],
						weight: (packed & 65535) / 65535, row: packed >>> 16 & 255, exact: (packed >>> 24 & 1) === 1,
						flags: packed >>> 24, bucket });
				}
			}
			return out;
		}, spec);
	}

	task(pid) {
		return this.page.evaluate((p) => window.sonde.tasks.find((t) => t && t.pid === p)?.n, pid);
	}

	/* Colour of a pixel of the whole picture at a moment of a track; y: share of its height from the top. */
	pixels(spec, t0, t1, y) {
		return this.page.evaluate(([s, from, to, share]) => {
			const a = window.sonde, canvas = a.save.picture(), place = a.stage.place_of(s);
			const left = document.getElementById('labels').offsetWidth, top = document.getElementById('ruler-canvas').clientHeight;
			const x0 = Math.round(left + a.view.x(from)), x1 = Math.max(x0 + 1, Math.round(left + a.view.x(to)));
			const row = Math.round(top + place.top + place.height * share);
			const data = canvas.getContext('2d').getImageData(x0, row, x1 - x0, 1).data, out = [];
			for (let i = 0; i < data.length; i += 4)
				out.push([data[i], data[i + 1], data[i + 2]]);
			return out;
		}, [spec, t0, t1, y]);
	}

	async panel(id) {
		const before = await this.page.evaluate((x) => Number(document.getElementById(`panel-${x}`).dataset.filled || 0), id);
		await this.page.click(`#tab-${id}`);
		if (id !== 'events')
			await this.page.waitForFunction(([x, n]) => Number(document.getElementById(`panel-${x}`).dataset.filled || 0) > n ||
				document.querySelector(`#panel-${x} .empty`), [id, before], { timeout: 90000 });
	}

	/* A panel's table: [{title: text}], with the titles of its columns. */
	rows(selector) {
		return this.page.evaluate((s) => {
			const table = document.querySelector(s), titles = [...table.querySelectorAll('thead th')].map((th) => th.textContent);
			return [...table.querySelectorAll('tbody tr')].map((tr) =>
				Object.fromEntries([...tr.children].map((td, i) => [titles[i], td.textContent])));
		}, selector);
	}

	shot(name) {
		return this.page.screenshot({ path: path.join(SHOTS, `${name.replace(/[^\w-]+/g, '-')}.png`) });
	}
}
