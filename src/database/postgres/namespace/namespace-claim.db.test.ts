import { expect, inject, it } from "vitest";
import { TargetError, UsageError } from "../../../foundation/errors.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { connectAdmin } from "../admin.js";
import { dialectOf } from "../dialects/registry.js";
import { claimNamespace } from "./claim-session.js";
import { UNCLAIMED_NAMESPACE, type ClaimEvents, type NamespaceClaim } from "../../contract.js";

const claimOf = (namespace: string, events?: ClaimEvents): Promise<NamespaceClaim> =>
  claimNamespace(inject("adminEndpoint"), namespace, dialectOf("postgres"), events);

/** The session that holds this claim: other test files make claims on the same server. */
async function sessionOf({
  run = "",
}: NamespaceClaim): Promise<{ pid: number; xmin: unknown; state: unknown }> {
  const admin = await connectAdmin(inject("adminEndpoint"));
  const [row] = await admin.query(
    "SELECT pid, backend_xmin AS xmin, state FROM pg_stat_activity WHERE application_name = $1",
    [`train-sim/claim/${run}`],
  );
  await admin.close();
  return row as { pid: number; xmin: unknown; state: unknown };
}

async function endSessionOf(claim: NamespaceClaim): Promise<void> {
  const { pid } = await sessionOf(claim);
  const admin = await connectAdmin(inject("adminEndpoint"));
  await admin.query("SELECT pg_terminate_backend($1)", [pid]);
  await admin.close();
}

it("a claim keeps other runs from its namespace until its release, and from no other namespace", async () => {
  const namespace = testNamespace("claim");
  const first = await claimOf(namespace);
  const refusal: unknown = await claimOf(namespace).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UsageError);
  expect((refusal as UsageError).message).toMatch(
    new RegExp(`^schema "${namespace}" is in use by another train-sim \\(process \\d+ of the server\\)$`),
  );
  const other = await claimOf(testNamespace("claim"));
  await Promise.all([first.confirm(), other.confirm()]);
  await first.release();
  const next = await claimOf(namespace);
  await Promise.all([other.release(), next.release()]);
});

it("a claim does not keep rows from being vacuumed", async () => {
  const claim = await claimOf(testNamespace("claim"));
  expect(await sessionOf(claim)).toMatchObject({ state: "idle in transaction", xmin: null });
  await claim.release();
});

it("a claim is renewed at once if its session is ended, and the next run is still refused", async () => {
  const namespace = testNamespace("claim");
  const notes: string[] = [];
  const claim = await claimOf(namespace, { note: (words) => notes.push(words) });
  await endSessionOf(claim);
  await expect
    .poll(() => notes, { timeout: 200_000 })
    .toEqual([expect.stringMatching(/was lost \(terminating.*\) and is held again/)]);
  await claim.confirm();
  await expect(claimOf(namespace)).rejects.toThrow(
    /in use by another train-sim \(process \d+ of the server\)/,
  );
  await claim.release();
});

it("a claim is refused while any session of the run that made the schema exists", async () => {
  const namespace = testNamespace("claim");
  const admin = await connectAdmin(inject("adminEndpoint"));
  await resetNamespace(admin, { namespace, payload: "text", run: "0a1b2c3d" });
  const watch = await connectAdmin(inject("adminEndpoint"), { purpose: "watch/0a1b2c3d" });
  const [row] = await watch.query("SELECT pg_backend_pid() AS pid");
  // Every role sees the names of all sessions, even if it may not see more of them.
  await admin.query(`CREATE ROLE ${namespace} LOGIN PASSWORD 'low'`);
  const low = { ...inject("adminEndpoint"), user: namespace, password: "low" };
  await expect(claimNamespace(low, namespace, dialectOf("postgres"))).rejects.toThrow(
    `another train-sim (process ${String(row?.["pid"])} of`,
  );
  await admin.query(`DROP ROLE ${namespace}`);
  await watch.close();
  const notes: string[] = [];
  const claim = await claimOf(namespace, { note: (words) => notes.push(words) });
  expect(notes).toEqual([`schema "${namespace}" was left by an earlier run, which has ended`]);
  await claim.release();
  await dropNamespace(admin, namespace);
  await admin.close();
});

it("a claim fails at once if another run has taken the schema", async () => {
  const namespace = testNamespace("claim");
  const admin = await connectAdmin(inject("adminEndpoint"));
  const claim = await claimOf(namespace);
  await resetNamespace(admin, { namespace, payload: "text", run: claim.run });
  await claim.confirm();
  await resetNamespace(admin, { namespace, payload: "text", run: "0a1b2c3d" });
  await endSessionOf(claim);
  await expect(claim.lossRejection).rejects.toThrow(
    new RegExp(
      `^this run lost its lock on schema "${namespace}" \\(terminating.*\\), and another run has taken the schema$`,
    ),
  );
  await expect(claim.confirm()).rejects.toBeInstanceOf(TargetError);
  await claim.release();
  await dropNamespace(admin, namespace);
  await admin.close();
});

it("a claim fails at its next check if the schema has been dropped", async () => {
  const namespace = testNamespace("claim");
  const admin = await connectAdmin(inject("adminEndpoint"));
  const claim = await claimOf(namespace);
  await resetNamespace(admin, { namespace, payload: "text", run: claim.run });
  await claim.confirm();
  await dropNamespace(admin, namespace);
  await expect(claim.confirm()).rejects.toThrow(/and the schema has been dropped$/);
  await Promise.all([claim.release(), admin.close()]);
});

it("a server without such locks is not asked for a claim", async () => {
  const claim = await claimNamespace({ ...inject("adminEndpoint"), port: 1 }, "any", dialectOf("dsql"));
  expect(claim).toBe(UNCLAIMED_NAMESPACE);
});
