// The work of a new embedded server to make the files of its write-ahead log, as the sampler reads it.
import { expect, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { postgres } from "../../database/postgres/dialects/postgres/dialect.js";
import { resetNamespace } from "../../../test/support/namespace.js";
import { sampledIn } from "../../workloads/tables.js";
import { DatabaseSampler } from "../../database/postgres/evidence/sampler.js";
import { startEmbedded } from "./embedded.js";
import { trainEvents } from "../../workloads/train-events/workload.js";

const FILE_BYTES = 16 * 2 ** 20;
const FILES = 3;

/** Switches to log files that do not exist yet, until the server has counted that it made them. */
async function makeFiles(admin: AdminClient): Promise<void> {
  const countFiles = async (): Promise<number> => {
    const [row] = await admin.query(
      "SELECT sum(writes) AS made FROM pg_stat_io WHERE object = 'wal' AND context = 'init'",
    );
    return Number(row?.["made"]);
  };
  for (const before = await countFiles(); (await countFiles()) < before + FILES;) {
    await admin.query("SELECT pg_logical_emit_message(true, 'test', 'x')");
    await admin.query("SELECT pg_switch_wal()");
  }
}

async function zerosOf(settings: Record<string, string>): Promise<number> {
  const server = await startEmbedded(settings, { maxConnectionsNeeded: 10 });
  const admin = await connectAdmin(server.admin);
  const sampler = new DatabaseSampler({
    endpoint: server.admin,
    dialect: postgres,
    workload: sampledIn(trainEvents, "postgres", "n"),
    isOwnServer: true,
  });
  try {
    await resetNamespace(admin, { namespace: "n", payload: "text" });
    const zeros = async (): Promise<number> => Number((await sampler.sample())["wal.zeroBytes"]);
    const before = await zeros(); // zeros that were written when the cluster was made
    await makeFiles(admin);
    return (await zeros()) - before;
  } finally {
    await sampler.close();
    await admin.close();
    await server.stop();
  }
}

it("an embedded server creates WAL files without filling the files with zeros", async () => {
  const bytes = await zerosOf({});
  expect(bytes).toBeGreaterThanOrEqual(FILES); // the last byte of each file
  expect(bytes).toBeLessThan(1024);
});

it("an embedded server with wal_init_zero fills WAL files with zeros, and the sampler counts them", async () => {
  expect(await zerosOf({ wal_init_zero: "on" })).toBeGreaterThanOrEqual(FILES * FILE_BYTES);
});
