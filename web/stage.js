// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stage.js - a frame of the picture: visible lanes, the tiles they need, the painter.
 *
 *	requestAnimationFrame → view.step → scene (pieces of tiles) → painter (boxes) → words → axis,
 *	overview → tiles.flush (request what is missing)
 *
 * A frame is drawn only when something has changed (redraw()). The scene is in device pixels.
 * Before the index exists, lanes of CPUs show how much was recorded (density), as tiles made here.
 */
import { BUCKETS, level_for } from './tiles.js';
import { GlPainter } from './draw_gl.js';
import { FlatPainter } from './draw_2d.js';
import { Words } from './text.js';
import { Axis } from './axis.js';

const NEAR = 20000;	/* ns per pixel; below this limit lanes of CPUs show single events */
const DENSITY = 6;	/* kind of the tiles made here; the program's kinds end at 5 */

/* Makes a tile of density values, which painters draw like any other tile. */
export function density_tile(values, most) {
	const data = new ArrayBuffer(values.length * 16), view = new DataView(data);
	let n = 0;
	values.forEach((v, i) => {
		if (!v)
			return;
		view.setFloat32(n * 16, i, true);
		view.setFloat32(n * 16 + 4, i + 1, true);
		view.setUint16(n * 16 + 12, Math.max(2000, Math.round(65535 * Math.sqrt(Math.min(1, v / most)))), true);
		n++;
	});
	return { kind: DENSITY, n, data: data.slice(0, n * 16), rows: 1, whole: true, low: 0, high: 0, buckets: values.length };
}

/*
 * Returns the lowest and the highest visible value of a counter: {low, high}. The value at the left
 * edge comes from the last record before the edge, so that record counts, too.
 */
export function range_in_sight(pieces, view) {
	let low = Infinity, high = -Infinity;
	for (const { tile, level, number, c0, c1 } of pieces) {
		if (tile.kind !== 5)
			continue;
		const f = tile.f32 ||= new Float32Array(tile.data), bucket = 2 ** level, base = number * BUCKETS;
		const from = Math.max(c0, view.from / bucket - base), to = Math.min(c1, view.to / bucket - base);
		for (let i = 0; i < tile.n * 4; i += 4)
			if (f[i] < to && f[i + 1] >= from) {
				low = Math.min(low, f[i + 2]);
				high = Math.max(high, f[i + 3]);
			}
	}
	return low <= high ? { low, high } : { low: 0, high: 0 };
}

export class Stage {
	constructor(app) {
		this.app = app;
		this.box = document.getElementById('stage');
		this.paint = document.getElementById('paint');
		this.split = document.getElementById('label-split');	/* as high as the visible part, at any scroll position */
		this.words = new Words(app);
		this.axis = new Axis(app);
		this.queued = false;
		this.density = new Map();	/* "machine:cpu" → tile */
		this.times = [];		/* script time of the last frames, in ms */
		this.painter = this.choose();
		this.painter.again = () => {	/* the graphics card has lost all data */
			this.shown = null;
			this.redraw();
		};
		this.box.addEventListener('scroll', () => this.redraw(), { passive: true });
		new ResizeObserver(() => this.resize()).observe(this.box);
		this.resize();
	}

	/* ?painter=2d or gl in the address overrides the choice. */
	choose() {
		const canvas = document.getElementById('boxes');
		const wanted = new URLSearchParams(location.search).get('painter');
		if (wanted !== '2d')
			try {
				return new GlPainter(canvas, wanted === 'gl');
			} catch (error) {
				console.info(error.message);
			}
		const fresh = canvas.cloneNode();	/* a canvas with a WebGL context cannot have a 2D context */
		canvas.replaceWith(fresh);
		return new FlatPainter(fresh);
	}

	resize() {
		if (!this.box.clientHeight || !this.paint.clientWidth)
			return;		/* during printing, nothing has a layout */
		const { view } = this.app, rect = this.box.getBoundingClientRect();
		this.paint.style.height = this.split.style.height = `${this.box.clientHeight}px`;
		view.width = Math.max(50, this.paint.clientWidth);
		this.height = Math.max(20, rect.height);
		this.redraw();
	}

	redraw() {
		if (this.queued)
			return;
		this.queued = true;
		requestAnimationFrame((now) => {
			this.queued = false;
			this.frame(now);
		});
	}

	/* force: draw even if the boxes have not moved, because their picture is needed now. */
	frame(now, force = false) {
		const { app } = this, started = performance.now();
		const more = app.view.step(now);
		if (!app.info)
			return;
		app.tiles.begin(app.view.end);
		const scene = this.scene();
		this.last = scene;
		if (!this.first_paint && scene.pieces.length)
			this.first_paint = performance.now();	/* since the page was requested */
		if (this.moved(scene) || force)
			this.painter.draw(scene, app.colours);
		this.words.draw(scene, app.view, app.theme);
		this.axis.draw(app.view, app.marks.list, app.range, app.theme);
		app.overview.draw(app.view, app.marks.list, app.range, app.theme);
		app.tiles.flush(scene.level);
		this.times.push(performance.now() - started);
		if (this.times.length > 240)
			this.times.shift();
		if (more)
			this.redraw();
	}

