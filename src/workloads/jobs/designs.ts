// The designs of queues in SQL, and which levels of settings make sense in each. The SQL is in schema/jobs/<name>.sql.

type Retire = "delete" | "archive" | "keep" | "drop-partition";
type Layout = "status-index" | "hot" | "two-tables";
type JobIds = "bigint" | "uuidv4" | "uuidv7";

export interface DesignSettings {
  /** `isNotified`: LISTEN, with polling as the fallback. */
  readonly wakeup: { readonly pollMs: number; readonly isNotified: boolean };
  /** Left out: the design's default. */
  readonly retire?: Retire;
  readonly claimBatch: number;
  /** Left out: `DEFAULT_LEASE_MS` in a design, its own default in a library. */
  readonly leaseMs?: number;
  readonly ids: JobIds;
  readonly fillfactor: number;
  readonly layout: Layout;
  readonly foreignKey: boolean;
  /** Largest number of runs of a job. */
  readonly attempts: number;
  readonly retryAfterMs: number;
}

/** Milliseconds after which a claimed job of a design may run again. */
export const DEFAULT_LEASE_MS = 30_000;

interface Design {
  readonly description: string;
  /** State of a worker's connection that must last while a handler runs. */
  readonly keeps: "nothing" | "transaction" | "session";
  /** The first is the default. */
  readonly retires: readonly [Retire, ...Retire[]];
  readonly layouts: readonly Layout[];
  readonly ids: readonly JobIds[];
  /** Reasons why other levels make no sense. */
  readonly because: { readonly retire: string; readonly layout?: string; readonly ids?: string };
}

const ALL_IDS = ["bigint", "uuidv4", "uuidv7"] as const;
const ROW_RETIRES = ["delete", "archive", "keep"] as const;
const NO_PARTITIONS = "its tables have no partitions";
const NO_CLAIM_STATE = "its claims store nothing in the job's row";

const DESIGN_BY_NAME = {
  held: {
    description: "The row stays locked while the handler runs, and is deleted in the same transaction.",
    keeps: "transaction",
    retires: ROW_RETIRES,
    layouts: ["status-index"],
    ids: ALL_IDS,
    because: { retire: NO_PARTITIONS, layout: NO_CLAIM_STATE },
  },
  lease: {
    description: "The claim commits, the handler runs outside of a transaction, and the completion commits.",
    keeps: "nothing",
    retires: ROW_RETIRES,
    layouts: ["status-index", "hot", "two-tables"],
    ids: ALL_IDS,
    because: { retire: NO_PARTITIONS },
  },
  advisory: {
    description: "A session lock claims the job, without a row lock.",
    keeps: "session",
    retires: ROW_RETIRES,
    layouts: ["status-index"],
    ids: ALL_IDS,
    because: { retire: NO_PARTITIONS, layout: NO_CLAIM_STATE },
  },
  batch: {
    description: "Workers take batches between two snapshots, without row locks.",
    keeps: "nothing",
    retires: ["drop-partition"],
    layouts: ["status-index"],
    ids: ["bigint"],
    because: {
      retire: "no row of its jobs changes, so they go with their partition",
      layout: NO_CLAIM_STATE,
      ids: "a batch is a range of ids in the order of the inserts",
    },
  },
  partitions: {
    description: "A lease queue by time whose completed jobs go by DROP of their partition.",
    keeps: "nothing",
    retires: ["drop-partition"],
    layouts: ["status-index", "hot"],
    ids: ALL_IDS,
    because: {
      retire: "its completed jobs go with their partition",
      layout: "jobs that move to another table leave nothing to drop",
    },
  },
} as const satisfies Record<string, Design>;

export type DesignName = keyof typeof DESIGN_BY_NAME;
export const DESIGNS: Readonly<Record<DesignName, Design>> = DESIGN_BY_NAME;
export const DESIGN_NAMES = Object.keys(DESIGNS) as readonly DesignName[];

/** The first level that makes no sense in the design, by its key in the scenario; undefined if all do. */
export function designProblem(
  name: string,
  settings: Pick<DesignSettings, "retire" | "layout" | "ids">,
): { readonly key: "retire" | "layout" | "jobIds"; readonly message: string } | undefined {
  const { retires, layouts, ids, because } = DESIGNS[name as DesignName];
  const { retire = retires[0], layout } = settings;
  const message = (level: string, reason: string | undefined, allowed: readonly string[]): string =>
    `queue ${name} has no ${level}: ${reason}; use ${allowed.join(" or ")}`;
  if (!retires.includes(retire))
    return { key: "retire", message: message(`retire ${retire}`, because.retire, retires) };
  if (!layouts.includes(layout))
    return { key: "layout", message: message(`layout ${layout}`, because.layout, layouts) };
  if (!ids.includes(settings.ids))
    return { key: "jobIds", message: message(`jobIds ${settings.ids}`, because.ids, ids) };
  if (layout === "two-tables" && retire === "keep") {
    const reason = "a completed job leaves both tables";
    return {
      key: "retire",
      message: message("retire keep with layout two-tables", reason, ["delete", "archive"]),
    };
  }
  return undefined;
}
