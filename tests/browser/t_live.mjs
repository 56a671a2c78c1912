// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_live.mjs - following a recording that runs.
 *
 * covers: B02 V01
 */
import { same, ok } from './lib.mjs';

const grow = (t, from) => t.page.waitForFunction((n) => window.sonde.view.end > n, from, { timeout: 120000 });

export const live = [
	{
		name: 'live: follows, pauses, scrolls back', live: ['-e', 'sched'],
		async run(t) {
			const state = () => t.page.evaluate(() => ({ end: window.sonde.view.end, to: window.sonde.view.to, following: window.sonde.live.following, paused: window.sonde.live.paused }));
			const first = await state();
			ok(first.following, 'it follows');
			/* the end stays at the right edge; between the two the names of tasks may be fetched */
			await t.page.waitForFunction((n) => window.sonde.view.end > n && window.sonde.view.to >= window.sonde.view.end - 1,
				first.end, { timeout: 120000 });
			await t.page.waitForTimeout(1500);
			await t.shot('live');
			await t.page.keyboard.press('Space');
			await t.page.waitForFunction(() => window.sonde.live.paused, null, { timeout: 90000 });
			let still = await state(), moves = true;
			for (let i = 0; i < 3 && moves; i++) {	/* an answer from before may be on its way */
				const before = still;
				await t.page.waitForTimeout(1500);
				still = await state();
				moves = still.end !== before.end;
			}
			ok(!moves, 'nothing moves while it is paused');
			await t.page.keyboard.press('Space');
			await grow(t, still.end);
			await t.page.evaluate(() => window.sonde.view.go(0, window.sonde.view.span / 4));
			await t.page.waitForFunction(() => !window.sonde.live.following, null, { timeout: 90000 });
			const back = await state();
			await grow(t, back.end);
			same((await state()).to, back.to, 'scrolled back it stays');
			await t.page.click('#do-live');
			await t.page.waitForFunction(() => window.sonde.live.following && window.sonde.view.to >= window.sonde.view.end - 1, null, { timeout: 90000 });
		},
	},
];
