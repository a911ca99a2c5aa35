// Strategy `pgbouncer`: each client keeps a connection to a PgBouncer, which lends it server connections for a
// session, a transaction or a statement. For the client that is `direct` to another endpoint; the wait for a
// server connection happens inside its first statement and is service time, not pool wait, because nobody on this
// side of the wire can tell the two apart.
import { APPLICATION } from "../../database/pg-config.js";
import { ClientConnections } from "../client-connections.js";
import type { SourceOptions } from "../source-options.js";
import type { ConnectionSource } from "../../database/contract.js";

export function pgbouncerSource(options: SourceOptions): ConnectionSource {
  // One name for all roles: PgBouncer sends a SET, a round trip of its own, whenever it lends a server connection
  // to a client whose application_name differs from the last one's.
  return new ClientConnections({ ...options, applicationName: APPLICATION }, "for-life");
}
