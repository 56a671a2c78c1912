// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arrows.js - draws which task woke which: an arrow from the waking to the place where the woken
 * task ran.
 *
 * Arrows are shown for the selected task, unless there are too many to distinguish (DENSE). An
 * arrow ends on the lane of the task if that lane is visible, otherwise on the lane of the CPU.
 */
import * as api from './api.js';

const MOST = 400, DENSE = 120;	/* number of requested arrows; more than DENSE would hide the picture */

export class Arrows {
	constructor(app) {
		this.app = app;
		this.list = [];
		this.key = '';
		this.on = true;
		this.timer = null;
		for (const name of ['view', 'selection'])
			app.on(name, () => this.later());
	}

	toggle() {
		this.on = !this.on;
		this.key = '';
		this.later();
		this.app.hint(!this.on ? 'Arrows of wakeups are off.'
			: this.app.hot >= 0 ? 'Arrows of wakeups are on.' : 'Arrows of wakeups are on; they are shown for the task that is selected.');
	}

	later() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.fetch(), 120);
	}

	async fetch() {
		const { app } = this, { view } = app, task = app.hot;
		if (!this.on || task < 0 || !app.tasks[task] || app.tasks[task].pid === 0) {
			this.list = [];
			this.key = '';
			app.redraw();
			return;
		}
		const size = 2 ** Math.ceil(Math.log2(view.span));	/* a little more than the visible time */
		const from = Math.max(0, Math.floor(view.from / size * 4) * size / 4), to = from + size * 1.5;
		const key = `${task} ${from} ${to}`;
		if (key === this.key)
			return;
		try {
			const answer = await api.get('arrows', { from, to: Math.min(to, view.end), task, max: MOST }, 'arrows');
			this.list = answer.arrows;
			this.more = answer.more;
			this.key = key;
			app.redraw();
		} catch (error) {
			api.quiet(error);
		}
	}

	/* Returns the middle of the lane on which a task is visible at that time. */
	place(task, cpu) {
		const { app } = this, t = app.tasks[task];
		const lanes = t ? [`task:${t.machine}:${t.pid}`, `cpu:${t.machine}:${cpu}`] : [];
		for (const spec of lanes) {
			const place = app.stage.place_of(spec);
			if (place && place.top + place.height > 0 && place.top < app.stage.height)
				return place.top + place.height / 2;
		}
		return null;
	}

	draw(ctx, view, scene, theme) {
		const seen = this.list.filter(([from, , , , to]) => view.x(to) > 0 && view.x(from) < view.width);
		if (!seen.length || seen.length > DENSE || (this.more && seen.length === this.list.length))
			return;
		ctx.save();
		ctx.beginPath();
		ctx.rect(0, 0, view.width, this.app.stage.height);
		ctx.clip();
		ctx.strokeStyle = theme.text;
		ctx.fillStyle = theme.text;
		ctx.lineWidth = 1.1;
		ctx.globalAlpha = seen.length > 40 ? .4 : .8;
		for (const [woken_at, waker, cpu, woken, ran_at, ran_cpu] of seen) {
			const x0 = view.x(woken_at), x1 = view.x(ran_at);
			const y0 = this.place(waker, cpu), y1 = this.place(woken, ran_cpu);
			if (y0 === null || y1 === null || (y0 === y1 && Math.abs(x0 - x1) < 3))
				continue;
			this.arrow(ctx, x0, y0, x1, y1);
		}
		ctx.restore();
	}

	arrow(ctx, x0, y0, x1, y1) {
		const bend = Math.max(10, Math.min(60, Math.abs(x1 - x0) / 2));
		ctx.beginPath();
		ctx.moveTo(x0, y0);
		ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
		ctx.stroke();
		ctx.beginPath();
		ctx.moveTo(x1, y1);
		ctx.lineTo(x1 - 6, y1 - 3.5);
		ctx.lineTo(x1 - 6, y1 + 3.5);
		ctx.fill();
		ctx.beginPath();
		ctx.arc(x0, y0, 2, 0, 7);
		ctx.fill();
	}
}
