// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * overview.js - the whole trace in one strip: how much was recorded when, and which part is
 * visible.
 *
 * Its shape comes from page headers alone (api/density), so that it exists before indexing. A page
 * with few events shows little about their times, so the strip is drawn again from the events when
 * they are known (lost.js requests them). While a recording grows, the page requests the shape
 * again and again. Drag the bright part to move, its edges to zoom, drag elsewhere to choose a new
 * part; a double click shows everything. Hits of a search and marks are lines in it.
 */
import * as api from './api.js';

const GROW_MS = 1000;

export class Overview {
	constructor(app) {
		this.app = app;
		this.exact = false;	/* values are counts of events, not bytes of pages */
		this.cells = 0;		/* number of values, with a fraction if the last value covers less time */
		this.until = 0;		/* end of the values; 0: the end of the trace */
		this.canvas = document.getElementById('overview-canvas');
		this.values = null;
		this.hits = null;
		this.listen();
		app.on('info', () => this.grow());
	}

	/* Sums the values of all CPUs, up to a time. streams: from api/density. */
	set(streams, until = 0) {
		const n = streams[0]?.values.length || 0, sums = new Float64Array(n);
		for (const s of streams)
			for (let i = 0; i < n; i++)
				sums[i] += s.values[i];
		if (this.exact)
			return;
		this.until = until;
		this.take(sums);
	}

	/* Adds new data of a growing recording. */
	async grow() {
		const { app } = this, now = performance.now();
		if (!app.info.live || app.live?.paused || this.asking || now - (this.asked ?? -GROW_MS) < GROW_MS)
			return;
		this.asked = now;
		this.asking = true;
		try {
			await app.load_density();
		} catch (error) {
			api.quiet(error);
		} finally {
			this.asking = false;
		}
	}

	take(sums) {
		let most = 0;
		for (const v of sums)
			most = Math.max(most, v);
		this.values = most ? sums.map((v) => Math.sqrt(v / most)) : null;
	}

	/*
	 * Draws from the tiles of all events of each CPU, over the whole trace. bucket: ns per
	 * bucket.
	 */
	count(tiles, bucket) {
		const cells = this.app.view.end / bucket, n = Math.max(1, Math.ceil(cells)), sums = new Float64Array(n);
		for (const tile of tiles) {
			if (tile.kind !== 4)
				continue;
			const f = new Float32Array(tile.data), u = new Uint32Array(tile.data);
			for (let i = 0; i < tile.n; i++)
				sums[Math.max(0, Math.min(n - 1, Math.floor(f[i * 4])))] += u[i * 4 + 2];
		}
		this.exact = true;
		this.until = 0;
		this.cells = cells;	/* the last value may cover less time */
		this.take(sums);
	}

	draw(view, marks, range, theme) {
		const { canvas } = this, ratio = devicePixelRatio || 1, ctx = canvas.getContext('2d');
		const width = canvas.clientWidth, height = canvas.clientHeight;
		if (!width || !height)
			return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
		ctx.clearRect(0, 0, width, height);
		const x = (t) => t / view.end * width;
		this.shape(ctx, theme, width, height);
		this.lines(ctx, theme, x, width, height, marks, range);
		const a = Math.max(0, x(view.from)), b = Math.min(width, Math.max(x(view.to), a + 3));
		ctx.fillStyle = theme.veil;
		ctx.fillRect(0, 0, a, height);
		ctx.fillRect(b, 0, width - b, height);
		ctx.strokeStyle = theme.accent;
		ctx.lineWidth = 1.5;
		ctx.strokeRect(a + .75, .75, Math.max(1.5, b - a - 1.5), height - 1.5);
		ctx.fillStyle = theme.accent;
		for (const edge of [a, b])
			ctx.fillRect(edge - 2, height / 2 - 7, 4, 14);
		ctx.lineWidth = 1;
	}

	shape(ctx, theme, width, height) {
		if (!this.values)
			return;
		const n = this.cells || this.values.length * (this.until ? this.app.view.end / this.until : 1), end = this.values.length;
		ctx.fillStyle = theme.hill;
		ctx.beginPath();
		ctx.moveTo(0, height);
		for (let i = 0; i < end; i++) {
			const y = height - this.values[i] * (height - 6);
			ctx.lineTo(i / n * width, y);
			ctx.lineTo(Math.min(1, (i + 1) / n) * width, y);
		}
		ctx.lineTo(Math.min(1, end / n) * width, height);
		ctx.fill();
	}

	lines(ctx, theme, x, width, height, marks, range) {
		if (range) {
			ctx.fillStyle = theme.range;
			ctx.fillRect(x(range.from), 0, Math.max(1, x(range.to) - x(range.from)), height);
		}
		if (this.hits) {
			ctx.fillStyle = theme.hit;
			for (const [a, b, weight] of this.hits) {
				ctx.globalAlpha = .4 + .6 * Math.min(1, Math.log2(1 + weight) / 6);
				ctx.fillRect(x(a), height - 7, Math.max(1, x(b) - x(a)), 7);
			}
			ctx.globalAlpha = 1;
		}
		ctx.fillStyle = theme.warn;
		for (const [from, to] of this.app.lost.places)
			ctx.fillRect(x(from) - .5, 0, Math.max(1.5, x(to) - x(from)), 6);
		ctx.fillStyle = theme.accent;
		for (const mark of marks)
			ctx.fillRect(Math.round(x(mark.t)), 0, 1.5, height);
	}

	listen() {
		const { canvas, app } = this;
		let drag = null;
		const time = (event) => (event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth * app.view.end;
		const place = (event) => {
			const { view } = app, px = view.end / canvas.clientWidth, t = time(event);
			if (Math.abs(t - view.from) < 6 * px && view.span > 12 * px)
				return 'from';
			if (Math.abs(t - view.to) < 6 * px && view.span > 12 * px)
				return 'to';
			return t > view.from && t < view.to && view.span < view.end * .98 ? 'move' : 'new';
		};
		canvas.addEventListener('pointerdown', (event) => {
			canvas.setPointerCapture(event.pointerId);
			drag = { what: place(event), t: time(event), from: app.view.from, to: app.view.to };
		});
		canvas.addEventListener('pointermove', (event) => {
			if (!drag) {
				canvas.style.cursor = { from: 'ew-resize', to: 'ew-resize', move: 'grab', new: 'crosshair' }[place(event)];
				return;
			}
			const t = time(event), d = t - drag.t;
			const moves = {
				from: () => app.view.go(Math.min(t, drag.to - 100), drag.to),
				to: () => app.view.go(drag.from, Math.max(t, drag.from + 100)),
				move: () => app.view.go(drag.from + d, drag.to + d),
				new: () => Math.abs(d) > app.view.end / canvas.clientWidth * 3 &&
					app.view.go(Math.min(t, drag.t), Math.max(t, drag.t)),
			};
			moves[drag.what]();
		});
		canvas.addEventListener('pointerup', (event) => {
			const { view } = app, t = time(event);
			if (drag && drag.what === 'new' && Math.abs(t - drag.t) <= view.end / canvas.clientWidth * 3)
				view.glideTo(t - view.span / 2, t + view.span / 2);
			drag = null;
		});
		canvas.addEventListener('dblclick', () => app.view.fit());
		canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			app.view.zoomAt(app.view.x(time(event)), Math.exp(event.deltaY * .0015));
		}, { passive: false });
	}
}
