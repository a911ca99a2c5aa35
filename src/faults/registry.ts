// The kinds of fault, in the order of the reference. A new kind is a file here and a line in this list.
import type * as z from "zod";
import { agentKill } from "./agent-kill.js";
import { agentPartition } from "./agent-partition.js";
import { backendCancel, backendTerminate } from "./backend-terminate.js";
import { checkpoint } from "./checkpoint.js";
import { command } from "./command.js";
import { connectionLimit } from "./connection-limit.js";
import { diskFull } from "./disk-full.js";
import { failover, switchover } from "./failover.js";
import type { FaultKind, FaultTimes } from "./fault.js";
import { lockHolder } from "./lock-holder.js";
import { longTransaction } from "./long-transaction.js";
import {
  networkBandwidth,
  networkBlackhole,
  networkLatency,
  networkRefuse,
  networkReset,
  networkResetCommits,
} from "./network.js";
import { poolerPause } from "./pooler-pause.js";
import { poolerKill, poolerRestart } from "./pooler-restart.js";
import { queueWorkerKill, queueWorkerStop } from "./queue-worker.js";
import { postgresKill } from "./postgres-kill.js";
import { postgresRestart } from "./postgres-restart.js";
import { processStop } from "./process-stop.js";
import { splitBrain } from "./split-brain.js";
import { standbyStop } from "./standby-stop.js";

export const FAULTS = [
  backendTerminate,
  backendCancel,
  postgresRestart,
  postgresKill,
  processStop,
  failover,
  switchover,
  splitBrain,
  standbyStop,
  diskFull,
  longTransaction,
  lockHolder,
  connectionLimit,
  checkpoint,
  poolerRestart,
  poolerKill,
  poolerPause,
  networkLatency,
  networkBandwidth,
  networkBlackhole,
  networkRefuse,
  networkReset,
  networkResetCommits,
  agentKill,
  agentPartition,
  queueWorkerKill,
  queueWorkerStop,
  command,
] as const;

type RegisteredFault = (typeof FAULTS)[number];
export type FaultKindName = RegisteredFault["name"];
export const FAULT_KINDS = FAULTS.map(({ name }) => name) as [FaultKindName, ...FaultKindName[]];

type FaultOf<Kind> = Kind extends { readonly name: infer Name; resolve(given: never): infer Settings }
  ? { readonly kind: Name } & FaultTimes & Settings
  : never;
export type Fault = FaultOf<RegisteredFault>;

export type AnyFaultKind = FaultKind<FaultKindName, z.ZodRawShape, object>;

/** Kinds by name. A fault has the settings of its kind, but the compiler cannot follow that through a lookup. */
const FAULT_KINDS_BY_NAME = new Map(
  FAULTS.map((each): [string, AnyFaultKind] => [each.name, each as AnyFaultKind]),
);

export function kindOf(name: FaultKindName): AnyFaultKind {
  const faultKind = FAULT_KINDS_BY_NAME.get(name);
  if (!faultKind) throw new Error(`there is no fault ${name}`);
  return faultKind;
}
