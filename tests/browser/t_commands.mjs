// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_commands.mjs - no action fails silently.
 */
import { ok, same } from './lib.mjs';

export const commands = [
	{
		name: 'losses: how many, and from one to the next',
		trace: 'lost-events',
		async run(t) {
			const lost = t.oracle.events.filter((e) => 'missed' in e);
			const sum = lost.reduce((n, e) => n + (e.missed || 0), 0), places = new Set(lost.map((e) => e.t)).size;
			await t.page.waitForSelector('#notes .offer');
			const said = (await t.page.textContent('#notes')).replace(/[^\w ;:]/g, '');
			ok(said.includes(`lost ${sum} events at ${lost.length} places`), `the note says: ${said}`);
			const seen = [];
			await t.page.click('#notes .offer');
			for (let i = 0; i < places; i++) {
				await t.page.waitForFunction((n) => window.sonde.selection?.event?.missed && window.sonde.selection.event.ts > n, seen.at(-1) ?? -1);
				seen.push(await t.page.evaluate(() => window.sonde.selection.event.ts));
				await t.page.keyboard.press('e');
			}
			await t.page.waitForFunction(() => /No events were lost after this/.test(document.getElementById('notes').textContent));
			same(seen, [...new Set(lost.map((e) => e.t))].sort((a, b) => a - b), 'places of losses');
			ok((await t.details())['Lost before'], 'the details do not tell it');
			await t.shot('losses');
			await t.page.keyboard.press('Shift+E');
			await t.page.waitForFunction((n) => window.sonde.selection.event.ts < n, seen.at(-1));
		},
	},
];
