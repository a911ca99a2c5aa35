// What the clients of Train Events work with, beside what every workload's clients have: the transactions of their treatment,
// the clock of an event's life, the ledger and the sampled checks.
import type { ActorContext } from "../../../actors/actor.js";
import type { EventAssignment } from "./assignment.js";
import type { Workload } from "../sql/workload.js";
import type { BatchLedger } from "./batch-ledger.js";
import type { LookBeside } from "./look-beside.js";
import type { LifecycleClock } from "./publish-times.js";
import type { SampleChecker } from "./sample-checks.js";

export interface EventContext extends ActorContext<EventAssignment> {
  readonly workload: Workload;
  readonly lifecycle: LifecycleClock;
  readonly ledger: BatchLedger;
  readonly checks: SampleChecker;
  readonly beside: LookBeside;
}
