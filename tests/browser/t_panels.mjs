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
				const title = Object.keys(row).find((k) => k === name);
				ok(close(ns(row[title]), sums[state], 2e3 + sums[state] * 1e-5), `${name}: ${row[title]}, should be ${sums[state]} ns`);
			}
			const rcu = rows.find((r) => r.Task.startsWith('rcu_preempt')), idle = oracle.states(digits(rcu.Task.split(' ')[1]))
				.reduce((sum, s) => sum + (s.state === 7 ? Math.max(0, Math.min(s.end, to) - Math.max(s.start, from)) : 0), 0);
			ok(idle > 1e8 && close(ns(rcu.idle), idle, 2e3 + idle * 1e-5), `idle of rcu_preempt: ${rcu.idle}, should be ${idle} ns`);
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
			const sorted = [...waits].sort((a, b) => a - b), p90 = sorted[Math.ceil(sorted.length * .9) - 1];
			ok(sorted.some((w) => close(ns(facts['90 % below']), w, 1)), `${facts['90 % below']} is no wait at all`);
			ok(close(ns(facts['90 % below']), p90, p90 * .02), `90 % below ${facts['90 % below']}, should be ${p90} ns`);
			const edges = await t.page.locator('#panel-wakeups .histogram .edge').allTextContents();
			for (const edge of edges)
				ok(ns(edge) === 0 || Number.isInteger(Math.log2(ns(edge) / 1000)), `${edge} is no power of two of microseconds`);
			ok(/From sched_waking to the sched_switch/.test(await t.page.textContent('#panel-wakeups .panel-head')), 'from which event it counts');
			await t.shot('wakeups');
			const head = '#panel-wakeups .panel-head', fact = '#panel-wakeups .fact b', said = (words) => t.page.waitForFunction(([h, w]) =>
				document.querySelector(h)?.textContent.includes(w), [head, words]);
			await t.page.evaluate(() => window.sonde.select(null));
			await said('all tasks');
			const all = digits(await t.page.textContent(fact));
			await t.page.evaluate(() => window.sonde.filters.set({ tasks: ['0:127', '0:15'] }));
			await said('the 2 tasks of the filter');
			const some = digits(await t.page.textContent(fact));
			ok(some > 0 && some < all, `${some} wakeups of two tasks, ${all} of all`);
			await t.page.evaluate(() => window.sonde.filters.set({}));
		},
	},
	{
		name: 'spans by name: interrupts of all CPUs in a range',
		async run(t) {
			const from = 5e8, to = 15e8, by_name = new Map();
			const spans = t.oracle.pairs('irq_handler_entry', 'irq_handler_exit').filter((s) => s.start <= to && s.end > from);
			for (const s of spans)
				by_name.set(s.e.fields.name, [...(by_name.get(s.e.fields.name) || []), s]);
			await choose(t, from, to);
			await t.panel('spans');
			await t.page.selectOption('#panel-spans select', 'irq');
			await t.page.waitForFunction(() => document.querySelector('#panel-spans select')?.value === 'irq' &&
				document.querySelector('#panel-spans tbody td') &&
				[...document.querySelectorAll('#panel-spans tbody td:first-child')].every((td) => td.textContent === 'Interrupts'), null, { timeout: 90000 });
			const rows = await t.rows('#panel-spans table');
			const check = (row, list) => {
				const lengths = list.map((s) => s.end - s.start).sort((a, b) => a - b), n = lengths.length;
				const sum = lengths.reduce((a, b) => a + b, 0), rank = (p) => lengths[Math.ceil(n * p) - 1];
				same(digits(row.Count), n, `number of ${row.Name}`);
				for (const [title, wanted] of [['Total', sum], ['Average', sum / n], ['Shortest', lengths[0]], ['Half below', rank(.5)],
					['95 % below', rank(.95)], ['99 % below', rank(.99)], ['Longest', lengths[n - 1]]])
					ok(close(ns(row[title]), wanted, 1 + wanted / 1e3), `${title} of ${row.Name}: ${row[title]}, should be ${wanted} ns`);
			};
			same(rows.length, by_name.size + 1, 'rows');
			for (const row of rows)
				check(row, row.Name === 'all' ? spans : by_name.get(row.Name));
			await t.shot('spans-by-name');
			const longest = spans.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
			await t.page.locator('#panel-spans tbody tr', { hasText: 'all' }).first().click();
			await t.page.waitForFunction((at) => window.sonde.selection?.start === at, longest.start, { timeout: 90000 });
			same(await t.page.evaluate(() => window.sonde.selection.lane), `irq:0:${longest.cpu}`, 'the track of the longest');
		},
	},
	{
		name: 'spans of the tracks that are shown: a pair',
		async run(t) {
			const spec = 'pair:0:irq/softirq_raise:irq/softirq_entry:vec', open = new Map(), spans = [];
			for (const e of t.oracle.events) {
				if (e.event === 'softirq_raise')
					open.set(e.fields.vec, e.t);
				else if (e.event === 'softirq_entry' && open.has(e.fields.vec))
					spans.push([open.get(e.fields.vec), e.t]), open.delete(e.fields.vec);
			}
			await t.page.evaluate((s) => {
				window.sonde.lanes.list = [];
				window.sonde.show_lane(s);
			}, spec);
			await choose(t, 0, t.oracle.end);
			await t.panel('spans');
			await t.page.waitForSelector('#panel-spans table', { timeout: 90000 });
			const all = (await t.rows('#panel-spans table')).find((r) => r.Name === 'all');
			same(all.Kind, 'softirq_raise → softirq_entry', 'its name');
			same(digits(all.Count), spans.length, 'pairs');
			ok(close(ns(all.Longest), Math.max(...spans.map(([a, b]) => b - a)), 1e3), `longest ${all.Longest}`);
		},
	},
	{
		name: 'stacks of events are no time on the CPU', trace: 'stacks',
		async run(t) {
			await choose(t, 0, t.oracle.end);
			await t.panel('flame');
			await t.page.waitForSelector('#panel-flame .frame', { timeout: 90000 });
			const head = () => t.page.textContent('#panel-flame .panel-head > span');
			const before = new Map(), of = new Map();
			let all = 0;
			for (const e of t.oracle.events) {
				if (e.event === 'kernel_stack') {
					all++;
					of.set(before.get(e.cpu), (of.get(before.get(e.cpu)) || 0) + 1);
				}
				before.set(e.cpu, `${e.system}/${e.event}`);
			}
			same((await head()).replace(/[\u202f]/g, ''), `Stacks of events, all tasks: ${all}`, 'words');
			await t.shot('stacks-of-events');
			await t.page.selectOption('#panel-flame select', 'sched/sched_wakeup');
			await t.page.waitForFunction(() => /sched_wakeup,/.test(document.querySelector('#panel-flame .panel-head > span').textContent), null, { timeout: 90000 });
			same((await head()).replace(/[\u202f]/g, ''), `Stacks of sched/sched_wakeup, all tasks: ${of.get('sched/sched_wakeup')}`, 'of one event');
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
			ok(/slept is in it/.test(await t.page.textContent('#panel-functions .panel-head')), 'time asleep is told');
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
		name: 'flame graph of samples', trace: 'made-samples',
		async run(t) {
			await choose(t, 0, t.oracle.end);
			await t.panel('flame');
			await t.page.waitForSelector('#panel-flame .frame', { timeout: 90000 });
			const labels = () => t.page.evaluate(() => [...document.querySelectorAll('#panel-flame .frame')].map((f) => f.getAttribute('aria-label').replace(/\u202f/g, '')));
			const all = await labels();
			ok(all.some((l) => /^leaf: 600ms,/.test(l)), `a quarter of 2.4 s: ${all}`);
			ok(all.some((l) => /^vfs_read: 500ms,/.test(l)), `five bursts: ${all}`);
			await t.shot('samples-flame');
			await t.panel('offcpu');
			await t.page.waitForSelector('#panel-offcpu .frame', { timeout: 90000 });
			ok((await t.page.textContent('#panel-offcpu .panel-head')).replace(/\u202f/g, '').includes('40ms'), 'eight waits of 5 ms');
		},
	},
	{
		name: 'a range is chosen in the heat map of samples', trace: 'made-samples',
		async run(t) {
			await t.go(0, t.oracle.end);
			await t.panel('heat');
			await t.page.waitForSelector('#panel-heat canvas', { timeout: 90000 });
			const cells = await t.page.evaluate(async () => (await fetch(`api/stats?what=heat&from=0&to=${window.sonde.view.end}`)).json());
			same([cells.event, cells.samples, cells.column, cells.rows], ['cpu-clock', 2900, 100000000, 50], 'the heat map');
			/* with keys: from the bottom of column 5 to the top of it, 100 ms with a burst */
			await t.page.locator('#panel-heat canvas').focus();
			for (const [key, n] of [['ArrowUp', 1], ['ArrowRight', 5], ['Enter', 1], ['ArrowUp', 49], ['Enter', 1]])
				for (let i = 0; i < n; i++)
					await t.page.keyboard.press(key);
			same(await t.page.evaluate(() => window.sonde.range), { from: 500000000, to: 600000000 }, 'the range');
			await t.shot('heat');
			await t.panel('flame');
			await t.page.waitForSelector('#panel-flame .frame', { timeout: 90000 });
			const labels = await t.page.evaluate(() => [...document.querySelectorAll('#panel-flame .frame')].map((f) => f.getAttribute('aria-label').replace(/\u202f/g, '')));
			ok(labels.some((l) => /^vfs_read: 100ms, /.test(l)), `the burst is half of it: ${labels}`);
			/* with the pointer: two cells beside each other are a column apart */
			await t.panel('heat');
			const box = await t.page.locator('#panel-heat canvas').boundingBox();
			await t.page.mouse.move(box.x + 64 + 2, box.y + 2);
			await t.page.mouse.down();
			await t.page.mouse.move(box.x + 64 + 2, box.y + 42, { steps: 3 });
			await t.page.mouse.up();
			same(await t.page.evaluate(() => window.sonde.range), { from: 78000000, to: 100000000 }, 'the range, by the pointer');
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
