// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * viewport.js - the visible part of time, and how it moves.
 *
 *	from ──────────────── to        nanoseconds since the origin, numbers with fractions
 *	0 ──────────────── width        CSS pixels
 *
 * Every move of the picture goes through go(), which keeps it inside the trace (with a little room
 * on both sides) and above the smallest span. Animated moves run on the frames of the stage: the
 * stage calls step(now) before each frame, and step() returns whether the animation continues.
 */
const SMALLEST = 50;	/* smallest visible time, in ns over the whole width */
const EASE_MS = 180;

export class Viewport {
	constructor(onChange, onJump = () => 0) {
		this.from = 0;
		this.to = 1e6;
		this.end = 1e6;
		this.width = 1000;
		this.onChange = onChange;
		this.onJump = onJump;	/* called before the picture jumps */
		this.glide = null;	/* {from0, to0, from1, to1, start} */
		this.drift = null;	/* {pan, zoom, last}: a key that is held */
		this.still = matchMedia('(prefers-reduced-motion: reduce)');
	}

	get span() {
		return this.to - this.from;
	}

	get nsPerPx() {
		return this.span / this.width;
	}

	x(t) {
		return (t - this.from) / this.nsPerPx;
	}

	t(x) {
		return this.from + x * this.nsPerPx;
	}

	/* Sets the end of the trace, which grows in live mode. */
	setEnd(end) {
		this.end = Math.max(1, end);
	}

	clamp(from, to) {
		const most = this.end * 1.1;
		const span = Math.min(Math.max(to - from, SMALLEST), most);
		const middle = (from + to) / 2;
		if (to - from !== span)
			from = middle - span / 2;
		const room = Math.min(span * 0.5, Math.max(this.end * 0.05, span * 0.25));
		from = Math.max(-room, Math.min(from, this.end + room - span));
		return [from, from + span];
	}

	go(from, to) {
		[from, to] = this.clamp(from, to);
		if (from === this.from && to === this.to)
			return;
		this.from = from;
		this.to = to;
		this.onChange();
	}

	/* Moves smoothly; at once if the user prefers reduced motion. */
	glideTo(from, to) {
		this.drift = null;
		this.onJump();
		if (this.still.matches) {
			this.glide = null;
			this.go(from, to);
			return;
		}
		[from, to] = this.clamp(from, to);
		this.glide = { from0: this.from, to0: this.to, from1: from, to1: to, start: performance.now() };
		this.onChange();
	}

	fit() {
		this.glideTo(0, this.end);
	}

	/* Shows [from, to] with room around. */
	show(from, to, room = 0.25) {
		const span = Math.max(to - from, SMALLEST / 4);
		this.glideTo(from - span * room, to + span * room);
	}

	/* Brings t into the picture without changing the zoom. */
	reveal(from, to = from) {
		const edge = this.span * 0.06;
		const left = this.from <= 0 ? 0 : edge, right = this.to >= this.end ? 0 : edge;
		if (from >= this.from + left && to <= this.to - right)
			return;
		if (to - from > this.span)
			return this.show(from, to);
		const middle = (from + to) / 2;
		this.glideTo(middle - this.span / 2, middle + this.span / 2);
	}

	zoomAt(x, factor) {
		this.glide = null;
		const t = this.t(x), span = this.span * factor;
		const limited = Math.min(Math.max(span, SMALLEST), this.end * 1.1);
		const left = x / this.width;
		this.go(t - limited * left, t + limited * (1 - left));
	}

	pan(px) {
		this.glide = null;
		const d = px * this.nsPerPx;
		this.go(this.from + d, this.to + d);
	}

	/* Moves while a key is held. pan and zoom are speeds, -1 … 1. x: the centre of the zoom. */
	hold(pan, zoom, x) {
		this.glide = null;
		if (!pan && !zoom) {
			this.drift = null;
			return;
		}
		this.drift = { pan, zoom, x, last: this.drift ? this.drift.last : performance.now() };
		this.onChange();
	}

	/* The stage calls this before a frame. Returns true if another frame is needed. */
	step(now) {
		if (this.glide) {
			const g = this.glide, k = Math.min(1, Math.max(0, (now - g.start) / EASE_MS));
			const e = 1 - (1 - k) ** 3;
			this.go(g.from0 + (g.from1 - g.from0) * e, g.to0 + (g.to1 - g.to0) * e);
			if (k >= 1)
				this.glide = null;
			return true;
		}
		if (this.drift) {
			const d = this.drift, dt = Math.min(60, Math.max(1, now - d.last)) / 1000;
			d.last = now;
			if (d.zoom) {
				const keep = this.drift;
				this.zoomAt(d.x, Math.exp(-d.zoom * dt * 3));
				this.drift = keep;
			}
			if (d.pan)
				this.pan(d.pan * dt * this.width * 0.9);
			return true;
		}
		return false;
	}
}
