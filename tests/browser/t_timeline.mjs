// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_timeline.mjs - what the lanes show is what the trace says.
 *
 * covers: K02 K03 Q02 V09 V10 B11
 */
import { digits, same, ok } from './lib.mjs';

const near = (a, b, by) => Math.abs(a - b) <= by;

/* The spans of a lane must be the wanted ones: exact boxes to within a bucket's rounding. */
function compare(drawn, wanted, what) {
	const exact = drawn.filter((d) => d.exact && d.end > d.start);
	for (const d of exact) {
		const fits = wanted.find((w) => w.value === d.value && w.start <= d.start + d.bucket && w.end >= d.end - d.bucket);
		ok(fits, `${what}: drawn but not in the trace: ${JSON.stringify(d)}`);
	}
	return exact.length;
}

export const timeline = [
	{
		name: 'cpu lanes are the switches',
		async run(t) {
			const { oracle } = t, all = oracle.ran(0).filter((s) => s.known), from = all[200].start, to = all[240].end;
			await t.go(from, to);
			const drawn = await t.drawn('cpu:0:0'), wanted = [];
			for (const s of all)
				wanted.push({ ...s, value: await t.task(s.pid) });
			ok(compare(drawn, wanted, 'CPU 0') > 10, 'too little is drawn');
			const seen = wanted.filter((w) => w.start > from && w.end < to);
			for (const w of seen.filter((s) => s.end - s.start > (to - from) / 700))
				ok(drawn.some((d) => d.value === w.value && near(d.start, w.start, d.bucket) && near(d.end, w.end, d.bucket)),
					`a slice is missing: ${JSON.stringify(w)}`);
			await t.shot('cpu-lanes');
		},
	},
	{
		name: 'zoomed out load is true',
		async run(t) {
			const { oracle } = t, end = oracle.end;
			await t.go(0, end);
			for (const cpu of oracle.cpus) {
				const drawn = await t.drawn(`cpu:0:${cpu}`);
				const area = drawn.reduce((sum, d) => sum + (Math.min(d.end, end) - Math.max(0, d.start)) * d.weight, 0);
				const idle = await t.task(0), real = oracle.busy(cpu, 0, end);
				ok(!drawn.some((d) => d.value === idle && d.weight > 0), 'idle is drawn as busy');
				ok(near(area / end, real / end, .01), `CPU ${cpu}: ${area / end} is drawn, ${real / end} was busy`);
			}
			await t.shot('zoomed-out');
		},
	},
	{
		name: 'pixels of a bucket have its weight',
		async run(t) {
			/* in a stretch where a CPU was partly busy, the coloured share of the column is the load */
			const { oracle } = t, end = oracle.end;
			await t.go(0, end);
			const share = await t.page.evaluate(() => {
				const a = window.sonde, canvas = a.save.picture(), place = a.stage.place_of('cpu:0:0');
				const left = document.getElementById('labels').offsetWidth, top = document.getElementById('ruler-canvas').clientHeight;
				const inner = a.lanes.inner(a.lanes.find('cpu:0:0'), place.height);
				const x0 = Math.ceil(left + a.view.x(0)), x1 = Math.floor(left + a.view.x(a.view.end));
				const h = Math.round(inner.row), data = canvas.getContext('2d')
					.getImageData(x0, Math.round(top + place.top + inner.y), x1 - x0, h).data;
				let full = 0;
				for (let i = 0; i < data.length; i += 4) {
					const grey = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
					full += grey > 30 ? 1 : 0;
				}
				return full / (data.length / 4);
			});
			const real = oracle.busy(0, 0, end) / end;
			ok(near(share, real, .06), `${share} of the lane is coloured, ${real} was busy`);
		},
	},
	{
		name: 'thread states are the switches and wakings',
		async run(t) {
			const { oracle } = t, pid = 127, states = oracle.states(pid);
			const from = states[300].start, to = states[340].start;
			await t.go(from, to);
			await t.add(`task:0:${pid}`);
			const drawn = await t.drawn(`task:0:${pid}`);
			const wanted = states.map((s) => ({ ...s, value: s.state }));
			ok(compare(drawn, wanted, `task ${pid}`) > 10, 'too little is drawn');
			const kinds = new Set(drawn.map((d) => d.value));
			ok(kinds.has(1) && kinds.has(2) && kinds.size > 2, `states seen: ${[...kinds]}`);
			await t.shot('thread-states');
		},
	},
	{
		name: 'all states of a task by stepping through them',
		async run(t) {
			const { oracle } = t, pid = 127, lane = `task:0:${pid}`;
			const states = oracle.states(pid), some = states.slice(100, 130);
			for (const s of some) {
				const span = await t.page.evaluate(([l, at]) => window.sonde.span(l, at), [lane, Math.floor((s.start + s.end) / 2)]);
				same([span.value, span.start, span.end], [s.state, s.start, s.end], `state at ${s.start}`);
			}
		},
	},
	{
		name: 'interrupts are spans with their names',
		async run(t) {
			const irqs = t.oracle.pairs('irq_handler_entry', 'irq_handler_exit').filter((s) => s.cpu === 1);
			const from = irqs[100].start - 1e5, to = irqs[110].end + 1e5;
			await t.go(from, to);
			const drawn = await t.drawn('irq:0:1');
			const exact = drawn.filter((d) => d.exact);
			for (const w of irqs.slice(101, 109))
				ok(drawn.some((d) => near(d.start, w.start, d.bucket + 1) && d.start <= w.end), `an interrupt is missing at ${w.start}`);
			await t.go(irqs[104].start - 2000, irqs[104].end + 2000);
			const name = irqs[104].e.fields.name || irqs[104].e.info.match(/name=(\S+)/)[1];
			await t.page.waitForFunction(([s, n]) => [...(window.sonde.names.lanes.get(s) || new Map()).values()].some((x) => x && x.includes(n)),
				['irq:0:1', name], { timeout: 90000 });
			ok(exact.length > 0, 'nothing is exact');
		},
	},
	{
		name: 'functions nest', trace: 'fgraph-vfs',
		async run(t) {
			const entries = t.oracle.of('funcgraph_entry').filter((e) => e.pid === 168);
			const first = entries.find((e) => /do_sys_openat2/.test(e.info));
			const exit = t.oracle.events.find((e) => e.event === 'funcgraph_exit' && e.pid === 168 && e.t > first.t && e.fields.depth === 0);
			await t.go(first.t - 1e5, exit.t + 1e5);
			await t.click('calls:0:168', (first.t + exit.t) / 2, 0);
			const details = await t.details();
			same(details.title, 'do_sys_openat2', 'name of the function');
			ok(details.Exactly.replace(/\D/g, '') === String(exit.t - first.t), `length ${details.Exactly}, should be ${exit.t - first.t}`);
			const child = entries.find((e) => e.t > first.t && e.fields.depth === 1);
			const span = await t.page.evaluate((at) => window.sonde.span('calls:0:168', at, 1), child.t + 1);
			same(span.label, child.info.match(/([\w.]+)\(\)/)[1], 'the function below');
			await t.shot('functions');
		},
	},
	{
		name: 'functions of a program nest, with the kernel below them', trace: 'made-user',
		async run(t) {
			await t.go(0, 30000);
			await t.click('calls:0:101', 10000, 1);
			const details = await t.details();
			same([details.title, digits(details.Exactly)], ['read_all', 22100], 'the function of the program');
			for (const [row, label] of ['work', 'read_all', 'vfs_read', 'schedule'].entries())
				same((await t.page.evaluate(([at, x]) => window.sonde.span('calls:0:101', at, x), [10000, row])).label, label, `row ${row}`);
			/* a call that is one event */
			same((await t.page.evaluate(() => window.sonde.span('calls:0:100', 2000, 2))).label, 'next_token', 'a leaf');
			await t.panel('functions');
			await t.page.waitForSelector('#panel-functions table', { timeout: 90000 });
			const names = (await t.rows('#panel-functions table')).map((r) => r.Function);
			ok(['read_all', 'spin', 'vfs_read'].every((n) => names.includes(n)), `functions: ${names}`);
			await t.shot('functions-of-a-program');
		},
	},
	{
		name: 'system calls are spans',
		async run(t) {
			const calls = t.oracle.pairs('sys_enter', 'sys_exit', (e) => e.pid).filter((s) => s.pid === 128);
			const one = calls.find((s) => s.end - s.start > 2000) || calls[10];
			await t.add('sys:0:128');
			await t.go(one.start - 5000, one.end + 5000);
			await t.click('sys:0:128', (one.start + one.end) / 2);
			const details = await t.details();
			same(details.Exactly.replace(/\D/g, ''), String(one.end - one.start), 'length of a system call');
			await t.shot('system-calls');
		},
	},
	{
		name: 'any tracepoint is a lane, any number a counter',
		async run(t) {
			await t.add('event:0:sched/sched_migrate_task');
			await t.go(0, t.oracle.end);
			const ticks = await t.drawn('event:0:sched/sched_migrate_task'), real = t.oracle.of('sched_migrate_task');
			same(ticks.filter((d) => d.start < t.oracle.end + 1).reduce((sum, d) => sum + d.value, 0), real.length, 'events in the lane');
			const runtime = t.oracle.of('sched_stat_runtime');
			await t.add('field:0:sched/sched_stat_runtime:runtime');
			await t.settle();
			const range = await t.page.evaluate(() => {
				const piece = window.sonde.stage.last.pieces.find((p) => p.lane.spec.startsWith('field:'));
				return [piece.tile.low, piece.tile.high];
			});
			const numbers = runtime.map((e) => e.fields.runtime);
			ok(near(range[0], Math.min(...numbers), 1) && near(range[1], Math.max(...numbers), Math.max(...numbers) * 1e-6),
				`range ${range}, should be ${Math.min(...numbers)}, ${Math.max(...numbers)}`);
			await t.shot('events-and-counters');
		},
	},
	{
		name: 'pairs of events are spans',
		async run(t) {
			await t.page.keyboard.press('Control+p');
			await t.page.fill('#palette input', 'sched/sched_waking -> sched/sched_switch pid next_pid');
			await t.page.keyboard.press('Enter');
			const spec = 'pair:0:sched/sched_waking:sched/sched_switch:pid:next_pid';
			await t.settle();
			ok(await t.page.evaluate((s) => Boolean(window.sonde.lanes.find(s)), spec), 'there is no such track');
			const waking = t.oracle.of('sched_waking').find((e) => e.fields.pid === 127 && e.t > 139e6);
			const ran = t.oracle.events.find((e) => e.event === 'sched_switch' && e.t > waking.t && e.fields.next_pid === 127);
			const span = await t.page.evaluate(([s, at]) => window.sonde.span(s, at, 0, 'nearest'), [spec, waking.t]);
			same([span.start, span.end], [waking.t, ran.t], 'from waking to switch');
			await t.go(waking.t - 1e5, ran.t + 1e5);
			await t.shot('pairs');
		},
	},
	{
		name: 'lost events are shown', trace: 'lost-events',
		async run(t) {
			const lost = t.oracle.events.filter((e) => e.missed);
			ok(lost.length > 0, 'the trace has none');
			const one = lost[0];
			await t.add(`all:0:${one.cpu}`);
			await t.go(one.t - 1e6, one.t + 1e6);
			const drawn = await t.drawn(`all:0:${one.cpu}`);
			ok(drawn.some((d) => d.flags & 2 && near(d.start, one.t, d.bucket * 2)), 'the place is not marked');
			await t.page.evaluate((at) => window.sonde.marks.set(at), one.t);
			await t.shot('lost-events');
		},
	},
	{
		name: 'wakeup arrows of the selected task',
		async run(t) {
			const { oracle } = t, waking = oracle.of('sched_waking').find((e) => e.fields.pid === 127 && e.t > 139e6);
			const ran = oracle.events.find((e) => e.event === 'sched_switch' && e.t > waking.t && e.fields.next_pid === 127);
			await t.go(waking.t - 5e5, ran.t + 5e5);
			await t.click('task:0:127', (waking.t + ran.t) / 2);
			await t.page.waitForFunction(() => window.sonde.arrows.list.length > 0, null, { timeout: 90000 });
			const arrows = await t.page.evaluate(() => window.sonde.arrows.list);
			ok(arrows.some((a) => a[0] === waking.t && a[4] === ran.t), `no arrow from ${waking.t} to ${ran.t}`);
			const details = await t.details();
			same(details.title, 'runnable', 'state');
			const irq = oracle.events.filter((e) => e.event === 'irq_handler_entry' && e.cpu === waking.cpu && e.t <= waking.t).at(-1);
			same(details['Woken by'], `interrupt ${irq.fields.irq} (${irq.fields.name})`, 'waker');
			await t.shot('arrows');
		},
	},
	{
		name: 'tracks can be added, moved, pinned, closed, removed',
		async run(t) {
			const lanes = () => t.page.evaluate(() => window.sonde.lanes.rows.filter((r) => r.lane).map((r) => r.lane.spec));
			const before = await lanes();
			await t.page.click('#do-track');
			await t.page.fill('#palette input', 'sched/sched_waking');
			await t.page.keyboard.press('Enter');
			ok((await lanes()).includes('event:0:sched/sched_waking'), 'not added');
			const item = t.page.locator('[data-id="task:0:126"]');
			await item.hover();
			await item.locator('[data-act=pinned]').click();
			same((await lanes())[0], 'task:0:126', 'the pinned one stands first');
			await item.hover();
			await item.locator('[data-act=pinned]').click();
			const third = t.page.locator('[data-id="task:0:129"]');
			await third.hover();
			await third.locator('[data-act=up]').click();
			const now = await lanes();
			ok(now.indexOf('task:0:129') < now.indexOf('task:0:126'), 'not moved up');
			await t.page.click('[data-id="0/Interrupts"]');
			ok(!(await lanes()).some((s) => s.startsWith('irq')), 'the section is not closed');
			await t.page.click('[data-id="0/Interrupts"]');
			await third.hover();
			await third.locator('[data-act=remove]').click();
			ok(!(await lanes()).includes('task:0:129'), 'not removed');
			same((await lanes()).length, before.length, 'number of tracks');
		},
	},
];
