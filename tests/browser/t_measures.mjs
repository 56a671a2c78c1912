// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_measures.mjs - measures that people take with a viewer, each with the mouse, each with the right number.
 *
 * covers: K05 K06 K08 V03 V06 V09
 */
import { same, ok, digits } from './lib.mjs';

async function double(t, spec, time, modifiers = []) {
	const at = await t.place(spec, time), before = await t.page.evaluate(() => window.sonde.marks.text());
	for (const key of modifiers)
		await t.page.keyboard.down(key);
	await t.page.mouse.dblclick(at.x, at.y);
	for (const key of modifiers)
		await t.page.keyboard.up(key);
	await t.page.waitForFunction((text) => window.sonde.marks.text() !== text, before, { timeout: 90000 });
	await t.settle();
}

async function drag(t, spec, from, to, key) {
	const a = await t.place(spec, from), b = await t.place(spec, to);
	if (key)
		await t.page.keyboard.down(key);
	await t.page.mouse.move(a.x, a.y);
	await t.page.mouse.down();
	await t.page.mouse.move((a.x + b.x) / 2, a.y, { steps: 3 });
	await t.page.mouse.move(b.x, b.y, { steps: 3 });
	await t.shot('drag');
	await t.page.mouse.up();
	if (key)
		await t.page.keyboard.up(key);
	await t.page.waitForFunction(() => !window.sonde.dragging, null, { timeout: 90000 });
	await t.settle();
}

