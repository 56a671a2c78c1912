// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.js - following a recording that runs.
 *
 * While it follows, the end of the trace stays at the right edge. Moving the picture back stops
 * following (the recording goes on); Space or the button follow again. Pause tells the program to stop
 * taking in what is new, so that nothing changes under the eyes.
 */
import * as api from './api.js';
import { count } from './units.js';

const WIDE = 5e9;	/* ns in sight at first */

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
		if (this.on)
			app.view.go(app.view.end - WIDE, app.view.end);
		this.show();
	}

	show() {
		this.button.textContent = this.paused ? 'Paused' : this.following ? '● Live' : 'Live';
		this.button.setAttribute('aria-pressed', String(this.following && !this.paused));
		this.button.title = this.following ? 'Pause (Space)' : 'Follow the recording (Space)';
	}

	/* The user went elsewhere: stay there. */
	moved() {
		if (this.on && this.following && !this.moving && this.app.view.to < this.app.view.end - this.app.view.span * .1) {
			this.following = false;
			this.show();
		}
	}

	grown() {
		const { app } = this;
		this.on = Boolean(app.info.live);
		this.button.hidden = !this.on && !this.paused;
		if (app.info.lost)
			app.note(`${count(app.info.lost)} events were lost: the recording was quicker than it could be read.`);
		if (!this.following || this.paused)
			return;
		this.moving = true;
		app.view.go(app.view.end - app.view.span, app.view.end);
		this.moving = false;
	}

	async toggle() {
		if (!this.on && !this.paused)
			return;
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

	async pause(pause) {
		try {
			const answer = await api.post('live', { pause });
			this.paused = Boolean(answer.paused);
		} catch (error) {
			api.quiet(error);
		}
	}
}
