import { capabilitiesOf, levelProblems, type DialectName } from "../../database/registry.js";
import { formatSize } from "../../foundation/units.js";
import { BATCH_SIZES, type Profile } from "../../load/profiles.js";
import { rangeOrderFindings, type Finding } from "../../syntax/problems.js";
import { hasStatementMode } from "../common-rules.js";
import type { Objection } from "../workload.js";
import type { EventTreatment as Treatment } from "./clients/assignment.js";
import type { WrittenKeys } from "./keys.js";
import { MAX_TRIAL_WORKERS } from "../event-id.js";
import {
  DELAYED_OPERATIONS,
  EVENT_STORAGES,
  QUESTION_KINDS,
  READ_KINDS,
  ROLES,
  type Role,
} from "./settings.js";
import type { Storage } from "../../database/levels.js";

/** Largest add transaction in bytes. PostgreSQL's protocol has a limit of 1 GB, and a client holds the batch in memory. */
const MAX_BATCH_BYTES = 512 * 1024 ** 2;
/** Rows that `archive` changes for each event, more than any other transaction: it inserts one row and deletes two. */
const ROWS_PER_ARCHIVED_EVENT = 3;
/** Rows that `add` inserts for each event: the event and its status. */
const ROWS_PER_ADDED_EVENT = 2;

/** True if the topology has the role. Every topology has readers. */
export function hasRole(role: string, { topology }: Pick<WrittenKeys, "topology">): boolean {
  return role === "readers" || (role === "cycle") === (topology === "cycle");
}

function batchSizeRules({ batch, documentSize }: WrittenKeys): Finding[] {
  const bytes = batch.max * documentSize;
  if (bytes <= MAX_BATCH_BYTES) return [];
  const message =
    `${batch.max} documents of ${formatSize(documentSize)} make a transaction of ` +
    `${formatSize(bytes)}; at most ${formatSize(MAX_BATCH_BYTES)}, so lower batch.max or documentSize`;
  return [{ path: ["batch", "max"], message }];
}

function claimRules({ advance }: WrittenKeys): Finding[] {
  if (advance.claim > 0 || advance.isOneStep) return [];
  return [{ path: ["advance", "claim"], message: "0 would leave every event PENDING for ever" }];
}

function advanceRules({ advance: { claim, complete, fail, isOneStep } }: WrittenKeys): Finding[] {
  const path = ["advance", "complete"];
  if ((isOneStep ? claim : 0) + complete + fail > 1 + 1e-9) {
    const [names, chances] = isOneStep ? ["processing + ", `${claim} + `] : ["", ""];
    return [{ path, message: `${names}complete + fail must be at most 1 (${chances}${complete} + ${fail})` }];
  }
  if (complete + fail > 0) return [];
  return [{ path, message: "complete and fail must not both be 0: no event would ever finish" }];
}

const namedRoles = (actors: WrittenKeys["actors"]): Role[] => ROLES.filter((role) => actors[role]);

function topologyRules({ topology, actors }: WrittenKeys): Finding[] {
  const findings: Finding[] = namedRoles(actors)
    .filter((role) => !hasRole(role, { topology }))
    .map((role) => {
      const topologyRoles =
        topology === "cycle" ? "cycle and readers" : "producers, consumers, archivers and readers";
      const way = role === "cycle" ? "; set topology: cycle, or remove it" : "";
      return {
        path: ["actors", role],
        message: `topology ${topology} has ${topologyRoles}${way}`,
        isAboutKey: true,
      };
    });
  if (topology === "cycle" && actors.cycle === false)
    findings.push({ path: ["actors", "cycle"], message: "topology cycle is nothing without its clients" });
  return findings;
}

function evolutionRules({ documentEvolution, preload }: WrittenKeys): Finding[] {
  if (documentEvolution === "none" || preload > 0) return [];
  const message = "new-member needs documents that lack the member; preload some, such as preload: 1000";
  return [{ path: ["documentEvolution"], message }];
}

function readRules({ reads }: WrittenKeys): Finding[] {
  if (READ_KINDS.some((kind) => reads[kind] > 0)) return [];
  return [{ path: ["reads"], message: "all weights are 0: readers would ask for nothing" }];
}

function roleRules({ topology, actors }: WrittenKeys): Finding[] {
  const areRolesLeftOut = (["producers", "consumers", "archivers"] as const).every(
    (role) => actors[role] === false,
  );
  if (topology !== "actors" || !areRolesLeftOut || actors.readers) return [];
  return [{ path: ["actors"], message: "every role is left out: no client would do anything" }];
}

function drainRules({ topology, actors, trial }: WrittenKeys): Finding[] {
  if (topology !== "actors" || actors.consumers !== false || !trial.drain) return [];
  const message = "the queue cannot drain without consumers; set it to false, or let actors.consumers work";
  return [{ path: ["trial", "drain"], message }];
}

/** Refuses sizes of batches in a daily profile whose documents are too large for one transaction. */
function profileSizeRules({ actors: named }: WrittenKeys, { documentBytes, actors }: Treatment): Finding[] {
  return namedRoles(named).flatMap((role) => {
    const load = actors[role]?.load;
    if (load?.executor !== "daily-arrival-rate") return [];
    const { sizes, hours }: Profile = load.profile;
    return BATCH_SIZES.flatMap((name) => {
      const bytes = sizes[name] * documentBytes;
      const isSizeUsed = hours.some(({ mix }) => mix[name] > 0);
      if (!isSizeUsed || bytes <= MAX_BATCH_BYTES) return [];
      const message =
        `${sizes[name]} documents of ${formatSize(documentBytes)} make a transaction of ` +
        `${formatSize(bytes)}; at most ${formatSize(MAX_BATCH_BYTES)}, so lower it or documentSize`;
      return [{ path: ["actors", role, "load", "profile", "sizes", name], message }];
    });
  });
}

