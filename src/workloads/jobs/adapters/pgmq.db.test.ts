import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeJobs } from "../../../../test/support/design-programs.js";
import { testNamespace } from "../../../../test/support/namespace.js";
import { ownDatabase } from "../../../../test/support/own-database.js";
import { QueueProgram } from "../../../../test/support/program-of-queue.js";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";
import { urlOf } from "../../../../test/support/suite-server.js";
import { builtUrl } from "../../../foundation/built.js";
import type { Start } from "./protocol.js";

const command = [process.execPath, fileURLToPath(builtUrl("pgmq.js", import.meta.url))];
const directory = fileURLToPath(new URL("../../../../test/fixtures/pgmq", import.meta.url));

describeQueueProgram("pgmq", {
  ...{ command, directory, keepsDone: false, hasPriorities: false, hasFixedSchema: true },
  jobCounts: { tuned: 200 },
});

describe("the program of queue pgmq", () => {
  const database = ownDatabase("pgmq");
  const start = (role: Start["role"], changes: Partial<Start> = {}): QueueProgram =>
    new QueueProgram(command, {
      ...{ role, directory, schema: testNamespace(), worker: 0, url: urlOf(database.endpoint), settings: {} },
      ...{ connections: 4, concurrency: 4, profile: "defaults", ...changes },
    });

  it("says how to get its SQL where the directory and the server have none", async () => {
    const program = start("install", { directory: "/" });
    const broken = await program.event("broken");
    expect(broken.message).toContain("pgmq.sql does not exist, and the server has no extension pgmq");
    expect(broken.remedy).toContain("pip download --no-deps pgmq==1.1.4");
  });

  it("leaves a schema that it did not make", async () => {
    await database.admin.query("CREATE SCHEMA pgmq");
    expect((await start("install").event("broken")).message).toBe("The schema pgmq exists already");
    expect(await start("remove").ended).toBe(0);
    await database.admin.query("DROP SCHEMA pgmq");
  });

  it("knows the tested version, and runs jobs one by one with profile defaults", async () => {
    expect(await start("install").event("ready")).toMatchObject({ version: "1.13.0" });
    const [enqueuer, worker] = [start("enqueue"), start("work")];
    enqueuer.send({ enqueue: makeJobs(50), request: 1 });
    await worker.until("ends", () => worker.all("finished").length >= 50);
    for (const program of [enqueuer, worker]) {
      program.send({ stop: true });
      expect(await program.ended).toBe(0);
    }
    expect(await start("remove").ended).toBe(0);
    expect(await database.admin.query("SELECT FROM pg_namespace WHERE nspname = 'pgmq'")).toEqual([]);
  });
});
