// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.js - texts of label numbers (functions, interrupts, system calls); the page requests a text
 * when it first sees its number.
 *
 * A tile has numbers for its spans. get() returns the text at once or notes that it is missing; the
 * missing texts of a frame are requested together, one request per lane. At most CEILING texts are
 * kept.
 */
import * as api from './api.js';

const CEILING = 50000, EACH = 256;

export class Names {
	constructor(onArrive) {
		this.lanes = new Map();		/* spec → Map(number → text, or null while requested) */
		this.missing = new Map();	/* spec → Set(number) */
		this.n = 0;
		this.onArrive = onArrive;
	}

	get(spec, number) {
		const known = this.lanes.get(spec)?.get(number);
		if (known === undefined) {
			if (!this.missing.has(spec))
				this.missing.set(spec, new Set());
			this.missing.get(spec).add(number);
		}
		return known || '';
	}

	flush() {
		for (const [spec, numbers] of this.missing)
			this.ask(spec, [...numbers].slice(0, EACH));
		this.missing.clear();
	}

	async ask(spec, numbers) {
		if (this.n > CEILING) {
			this.lanes.clear();
			this.n = 0;
		}
		if (!this.lanes.has(spec))
			this.lanes.set(spec, new Map());
		const lane = this.lanes.get(spec);
		numbers.forEach((number) => lane.set(number, null));
		this.n += numbers.length;
		try {
			const answer = await api.get('labels', { lane: spec, ids: numbers.join(',') });
			numbers.forEach((number, i) => lane.set(number, answer.labels[i] || '?'));
			this.onArrive();
		} catch (error) {
			numbers.forEach((number) => lane.delete(number));
			api.quiet(error);
		}
	}
}