/** Refuses more workers than fit into the worker number of a key. */
function workerRules(_: WrittenKeys, { actors }: Treatment): Finding[] {
  const workers = Object.values(actors).reduce((sum, role) => sum + role.workers, 0);
  if (workers <= MAX_TRIAL_WORKERS) return [];
  const message = `${workers} worker threads over all roles; at most ${MAX_TRIAL_WORKERS}`;
  return [{ path: ["actors"], message }];
}

function storageRules({ storage }: WrittenKeys): Finding[] {
  if (EVENT_STORAGES.some((level) => level === storage)) return [];
  const message = `workload train-events has no tables of storage ${storage}; it has ${EVENT_STORAGES.join(", ")}`;
  return [{ path: ["storage"], message }];
}

function statementModeRules(_: WrittenKeys, settings: Treatment): Finding[] {
  const { pool, statementShape, isolation: level, appDelayMs } = settings;
  if (!hasStatementMode(pool)) return [];
  const findings: Finding[] = [];
  if (statementShape !== "single-statement") {
    const message =
      `statement mode allows no transaction of several statements, which statementShape: ` +
      `${statementShape} makes; use statementShape: single-statement, or mode: transaction`;
    findings.push({ path: ["pool", "mode"], message });
  }
  if (level !== "read committed") {
    const message =
      "statement mode allows no BEGIN, and without one the isolation stays at the server's default; " +
      "use isolation: read committed, or mode: transaction";
    findings.push({ path: ["isolation"], message });
  }
  if (Object.values(appDelayMs).some(({ max }) => max > 0)) {
    const message =
      "a transaction of one statement has no middle to pause in, and statement mode allows no other; " +
      "set appDelay to 0, or use mode: transaction";
    findings.push({ path: ["appDelay"], message });
  }
  return findings;
}

export const rules: readonly ((written: WrittenKeys, treatment: Treatment) => readonly Finding[])[] = [
  ({ batch }) => rangeOrderFindings(["batch"], batch, ""),
  ({ appDelay }) =>
    "min" in appDelay
      ? rangeOrderFindings(["appDelay"], appDelay, "ms")
      : DELAYED_OPERATIONS.flatMap((name) => rangeOrderFindings(["appDelay", name], appDelay[name], "ms")),
  batchSizeRules,
  claimRules,
  advanceRules,
  topologyRules,
  evolutionRules,
  readRules,
  roleRules,
  drainRules,
  workerRules,
  profileSizeRules,
  storageRules,
  statementModeRules,
];

/** Refuses batches, of the scenario or of a daily profile, with too many rows for one transaction of the dialect. */
function rowLimitProblems(name: DialectName, { batch, actors }: Treatment): Finding[] {
  const { label, rowsPerTransaction } = capabilitiesOf(name);
  if (rowsPerTransaction === undefined) return [];
  const findings: Finding[] = [];
  const archivedEventsMax = Math.floor(rowsPerTransaction / ROWS_PER_ARCHIVED_EVENT);
  const addedEventsMax = Math.floor(rowsPerTransaction / ROWS_PER_ADDED_EVENT);
  if (batch.max > archivedEventsMax) {
    const message =
      `${label} changes at most ${rowsPerTransaction} rows in a transaction, and archiving an event changes ` +
      `${ROWS_PER_ARCHIVED_EVENT}; use at most ${archivedEventsMax}`;
    findings.push({ path: ["batch", "max"], message });
  }
  for (const role of ROLES) {
    const load = actors[role]?.load;
    if (!load || !("profile" in load)) continue;
    const { sizes, hours } = load.profile;
    for (const size of BATCH_SIZES) {
      if (sizes[size] <= addedEventsMax || hours.every(({ mix }) => mix[size] === 0)) continue;
      const message =
        `${label} changes at most ${rowsPerTransaction} rows in a transaction, and adding an event changes ` +
        `${ROWS_PER_ADDED_EVENT}; ${sizes[size]} are too many, use at most ${addedEventsMax}`;
      findings.push({ path: ["actors", role, "load", "profile", "sizes", size], message });
    }
  }
  return findings;
}

/** Findings about levels that the dialect lacks, and batches that are too large for it. */
export function dialectProblems(name: DialectName, treatment: Treatment): Finding[] {
  return [
    ...levelProblems(name, {
      payload: treatment.payload,
      locking: treatment.locking,
      isolation: treatment.isolation,
      statementShape: treatment.statementShape,
      claimIndex: treatment.claimIndex,
      archiveDelete: treatment.archiveDelete,
      documentPlace: treatment.documentPlace,
    }),
    ...rowLimitProblems(name, treatment),
  ];
}

type LintedTreatment = Treatment & { readonly storage: Storage };

/** Objections to settings that are valid but probably not intended. */
export function lint({ dialect, locking, ids, storage, actors, reads }: LintedTreatment): Objection[] {
  const { lockingCaveat, orderedKeysCaveat } = capabilitiesOf(dialect);
  const objections: Objection[] = [];
  if ((actors.consumers ?? actors.cycle) && locking !== "for-update" && lockingCaveat !== undefined)
    objections.push({ rule: "table-locks", words: lockingCaveat });
  if (ids === "uuidv7" && storage !== "hash-sharded" && orderedKeysCaveat !== undefined)
    objections.push({ rule: "ordered-keys", words: orderedKeysCaveat });
  if (actors.producers && !actors.consumers)
    objections.push({ rule: "no-consumers", words: "producers without consumers: the backlog only grows" });
  if (!actors.readers && QUESTION_KINDS.some((kind) => reads[kind] > 0))
    objections.push({ rule: "no-readers", words: "reads without readers: name actors.readers" });
  return objections;
}
