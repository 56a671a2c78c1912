// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_files.mjs - what the page says about files: which of several a thing is from, and where data of one is missing.
 *
 * covers: K01 K03
 */
import { same, ok } from './lib.mjs';

const FILES = ['events-v6.dat', 'events-v7-none.dat'], TWO = 'events-v6 events-v7-none';

function label(t, spec) {
	return t.page.evaluate((s) => {
		const item = document.querySelector(`#tree [data-id="${s}"]`);
		return { sub: item.querySelector('.sub').textContent, said: item.getAttribute('aria-label') };
	}, spec);
}

/* PIDs that only one of the files has. */
function own_pids(t) {
	const sets = FILES.map((file) => new Set(t.oracle.of_file(file).events.map((e) => e.pid)));
	return sets.map((mine, i) => [...mine].find((pid) => pid && !sets[1 - i].has(pid)));
}

export const files = [
	{
		name: 'of several files, tracks, tables, details and the palette say which', trace: TWO,
		async run(t) {
			const pids = own_pids(t), both = FILES.join(', ');
			for (const [i, pid] of pids.entries()) {
				await t.add(`task:0:${pid}`);
				const got = await label(t, `task:0:${pid}`);
				ok(got.sub.endsWith(FILES[i]) && got.said.endsWith(FILES[i]), `task ${pid} is of ${FILES[i]}, not ${JSON.stringify(got)}`);
			}
			const cpu = await label(t, 'cpu:0:0');
			same([cpu.sub, cpu.said], ['2 files', `CPU 0, ${both}`], 'CPU 0');
			await t.panel('counts');
			const rows = await t.rows('#panel-counts table'), counted = (file) => t.oracle.of_file(file).events;
			for (const row of rows) {
				const wanted = FILES.filter((file) => counted(file).some((e) => `${e.system || ''}/${e.event}` === row.Event || e.event === row.Event.split('/')[1]));
				same(row.File, wanted.join(', '), `files of ${row.Event}`);
			}
			const first = t.oracle.events[0];
			await t.panel('events');
			await t.page.click('#panel-events tbody tr:first-child');
			await t.page.waitForFunction(() => document.querySelector('#details dt'));
			same((await t.details()).File, first.file, 'file of the first event');
			await t.page.evaluate(() => window.sonde.palette.open('tracks'));
			await t.page.fill('#palette input', `${pids[0]}`);
			const notes = await t.page.$$eval('#palette .item', (items) => items.map((item) => item.textContent));
			ok(notes.some((note) => note.includes(FILES[0])), `the palette does not say ${FILES[0]}: ${notes.slice(0, 3)}`);
			await t.page.keyboard.press('Escape');
			await t.shot('several-files');
		},
	},
	{
		name: 'where data is missing a task is striped, and it is told why', trace: 'lost-events',
		async run(t) {
			const pid = t.oracle.events.find((e) => e.comm === 'sysloop').pid, lane = `task:0:${pid}`;
			await t.add(lane);
			const spans = (await t.drawn(lane)).filter((box) => box.exact && box.value === 0).sort((a, b) => b.end - b.start - (a.end - a.start));
			ok(spans.length, 'nothing of it is unknown');
			const { start, end } = spans[0];
			await t.go(start - (end - start) / 2, end + (end - start) / 2);
			const red = ([r, g, b]) => r > 150 && g < 90 && b < 90, line = await t.pixels(lane, start, end, .5);
			const share = line.filter(red).length / line.length;
			ok(share > .08 && share < .35, `${share} of the line is red`);
			await t.click(lane, (start + end) / 2);
			const details = await t.details();
			same(details.title, 'unknown', 'title of the details');
			ok(/the task may have run there/.test(details.Why), `the details do not say why: ${details.Why}`);
			ok(/unknown.*The state is unknown/.test(await t.spoken()), 'it is not read aloud');
			await t.shot('unknown');
		},
	},
];
