// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * draw_gl.js - draws the boxes of all lanes with WebGL2, in one draw call.
 *
 * The records of a tile go to the graphics memory as received, 16 bytes each: one record is one
 * instance of a box. Each instance also has the number of its piece. A small texture, rewritten in
 * every frame, has the position of each piece:
 *
 *	texel 3n      x of bucket 0, pixels per bucket, y, height of a row
 *	texel 3n+1    first and last bucket to draw, kind of lane, y above which nothing is drawn
 *	texel 3n+2    low and high of a visible counter, highlighted task or -1, height of the lane
 *
 * So moving and zooming send a few kilobytes; the records are sent again only when other tiles
 * become visible. draw(scene) has the same interface in draw_2d.js:
 *
 *	scene = { width, height (device pixels), hot,
 *	          pieces: [{tile, x, scale, y, row, height, c0, c1, top, low, high}] }
 */
import { WIDTH, HEIGHT } from './colours.js';

const SLOTS_MOST = 8192;	/* pieces per frame; three texels each, in rows of 1024 pieces */
const ROW = 1024;

const VERTEX = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
layout(location = 0) in vec2 a_x;
layout(location = 1) in uvec2 a_data;
layout(location = 2) in uint a_slot;
uniform vec2 u_size;
uniform sampler2D u_pieces;
uniform sampler2D u_colours;
uniform float u_dot;
uniform float u_strong;
flat out vec4 v_colour;
flat out vec4 v_box;
flat out ivec2 v_style;
out vec2 v_at;

vec4 colour(int row, int i) { return texelFetch(u_colours, ivec2(i, row), 0); }

