// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_live.mjs - following a recording that runs.
 *
 * covers: B02 V01
 */
import fs from 'node:fs';
import os from 'node:os';
import { same, ok } from './lib.mjs';

/* The command that is recorded ends when this file is there. */
const STOP = `${os.tmpdir()}/sonde-live-${process.pid}`;

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
	{
		name: 'live: the overview grows, and what was not recorded is not red', live: ['-e', 'sched'],
		async run(t) {
			/* how far the shape of the overview reaches, and whether it has something in its last tenth */
			const shape = () => t.page.evaluate(() => {
				const { overview } = window.sonde, n = overview.values?.length || 0;
				return { until: overview.until, late: overview.values ? Math.max(...overview.values.slice(Math.floor(n * .9))) : 0 };
			});
			const first = await shape();
			await t.page.waitForFunction((until) => window.sonde.overview.until > until + 2e9, first.until, { timeout: 120000 })
				.catch(() => ok(false, `the overview stays at ${first.until} ns`));
			ok((await shape()).late > 0, 'what came since is in it');
			await t.page.waitForFunction(() => window.sonde.lost.looked !== undefined, null, { timeout: 120000 });
			await t.page.waitForFunction(() => window.sonde.stage.last?.pieces.some((p) => p.lane.type === 'cpu' && p.tile.kind === 1), null, { timeout: 120000 });
			const loss = await t.page.evaluate(async () => (await fetch('api/loss?t=0')).json());
			if (loss.places)
				return;		/* a busy machine: then red is right */
			const specs = await t.page.evaluate(() => window.sonde.lanes.list.filter((lane) => ['cpu', 'task'].includes(lane.type)).map((lane) => lane.spec));
			for (const spec of specs)
				for (const box of (await t.drawn(spec)).filter((b) => (spec.startsWith('cpu') ? b.value === 65535 : b.value === 0)))
					ok(!(box.flags & 2), `${spec} is red from ${box.start} to ${box.end}`);
			ok(await t.page.evaluate(() => document.body.classList.contains('calm')), 'tables are calm');
			await t.shot('live-overview');
		},
	},
	{
		name: 'live: the recording ends, and the page says so', live: ['-e', 'sched', 'sh', '-c', `until test -e ${STOP}; do sleep .2; done`],
		async run(t) {
			ok(await t.page.evaluate(() => window.sonde.live.on), 'it is live');
			fs.writeFileSync(STOP, '');
			const seen = await t.page.evaluate(() => new Promise((done) => {
				const { sonde } = window, origins = new Set(), ends = [];
				const look = () => {
					origins.add(sonde.info.origin);
					ends.push(sonde.view.end);
					if (sonde.live.on)
						setTimeout(look, 100);
					else
						done({ origins: [...origins].filter((o) => o !== '0').length, ends });
				};
				look();
			}));
			fs.rmSync(STOP);
			same(seen.origins, 1, 'origins that were told');
			ok(seen.ends.every((end, i) => !i || end >= seen.ends[i - 1]), 'the end only moves on');
			ok(seen.ends.at(-1) < 3600e9, 'times are since the beginning');
			ok(await t.page.isHidden('#do-live'), 'Live is out');
			same(await t.page.textContent('#notes p span'), 'The recording has ended. All of it is here.', 'note');
			await t.shot('live-ended');
		},
	},
];
