// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * colours.js - the colours of tasks, states and labels, in both themes.
 *
 * A task's colour comes from its name and PID, so that it is the same in every picture of a trace:
 * the name selects a hue, the PID an offset from it, so that eight compilers have eight colours. A
 * state's colour comes from its number. All have about the same lightness (OKLCH), so that none
 * dominates. Hue alone never carries meaning: runnable is hatched, blocked is outlined, sleeping is
 * a thin line, unknown has red stripes.
 *
 * The painters read colours from one table of RGBA bytes, laid out as a texture of 256 × 260:
 *
 *	rows 0 … 255   tasks by number
 *	row 256        states
 *	row 257        64 colours for functions and other labels, by the low bits of a label's number
 *	row 258        things: see THING
 */
export const WIDTH = 256;
export const HEIGHT = 260;
export const STATE_ROW = 256, SPAN_ROW = 257, THING_ROW = 258;
export const THING = { tick: 0, found: 1, missed: 2, counter: 3, density: 4, idle: 5 };
export const STATE_NAMES = ['unknown', 'running', 'runnable', 'preempted', 'sleeping', 'blocked',
	'stopped', 'idle', 'dead'];
export const SHARE = [1, 1, .72, .72, .14, 1, .5, .14, .06];	/* share of a lane's height, by state; the shader has the same values */
export const N_SPANS = 64;
/*
 * Returns the meaning of a striped span as text, or nothing for other spans. type: the type of the
 * lane. flags: the flags of the span.
 */
export function unknown_why(type, value, flags) {
	if (!(flags & 2) && ((type === 'cpu' && value === 65535) || (type === 'task' && value === 0)))
		return type === 'cpu' ? 'Not recorded: no event shows which task ran. No data was lost here.'
			: 'Not recorded: no event shows the state of the task. No data was lost here.';
	if (type === 'cpu' && value === 65535)
		return 'The running task is unknown: data of this CPU is missing here (events were lost, or the file is truncated).';
	if (type === 'task' && value === 0)
		return 'The state is unknown: data of a CPU is missing here (events were lost, or the file is truncated), and the task may have run there.';
	return '';
}

function srgb(v) {
	const c = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
	return Math.max(0, Math.min(255, Math.round(c * 255)));
}

export function oklch(l, c, degrees) {
	const h = degrees * Math.PI / 180, a = c * Math.cos(h), b = c * Math.sin(h);
	const l_ = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m_ = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s_ = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
	return [srgb(4.0767416621 * l_ - 3.3077115913 * m_ + 0.2309699292 * s_),
		srgb(-1.2684380046 * l_ + 2.6097574011 * m_ - 0.3413193965 * s_),
		srgb(-0.0041960863 * l_ - 0.7034186147 * m_ + 1.707614701 * s_)];
}

export function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	h ^= h >>> 15;
	return Math.imul(h, 0x2c1b3c6d) >>> 0;
}

/* Kernel threads are paler, so that programs stand out. */
export const KERNEL = /^(kworker|ksoftirqd|rcu|migration|idle_inject|cpuhp|kswapd|kcompactd|khugepaged|kthreadd|jbd2|irq\/|watchdog|kauditd|oom_reaper|writeback|kdevtmpfs)/;

const HUES = [248, 28, 158, 305, 82, 205, 350, 135, 275, 52, 182, 328, 228];

const SPREAD = [[0, 0], [44, -.05], [-44, .05], [88, .03], [-88, -.04], [22, .08], [-22, -.08], [132, 0], [-132, .04],
	[66, -.09], [-66, .09]];	/* offsets of hue and lightness by PID; their number is prime, because many PIDs are even */

const STATES = {	/* lightness, chroma, hue */
	light: [[.75, 0, 0], [.64, .14, 152], [.76, .14, 75], [.67, .17, 42], [.82, .015, 250], [.58, .17, 25],
		[.6, .14, 305], [.86, .01, 250], [.55, .01, 250]],
	dark: [[.45, 0, 0], [.66, .13, 155], [.76, .13, 78], [.68, .16, 45], [.42, .02, 250], [.64, .17, 25],
		[.66, .13, 305], [.36, .01, 250], [.5, .01, 250]],
};
const THINGS = {
	light: { tick: [.52, .1, 245], found: [.52, .22, 340], missed: [.58, .22, 27], counter: [.6, .11, 240], density: [.8, .03, 250], idle: [.95, 0, 0] },
	dark: { tick: [.74, .1, 240], found: [.76, .19, 340], missed: [.68, .2, 27], counter: [.7, .11, 240], density: [.42, .03, 250], idle: [.25, 0, 0] },
};