void main() {
	ivec2 at = ivec2(int(a_slot) % ${ROW} * 3, int(a_slot) / ${ROW});
	vec4 p = texelFetch(u_pieces, at, 0), q = texelFetch(u_pieces, at + ivec2(1, 0), 0);
	vec4 r = texelFetch(u_pieces, at + ivec2(2, 0), 0);
	int kind = int(q.z);
	float b0 = max(a_x.x, q.x), b1 = min(a_x.y, q.y);
	bool open0 = a_x.x <= q.x, open1 = a_x.y >= q.y;	/* continues in the next tile */
	if (a_x.x >= q.y || a_x.y < q.x || (a_x.y == q.x && a_x.x < q.x)) {
		gl_Position = vec4(2.0, 2.0, 0.0, 1.0);
		return;
	}
	float x0 = floor(p.x + b0 * p.y + 0.5), x1 = floor(p.x + max(b1, b0) * p.y + 0.5);
	x1 = max(x1, x0 + u_dot);
	uint value = a_data.x;
	float weight = float(a_data.y & 0xffffu) / 65535.0;
	int row = int((a_data.y >> 16) & 0xffu), flags = int(a_data.y >> 24);
	bool exact = (flags & 1) != 0, lost = (flags & 2) != 0;	/* unrecorded time is paler than lost data */
	/* a sum narrower than a pixel is drawn one pixel wide, and lower, to keep its area */
	float thin = exact || kind > 2 ? 1.0 : min(1.0, max(b1 - b0, 0.0) * p.y / u_dot);
	weight *= thin;
	float y0 = p.z, y1 = p.z + p.w;
	vec4 c = vec4(0.5);
	int style = 0;
	float full = p.w;
	if (kind == 1) {
		c = colour(int(value >> 8u) & 255, int(value & 255u));
		if (r.z >= 0.0 && float(value) != r.z)
			c.a *= 0.38;
		if (value == 65535u) {	/* unknown task */
			weight = 1.0;
			style = 6;
			c.a = lost ? 1.0 : 0.4;
		}
	} else if (kind == 2) {
		int s = int(min(value, 15u));
		c = colour(256, s);
		float share = s == 0 || s == 1 || s == 5 ? 1.0 : s == 2 || s == 3 ? 0.72 : s == 6 ? 0.5 : 0.14;
		if (s == 8) share = 0.06;
		full = p.w * share;
		style = s == 2 || s == 3 ? 1 : s == 5 ? 2 : s == 0 ? 6 : 0;
		if (s == 0) c.a = lost ? 1.0 : 0.4;
		if (!exact && (s == 4 || s == 7 || s == 8)) {
			weight = 1.0;
		} else if (!exact) {
			full = p.w;
			y1 -= p.w * float(row) / 255.0 * thin;
			weight = max(weight, u_dot / p.w);	/* never invisible */
		}
	} else if (kind == 3) {
		y0 += p.w * float(row);
		y1 = y0 + p.w - u_dot;
		full = p.w - u_dot;
		c = colour(257, int(value & 63u));
		if (!exact && full * weight < 4.0 * u_dot) {	/* short spans from afar: small, but visible */
			weight = 4.0 * u_dot / full;
			c.rgb = mix(c.rgb, vec3(u_strong), 0.4);
		}
	} else if (kind == 4) {
		c = colour(258, (flags & 4) != 0 ? 1 : 0);
		c.a = 0.4 + 0.6 * min(1.0, log2(1.0 + float(value)) / 7.0);
		style = 3;
		weight = 1.0;
	} else if (kind == 6) {
		c = colour(258, 4);
		style = 3;
	} else if (kind == 5) {
		float low = uintBitsToFloat(a_data.x), high = uintBitsToFloat(a_data.y);
		float range = max(r.y - r.x, 1e-30);
		float top = y1 - full * clamp((high - r.x) / range, 0.0, 1.0);
		float bottom = y1 - full * clamp((low - r.x) / range, 0.0, 1.0);
		c = colour(258, 3);
		style = 4;
		flags = 0;
		weight = 1.0;
		v_box = vec4(x0, min(top, y1 - u_dot * 1.5), x1, max(bottom, top + u_dot * 1.5));
		y0 = min(top, y1 - u_dot * 1.5);
		if (r.y <= r.x) { y0 = (p.z + y1) * 0.5; v_box.yw = vec2(y0, y0 + u_dot * 1.5); }
	}
	if (kind != 5) {
		y0 = y1 - full * (exact || kind == 4 ? 1.0 : weight);
		v_box = vec4(x0, y0, x1, y1);
	}
	if ((flags & 2) != 0 && kind != 4) {	/* its end was not recorded */
		style = exact ? 6 : style;
	} else if ((flags & 2) != 0) { c = colour(258, 2); style = 5; y0 = p.z; y1 = p.z + max(p.w, r.w); v_box = vec4(x0, y0, x1, y1); }
	float top = q.w;
	vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
	vec2 a = vec2(x0, max(floor(y0), top)), b = vec2(x1, max(ceil(y1), top));
	v_at = mix(a, b, corner);
	v_colour = c;
	v_style = ivec2(style, (exact ? 1 : 0) | (open0 ? 2 : 0) | (open1 ? 4 : 0) | (lost ? 8 : 0));
	gl_Position = vec4(v_at / u_size * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
flat in vec4 v_colour;
flat in vec4 v_box;
flat in ivec2 v_style;
in vec2 v_at;
uniform float u_dot;
uniform float u_edge;
uniform vec3 u_grey;
out vec4 o_colour;
void main() {
	vec4 c = v_colour;
	float cover = clamp(v_at.y - v_box.y + 0.5, 0.0, 1.0);
	float left = v_at.x - v_box.x, right = v_box.z - v_at.x;
	float wide = v_box.z - v_box.x;
	bool edge = left < u_dot && wide > 3.0 * u_dot && (v_style.y & 2) == 0;
	if (v_style.x == 0) {
		if (edge && (v_style.y & 1) != 0) c.rgb = mix(c.rgb, vec3(u_edge), 0.3);
	} else if (v_style.x == 1) {
		float stripe = mod(v_at.x + v_at.y, 6.0 * u_dot);
		c.a *= stripe < 3.0 * u_dot || edge ? 1.0 : 0.35;
	} else if (v_style.x == 2) {
		bool rim = edge || (right < u_dot && wide > 3.0 * u_dot && (v_style.y & 4) == 0) ||
			v_at.y - v_box.y < u_dot * 1.5 || v_box.w - v_at.y < u_dot * 1.5;
		c.a *= rim ? 1.0 : 0.3;
	} else if (v_style.x == 4) {
		cover = 1.0;
		c.a *= v_at.y >= v_box.y - 0.5 && v_at.y <= v_box.w + 0.5 ? 1.0 : 0.22;
	} else if (v_style.x == 5) {
		cover = 1.0;
		c.a *= mod(v_at.x - v_at.y, 5.0 * u_dot) < 2.0 * u_dot || wide <= 3.0 * u_dot ? 0.95 : 0.2;
	}
	if (v_style.x == 6 && mod(v_at.x - v_at.y, 12.0 * u_dot) < 2.0 * u_dot)
		c.rgb = (v_style.y & 8) != 0 ? vec3(0.75, 0.12, 0.1) : u_grey;
	c.a *= cover;
	o_colour = vec4(c.rgb * c.a, c.a);
}`;

function compile(gl, type, text) {
	const shader = gl.createShader(type);
	gl.shaderSource(shader, text);
	gl.compileShader(shader);
	if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
		throw new Error(gl.getShaderInfoLog(shader) || 'shader');
	return shader;
}

const EMULATED = /swiftshader|llvmpipe|softpipe|software|basic render/i;

function renderer(gl) {
	const info = gl.getExtension('WEBGL_debug_renderer_info');
	return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}

export class GlPainter {
	/* Throws if WebGL2 is missing or only emulated: in both cases draw_2d.js is faster. */
	constructor(canvas, emulated_too) {
		const gl = canvas.getContext('webgl2', {
			alpha: true, antialias: false, depth: false, stencil: false, premultipliedAlpha: true,
			powerPreference: 'high-performance',
		});
		if (!gl)
			throw new Error('There is no WebGL2.');
		if (!emulated_too && EMULATED.test(renderer(gl)))
			throw new Error('WebGL2 is emulated by the CPU.');
		this.name = 'WebGL2';
		this.canvas = canvas;
		this.gl = gl;
		this.shown = [];	/* tiles with records in the buffer */
		this.n = 0;
		this.room = 0;
		this.uploads = 0;
		this.colours_version = -1;
		this.lost = false;
		canvas.addEventListener('webglcontextlost', (event) => {
			event.preventDefault();
			this.lost = true;
		});
		canvas.addEventListener('webglcontextrestored', () => {
			this.lost = false;
			this.shown = [];
			this.room = 0;
			this.colours_version = -1;
			this.setup();
			this.again?.();
		});
		this.setup();
	}

	setup() {
		const gl = this.gl, program = gl.createProgram();
		gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, VERTEX));
		gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, FRAGMENT));
		gl.linkProgram(program);
		if (!gl.getProgramParameter(program, gl.LINK_STATUS))
			throw new Error(gl.getProgramInfoLog(program) || 'program');
		this.at = {};
		for (const name of ['u_size', 'u_pieces', 'u_colours', 'u_dot', 'u_edge', 'u_strong', 'u_grey'])
			this.at[name] = gl.getUniformLocation(program, name);
		this.program = program;
		this.vao = gl.createVertexArray();
		this.records = gl.createBuffer();
		this.slots = gl.createBuffer();
		gl.bindVertexArray(this.vao);
		gl.bindBuffer(gl.ARRAY_BUFFER, this.records);
		gl.enableVertexAttribArray(0);
		gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 16, 0);
		gl.vertexAttribDivisor(0, 1);
		gl.enableVertexAttribArray(1);
		gl.vertexAttribIPointer(1, 2, gl.UNSIGNED_INT, 16, 8);
		gl.vertexAttribDivisor(1, 1);
		gl.bindBuffer(gl.ARRAY_BUFFER, this.slots);
		gl.enableVertexAttribArray(2);
		gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_SHORT, 0, 0);
		gl.vertexAttribDivisor(2, 1);
		this.pieces = this.texture();
		this.colours = this.texture();
	}

	texture() {
		const gl = this.gl, texture = gl.createTexture();
		gl.bindTexture(gl.TEXTURE_2D, texture);
		for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
			[gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
			gl.texParameteri(gl.TEXTURE_2D, key, value);
		return texture;
	}

	/* Sends the records if this frame draws other tiles than the last frame. */
	upload(pieces) {
		const same = this.shown.length === pieces.length &&
			pieces.every((piece, i) => this.shown[i] === piece.tile);
		if (same)
			return;
		const gl = this.gl, n = pieces.reduce((sum, piece) => sum + piece.tile.n, 0);
		const records = new Uint8Array(n * 16), slots = new Uint16Array(n);
		let at = 0;
		pieces.forEach((piece, slot) => {
			records.set(new Uint8Array(piece.tile.data), at * 16);
			slots.fill(slot, at, at + piece.tile.n);
			at += piece.tile.n;
		});
		for (const [buffer, data] of [[this.records, records], [this.slots, slots]]) {
			gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
			gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
		}
		this.shown = pieces.map((piece) => piece.tile);
		this.n = n;
		this.uploads++;
	}

	/* Writes the positions of the pieces. */
	place(pieces, hot) {
		const gl = this.gl, rows = Math.max(1, Math.ceil(pieces.length / ROW));
		const width = Math.min(pieces.length || 1, ROW) * 3;
		const texels = new Float32Array(width * rows * 4);
		pieces.forEach((piece, i) => {
			const t = piece.tile, at = (Math.floor(i / ROW) * width + i % ROW * 3) * 4;
			texels.set([piece.x, piece.scale, piece.y, piece.row,
				piece.c0, piece.c1, t.kind, piece.top,
				piece.low || 0, piece.high || 0, hot, piece.height], at);
		});
		gl.activeTexture(gl.TEXTURE0);
		gl.bindTexture(gl.TEXTURE_2D, this.pieces);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, rows, 0, gl.RGBA, gl.FLOAT, texels);
	}

	recolour(colours) {
		const gl = this.gl;
		gl.activeTexture(gl.TEXTURE1);
		gl.bindTexture(gl.TEXTURE_2D, this.colours);
		if (this.colours_version === colours.version)
			return;
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, WIDTH, HEIGHT, 0, gl.RGBA, gl.UNSIGNED_BYTE, colours.table);
		this.colours_version = colours.version;
	}

	draw(scene, colours) {
		const gl = this.gl, pieces = scene.pieces.slice(0, SLOTS_MOST);
		if (this.lost)
			return;
		if (this.canvas.width !== scene.width || this.canvas.height !== scene.height) {
			this.canvas.width = scene.width;
			this.canvas.height = scene.height;
		}
		gl.viewport(0, 0, scene.width, scene.height);
		gl.clearColor(0, 0, 0, 0);
		gl.clear(gl.COLOR_BUFFER_BIT);
		this.upload(pieces);
		if (!this.n)
			return;
		gl.useProgram(this.program);
		gl.bindVertexArray(this.vao);
		this.place(pieces, scene.hot);
		this.recolour(colours);
		gl.uniform2f(this.at.u_size, scene.width, scene.height);
		gl.uniform1i(this.at.u_pieces, 0);
		gl.uniform1i(this.at.u_colours, 1);
		gl.uniform1f(this.at.u_dot, Math.max(1, Math.round(scene.ratio)));
		gl.uniform1f(this.at.u_edge, colours.dark ? 0.05 : 0.15);
		gl.uniform1f(this.at.u_strong, colours.dark ? 1 : 0);
		gl.uniform3f(this.at.u_grey, ...[0, 0, 0].fill(colours.dark ? 0.533 : 0.627));
		gl.enable(gl.BLEND);
		gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
		gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.n);
	}
}
