import type { Clients } from "../../../clients/client.js";
import type { ClientContext, WorkloadClients } from "../../workload.js";
import type { EventTreatment } from "./assignment.js";
import { archiverClients } from "./archiver.js";
import { BatchLedger } from "./batch-ledger.js";
import { consumerClients } from "./consumer.js";
import type { EventContext } from "./context.js";
import { cycleClients } from "./cycle.js";
import { createUntimedQuery } from "./look-aside.js";
import { producerClients } from "./producer.js";
import { LifecycleClock } from "../../publish-times.js";
import { readerClients } from "./reader.js";
import { SampleChecker } from "./sample-checks.js";
import type { Role } from "../settings.js";
import type { EventStore } from "../store.js";

type RoleClients = Clients & Pick<WorkloadClients, "operationOf">;

const CLIENTS_BY_ROLE: Readonly<Record<Role, (context: EventContext) => RoleClients>> = {
  producers: producerClients,
  consumers: consumerClients,
  archivers: archiverClients,
  readers: readerClients,
  cycle: cycleClients,
};

export function client(store: EventStore, clientContext: ClientContext<EventTreatment>): WorkloadClients {
  const { assignment, source, time } = clientContext;
  const { settings } = assignment;
  const lifecycle = new LifecycleClock(assignment.shared, assignment.mirroredOrdinals);
  const ledger = BatchLedger.of(assignment, assignment.shared.has(assignment.ordinal));
  const lookAside = createUntimedQuery(source, time);
  const verification = store.verification(settings);
  const checks = SampleChecker.of(assignment, { verification, lifecycle, lookAside });
  const queue = store.operations(settings);
  const actor = CLIENTS_BY_ROLE[assignment.role as Role]({
    ...clientContext,
    queue,
    lifecycle,
    ledger,
    checks,
    lookAside,
  });
  return Object.assign(actor, {
    flush() {
      lifecycle.settlePending();
      ledger.flush();
    },
    close() {
      lifecycle.close();
      return { ...ledger.close(lifecycle.unmatched), checks: checks.total() };
    },
  });
}
