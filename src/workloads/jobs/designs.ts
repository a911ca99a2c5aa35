// The designs of queues in SQL, and which levels of settings they can have.

export interface DesignSettings {
  readonly wakeup: { readonly pollMs: number; readonly isNotified: boolean };
  /** Left out: the design's default. */
  readonly retire?: "delete" | "archive" | "keep" | "drop-partition";
  readonly claimBatch: number;
  readonly leaseMs: number;
  readonly ids: "bigint" | "uuidv4" | "uuidv7";
  readonly fillfactor: number;
  readonly layout: "status-index" | "hot" | "two-tables";
  readonly foreignKey: boolean;
  /** Largest number of runs of a job. */
  readonly attempts: number;
  readonly retryAfterMs: number;
}

export const DESIGNS: Readonly<Record<string, string>> = {
  held: "The row stays locked while the handler runs, and is deleted in the same transaction.",
  lease: "The claim commits, the handler runs outside of a transaction, and the completion commits.",
  advisory: "A session lock claims the job, without a row lock.",
  batch: "Workers take batches between two snapshots, without row locks.",
  partitions: "Completed jobs go by DROP of their partition.",
};

export const DESIGN_NAMES = Object.keys(DESIGNS);

export function designProblem(
  _design: string,
  _settings: DesignSettings,
): { readonly key: string; readonly message: string } | undefined {
  return undefined;
}