	/*
	 * Returns true if boxes look different from the last frame. A moving pointer only changes
	 * the words.
	 */
	moved(scene) {
		const { app } = this, now = [scene.width, scene.height, scene.hot, app.colours.version, app.view.from, app.view.to];
		for (const piece of scene.pieces)
			now.push(piece.tile, piece.y, piece.row, piece.c0, piece.c1, piece.top);
		const before = this.shown;
		this.shown = now;
		return !before || before.length !== now.length || now.some((value, i) => value !== before[i]);
	}

	scene() {
		const { app } = this, ratio = devicePixelRatio || 1, { lanes, view } = app;
		const scene = {
			ratio, width: Math.round(view.width * ratio), height: Math.round(this.height * ratio),
			pieces: [], rows: [], scales: [], flags: [], unread: [],
			hot: app.selection?.lane ? app.hot : -1,	/* a selected event highlights no task */
		};
		const level = level_for(view.nsPerPx / ratio);
		scene.level = level;
		let changed = false;
		for (const row of lanes.rows) {
			const top = row.pinned ? row.y : row.y - this.box.scrollTop;
			if (top > this.height || top + row.height < (row.pinned ? 0 : lanes.pinned_height))
				continue;
			scene.rows.push({ row, top });
			if (row.lane)
				changed = this.lane(scene, row, top, level) || changed;
		}
		if (changed)
			lanes.changed();
		return scene;
	}

	lane(scene, row, top, level) {
		const { app } = this, { view, lanes } = app, { lane } = row, k = scene.ratio;
		const pieces = app.tiles.cover(lane.spec, level, view.from, view.to);
		const inner = lanes.inner(lane, row.height);
		const clip = row.pinned ? 0 : lanes.pinned_height * k;
		const place = {
			y: Math.round((top + inner.y) * k), row: inner.row * k, height: row.height * k - inner.y * 2 * k,
			top: clip, lane, pinned: Boolean(row.pinned),
		};
		const covered = pieces.length > 0;
		let changed = false;
		const at = (piece) => ({
			...piece, ...place,
			x: (piece.number * BUCKETS * 2 ** piece.level - view.from) / view.nsPerPx * k,
			scale: 2 ** piece.level / view.nsPerPx * k,
		});
		const scale = pieces.some((piece) => piece.tile.kind === 5) ? range_in_sight(pieces, view) : null;
		for (const piece of pieces) {
			changed = lanes.learn(lane, piece.tile) || changed;
			if (!piece.tile.n)
				continue;
			scene.pieces.push({ ...at(piece), ...scale });
			if (piece.tile.kind === 5 && scene.scales[scene.scales.length - 1]?.lane !== lane)
				scene.scales.push(scene.pieces[scene.pieces.length - 1]);
		}
		if (app.info.live)
			this.unread(scene, pieces, row, top);
		const first = app.tiles.peek(lane.spec, level, Math.max(0, Math.floor(view.from / (BUCKETS * 2 ** level))));
		if (first && first.refused)
			changed = lanes.learn(lane, first) || changed;
		const near = lane.type === 'cpu' && view.nsPerPx < NEAR;
		const losses = near ? `all:${lane.machine}:${lane.id}` : app.lost.of(lane);
		for (const piece of losses ? app.tiles.cover(losses, level, view.from, view.to) : [])
			scene.flags.push(at(piece));
		if (!covered && lane.type === 'cpu')
			this.dense(scene, lane, place);
		return changed;
	}

	/*
	 * Marks the end of a live trace that a lane has not read yet. That part is not empty but
	 * unread.
	 */
	unread(scene, pieces, row, top) {
		const { view } = this.app, at = (t) => (t - view.from) / view.nsPerPx;
		for (const { tile, level, number, c1 } of pieces) {
			const known = (number * BUCKETS + tile.high) * 2 ** level;
			const x = at(known), width = at(Math.min((number * BUCKETS + c1) * 2 ** level, view.to, view.end)) - x;
			if (tile.kind < 5 && width > 2)
				scene.unread.push({ x, width, top, height: row.height, pinned: Boolean(row.pinned) });
		}
	}

	dense(scene, lane, place) {
		const { view } = this.app, tile = this.density.get(`${lane.machine}:${lane.id}`);
		if (!tile || !tile.n)
			return;
		const bucket = view.end / tile.buckets;
		scene.pieces.push({
			tile, ...place, c0: 0, c1: tile.buckets,
			x: -view.from / view.nsPerPx * scene.ratio, scale: bucket / view.nsPerPx * scene.ratio,
		});
	}

	set_density(streams) {
		let most = 0;
		for (const s of streams)
			for (const v of s.values)
				most = Math.max(most, v);
		for (const s of streams)
			this.density.set(`${s.machine}:${s.cpu}`, density_tile(s.values, most || 1));
		this.redraw();
	}

	/* Returns the position of a lane in CSS pixels of the canvas; null: not visible. */
	place_of(spec) {
		const row = this.app.lanes.rows.find((r) => r.lane && r.lane.spec === spec);
		if (!row)
			return null;
		const top = row.pinned ? row.y : row.y - this.box.scrollTop;
		return { top, height: row.height, row };
	}

	scroll_to(spec) {
		const place = this.place_of(spec);
		if (!place || place.row.pinned)
			return;
		if (place.top < this.app.lanes.pinned_height + 4 || place.top + place.height > this.height - 4)
			this.box.scrollTop += place.top - this.height / 3;
	}
}
