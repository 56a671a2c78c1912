// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure.js - a range of time, chosen by dragging.
 *
 * While the mouse button is down, the length is shown beside the pointer. On release both ends snap
 * to nearby edges of spans (Ctrl: no snapping), and the panels show data of the range. With Alt the
 * picture zooms into the range instead.
 */
export class Measure {
	constructor(app) {
		this.app = app;
	}

	drag(from, to) {
		this.app.dragging = { from: Math.min(from, to), to: Math.max(from, to) };
		this.app.redraw();
	}

	async finish(start, end, event) {
		const { app } = this, [a, b] = start.t <= end.t ? [start, end] : [end, start];
		if (event.altKey) {
			app.dragging = null;
			app.view.glideTo(a.t, b.t);
			return;
		}
		const free = event.ctrlKey, lane = start.lane;
		const [from, to] = free ? [a.t, b.t] : await Promise.all([
			app.marks.snap(a.lane || lane, a.depth, a.t), app.marks.snap(b.lane || lane, b.depth, b.t)]);
		app.dragging = null;
		if (to > from)
			app.set_range(Math.round(from), Math.round(to));
		else
			app.set_range(Math.round(a.t), Math.round(b.t));
	}
}
