import { createConnectionSource } from "../pools/registry.js";
import { EndpointSplit, type EndpointDelta } from "../metrics/endpoint-split.js";
import { APPLICATION_NAME } from "../database/contract.js";
import { isSplitByEndpoint } from "../database/endpoint.js";
import type { Assignment } from "./assignment.js";
import type { ConnectionSource } from "../database/session.js";

export function applicationNameOf({ role }: Pick<Assignment, "role">): string {
  return `${APPLICATION_NAME}/${role}`;
}

export class WorkerEndpoints {
  readonly source: ConnectionSource;
  /** Division of the counts by endpoint, for the recorder; undefined with a single endpoint. */
  readonly split: EndpointSplit | undefined;

  /** Calls `onTransaction` for each transaction that ended at the server. */
  constructor(assignment: Assignment, onTransaction: () => void) {
    const { endpoints } = assignment;
    this.source = createConnectionSource({
      pool: assignment.settings.pool,
      endpoints,
      homeEndpoint: assignment.homeEndpoint,
      clients: assignment.clients,
      firstClient: assignment.firstClientOfTrial,
      clientsOfTrial: assignment.clientsOfTrial,
      workers: assignment.workersOfTrial,
      workerIndex: assignment.ordinal,
      prepared: assignment.prepared,
      applicationName: applicationNameOf(assignment),
      onTransaction,
    });
    this.split = isSplitByEndpoint(endpoints) ? new EndpointSplit(endpoints.length) : undefined;
  }

  /** Counts of each endpoint since the last call; empty with a single endpoint. */
  deltas(): EndpointDelta[] {
    const operations = this.split?.operations() ?? [];
    return this.source.contacts.flatMap((contacts, number) => {
      const endpointOperations = operations[number];
      return endpointOperations ? [{ ...contacts, operations: endpointOperations }] : [];
    });
  }
}
