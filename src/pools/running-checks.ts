// Differences, found before any trial, between a scenario and a pooler that runs already.
import type { Obstacle } from "../database/contract.js";
import { describeEndpoint, type Endpoint } from "../database/endpoint.js";
import { canPrepareThrough } from "./prepared-through.js";

/** A product, its version, and the notation of its configuration. */
export interface CheckedProduct {
  readonly product: string;
  readonly version: string;
  readonly modeSetting: (mode: string) => string;
  readonly sizeSetting: (size: number) => string;
}

interface PoolShape<Size> {
  readonly mode: string;
  readonly size: Size;
}

export function poolDifferences(
  { product, version, modeSetting, sizeSetting }: CheckedProduct,
  { mode, size }: PoolShape<number>,
  seen: PoolShape<number | undefined>,
): Obstacle[] {
  const found: Obstacle[] = [];
  if (seen.mode !== mode)
    found.push({
      kind: "unfit",
      words: `pool.mode is ${mode}, but ${product} ${version} has ${modeSetting(seen.mode)}`,
      remedy: `Set pool.mode: ${seen.mode}, or give ${product} ${modeSetting(mode)}.`,
    });
  if (seen.size !== undefined && seen.size < size)
    found.push({
      // A client without a server connection would wait for the whole trial in session mode.
      kind: mode === "session" ? "unfit" : "evidence",
      words: `pool.size is ${size}, but ${product} ${version} gives a pool ${seen.size} server connections`,
      remedy: `Set pool.size: ${seen.size}, or give ${product} ${sizeSetting(size)}.`,
    });
  return found;
}

/** Tries prepared statements through each pooler; `keyText` names the key of the scenario that relies on them. */
export async function unpreparedObstacles(
  endpoints: readonly Endpoint[],
  keyText: string,
  remedy: string,
): Promise<Obstacle[]> {
  const isKept = await Promise.all(endpoints.map(canPrepareThrough));
  return endpoints.flatMap((endpoint, index): Obstacle[] => {
    if (isKept[index] !== false) return [];
    const words = `${keyText}, but a statement prepared through ${describeEndpoint(endpoint)} was not there in the next transaction`;
    return [{ kind: "unfit", words, remedy }];
  });
}
