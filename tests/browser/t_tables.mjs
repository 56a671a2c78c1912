// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_tables.mjs - tables and what they lead to: a chosen row, the span it is about, what stays.
 *
 * covers: V02 B07
 */
import { same, ok } from './lib.mjs';

/* What the panel in front looks like: its table (the same element while it is not filled again), how far it is scrolled, the marked row. */
const look = (t, id) => t.page.evaluate((x) => {
	const box = document.getElementById(`panel-${x}`), table = box.querySelector('table');
	window.numbered ||= new Map();
	if (table && !window.numbered.has(table))
		window.numbered.set(table, window.numbered.size);
	return { table: window.numbered.get(table), top: box.scrollTop, on: [...box.querySelectorAll('tr.on')].map((tr) => tr.textContent) };
}, id);

/* Until the panel has decided: it is held, or it is filled again. */
const decided = (t, id, filled) => t.page.waitForFunction(([x, n]) => window.sonde.panels.held ||
	Number(document.getElementById(`panel-${x}`).dataset.filled) > n, [id, filled], { timeout: 90000 });

const filled = (t, id) => t.page.evaluate((x) => Number(document.getElementById(`panel-${x}`).dataset.filled), id);

const selected = (t) => t.page.waitForFunction(() => window.sonde.selection?.lane, null, { timeout: 90000 });

