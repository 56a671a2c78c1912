// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_sql.mjs - the panel SQL: a query, a chart of it, and from a time in it to the timeline.
 *
 * covers: B09 V02
 */
import { same, ok } from './lib.mjs';

/* Types a query as a user does, runs it, and waits for its answer. */
async function ask(t, query) {
	await t.page.fill('#sql-query', query);
	const before = await t.page.evaluate(() => Number(document.getElementById('sql-result').dataset.runs || 0));
	await t.page.press('#sql-query', 'Control+Enter');
	await t.page.waitForFunction((n) => Number(document.getElementById('sql-result').dataset.runs || 0) > n, before);
	return t.page.textContent('#sql-note');
}

async function open(t) {
	await t.page.click('#tab-sql');
	await t.page.waitForSelector('#sql-query');
}

export const sql = [
	{
		name: 'a query, its chart, and a time in the timeline',
		async run(t) {
			const counts = new Map(), { events } = t.oracle;
			for (const e of events)
				counts.set(e.event, (counts.get(e.event) || 0) + 1);
			await open(t);
			same(await ask(t, 'SELECT name, count(*) AS n FROM event GROUP BY name ORDER BY n DESC, name'), `${counts.size} rows.`, 'rows');
			const rows = await t.rows('#sql-result table');
			same(rows.map((r) => [r.name, Number(r.n)]), [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)), 'counts');
			await t.page.click('#sql-as-chart');
			same(await t.page.locator('#sql-result svg rect').count(), Math.min(60, counts.size), 'bars');
			await t.shot('sql-chart');

			await ask(t, 'SELECT ts, comm, prio FROM sched_wakeup ORDER BY ts LIMIT 50');
			await t.page.waitForSelector('#sql-result svg circle');
			await t.shot('sql-points');
			const wakeups = events.filter((e) => e.event === 'sched_wakeup').slice(0, 50);
			same(await t.page.locator('#sql-result svg circle').count(), wakeups.length, 'points');

			await t.page.click('#sql-as-table');
			await t.page.locator('#sql-result tbody tr').nth(7).locator('button.time').click();
			await t.page.waitForFunction(() => window.sonde.selection?.event);
			await t.settle();
			const at = await t.page.evaluate(() => [window.sonde.selection.event.ts, window.sonde.selection.event.event, window.sonde.view.from, window.sonde.view.to]);
			same(at.slice(0, 2), [wakeups[7].t, 'sched_wakeup'], 'the event that was clicked');
			ok(at[2] <= at[0] && at[3] >= at[0] && at[3] - at[2] < 1e9, `the timeline shows ${at[2]} to ${at[3]}`);
			await t.shot('sql-time');
		},
	},
	{
		name: 'rows with a length as a track, and as the range',
		async run(t) {
			await open(t);
			await ask(t, "SELECT ts, dur, state FROM thread_state WHERE state = 'D' ORDER BY dur DESC LIMIT 20");
			await t.page.click('#sql-as-track');
			await t.page.waitForSelector('#sql-result svg.track rect');
			await t.shot('sql-track');
			await t.page.click('#sql-as-table');
			await t.page.locator('#sql-result tbody tr').first().locator('button.time').click();
			await t.settle();
			const [range, longest] = await t.page.evaluate(() => [window.sonde.range, window.sonde.sql.answer.rows[0]]);
			same([range.from, range.to - range.from], [longest[0] - Number(await t.page.evaluate(() => window.sonde.info.origin)), longest[1]], 'the range');
		},
	},
	{
		name: 'mistakes in a query, and ready-made ones',
		async run(t) {
			await open(t);
			const words = await ask(t, 'SELECT nam FROM event');
			ok(/no column 'nam'.*'name'/.test(words), `it says ${words}`);
			same(await t.page.evaluate(() => { const i = document.getElementById('sql-query'); return i.value.slice(i.selectionStart, i.selectionEnd); }), 'nam', 'the marked word');
			ok(/only reads/.test(await ask(t, 'CREATE TABLE t (a)')), 'a query that writes is refused');
			ok(/no rows/i.test(await ask(t, '')), 'an empty query');
			await t.page.waitForFunction(() => document.querySelectorAll('#panel-sql select option').length > 10);
			await t.page.selectOption('#panel-sql select', 'migrations');
			await t.page.waitForFunction(() => /row/.test(document.getElementById('sql-note').textContent));
			await t.shot('sql-ready');
		},
	},
];
