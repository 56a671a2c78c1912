// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lost.js - where the recording lost events: flags on the lanes of CPUs and in the overview, and
 * steps from one loss to the next.
 *
 * The lane of all events of a CPU (all:M:N) contains the losses. When the index is complete, this
 * file requests its coarsest tile for each CPU. If the tile shows a loss, the CPU's own lane also
 * shows the flags of that lane at every zoom level. A trace without losses costs one request
 * (none). While a recording grows, only the number of losses is requested, now and then.
 */
import * as api from './api.js';
import { some } from './units.js';

const CPUS = 128;	/* maximum number of requests */
const MISSED = 2;
const LIVE_MS = 2000;	/* interval of requests during a recording */

export class Lost {
	constructor(app) {
		this.app = app;
		this.lanes = new Map();		/* spec of a CPU → spec of its lane of all events */
		this.places = [];		/* [from, to] in ns, for the overview */
		this.asked = -1;
		this.none = false;		/* true if nothing was lost or truncated */
		app.on('ready', () => this.look());
		app.on('info', () => this.look());
	}

	/* Returns the lane that has the losses of a lane. */
	of(lane) {
		return lane.type === 'cpu' ? this.lanes.get(lane.spec) : undefined;
	}

	async look() {
		const { info, view } = this.app;
		if (info.live)
			return this.look_live();
		if (info.progress < 1 || this.asked === info.events)
			return;
		this.asked = info.events;
		const level = Math.max(0, Math.ceil(Math.log2(Math.max(view.end, 1) / 1023)));
		const cpus = info.machines.flatMap((m) => m.cpus.map((cpu) => `${m.n}:${cpu}`)).slice(0, CPUS);
		try {
			const tiles = await api.tiles(cpus.map((cpu) => [`all:${cpu}`, level, 0]));
			tiles.forEach((tile, i) => this.take(cpus[i], tile, 2 ** level));
			this.known = cpus.length < CPUS;
			if (cpus.length < CPUS && tiles.every((tile) => tile.kind !== 4 || tile.whole))
				this.app.overview.count(tiles, 2 ** level);
		} catch (error) {
			api.quiet(error);
		}
		this.none = Boolean(this.known) && !this.places.length && !info.damage?.length;
		document.body.classList.toggle('calm', this.none);
		if (this.places.length)
			await this.tell().catch(api.quiet);
		this.app.redraw();
	}

	/*
	 * Shows flags in a growing recording as soon as there are losses. The tiles show on which
	 * CPU.
	 */
	async look_live() {
		const { info } = this.app, now = performance.now();
		if (now - (this.looked ?? -LIVE_MS) < LIVE_MS || !info.events)
			return;
		this.looked = now;
		try {
			const { places } = await api.get('loss', { t: 0 }, 'losses');
			this.none = !places && !info.damage?.length;
			for (const cpu of places ? info.machines.flatMap((m) => m.cpus.map((c) => `${m.n}:${c}`)).slice(0, CPUS) : [])
				this.lanes.set(`cpu:${cpu}`, `all:${cpu}`);
		} catch (error) {
			api.quiet(error);
		}
		document.body.classList.toggle('calm', this.none);
		this.app.redraw();
	}

	/* Shows the number of losses, and a link to the first one. */
	async tell() {
		const all = await api.get('loss', { t: 0 }, 'losses');
		const n = all.events ? `${all.counted ? '' : 'at least '}${some(all.events, 'event')}` : 'events; their number is unknown';
		this.app.note(`The recording lost ${n} at ${some(all.places, 'place')}; red flags on the CPUs show where.`, true,
			['Next loss', () => this.step('next')]);
	}

	/* Goes to the next loss after the selection, or after the start of the picture. */
	async step(way) {
		const { app } = this, s = app.selection, next = way === 'next';
		const t = s ? s.event?.ts ?? s.start : next ? Math.max(0, app.view.from - 1) : app.view.to;
		const loss = await api.get('loss', { t: Math.max(0, Math.round(t)), step: way }, 'loss');
		if (!loss.places)
			return app.hint('This trace lost no events.');
		if (loss.none)
			return app.hint(next ? 'No events were lost after this.' : 'No events were lost before this.');
		app.show_lane(`cpu:${loss.machine}:${loss.cpu}`);
		await app.select_event(loss.ref);
	}

	take(cpu, tile, bucket) {
		if (tile.kind !== 4)
			return;
		const f = new Float32Array(tile.data), flags = new Uint8Array(tile.data);
		for (let i = 0; i < tile.n; i++)
			if (flags[i * 16 + 15] & MISSED) {
				this.lanes.set(`cpu:${cpu}`, `all:${cpu}`);
				this.places.push([f[i * 4] * bucket, f[i * 4 + 1] * bucket]);
			}
	}
}
