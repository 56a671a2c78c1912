// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.js - follow a running recording.
 *
 * While the page follows, the end of the trace stays at the right edge. Moving the picture back
 * stops following (the recording continues); Space or the button resumes it. While the page is
 * paused the recording continues as well, but the picture and its end stay, so that nothing changes
 * while the user reads.
 *
 * When the recording has ended, the page shows that and becomes a normal page. If the program has
 * ended, too, the data in the page can still be viewed.
 */
import * as api from './api.js';
import { count } from './units.js';

const WIDE = 5e9;	/* visible ns at first */
const RENEW_MS = 4000;	/* interval at which tracks of tasks are chosen again */

export class Live {
	constructor(app) {
		this.app = app;
		this.on = Boolean(app.info.live);
		this.following = this.on;
		this.paused = false;
		this.moving = false;
		this.button = document.getElementById('do-live');
		this.button.hidden = !this.on;
		this.button.addEventListener('click', () => this.toggle());
		app.on('info', () => this.grown());
		app.on('view', () => this.moved());
		this.wide = WIDE;		/* visible duration, as chosen by the user */
		this.renewed = performance.now();
		if (this.on)
			this.to_end();
		this.show();
	}

	/* Returns true if the picture ends where the recording ends. */
	get at_end() {
		return this.on && this.following && !this.paused;
	}

	/* Reports that the program does not respond. */
	ended() {
		this.on = this.following = false;
		this.button.hidden = true;
	}

	show() {
		this.button.textContent = this.paused ? 'Paused' : this.following ? '● Live' : 'Live';
		this.button.setAttribute('aria-pressed', String(this.following && !this.paused));
		this.button.title = this.following ? 'Pause (Space)' : 'Follow the recording (Space)';
	}

	to_end() {
		const { view } = this.app;
		this.moving = true;
		view.go(Math.max(0, view.end - this.wide), view.end);
		this.moving = false;
	}

	/* The user moved the picture: stop following. */
	moved() {
		if (!this.moving)
			this.wide = this.app.view.span;
		if (this.on && this.following && !this.moving && this.app.view.to < this.app.view.end - this.app.view.span * .1) {
			this.following = false;
			this.show();
		}
	}

	grown() {
		const { app } = this, was_on = this.on;
		this.on = Boolean(app.info.live);
		if (this.following && !this.paused) {
			this.to_end();
			this.renew();
		}
		if (was_on && !this.on)
			this.finish();
		this.show();
	}

	/*
	 * Handles the end of a recording that was read completely. The last names of tasks may come
	 * with its end.
	 */
	finish() {
		const { app } = this;
		this.on = this.following = this.paused = false;
		this.button.hidden = true;
		app.note('The recording has ended. All of it is here.', true);
		app.learn_names().catch(api.quiet);
	}

	/*
	 * Replaces tracks of tasks that did not run in the visible time, as long as the program
	 * chose them.
	 */
	async renew() {
		const { app } = this, { lanes, address } = app, is_ours = () => lanes.text() === address?.preset;
		if (performance.now() - this.renewed < RENEW_MS || !is_ours())
			return;
		this.renewed = performance.now();
		try {
			const { from, to } = app.scope(), stats = await api.get('stats', { what: 'tasks', from, to }, 'renew');
			const ran = new Map();
			for (const { task: n, states } of stats.tasks)
				if (app.tasks[n]?.pid && states[1])
					ran.set(`task:${app.tasks[n].machine}:${app.tasks[n].pid}`, states[1]);
			const busy = [...ran].filter(([spec]) => !lanes.find(spec)).sort((a, b) => b[1] - a[1]);
			const still = lanes.list.filter((lane) => lane.type === 'task' && !ran.has(lane.spec));
			if (!is_ours())
				return;
			still.slice(0, busy.length).forEach((lane, i) => lanes.replace(lane.spec, busy[i][0]));
			address.preset = lanes.text();
		} catch (error) {
			api.quiet(error);
		}
	}

	async toggle() {
		if (!this.on && !this.paused) {
			this.app.hint('This trace is not being recorded; there is nothing to follow.');
			return;
		}
		if (!this.following) {
			this.following = true;
			if (this.paused)
				await this.pause(false);
			this.grown();
		} else {
			await this.pause(!this.paused);
		}
		this.show();
	}

	take(answer) {
		/*
		 * the recording has ended meanwhile: the picture stays, newer data is available now
		 */
		if (this.paused && !answer.live)
			this.following = false;
		this.paused = Boolean(answer.paused && answer.live);
		if (answer.lost)
			this.app.note(`${count(answer.lost)} events were lost: the recording was quicker than it could be read.`);
		this.show();
	}

	/* Checks a paused recording: another window may have resumed it, or it may have ended. */
	async look() {
		try {
			this.take(await api.get('live', {}, 'live'));
		} catch (error) {
			if (error.status === undefined && !error.gone)
				throw error;	/* no answer at all */
			api.quiet(error);
		}
	}

	async pause(pause) {
		try {
			this.take(await api.post('live', { pause }));
		} catch (error) {
			api.quiet(error);
		}
	}
}
