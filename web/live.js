// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.js - following a recording that runs.
 *
 * While it follows, the end of the trace stays at the right edge. Moving the picture back stops
 * following (the recording goes on); Space or the button follow again. While it is paused the recording
 * goes on as well, but the picture and its end stay, so that nothing changes under the eyes.
 *
 * When the recording has ended the page says so, and is as any other from then on. If the program has gone with it, what
 * is here can still be looked at.
 */
import * as api from './api.js';
import { count } from './units.js';

const WIDE = 5e9;	/* ns in sight at first */
const RENEW_MS = 4000;	/* how often tracks of tasks are chosen anew */

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
		this.wide = WIDE;		/* how much is in sight, as the user likes it */
		this.renewed = performance.now();
		if (this.on)
			this.to_end();
		this.show();
	}

	/* The picture ends where the recording is. */
	get at_end() {
		return this.on && this.following && !this.paused;
	}

	/* The program does not answer any more. */
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

	/* The user went elsewhere: stay there. */
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

	/* The recording has ended, and all of it was read; the last names of tasks may have come with its end. */
	finish() {
		const { app } = this;
		this.on = this.following = this.paused = false;
		this.button.hidden = true;
		app.note('The recording has ended. All of it is here.', true);
		app.learn_names().catch(api.quiet);
	}

	/* Tasks that have not run in sight give their tracks to those that did, as long as the choice is the program's. */
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
		/* it has ended meanwhile: the picture stays, what came after it is to be had now */
		if (this.paused && !answer.live)
			this.following = false;
		this.paused = Boolean(answer.paused && answer.live);
		if (answer.lost)
			this.app.note(`${count(answer.lost)} events were lost: the recording was quicker than it could be read.`);
		this.show();
	}

	/* While it is paused: perhaps another window goes on, or the recording has ended. */
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
