import type { Loss } from "../workloads/workload.js";
import type { Integrity } from "./integrity-schema.js";

/** Sums the losses of several audits by operation; their times are left out, because they belong to single trials. */
export function lossesOf(audits: readonly (Integrity | null)[]): Pick<Loss, "operation" | "lost">[] {
  const sums = new Map<string, number>();
  for (const { operation, lost } of audits.flatMap((audit) => audit?.losses ?? []))
    sums.set(operation, (sums.get(operation) ?? 0) + lost);
  return [...sums].map(([operation, lost]) => ({ operation, lost }));
}

/** Text such as `lost (allowed): add 134, process 290`; undefined if nothing was lost. */
export function lossText(audits: readonly (Integrity | null)[]): string | undefined {
  const losses = lossesOf(audits);
  if (losses.length === 0) return undefined;
  const areAllLossesAllowed = audits.every((audit) => !audit?.losses || isLossAllowed(audit));
  const words = losses.map(({ operation, lost }) => `${operation} ${lost}`).join(", ");
  return `lost${areAllLossesAllowed ? " (allowed)" : ""}: ${words}`;
}

/** True if the scenario allows losses, and all of them are explained. */
function isLossAllowed({ allowed = [], losses = [] }: Integrity): boolean {
  return allowed.includes("lost") && losses.every(({ unexplained }) => unexplained === 0);
}

/** Text on the losses of one trial, such as `add 134 (4.32 to 5.03 s), process 290 (4.31 to 5.04 s; 3 unexplained)`. */
export function lossDetails({ losses = [] }: Pick<Integrity, "losses">): string {
  return losses
    .map(({ operation, lost, unexplained, firstAtSeconds: first, lastAtSeconds: last }) => {
      const moments =
        first === undefined || last === undefined
          ? "moment unknown"
          : `acknowledged at ${first.toFixed(2)} to ${last.toFixed(2)} s`;
      return `${operation} ${lost} (${moments}${unexplained > 0 ? `; ${unexplained} unexplained` : ""})`;
    })
    .join(", ");
}
