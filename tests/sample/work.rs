// SPDX-License-Identifier: GPL-2.0-or-later
// work.rs - Rust: generics, closures, recursion, a panic that is caught.
use std::hint::black_box;

#[inline(never)]
fn burn(n: u64) -> u64 {
    let mut s = 0u64;
    for i in 0..n {
        s = black_box(s.wrapping_add(i));
    }
    s
}

#[inline(never)]
fn recurse(depth: u32) -> u64 {
    if depth == 0 {
        burn(20000)
    } else {
        recurse(depth - 1) + 1
    }
}

#[inline(never)]
fn apply<F: Fn(u64) -> u64>(f: F, n: u64) -> u64 {
    f(n) + 1
}

fn main() {
    let n: u64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(100);
    let mut s = 0u64;
    for i in 0..n {
        s = s.wrapping_add(recurse(7));
        s = s.wrapping_add(apply(|x| burn(x + 10000), i));
        let mut v: Vec<u64> = (0..100).map(|k| (k * 7919 + i) % 101).collect();
        v.sort_by_key(|x| x ^ (burn(20) & 1));
        s = s.wrapping_add(v[3]);
    }
    black_box(s);
}