export const measures = [
	{
		name: 'from wakeup to switch of a task',
		async run(t) {
			const { oracle } = t, waking = oracle.of('sched_waking').filter((e) => e.fields.pid === 127)[40];
			const ran = oracle.events.find((e) => e.event === 'sched_switch' && e.t > waking.t && e.fields.next_pid === 127);
			await t.go(waking.t - 2e5, ran.t + 2e5);
			await double(t, 'task:0:127', waking.t + 3 * (ran.t - waking.t + 4e5) / 1200);
			await double(t, 'task:0:127', ran.t + 3 * (ran.t - waking.t + 4e5) / 1200, ['Shift']);
			await t.panel('marks');
			const rows = await t.rows('#panel-marks table');
			same(rows.map((r) => r.Mark), ['A', 'B'], 'marks');
			const texts = await t.page.evaluate(() => [...document.querySelectorAll('#panel-marks tbody tr')].map((tr) => [...tr.children].map((td) => td.textContent)));
			same(digits(texts[1][4]), ran.t - waking.t, 'ns between A and B');
			await t.shot('wakeup-to-switch');
		},
	},
	{
		name: 'duration of one interrupt',
		async run(t) {
			const irq = t.oracle.pairs('irq_handler_entry', 'irq_handler_exit').filter((s) => s.cpu === 1)[77];
			await t.go(irq.start - 3e4, irq.end + 3e4);
			await t.click('irq:0:1', (irq.start + irq.end) / 2);
			const details = await t.details();
			same(digits(details.Exactly), irq.end - irq.start, 'ns in the handler');
			ok((await t.spoken()).includes('interrupts'), 'it is not said aloud');
			await t.shot('interrupt');
		},
	},
	{
		name: 'a migration between CPUs',
		async run(t) {
			/* a task that left one CPU and came to another: from where, to where, how long in between */
			const slices = t.oracle.slices(127).filter((s) => s.known);
			const at = slices.findIndex((s, i) => i > 0 && slices[i - 1].cpu !== s.cpu);
			const [a, b] = [slices[at - 1], slices[at]];
			await t.go(a.end - 3e5, b.start + 3e5);
			await t.click(`cpu:0:${a.cpu}`, a.end - 1e4 > a.start ? a.end - 1e4 : (a.start + a.end) / 2);
			const first = await t.page.evaluate(() => [window.sonde.selection.lane, window.sonde.selection.end]);
			same(first, [`cpu:0:${a.cpu}`, a.end], 'the slice before');
			await t.click(`cpu:0:${b.cpu}`, Math.min(b.start + 1e4, (b.start + b.end) / 2));
			const second = await t.page.evaluate(() => [window.sonde.selection.lane, window.sonde.selection.start]);
			same(second, [`cpu:0:${b.cpu}`, b.start], 'the slice after');
			await drag(t, 'task:0:127', a.end, b.start);
			same(await t.page.evaluate(() => [window.sonde.range.from, window.sonde.range.to]), [a.end, b.start], 'the range snaps to both');
			await t.shot('migration');
		},
	},
	{
		name: 'a gap with no kernel footprint', trace: 'profile',
		async run(t) {
			/* the CPU belongs to one task, and for a while no event is written: user code, or a guest */
			let best = null;
			const before = new Map();
			for (const e of t.oracle.events) {
				const p = before.get(e.cpu);
				before.set(e.cpu, e);
				if (p && p.pid && p.pid === e.pid && p.event !== 'sched_switch' && (!best || e.t - p.t > best.gap))
					best = { gap: e.t - p.t, a: p, b: e };
			}
			const { a, b } = best, spec = `all:0:${a.cpu}`;
			await t.add(spec);
			await t.go(a.t - best.gap * .2, b.t + best.gap * .2);
			await drag(t, spec, a.t + best.gap * .001, b.t - best.gap * .001);
			same(await t.page.evaluate(() => window.sonde.range.to - window.sonde.range.from), best.gap, 'ns without an event');
			await t.panel('counts');
			const text = await t.page.textContent('#panel-counts');
			ok(!/error/i.test(text), text);
			await t.shot('gap');
		},
	},
	{
		name: 'preemption inside a slice',
		async run(t) {
			/* a task is taken off its CPU while it could run on, another one runs, it comes back */
			const states = t.oracle.states(127), at = states.findIndex((s, i) => i > 5 && s.state === 3 && s.end - s.start > 3e4);
			const gone = states[at];
			await t.go(gone.start - 2e5, gone.end + 2e5);
			await t.click('task:0:127', (gone.start + gone.end) / 2);
			const details = await t.details();
			same(details.title, 'preempted', 'state');
			same(digits(details.Exactly), gone.end - gone.start, 'ns off the CPU');
			const other = t.oracle.ran(gone.cpu).find((s) => s.start <= gone.start + 1 && s.end > gone.start + 1 && s.pid !== 127);
			ok(other, 'nobody ran instead');
			await t.click(`cpu:0:${gone.cpu}`, (Math.max(other.start, gone.start) + Math.min(other.end, gone.end)) / 2);
			const who = await t.details();
			ok(who.title.endsWith(` ${other.pid}`), `${who.title} ran instead, should be ${other.pid}`);
			await t.shot('preemption');
		},
	},
	{
		name: 'marks: any number, deltas, moving, removing',
		async run(t) {
			await t.go(1e8, 2e8);
			await t.page.mouse.move(700, 300);
			for (const x of [400, 600, 800, 1000]) {
				await t.page.mouse.move(x, 300);
				await t.page.keyboard.press('m');
			}
			await t.panel('marks');
			const rows = await t.rows('#panel-marks table');
			same(rows.map((r) => r.Mark), ['A', 'B', 'C', 'D'], 'marks');
			const times = await t.page.evaluate(() => window.sonde.marks.list.map((m) => m.t));
			same(digits(await t.page.textContent('#panel-marks tbody tr:nth-child(3) td:nth-child(5)')), times[2] - times[1], 'delta of C');
			await t.shot('marks');
			await t.page.keyboard.press('Delete');
			same(await t.page.evaluate(() => window.sonde.marks.list.length), 3, 'marks after removing one');
			const ruler = await t.page.locator('#ruler-canvas').boundingBox();
			const x = await t.page.evaluate(() => window.sonde.view.x(window.sonde.marks.list[0].t));
			await t.page.mouse.move(ruler.x + x, ruler.y + 8);
			await t.page.mouse.down();
			await t.page.keyboard.down('Control');
			await t.page.mouse.move(ruler.x + x + 100, ruler.y + 8, { steps: 4 });
			await t.page.mouse.up();
			await t.page.keyboard.up('Control');
			const moved = await t.page.evaluate(() => window.sonde.marks.list[0].t);
			ok(Math.abs(moved - times[0] - 1e8 * 100 / (await t.page.evaluate(() => window.sonde.view.width))) < 2e5, `mark A moved by ${moved - times[0]}`);
		},
	},
	{
		name: 'alt and drag zooms to what was dragged over',
		async run(t) {
			await t.go(1e8, 2e8);
			await drag(t, 'cpu:0:0', 1.2e8, 1.3e8, 'Alt');
			const [from, to] = await t.page.evaluate(() => [window.sonde.view.from, window.sonde.view.to]);
			ok(Math.abs(from - 1.2e8) < 3e5 && Math.abs(to - 1.3e8) < 3e5, `in sight: ${from} to ${to}`);
			same(await t.page.evaluate(() => window.sonde.range), null, 'no range');
		},
	},
];
