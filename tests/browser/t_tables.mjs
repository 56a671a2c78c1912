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
];
