// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench.mjs - figures of the page on a large trace: first paint, frames while it moves, memory of the tab.
 *
 *	tests/browser/suite --bench FILE      prints one line for each: NAME VALUE UNIT
 *
 * A frame is told twice: what our scripts take, and the distance of frames on the screen. First with the painter
 * that the page chooses, then (gl-…) with WebGL2, which the CPU emulates if there is no graphics card.
 */
import { Lab } from './lib.mjs';

const FRAMES = 120, SECONDS = 8;	/* of a move: that many, or as many as come in that time */

function quantile(list, q) {
	const sorted = [...list].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

function tell(name, value, unit) {
	console.log(`${name} ${typeof value === 'number' ? value.toFixed(2) : value} ${unit}`);
}

/* Moves the picture by one step in each frame; [ms of script, ms between frames]. */
function move(page, what) {
	return page.evaluate(async ([n, kind, longest]) => {
		const a = window.sonde, script = [], apart = [];
		const begun = performance.now();
		let last = 0;
		a.stage.times.length = 0;
		await new Promise((done) => {
			let i = 0;
			const step = (now) => {
				if (last)
					apart.push(now - last);
				last = now;
				if (i++ >= n || now - begun > longest)
					return done();
				if (kind === 'pan')
					a.view.pan(i < n / 2 ? 9 : -9);
				else
					a.view.zoomAt(a.view.width / 2, i < n / 2 ? .97 : 1 / .97);
				requestAnimationFrame(step);
			};
			requestAnimationFrame(step);
		});
		script.push(...a.stage.times);
		return [script, apart, a.stage.painter.n || 0];
	}, [FRAMES, what, SECONDS * 1000]);
}

async function frames(page, prefix) {
	for (const [name, share] of [['half', .5], ['hundredth', .01], ['millionth', 1e-6]]) {
		await page.evaluate((s) => window.sonde.view.go(window.sonde.view.end * .3, window.sonde.view.end * (.3 + s)), share);
		await page.waitForTimeout(1500);
		for (const kind of ['pan', 'zoom']) {
			await move(page, kind);		/* what is looked at is fetched; then it is measured */
			await page.waitForTimeout(800);
			const [script, apart, boxes] = await move(page, kind);
			tell(`${prefix}${kind}-${name}-script-p50`, quantile(script, .5), 'ms');
			tell(`${prefix}${kind}-${name}-script-p95`, quantile(script, .95), 'ms');
			tell(`${prefix}${kind}-${name}-frame-p50`, quantile(apart, .5), 'ms');
			tell(`${prefix}${kind}-${name}-frame-p95`, quantile(apart, .95), 'ms');
			tell(`${prefix}${kind}-${name}-boxes`, boxes, '');
		}
	}
}

const lab = new Lab();
try {
	await lab.start();
	const viewer = await lab.serve(process.argv[2]);
	const page = await (await lab.browser.newContext({ viewport: { width: 1600, height: 1000 } })).newPage();
	const started = performance.now();
	await page.goto(viewer.url);
	await page.waitForFunction(() => window.sonde?.stage?.last?.pieces.length > 0, null, { polling: 'raf', timeout: 180000 });
	tell('first-paint', await page.evaluate(() => window.sonde.stage.first_paint), 'ms');
	await page.waitForFunction(() => window.sonde.ready && window.sonde.info.progress >= 1, null, { timeout: 600000 });
	tell('indexed', performance.now() - started, 'ms');
	await page.evaluate(() => window.sonde.add_busy_tasks());
	await page.waitForTimeout(3000);
	tell('renderer', await page.evaluate(() => {
		const gl = document.createElement('canvas').getContext('webgl2'), info = gl?.getExtension('WEBGL_debug_renderer_info');
		return info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)).replace(/\s+/g, '_') : 'none';
	}), '');
	tell('painter', await page.evaluate(() => window.sonde.stage.painter.name), '');
	await frames(page, '');
	const session = await page.context().newCDPSession(page);
	await session.send('HeapProfiler.collectGarbage');
	const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
	tell('heap', (usedSize + (backingStorageSize || 0)) / 2 ** 20, 'MB');
	tell('tiles', (await page.evaluate(() => window.sonde.tiles.bytes)) / 2 ** 20, 'MB');
	await page.goto(`${viewer.url}?painter=gl`);
	await page.waitForFunction(() => window.sonde?.ready && window.sonde.info.progress >= 1, null, { timeout: 600000 });
	await page.evaluate(() => window.sonde.add_busy_tasks());
	await page.waitForTimeout(2000);
	await frames(page, 'gl-');
} finally {
	await lab.stop();
}