export const tables = [
	{
		name: 'a row of Wakeups is selected, and the table stays',
		async run(t) {
			await t.panel('wakeups');
			await t.page.waitForSelector('#panel-wakeups tbody tr.act', { timeout: 90000 });
			const rows = await t.rows('#panel-wakeups table'), n = await filled(t, 'wakeups'), at = rows.length - 2;
			ok(rows.length > 8, `${rows.length} rows are too few to scroll`);
			const row = t.page.locator('#panel-wakeups tbody tr').nth(at);
			await row.scrollIntoViewIfNeeded();
			const before = await look(t, 'wakeups');
			ok(before.top > 0, 'it is scrolled');
			await row.click();
			await selected(t);
			await decided(t, 'wakeups', n);
			await t.settle();
			const after = await look(t, 'wakeups'), s = await t.page.evaluate(() => window.sonde.selection);
			same([after.table, after.top], [before.table, before.top], 'table and scroll position');
			same(after.on.length, 1, 'rows that are marked');
			const details = await t.details();
			same(details.title, 'runnable', 'what the details are about');
			ok(rows[at]['Ran at'].replace(/\s/g, '') === details.End.replace(/\s/g, ''), `the wait ends at ${details.End}, should be ${rows[at]['Ran at']}`);
			ok(rows[at].Task.endsWith(` ${s.lane.split(':')[2]}`), `${s.lane} is selected, should be ${rows[at].Task}`);
			/* moving the picture by hand leaves the table alone, too */
			await t.page.evaluate(() => window.sonde.view.pan(50));
			same((await look(t, 'wakeups')).table, before.table, 'the table after a move');
			await t.shot('wakeups-chosen');
			await t.page.click('#update');
			await t.page.waitForFunction((x) => Number(document.getElementById('panel-wakeups').dataset.filled) > x, n, { timeout: 90000 });
			ok(await t.page.evaluate(() => !window.sonde.panels.held && document.getElementById('update').hidden), 'Update lets it go');
			await t.page.keyboard.press('y');
			await t.page.waitForSelector('#panel-why .panel-head', { timeout: 90000 });
			ok((await t.page.textContent('#panel-why .panel-head')).includes(rows[at].Task), 'Why is about the task of the row');
		},
	},
	{
		name: 'rows of Spans by keyboard: arrows go, Enter selects, the focus stays',
		async run(t) {
			await t.panel('spans');
			await t.page.selectOption('#panel-spans select', 'irq');
			await t.page.waitForFunction(() => document.querySelector('#panel-spans tbody tr.act') && document.querySelector('#panel-spans select').value === 'irq', null, { timeout: 90000 });
			await t.page.waitForFunction(() => [...document.querySelectorAll('#panel-spans tbody td:first-child')].every((td) => td.textContent === 'Interrupts'));
			const n = await filled(t, 'spans'), before = await look(t, 'spans');
			const view = () => t.page.evaluate(() => [window.sonde.view.from, window.sonde.view.to]);
			const was = await view();
			await t.page.locator('#panel-spans tbody tr[tabindex="0"]').focus();
			same(await t.page.locator('#panel-spans tbody tr[tabindex="0"]').count(), 1, 'rows that Tab comes to');
			await t.page.keyboard.press('ArrowDown');
			same(await view(), was, 'arrows in a table do not zoom');
			same(await t.page.evaluate(() => document.activeElement.rowIndex), 2, 'the second row has the focus');
			await t.page.keyboard.press('Enter');
			await selected(t);
			await decided(t, 'spans', n);
			await t.settle();
			const after = await look(t, 'spans');
			same(after.table, before.table, 'the table');
			same(await t.page.evaluate(() => [document.activeElement.rowIndex, document.activeElement.classList.contains('on')]), [2, true], 'focus and mark');
			await t.page.keyboard.press('ArrowUp');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => document.querySelector('#panel-spans tbody tr.on')?.rowIndex === 1);
			same((await look(t, 'spans')).table, before.table, 'the table, still');
			/* clearing the selection lets it go */
			await t.page.evaluate(() => window.sonde.select(null));
			await t.page.waitForFunction((x) => Number(document.getElementById('panel-spans').dataset.filled) > x, n, { timeout: 90000 });
		},
	},
	{
		name: 'a table that is filled again keeps its order',
		async run(t) {
			await t.panel('tasks');
			await t.page.waitForSelector('#panel-tasks tbody tr.act', { timeout: 90000 });
			await t.page.locator('#panel-tasks th', { hasText: 'Switches' }).click();
			const sorted = () => t.page.evaluate(() => document.querySelector('#panel-tasks th[aria-sort="descending"]')?.textContent);
			same(await sorted(), 'Switches', 'order');
			const n = await filled(t, 'tasks');
			await t.go(2e8, 9e8);
			await t.page.waitForFunction((x) => Number(document.getElementById('panel-tasks').dataset.filled) > x, n, { timeout: 90000 });
			same(await sorted(), 'Switches', 'order after it was filled again');
		},
	},
	{
		name: 'single spans of one name: from a row of Spans, sorted by length and by start',
		async run(t) {
			const name = 'virtio0-requests', spans = t.oracle.pairs('irq_handler_entry', 'irq_handler_exit').filter((s) => s.e.fields.name === name);
			const lengths = spans.map((s) => s.end - s.start), most = Math.max(...lengths), least = Math.min(...lengths);
			await t.panel('spans');
			await t.page.selectOption('#panel-spans select', 'irq');
			const row = t.page.locator('#panel-spans tbody tr', { hasText: name }).first();
			await row.locator('button').click();
			await t.page.waitForSelector('#panel-spans .panel-head b', { timeout: 90000 });
			same(await t.page.textContent('#panel-spans .panel-head b'), name, 'what is listed');
			const words = (await t.page.textContent('#panel-spans .panel-head')).replace(/[\u202f]/g, '');
			ok(words.includes(`${spans.length} spans`), `${words}: should be ${spans.length}`);
			const first = () => t.page.evaluate(() => document.querySelector('#panel-spans tbody tr').dataset.key.split(' '));
			const length_of = ([, , start]) => lengths[spans.findIndex((s) => s.start === Number(start))];
			same(length_of(await first()), most, 'the longest comes first');
			await t.shot('single-spans');
			const sort = async (title, wanted) => {
				await t.page.locator('#panel-spans th', { hasText: title }).click();
				await t.page.waitForFunction(([w, by]) => {
					const [, , start] = document.querySelector('#panel-spans tbody tr').dataset.key.split(' ');
					return w.includes(Number(start)) && document.querySelector('#panel-spans th[aria-sort$="ending"]').textContent === by;
				}, [wanted, title], { timeout: 90000 });
			};
			await sort('Duration', spans.filter((s) => s.end - s.start === least).map((s) => s.start));
			await sort('Start', [Math.max(...spans.map((s) => s.start))]);
			await sort('Start', [Math.min(...spans.map((s) => s.start))]);
			/* a row is selected, and the list stays; the address brings it back */
			await t.page.locator('#panel-spans tbody tr').nth(2).click();
			await selected(t);
			await t.settle();
			same(await t.page.evaluate(() => window.sonde.selection.start), [...spans].sort((a, b) => a.start - b.start)[2].start, 'the chosen span');
			same((await t.details()).title, name, 'details');
			same(await t.page.locator('#panel-spans tbody tr.on').count(), 1, 'it is marked');
			await t.page.waitForFunction(() => /n=irq/.test(location.hash), null, { timeout: 90000 });
			await t.page.reload();
			await t.page.waitForSelector('#panel-spans .panel-head b', { timeout: 90000 });
			await t.page.locator('#panel-spans button', { hasText: 'All names' }).click();
			await t.page.waitForSelector('#panel-spans select', { timeout: 90000 });
		},
	},
	{
		name: 'single spans of one name: of the selected span, with K', trace: 'fgraph-vfs',
		async run(t) {
			await t.page.evaluate(async () => {
				const { sonde } = window, task = sonde.tasks.filter((x) => x && x.pid > 0).sort((a, b) => b.events - a.events)[0];
				sonde.show_lane(`calls:${task.machine}:${task.pid}`);
				sonde.select(await sonde.span(`calls:${task.machine}:${task.pid}`, 0, 0, 'next'));
			});
			const { title } = await t.details();
			await t.page.keyboard.press('k');
			await t.page.waitForSelector('#panel-spans .panel-head b', { timeout: 90000 });
			same(await t.page.textContent('#panel-spans .panel-head b'), title, 'what is listed');
			const calls = t.oracle.of('funcgraph_entry').filter((e) => e.info.match(/([\w.]+)\(\)/)?.[1] === title && e.pid).length;
			const n = Number((await t.page.textContent('#panel-spans .panel-head span')).replace(/[\u202f]/g, '').match(/(\d+) spans?/)[1]);
			ok(Math.abs(n - calls) <= 2, `${n} spans of ${title}, should be about ${calls}`);
			/* what a task did has a list, too: all times it was in this state */
			await t.panel('functions');
			await t.page.waitForSelector('#panel-functions tbody tr.act', { timeout: 90000 });
			await t.page.locator('#panel-functions tbody tr').first().focus();
			const name = await t.page.evaluate(() => document.activeElement.firstChild.textContent);
			await t.page.keyboard.press('k');
			await t.page.waitForFunction((x) => document.querySelector('#panel-spans .panel-head b')?.textContent === x, name, { timeout: 90000 });
		},
	},
	{
		name: 'single spans of one state of a task',
		async run(t) {
			const blocked = t.oracle.states(127).filter((s) => s.state === 5);
			await t.page.evaluate(async (at) => window.sonde.select(await window.sonde.span('task:0:127', at)), blocked[3].start + 1);
			await t.page.locator('#details button', { hasText: 'List all' }).click();
			await t.page.waitForSelector('#panel-spans .panel-head b', { timeout: 90000 });
			same(await t.page.textContent('#panel-spans .panel-head b'), 'ls 127, blocked', 'what is listed');
			const n = Number((await t.page.textContent('#panel-spans .panel-head span')).replace(/[\u202f]/g, '').match(/(\d+) spans/)[1]);
			ok(Math.abs(n - blocked.length) <= 2, `${n} spans, should be about ${blocked.length}`);	/* those at the ends of the trace */
		},
	},
	{
		name: 'interrupts have a number, a name, and the task they interrupted',
		async run(t) {
			/* wakings of ls in an interrupt, each with the interrupt that is open on that CPU */
			const open = new Map(), found = [];
			for (const e of t.oracle.events) {
				if (e.event === 'irq_handler_entry')
					open.set(e.cpu, e);
				else if (e.event === 'irq_handler_exit')
					open.delete(e.cpu);
				else if (e.event === 'sched_waking' && e.fields.pid === 127 && open.has(e.cpu))
					found.push({ e, irq: open.get(e.cpu) });
			}
			const idle = found.find(({ e }) => e.pid === 0), busy = found.find(({ e }) => e.pid > 0 && e.pid !== 127);
			ok(idle, 'the trace has such a waking');
			for (const { e, irq } of [idle, busy].filter(Boolean)) {
				const name = `interrupt ${irq.fields.irq} (${irq.fields.name})`;
				await t.page.evaluate(async (at) => window.sonde.select(await window.sonde.span('task:0:127', at)), e.t);
				let details = await t.details();
				same([details.title, details['Woken by'], details['On CPU']], ['runnable', name, String(e.cpu)], 'who woke it');
				same(details.Interrupted, e.pid ? `${e.comm} ${e.pid}` : `idle CPU ${e.cpu}`, 'whom it interrupted');
				ok((await t.spoken()).includes(name), 'it is read aloud');
				const why = await t.page.evaluate(async (at) => {
					const n = window.sonde.hot, answer = await (await fetch(`api/why?task=${n}&from=${at - 2000}&to=${at + 1000}`)).json();
					return answer.path[0].why;
				}, e.t);
				ok(why.includes(`until ${name} wakes it`) && why.includes(e.pid ? `${e.comm}-${e.pid}` : 'idle'), why);
				/* to the interrupt itself */
				await t.page.locator('#details dd button', { hasText: name }).click();
				await t.page.waitForFunction((at) => window.sonde.selection?.lane?.startsWith('irq:') && window.sonde.selection.start === at, irq.t, { timeout: 90000 });
				details = await t.details();
				same([details.title, details.Which], [irq.fields.name, name], 'details of an interrupt');
				same(details.Interrupted, irq.pid ? `${irq.comm} ${irq.pid}` : `idle CPU ${irq.cpu}`, 'whom this one interrupted');
			}
			await t.shot('interrupt-details');
			const soft = t.oracle.of('softirq_entry').find((e) => e.cpu === 0);
			await t.page.evaluate(async (at) => {
				window.sonde.show_lane('softirq:0:0');
				window.sonde.select(await window.sonde.span('softirq:0:0', at));
			}, soft.t);
			ok(new RegExp(`^soft interrupt ${soft.fields.vec} \\([A-Z_]+\\)$`).test((await t.details()).Which), `${(await t.details()).Which} is soft interrupt ${soft.fields.vec}`);
		},
	},
];
