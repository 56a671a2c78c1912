// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_panels.mjs - statistics of a range, flame graphs, and why a task waited.
 *
 * covers: V02 B07
 */
import { same, ok, digits } from './lib.mjs';

const UNITS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

/* "1.234 ms" → 1234000, to three decimals */
function ns(text) {
	const found = text.replace(/[\u202f\s]/g, '').match(/^([\d.]+)(ns|µs|ms|s)$/);
	return found ? Number(found[1]) * UNITS[found[2]] : 0;
}
const close = (a, b, unit) => Math.abs(a - b) <= unit;

async function choose(t, from, to) {
	await t.page.evaluate(([a, b]) => window.sonde.set_range(a, b), [from, to]);
	await t.settle();
}

export const panels = [
	{
		name: 'time by task and state',
		async run(t) {
			const { oracle } = t, from = 2e8, to = 12e8;
			await choose(t, from, to);
			await t.panel('tasks');
			await t.page.waitForSelector('#panel-tasks table', { timeout: 90000 });
			const rows = await t.rows('#panel-tasks table'), row = rows.find((r) => r.Task === 'ls 127');
			const sums = new Array(9).fill(0);
			for (const s of oracle.states(127))
				sums[s.state] += Math.max(0, Math.min(s.end, to) - Math.max(s.start, from));
			for (const [name, state] of [['running', 1], ['runnable', 2], ['preempted', 3], ['blocked', 5]]) {
				const title = Object.keys(row).find((k) => k.startsWith(name));
				ok(close(ns(row[title]), sums[state], 2e3 + sums[state] * 1e-5), `${name}: ${row[title]}, should be ${sums[state]} ns`);
			}
			const text = await t.page.textContent('#panel-tasks .cpus');
			const share = oracle.busy(0, from, to) / (to - from) * 100;
			ok(close(digits(text.match(/CPU 0\s*([\d.]+)/)[1]), share, .1), `CPU 0 ${text}, should be ${share} %`);
			await t.shot('time-by-task');
		},
	},
	{
		name: 'event counts of a range',
		async run(t) {
			const from = 5e8, to = 9e8, counts = new Map();
			for (const e of t.oracle.events)
				if (e.t >= from && e.t <= to)
					counts.set(`${e.system}/${e.event}`, (counts.get(`${e.system}/${e.event}`) || 0) + 1);
			await choose(t, from, to);
			await t.panel('counts');
			await t.page.waitForSelector('#panel-counts table', { timeout: 90000 });
			const rows = await t.rows('#panel-counts table');
			same(rows.length, counts.size, 'kinds of events');
			for (const r of rows)
				same(digits(Object.entries(r).find(([k]) => k.startsWith('Count'))[1]), counts.get(r.Event), r.Event);
			await t.shot('event-counts');
		},
	},
	{
		name: 'wakeup latencies',
		async run(t) {
			const { oracle } = t, from = 2e8, to = 12e8, waits = [];
			const states = oracle.states(127);
			states.forEach((s, i) => {
				if (s.state === 2 && s.waker !== undefined && s.start >= from && s.start <= to && states[i + 1]?.state === 1)
					waits.push(s.end - s.start);
			});
			await choose(t, from, to);
			const slice = oracle.slices(127).find((s) => s.start > from);
			await t.page.evaluate(async ([l, at]) => window.sonde.select(await window.sonde.span(l, at)), ['task:0:127', slice.start + 10]);
			await t.panel('wakeups');
			await t.page.waitForSelector('#panel-wakeups .facts', { timeout: 90000 });
			const facts = await t.page.evaluate(() => Object.fromEntries([...document.querySelectorAll('#panel-wakeups .fact')]
				.map((f) => [f.lastChild.textContent, f.firstChild.textContent])));
			ok(close(ns(facts.longest), Math.max(...waits), 1e3), `longest ${facts.longest}, should be ${Math.max(...waits)} ns`);
			ok(Math.abs(digits(facts.wakeups) - waits.length) <= 2 + waits.length * .01, `${facts.wakeups} wakeups, should be about ${waits.length}`);
			ok(await t.page.locator('#panel-wakeups .histogram .column').count() > 2, 'a histogram');
			await t.shot('wakeups');
		},
	},
	{
		name: 'functions by time', trace: 'fgraph-vfs',
		async run(t) {
			const calls = new Map();
			for (const e of t.oracle.of('funcgraph_entry')) {
				const name = e.info.match(/([\w.]+)\(\)/)?.[1];
				calls.set(name, (calls.get(name) || 0) + 1);
			}
			await choose(t, 0, t.oracle.end);
			await t.panel('functions');
			await t.page.waitForSelector('#panel-functions table', { timeout: 90000 });
			const rows = await t.rows('#panel-functions table');
			for (const name of ['do_sys_openat2', 'vfs_read']) {
				const row = rows.find((r) => r.Function === name);
				ok(row, `${name} is not told`);
				ok(Math.abs(digits(row.Calls) - calls.get(name)) <= 1, `${name}: ${row.Calls} calls, should be ${calls.get(name)}`);
			}
			await t.shot('functions-by-time');
		},
	},
	{
		name: 'flame graph of the range', trace: 'fgraph-vfs',
		async run(t) {
			await choose(t, 0, t.oracle.end);
			await t.panel('flame');
			await t.page.waitForSelector('#panel-flame .frame', { timeout: 90000 });
			const names = await t.page.evaluate(() => [...document.querySelectorAll('#panel-flame .frame')].map((f) => f.getAttribute('aria-label')));
			ok(names.some((n) => n.startsWith('do_sys_openat2')), 'do_sys_openat2 is in it');
			await t.shot('flame');
			await t.page.locator('#panel-flame .frame', { hasText: 'do_sys_openat2' }).first().click();
			const wide = await t.page.evaluate(() => {
				const f = [...document.querySelectorAll('#panel-flame .frame')].find((x) => x.textContent === 'do_sys_openat2');
				return f.offsetWidth / document.querySelector('#panel-flame .flame').clientWidth;
			});
			ok(wide > .98, 'a click makes a frame fill the width');
		},
	},
	{
		name: 'off-CPU flame graph from stacks', trace: 'stacks',
		async run(t) {
			await choose(t, 0, t.oracle.end);
			await t.panel('offcpu');
			await t.page.waitForSelector('#panel-offcpu .frame', { timeout: 90000 });
			const text = await t.page.evaluate(() => [...document.querySelectorAll('#panel-offcpu .frame')].map((f) => f.getAttribute('aria-label')).join('\n'));
			ok(/schedule/.test(text), 'schedule is in every stack of a switch');
			await t.shot('off-cpu');
		},
	},
	{
		name: 'why a task waited: its critical path',
		async run(t) {
			const { oracle } = t, blocked = oracle.states(127).filter((s) => s.state === 5)[30];
			const from = blocked.start - 3e5, to = blocked.end + 5e5;
			await t.go(from, to);
			await choose(t, from, to);
			await t.click('task:0:127', (blocked.start + blocked.end) / 2);
			await t.page.keyboard.press('y');
			await t.page.waitForSelector('#panel-why .why-strip', { timeout: 90000 });
			const path = await t.page.evaluate(async ([a, b]) => {
				const n = window.sonde.hot, answer = await fetch(`api/why?task=${n}&from=${a}&to=${b}`);
				return (await answer.json()).path;
			}, [from, to]);
			same([path[0].start, path[path.length - 1].end], [from, to], 'the path covers the range');
			path.forEach((p, i) => i && same(p.start, path[i - 1].end, `no gap before piece ${i}`));
			const rows = await t.rows('#panel-why .two table');
			same(rows.length, path.length, 'a row for each piece');
			ok(rows.every((r) => r.Why.length > 3), 'each says why');
			await t.shot('why');
		},
	},
	{
		name: 'panels without data say why',
		async run(t) {
			await choose(t, 0, 1e9);
			await t.panel('functions');
			ok(/record/.test(await t.page.textContent('#panel-functions')), 'what to do to see functions');
			await t.panel('flame');
			ok((await t.page.textContent('#panel-flame')).length > 20, 'what to do to see a flame graph');
			await t.panel('why');
			ok(/Select a task/.test(await t.page.textContent('#panel-why')), 'what to do to see a path');
		},
	},
];
