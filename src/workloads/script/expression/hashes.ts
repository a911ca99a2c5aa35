const UINT64_MAX = 2n ** 64n - 1n;
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotateLeft = (value: bigint, by: bigint): bigint => u64(value << by) | (value >> (64n - by));

export function fnv1a(value: bigint, seed: bigint): bigint {
  let hash = 0xcbf29ce484222325n ^ u64(seed);
  for (let rest = u64(value), i = 0; i < 8; i++, rest >>= 8n)
    hash = u64((hash ^ (rest & 0xffn)) * 0x100000001b3n);
  return BigInt.asIntN(64, hash);
}

const MURMUR_MULTIPLIER = 0xc6a4a7935bd1e995n;

export function murmur2(value: bigint, seed: bigint): bigint {
  let k = u64(u64(value) * MURMUR_MULTIPLIER);
  k = u64((k ^ (k >> 47n)) * MURMUR_MULTIPLIER);
  let hash = u64((u64(seed) ^ u64(MURMUR_MULTIPLIER * 8n) ^ k) * MURMUR_MULTIPLIER);
  hash = u64((hash ^ (hash >> 47n)) * MURMUR_MULTIPLIER);
  return BigInt.asIntN(64, hash ^ (hash >> 47n));
}

/** Blackman and Vigna's xoroshiro128**, seeded by splitmix64, as in pgbench's permutation. */
function xoroshiro(seed: bigint): () => bigint {
  let state = u64(seed);
  const splitmix = (): bigint => {
    state = u64(state + 0x9e3779b97f4a7c15n);
    const first = u64((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    const second = u64((first ^ (first >> 27n)) * 0x94d049bb133111ebn);
    return second ^ (second >> 31n);
  };
  let s0 = splitmix();
  let s1 = splitmix();
  return () => {
    const xorOfStates = s0 ^ s1;
    const drawnBits = u64(rotateLeft(u64(s0 * 5n), 7n) * 9n);
    s0 = rotateLeft(s0, 24n) ^ xorOfStates ^ u64(xorOfStates << 16n);
    s1 = rotateLeft(xorOfStates, 37n);
    return drawnBits;
  };
}

/** Maps `value`, modulo `size`, to a number below `size`. The seed selects the permutation of 0 .. size - 1. */
export function permutedIndex(value: bigint, size: bigint, seed: bigint): bigint {
  if (size <= 0n) throw new Error(`permute takes a size above 0, not ${size}`);
  if (size === 1n) return 0n;
  const next = xoroshiro(seed);
  const maskBits = BigInt(size.toString(2).length - 1);
  const mask = (1n << maskBits) - 1n;
  const spareBits = BigInt(64 - (size - 1n).toString(2).length);
  const below = (): bigint => {
    for (;;) {
      const candidate = next() >> spareBits;
      if (candidate < size) return candidate;
    }
  };
  const scramble = (place: bigint): bigint => {
    const factor = (next() & mask) | 1n;
    const flips = next() & mask;
    if (place > mask) return place;
    const mixed = ((place * factor) ^ flips) & mask;
    return ((mixed << 1n) & mask) | (mixed >> (maskBits - 1n));
  };
  let place = (value & UINT64_MAX) % size;
  for (let round = 0; round < 6; round++) {
    place = scramble(place);
    place = size - 1n - scramble(size - 1n - place);
    place = (place + below()) % size;
  }
  return place;
}
