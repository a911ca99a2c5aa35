// Blocks are rows of Latin squares (Williams designs): each treatment stands and follows equally often, give or take one.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { PlannedTrial } from "../settings.js";

export interface OrderSettings {
  readonly trials: number;
  readonly order: "interleaved" | "racing" | "duet" | "sequential";
  /** Seed of the trials' documents and loads; each block's seed is derived from it. */
  readonly seed: number;
  /** Seed of the order of trials; default: `seed`. */
  readonly orderSeed?: number | undefined;
  /** Treatment ids in the order of a resumed run. */
  readonly stored?: readonly string[] | undefined;
}

function balancedOrder(ids: readonly string[], blocks: number, seed: number): string[] {
  const count = ids.length;
  // The order 0, n-1, 1, n-2, ...: if n is even and each row is shifted by one, all pairs of neighbours differ.
  const zigzagSteps = ids.map((_, i) => (i % 2 === 0 ? i / 2 : count - (i + 1) / 2));
  const rows: string[][] = [];
  for (let design = 0; rows.length < blocks; design++) {
    const prng = new Prng(deriveSeed(seed, "balanced order", design));
    const shuffledIds = prng.shuffle([...ids]);
    const latinSquare = (): string[][] =>
      prng
        .shuffle([...ids.keys()])
        .map((row) => zigzagSteps.map((step) => shuffledIds[(step + row) % count] ?? ""));
    rows.push(...latinSquare());
    // If n is odd, each treatment follows each other one equally often only if the mirrored square is added.
    if (count % 2 === 1) rows.push(...latinSquare().map((row) => row.reverse()));
  }
  return rows.slice(0, blocks).flat();
}

function isPermutation(stored: readonly string[], planned: readonly string[]): boolean {
  return stored.length === planned.length && [...stored].sort().join("\n") === [...planned].sort().join("\n");
}

function orderedTreatmentIds(ids: readonly string[], settings: OrderSettings): readonly string[] {
  const { trials, order, seed, orderSeed = seed, stored } = settings;
  const sequentialIds = ids.flatMap((id) => Array<string>(trials).fill(id));
  if (stored !== undefined && isPermutation(stored, sequentialIds)) return stored;
  return order === "sequential" ? sequentialIds : balancedOrder(ids, trials, orderSeed);
}

function addDuetPartners(trials: readonly PlannedTrial[]): PlannedTrial[] {
  return trials.map((trial, i) => {
    const isFirst = i % 2 === 0;
    const partnerId = trials[isFirst ? i + 1 : i - 1]?.treatmentId ?? "";
    return { ...trial, duet: { server: isFirst ? 1 : 2, beside: partnerId } };
  });
}

/** Trials in the order in which they run; the nth trial of a treatment belongs to block n. */
export function planTrials(treatmentIds: readonly string[], settings: OrderSettings): PlannedTrial[] {
  const blockCounts = new Map<string, number>();
  const trials = orderedTreatmentIds(treatmentIds, settings).map((treatmentId, i) => {
    const block = blockCounts.get(treatmentId) ?? 0;
    blockCounts.set(treatmentId, block + 1);
    return { number: i + 1, treatmentId, block, seed: deriveSeed(settings.seed, "trial", block) };
  });
  return settings.order === "duet" ? addDuetPartners(trials) : trials;
}
