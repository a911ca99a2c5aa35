// Changes planted into the tables of a trial that ended well, one at a time, by SQL that the program knows nothing of:
// what a stranger, a bug or a broken server could have done to them.
import { afterAll, beforeAll, inject } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/admin.js";
import { dropNamespace } from "../../src/database/namespace.js";
import { makeAuditedTrial } from "../../src/testing/audited-trial.js";
import { testNamespace } from "../../src/testing/namespace.js";
import { mutant } from "./mutant.js";

const namespace = testNamespace("mutants");
const EVENTS = `${namespace}.events`;
const STATUS = `${namespace}.event_status`;

let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"), { purpose: "mutants" });
});
afterAll(async () => {
  await dropNamespace(admin, namespace);
  await admin.close();
});

mutant("tables", "a live event is deleted", async () => {
  const trial = await makeAuditedTrial(admin, { namespace, payload: "text" });
  const [row] =
    await admin.query(`DELETE FROM ${STATUS} WHERE event_id = (SELECT event_id FROM ${STATUS} LIMIT 1)
    RETURNING event_id`);
  await admin.query(`DELETE FROM ${EVENTS} WHERE id = $1`, [row?.["event_id"] as string]);
  return (await trial.audit()).conservation;
});
