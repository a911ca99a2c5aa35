import type { ClientContext } from "../../workload.js";
import type { EventTreatment } from "./assignment.js";
import type { EventOperations } from "../store.js";
import type { BatchLedger } from "./batch-ledger.js";
import type { UntimedQuery } from "./look-aside.js";
import type { LifecycleClock } from "../../publish-times.js";
import type { SampleChecker } from "./sample-checks.js";

export interface EventContext extends ClientContext<EventTreatment> {
  readonly queue: EventOperations;
  readonly lifecycle: LifecycleClock;
  readonly ledger: BatchLedger;
  readonly checks: SampleChecker;
  readonly lookAside: UntimedQuery;
}
