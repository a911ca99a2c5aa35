// The schema of `faults`: a list of flat mappings whose `kind` says which other keys belong. `rules-faults.ts` holds
// each one to the table of kinds, as it is done for `target` and `pool`, because a message such as "belongs to kind
// postgres-restart" helps more than a failed union. What a kind does is told in docs/faults.md.
import * as z from "zod";
import { FAULT_KINDS, NETWORK_PLACES, STOPPED_PROCESSES } from "./faults.js";
import { duration, HOUR_MS, size } from "../syntax/scalars.js";
import { LOCK_MODES } from "../database/settings.js";
import { FULL_DISKS, SHUTDOWNS } from "../targets/settings.js";

const MAX_FAULTS = 1000;
const WEEK_MS = 7 * 24 * HOUR_MS;

const MINUTE_MS = 60_000;
const KB = 1024;

const share = z.string().regex(/^([1-9]\d?|100)%$/, "not a share, as 50%");

const Fault = z.strictObject({
  at: duration("When it begins, from the start of the measurement window.", 0, WEEK_MS),
  kind: z.enum(FAULT_KINDS).meta({
    description:
      "backend-terminate: sessions of the load are ended; postgres-restart, postgres-kill: the server is stopped, or " +
      "killed with all its processes, and started again; process-stop: the server or PgBouncer stands still; " +
      "disk-full: the server's disk takes nothing more; long-transaction: a snapshot is held that vacuum cannot get " +
      "past; lock-holder: the status table is locked; connection-limit: the server has no connections left; " +
      "pgbouncer-restart, pgbouncer-kill: PgBouncer is stopped, or killed, and started again; pgbouncer-pause: it " +
      "lets nobody through; network-latency, network-bandwidth, network-blackhole, network-refuse: the network is " +
      "slow, narrow, carries nothing, lets nobody connect; network-reset: it breaks every connection; " +
      "network-reset-commits: it breaks connections at their COMMIT. What each needs and shows: docs/faults.md.",
  }),
  for: duration(
    "How long it lasts; the kinds that restart or kill keep the server or PgBouncer down so long, 0 when left out.",
    1,
    WEEK_MS,
  ).optional(),
  sessions: z
    .union([z.int().min(1).max(100_000), share])
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
      "Whether open connections (beyond the limit) are ended; false refuses new ones only. Default true. Kinds connection-limit and network-refuse only.",
  }),
  instance: z.int().min(1).max(100).optional().meta({
    description: "One of several PgBouncers, from 1; all of them when left out. Kinds pgbouncer-... only.",
  }),
  between: z.enum(NETWORK_PLACES).optional().meta({
    description:
      "clients: the connections of the clients, to the server or to PgBouncer; pooler: those of PgBouncer to the server. Default clients. Kinds network-... only.",
  }),
  latency: duration(
    "What each piece of bytes takes longer, each way. Kind network-latency only, which needs it.",
    0.1,
    MINUTE_MS,
  ).optional(),
  jitter: duration(
    "The latency varies by so much, uniformly, up and down. Default 0. Kind network-latency only.",
    0,
    MINUTE_MS,
  ).optional(),
  bandwidth: size(
    "Bytes a second, each way, over all connections together. Kind network-bandwidth only, which needs it.",
    KB,
    KB ** 4,
  ).optional(),
  commits: share.optional().meta({
    description:
      "Share of the COMMITs that cost their connection. Default 50%. Kind network-reset-commits only.",
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