export class Colours {
	constructor() {
		this.table = new Uint8Array(WIDTH * HEIGHT * 4);
		this.dark = false;
		this.version = 0;
	}

	put(row, i, rgb, alpha = 255) {
		const at = (row * WIDTH + i) * 4;
		this.table[at] = rgb[0];
		this.table[at + 1] = rgb[1];
		this.table[at + 2] = rgb[2];
		this.table[at + 3] = alpha;
	}

	task_rgb(comm, pid) {
		if (pid === 0)
			return oklch(this.dark ? .3 : .93, 0, 0);
		const h = hash(comm.replace(/[\d:]+$/, '')), [turn, lift] = SPREAD[pid % SPREAD.length];
		const hue = (HUES[(h >>> 16) % HUES.length] + turn + 360) % 360;
		const yellow = hue > 55 && hue < 125;	/* dark yellow is olive: keep it light */
		const l = (this.dark ? .62 : .72) + (yellow ? .08 : 0) + lift;
		return oklch(l, KERNEL.test(comm) ? .045 : .105, hue);
	}

	span_rgb(i) {
		const hue = HUES[i % HUES.length] + (i >> 4) * 4, yellow = hue > 55 && hue < 125;
		return oklch((this.dark ? .54 : .8) + (yellow ? .06 : 0) + (i % 3 - 1) * .03, .075, hue);
	}

	/*
	 * tasks: array by number of {pid, comm}, or holes. keeps(n): false if the task is dimmed.
	 */
	make(tasks, dark, keeps = () => true) {
		this.dark = dark;
		const theme = dark ? 'dark' : 'light';
		for (let n = 0; n < tasks.length && n < 65535; n++) {
			if (!tasks[n])
				continue;
			const rgb = keeps(n) ? this.task_rgb(tasks[n].comm, tasks[n].pid) : oklch(dark ? .34 : .91, .012, 250);
			this.put(n >> 8, n & 255, rgb, tasks[n].pid === 0 ? 0 : 255);
		}
		this.put(255, 255, oklch(dark ? .45 : .75, 0, 0));
		STATES[theme].forEach((c, i) => this.put(STATE_ROW, i, oklch(...c)));
		for (let i = 0; i < N_SPANS; i++)
			this.put(SPAN_ROW, i, this.span_rgb(i));
		for (const [name, c] of Object.entries(THINGS[theme]))
			this.put(THING_ROW, THING[name], oklch(...c));
		this.version++;
	}

	rgb(row, i) {
		const at = (row * WIDTH + i) * 4;
		return [this.table[at], this.table[at + 1], this.table[at + 2]];
	}

	css(row, i, alpha = 1) {
		const [r, g, b] = this.rgb(row, i);
		return alpha === 1 ? `rgb(${r} ${g} ${b})` : `rgb(${r} ${g} ${b} / ${alpha})`;
	}

	task(n) {
		return n < 0 || n > 65534 ? this.css(255, 255) : this.css(n >> 8, n & 255);
	}

	state(s) {
		return this.css(STATE_ROW, s);
	}

	label(number) {
		return this.css(SPAN_ROW, label_slot(number));
	}

	/*
	 * Returns the colour of text on a box of that colour: dark or light, whichever is more
	 * readable.
	 */
	ink(row, i) {
		const [r, g, b] = this.rgb(row, i);
		const y = .2126 * (r / 255) ** 2.2 + .7152 * (g / 255) ** 2.2 + .0722 * (b / 255) ** 2.2;
		return y > .26 ? '#10151c' : '#ffffff';
	}
}

/*
 * Returns the colour of a label from the low bits of its number, which come from its text. The
 * shader does the same.
 */
export function label_slot(number) {
	return number & (N_SPANS - 1);
}
