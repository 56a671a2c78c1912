// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_picture.mjs - links, painters, themes, saving, first paint, safety of the page.
 *
 * covers: B02 K02 K09
 */
import fs from 'node:fs';
import { same, ok } from './lib.mjs';

export const picture = [
	{
		name: 'a link shows the same picture',
		async run(t) {
			await t.add('event:0:sched/sched_waking');
			await t.go(5e8, 6e8);
			await t.page.evaluate(() => {
				const a = window.sonde;
				a.lanes.toggle('task:0:126', 'pinned');
				a.lanes.fold('0/Interrupts');
				a.marks.set(5.2e8);
				a.marks.set(5.5e8);
				a.set_range(5.1e8, 5.3e8);
				a.panels.show('marks');
			});
			const slice = t.oracle.ran(0).find((s) => s.start > 5.2e8 && s.end - s.start > 1e5);
			await t.click('cpu:0:0', (slice.start + slice.end) / 2);
			await t.page.waitForFunction(() => location.hash.includes('&s='), null, { timeout: 90000 });
			const link = await t.page.evaluate(() => location.href);
			const state = (page) => page.evaluate(() => {
				const a = window.sonde;
				return [Math.round(a.view.from), Math.round(a.view.to), a.lanes.text(), [...a.lanes.closed], a.marks.text(), a.range,
					a.selection && [a.selection.lane, a.selection.start], a.panels.current];
			});
			const other = await t.context.newPage();
			await other.goto(link);
			await other.waitForFunction(() => window.sonde?.ready && window.sonde.selection, null, { timeout: 90000 });
			same(await state(other), await state(t.page), 'state');
			await other.close();
			await t.shot('link');
		},
	},
	{
		name: 'both painters draw the same',
		async run(t) {
			same(await t.page.evaluate(() => window.sonde.stage.painter.name), 'Canvas', 'painter where WebGL is emulated');
			await t.page.evaluate(() => window.sonde.add_busy_tasks());
			for (const [from, to] of [[139e6, 145e6], [0, 2e9]]) {
				await t.go(from, to);
				await t.settle();
				/* the same scene with the other painter; alpha 0 … 255, colours multiplied with it */
				const [drawn, differ] = await t.page.evaluate(async () => {
					const { stage, colours } = window.sonde, { GlPainter } = await import('./draw_gl.js');
					const scene = stage.scene(), other = new GlPainter(document.createElement('canvas'), true);
					const read = (canvas) => {
						const copy = new OffscreenCanvas(scene.width, scene.height).getContext('2d');
						copy.drawImage(canvas, 0, 0);
						return copy.getImageData(0, 0, scene.width, scene.height).data;
					};
					stage.painter.draw(scene, colours);
					other.draw(scene, colours);
					const one = read(stage.painter.canvas), two = read(other.canvas);
					const far = (i, k) => Math.abs(one[i + k] * (k < 3 ? one[i + 3] / 255 : 1) - two[i + k] * (k < 3 ? two[i + 3] / 255 : 1)) > 6;
					let n = 0, n_differ = 0;
					for (let i = 0; i < one.length; i += 4) {
						n += two[i + 3] > 0;
						n_differ += far(i, 0) || far(i, 1) || far(i, 2) || far(i, 3);
					}
					return [n, n_differ];
				});
				ok(drawn > 5000, `${drawn} pixels are drawn`);
				ok(differ * 200 < drawn, `${differ} of ${drawn} pixels differ from ${from} to ${to}`);
			}
			await t.shot('canvas');
		},
	},
	{
		name: 'one draw call, and no upload while moving',
		async run(t) {
			await t.page.goto(`${t.viewer.url}?painter=gl`);
			await t.page.waitForFunction(() => window.sonde?.ready, null, { timeout: 90000 });
			await t.go(1e9, 1.5e9);
			const calls = await t.page.evaluate(async () => {
				const a = window.sonde, { gl } = a.stage.painter, before = a.stage.painter.uploads;
				let n = 0, frames = 0;
				const draw = gl.drawArraysInstanced.bind(gl);
				gl.drawArraysInstanced = (...args) => {
					n++;
					draw(...args);
				};
				for (let i = 0; i < 20; i++) {
					a.view.pan(2);
					await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
					frames++;
				}
				gl.drawArraysInstanced = draw;
				return { n, frames, uploads: a.stage.painter.uploads - before };
			});
			ok(calls.n <= calls.frames * 2 + 4 && calls.n >= calls.frames - 2, `${calls.n} draw calls in ${calls.frames} moves`);
			ok(calls.uploads <= 2, `${calls.uploads} uploads`);
		},
	},
	{
		name: 'dark', scheme: 'dark',
		async run(t) {
			same(await t.page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'theme');
			await t.go(139e6, 145e6);
			await t.shot('dark');
			await t.page.click('#do-theme');
			same(await t.page.evaluate(() => document.documentElement.dataset.theme), 'light', 'theme after the button');
		},
	},
	{
		name: 'pictures and files to keep',
		async run(t) {
			await t.go(139e6, 145e6);
			const save = async (act) => {
				const [download] = await Promise.all([t.page.waitForEvent('download', { timeout: 90000 }), act()]);
				return fs.readFileSync(await download.path());
			};
			const png = await save(() => t.page.evaluate(() => window.sonde.save.png()));
			same(png.subarray(1, 4).toString(), 'PNG', 'kind of file');
			ok(png.length > 5000, 'the picture is empty');
			fs.writeFileSync(`${process.env.SHOTS}/saved.png`, png);
			const svg = (await save(() => t.page.evaluate(() => window.sonde.save.file('svg')))).toString();
			ok(svg.includes('<svg') && svg.includes('</svg>'), 'an SVG');
			const html = (await save(() => t.page.evaluate(() => window.sonde.save.file('html')))).toString();
			ok(/<html/i.test(html) && !/src="http/.test(html), 'a page that needs nothing else');
			fs.writeFileSync(`${process.env.SHOTS}/saved.svg`, svg);
			fs.writeFileSync(`${process.env.SHOTS}/saved.html`, html);
		},
	},
	{
		name: 'saved page opens alone',
		async run(t) {
			await t.go(139e6, 145e6);
			const html = await t.page.evaluate(async () => (await fetch(window.sonde.save.address('html'))).text());
			const alone = await t.context.newPage();
			const asked = [];
			alone.on('request', (r) => !/^(data|blob|about)/.test(r.url()) && asked.push(r.url()));
			await alone.setContent(html);
			await alone.waitForTimeout(500);
			same(asked, [], 'requests');
			ok((await alone.textContent('body')).includes('CPU 0'), 'tracks are named');
			await alone.screenshot({ path: `${process.env.SHOTS}/saved-page.png` });
			await alone.close();
		},
	},
	{
		name: 'nothing from elsewhere, nothing inline',
		async run(t) {
			const asked = [];
			const page = await t.context.newPage();
			page.on('request', (r) => asked.push(r.url()));
			await page.goto(t.viewer.url);
			await page.waitForFunction(() => window.sonde?.ready, null, { timeout: 90000 });
			const foreign = asked.filter((url) => !url.startsWith(t.viewer.url) && !/^(data|blob):/.test(url));
			same(foreign, [], 'requests to elsewhere');
			const html = await page.content();
			ok(!/<script(?![^>]*src=)/.test(html) && !/ on\w+="/.test(html), 'no script in the page itself');
			await page.close();
		},
	},
	{
		name: 'first paint comes before the index',
		async run(t) {
			const page = await t.context.newPage();
			await page.route('**/api/tiles', (route) => route.abort());
			await page.goto(t.viewer.url);
			await page.waitForFunction(() => window.sonde?.ready && window.sonde.stage.density.size > 0, null, { timeout: 90000 });
			/* lanes show how much was recorded */
			await page.waitForFunction(() => window.sonde.stage.last.pieces.some((p) => p.tile.kind === 6), null, { timeout: 90000 });
			await page.screenshot({ path: `${process.env.SHOTS}/density.png` });
			await page.close();
		},
	},
	{
		name: 'other sizes, and on paper',
		async run(t) {
			await t.page.setViewportSize({ width: 900, height: 600 });
			await t.settle();
			await t.shot('small');
			ok(await t.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it fits');
			for (const [width, height, lanes] of [[1000, 700, 11], [1400, 900, 16]]) {
				await t.page.setViewportSize({ width, height });
				await t.page.keyboard.press('3');
				await t.settle();
				const facts = await t.page.evaluate(() => {
					const rect = (q) => document.querySelector(q).getBoundingClientRect(), stage = rect('#stage');
					return { file: rect('#file').width, close: rect('#tabs > .small').right, scope: rect('#scope').right, help: rect('#do-help').right,
						lanes: [...document.querySelectorAll('#tree .lane, #tree .head')].filter((l) => l.getBoundingClientRect().bottom <= stage.bottom + 1).length };
				});
				ok(facts.file >= 100, `${facts.file} pixels for the name of the trace`);
				ok(facts.close <= width && facts.scope <= width && facts.help <= width, `out of the window: ${JSON.stringify(facts)}`);
				ok(facts.lanes >= lanes, `${facts.lanes} tracks are seen at ${width} × ${height}`);
				await t.shot(`size-${width}`);
			}
			for (let i = 0; i < 3; i++)
				ok((await t.page.pdf()).length > 20000, 'something is printed');
			await t.page.emulateMedia({ media: 'print' });
			await t.shot('print');
		},
	},
	...['2d', 'gl'].map((painter) => ({
		name: `a task that hardly ran looks so, ${painter}`, query: `?painter=${painter}`,
		async run(t) {
			const { end } = t.oracle;
			await t.add('task:0:15');		/* 1.5 % running, in pieces shorter than a pixel */
			await t.go(0, end);
			const full = async (spec, from, to) => {
				const column = await t.pixels(spec, from, to, .4);
				return column.filter((c) => c.some((v) => v < 200)).length / column.length;
			};
			ok(await full('task:0:15', 0, end) < .03, `columns of rcu_preempt that are half full: ${await full('task:0:15', 0, end)}`);
			ok(await full('task:0:127', .4e9, 2.8e9) > .3, 'columns of ls that are half full');
			await t.shot(`hardly-${painter}`);
		},
	})),
	{
		name: 'numbers follow the filter and the view',
		async run(t) {
			await t.page.evaluate(() => window.sonde.filters.set({ tasks: ['0:15'], kinds: ['sched/sched_waking'] }));
			await t.panel('tasks');
			same(await t.page.locator('#panel-tasks tbody tr').count(), 1, 'tasks that the filter leaves');
			await t.panel('counts');
			ok(/of 1 kind(?!s)/.test(await t.page.textContent('#panel-counts .panel-head')), 'one kind');
			await t.panel('wakeups');
			ok((await t.page.textContent('#panel-wakeups .panel-head')).includes('rcu_preempt 15'), 'wakeups of the task');
			const html = await t.page.evaluate(async () => (await fetch(window.sonde.save.address('html'))).text());
			ok(html.includes('pass the filter') && html.includes('sched_waking') && !html.includes('"softirq_raise","'), 'a saved page has the events that pass');
			await t.page.evaluate(() => {
				location.hash = '#v=28000000,29000000';
			});
			await t.page.waitForFunction(() => window.sonde.view.span === 1e6 && !window.sonde.filters.on, null, { timeout: 90000 });
			await t.settle();
			same((await t.page.textContent('#where')).replace(/\s/g, ' '), '1 ms in sight', 'the status line');
			same(await t.page.textContent('#ruler-label span'), '0.028\u202fs +', 'the base of the ruler');
		},
	},
	{
		name: 'right click on rows and on names of tracks',
		async run(t) {
			await t.page.waitForFunction(() => document.querySelectorAll('#panel-events tbody tr[data-ref]').length > 5, null, { timeout: 90000 });
			await t.page.click('#panel-events tbody tr:nth-child(3)', { button: 'right' });
			const event = t.oracle.events[2];
			await t.page.click(`#menu button:text-is("Only events ${event.event}")`);
			await t.page.waitForFunction(() => window.sonde.filters.on, null, { timeout: 90000 });
			same(await t.page.evaluate(() => window.sonde.filters.count), t.oracle.of(event.event).length, 'events of the row');
			await t.page.evaluate(() => window.sonde.filters.set({}));
			await t.page.click('#tree .lane[data-id="cpu:0:1"]', { button: 'right' });
			await t.page.click('#menu button:text-is("Only events of CPU 1")');
			await t.page.waitForFunction(() => window.sonde.filters.on, null, { timeout: 90000 });
			same(await t.page.evaluate(() => window.sonde.filters.count), t.oracle.events.filter((e) => e.cpu === 1).length, 'events of the track');
		},
	},
	...['all-events', 'clock-tsc', 'events-v6', 'follow', 'function-all', 'instances-mono', 'probes', 'profile'].map((trace) => ({
		name: `opens ${trace}`, trace,
		async run(t) {
			const events = await t.page.evaluate(() => window.sonde.info.events);
			same(events, t.oracle.events.length, 'number of events');
			same(await t.page.evaluate(() => window.sonde.info.origin), String(t.oracle.origin), 'first time');
			await t.page.waitForFunction(() => window.sonde.panels.list.total > 0, null, { timeout: 90000 });
			same(await t.page.evaluate(() => window.sonde.panels.list.total), events, 'rows');
			await t.shot(`trace-${trace}`);
		},
	})),
];
