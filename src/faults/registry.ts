// Every kind of fault and the file that knows how to do it. A new kind is one file and one line here, and its keys in
// the scenario; the compiler finds a kind that is missing.
import type { Fault } from "./faults.js";
import { backendTerminate } from "./backend-terminate.js";
import { connectionLimit } from "./connection-limit.js";
import { diskFull } from "./disk-full.js";
import type { FaultHost, FaultKinds, Injected } from "./fault.js";
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
import { pgbouncerPause } from "./pgbouncer-pause.js";
import { pgbouncerKill, pgbouncerRestart } from "./pgbouncer-restart.js";
import { postgresKill } from "./postgres-kill.js";
import { postgresRestart } from "./postgres-restart.js";
import { processStop } from "./process-stop.js";

const KINDS: FaultKinds = {
  "backend-terminate": backendTerminate,
  "postgres-restart": postgresRestart,
  "postgres-kill": postgresKill,
  "process-stop": processStop,
  "disk-full": diskFull,
  "long-transaction": longTransaction,
  "lock-holder": lockHolder,
  "connection-limit": connectionLimit,
  "pgbouncer-restart": pgbouncerRestart,
  "pgbouncer-kill": pgbouncerKill,
  "pgbouncer-pause": pgbouncerPause,
  "network-latency": networkLatency,
  "network-bandwidth": networkBandwidth,
  "network-blackhole": networkBlackhole,
  "network-refuse": networkRefuse,
  "network-reset": networkReset,
  "network-reset-commits": networkResetCommits,
};

export function injectFault(host: FaultHost, fault: Fault): Promise<Injected> {
  // A kind and its keys belong together, which the compiler cannot follow through a lookup.
  return KINDS[fault.kind].inject(host, fault as never);
}
