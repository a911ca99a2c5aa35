import type { Document, MongoClient } from "mongodb";
import { messageOf, TargetError } from "../../foundation/errors.js";
import { APPLICATION_NAME, type AdminOptions, type AdminSession } from "../contract.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { closeClient, connectClient, createClient } from "./driver.js";
import { classifyFailure } from "./error-codes.js";
import { remedyOf } from "./remedies.js";

/** A control session: a client with one connection, in place of which the driver opens another if it is lost. */
export interface MongoAdmin extends AdminSession {
  /** Runs calls of the driver. Rejects with a TargetError if the connection is lost, else with the server's error. */
  run<T>(calls: (client: MongoClient) => Promise<T>): Promise<T>;
  /** Runs a command on the database `admin`. */
  command(command: Document): Promise<Document>;
}

function explainLoss(endpoint: Endpoint, error: unknown): unknown {
  if (classifyFailure(error).kind !== "reconnect") return error;
  return new TargetError(
    `lost the connection to ${describeEndpoint(endpoint)}: ${messageOf(error)}`,
    remedyOf(error) ?? "Check that the server is still running, and read its log.",
    { cause: error },
  );
}

export async function administer(
  endpoint: Endpoint,
  { purpose = "admin", connectTimeoutMs, onLost }: AdminOptions = {},
): Promise<MongoAdmin> {
  const applicationName = `${APPLICATION_NAME}/${purpose}`;
  const client = createClient(endpoint, { applicationName, connections: 1, connectTimeoutMs });
  await connectClient(client, endpoint);
  let isClosed = false;
  client.on("connectionPoolCleared", () => {
    if (!isClosed) onLost?.(undefined);
  });
  const run: MongoAdmin["run"] = async (calls) => {
    if (isClosed) throw new TargetError(`the connection to ${describeEndpoint(endpoint)} has been closed`);
    try {
      return await calls(client);
    } catch (error) {
      throw explainLoss(endpoint, error);
    }
  };
  return {
    endpoint,
    run,
    command: (command) => run((at) => at.db("admin").command(command)),
    async close() {
      isClosed = true;
      await closeClient(client);
    },
  };
}
