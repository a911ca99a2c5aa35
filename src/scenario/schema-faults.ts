// The schema of `faults`: a list of flat mappings whose `kind` says which other keys belong. `rules-faults.ts` holds
// each one to the table of kinds, as it is done for `target` and `pool`, because a message such as "belongs to kind
// postgres-restart" helps more than a failed union. What a kind does is told in docs/faults.md.
import { z } from "zod";
import { FAULT_KINDS, FULL_DISKS, LOCK_MODES, SHUTDOWNS, STOPPED_PROCESSES } from "./faults.js";
import { duration, HOUR_MS } from "./scalars.js";

const MAX_FAULTS = 1000;
const WEEK_MS = 7 * 24 * HOUR_MS;

const Fault = z.strictObject({
  at: duration("When it begins, from the start of the measurement window.", 0, WEEK_MS),
  kind: z.enum(FAULT_KINDS).meta({
    description:
      "backend-terminate: sessions of the load are ended; postgres-restart, postgres-kill: the server is stopped, or " +
      "killed with all its processes, and started again; process-stop: the server or PgBouncer stands still; " +
      "disk-full: the server's disk takes nothing more; long-transaction: a snapshot is held that vacuum cannot get " +
      "past; lock-holder: the status table is locked; connection-limit: the server has no connections left. What each " +
      "needs and shows: docs/faults.md.",
  }),
  for: duration(
    "How long it lasts; postgres-restart and postgres-kill keep the server down so long, 0 when left out.",
    1,
    WEEK_MS,
  ).optional(),
  sessions: z
    .union([z.int().min(1).max(100_000), z.string().regex(/^([1-9]\d?|100)%$/, "not a share, as 50%")])
    .optional()
    .meta({
      description:
        "Sessions of the load that are ended: a number, or a share as 50%; chosen at random. Default 100%. Kind backend-terminate only.",
    }),
  shutdown: z
    .enum(SHUTDOWNS)
    .optional()
    .meta({
      description:
        "fast: sessions are ended and the shutdown is clean; immediate: without a checkpoint, so that the start recovers. " +
        "Default fast. Kind postgres-restart only.",
    }),
  process: z.enum(STOPPED_PROCESSES).optional().meta({
    description:
      "What stands still: the server's processes, or every PgBouncer that train-sim started. Default postgres. Kind process-stop only.",
  }),
  disk: z.enum(FULL_DISKS).optional().meta({
    description:
      "tables: tables and indexes cannot grow; wal: the write-ahead log cannot, which makes the server panic. Default tables. Kind disk-full only.",
  }),
  lock: z
    .enum(LOCK_MODES)
    .optional()
    .meta({ description: "Mode of the lock. Default access exclusive. Kind lock-holder only." }),
  connections: z.int().min(0).max(100_000).optional().meta({
    description: "Connections that are left to the load. Default 0. Kind connection-limit only.",
  }),
  drop: z.boolean().optional().meta({
    description:
      "Whether the load's connections beyond the limit are ended; false refuses new ones only. Default true. Kind connection-limit only.",
  }),
});

export const Faults = z
  .array(Fault)
  .max(MAX_FAULTS)
  .prefault([])
  .meta({
    description:
      "What breaks in each trial, and when. Everything is mended at the end of the window, so that the drain and the " +
      "audit find a healthy system.",
  });

/** A fault as a scenario writes it. */
export type FaultMapping = z.output<typeof Fault>;
