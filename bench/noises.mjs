// Noises for benches of the statistics. A noise makes a stream: each call of the stream returns the next value of a series,
// whose mean is 0 and whose standard deviation is 1 unless its comment says otherwise.
/** @typedef {import("#program/foundation/prng.js").Prng} Prng */
/** @typedef {(prng: Prng) => () => number} Noise */

/** A standard normal number. @param {Prng} prng */
export const normal = (prng) =>
  Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());

/** Normal values that do not depend on each other. @type {Noise} */
export const independent = (prng) => () => normal(prng);

/** Autoregressive values, AR(1): each keeps the share `kept` of the value before it. @type {(kept: number) => Noise} */
export const carriedOver = (kept) => (prng) => {
  const fresh = Math.sqrt(1 - kept * kept);
  let value = normal(prng);
  return () => (value = kept * value + fresh * normal(prng));
};

/** Two levels, `distance` spreads of a level apart; `share` of the values lies at the upper one. @type {(share?: number, distance?: number) => Noise} */
export const twoHumped =
  (share = 0.5, distance = 5) =>
  (prng) => {
    const deviation = Math.sqrt(1 + share * (1 - share) * distance * distance);
    return () =>
      (normal(prng) + (prng.float() < share ? distance * (1 - share) : -distance * share)) / deviation;
  };

/** Student's t with 3 degrees of freedom: single values far out on either side. @type {Noise} */
export const heavyTailed = (prng) => () => {
  const squares = normal(prng) ** 2 + normal(prng) ** 2 + normal(prng) ** 2;
  return normal(prng) / Math.sqrt(squares);
};

/** Log-normal: a tail on the slow side alone. @type {(shape?: number) => Noise} */
export const skewedNoise =
  (shape = 0.8) =>
  (prng) => {
    const square = Math.exp(shape * shape);
    const deviation = Math.sqrt((square - 1) * square);
    return () => (Math.exp(shape * normal(prng)) - Math.exp((shape * shape) / 2)) / deviation;
  };

/** Normal values, of which `share` is `size` larger. Its mean is `share` times `size`. @type {(share: number, size: number) => Noise} */
export const spikedNoise = (share, size) => (prng) => () => normal(prng) + (prng.float() < share ? size : 0);

/**
 * Another noise plus a trend, which starts at 0 and rises by `slope` from value to value.
 *
 * @type {(slope: number, noise?: Noise) => Noise}
 */
export const driftingNoise =
  (slope, noise = independent) =>
  (prng) => {
    const next = noise(prng);
    let risen = -slope;
    return () => (risen += slope) + next();
  };

/**
 * Another noise plus `size` from the value at index `at` until before `until`.
 *
 * @type {(at: number, size: number, until?: number, noise?: Noise) => Noise}
 */
export const steppedNoise =
  (at, size, until = Number.POSITIVE_INFINITY, noise = independent) =>
  (prng) => {
    const next = noise(prng);
    let index = 0;
    return () => {
      const isShifted = index >= at && index < until;
      index++;
      return next() + (isShifted ? size : 0);
    };
  };

/** Another noise on a level that jumps to a new place, `size` wide, with the chance `share`. @type {(share: number, size: number, noise?: Noise) => Noise} */
export const jumpingNoise =
  (share, size, noise = independent) =>
  (prng) => {
    const next = noise(prng);
    let level = 0;
    return () => {
      if (prng.float() < share) level = size * normal(prng);
      return level + next();
    };
  };

/** Noises that every bench of the statistics covers, without drifts, whose size each bench chooses. */
export const NAMED_NOISES = /** @type {const} */ ({
  independent,
  "carried over .3": carriedOver(0.3),
  "carried over .6": carriedOver(0.6),
  "two humps": twoHumped(),
  "heavy tails": heavyTailed,
  skewed: skewedNoise(),
});
