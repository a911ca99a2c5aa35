import { expect, inject, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import { testNamespace } from "../testing/namespace.js";
import { connectAdmin } from "./admin.js";
import { dialectOf } from "./dialects/registry.js";
import { claimNamespace, type NamespaceClaim } from "./namespace-claim.js";

const claimOf = (namespace: string): Promise<NamespaceClaim> =>
  claimNamespace(inject("adminEndpoint"), namespace, dialectOf("postgres"));

/** The session that claimed last. */
async function lastClaim(): Promise<{ pid: number; xmin: unknown; state: unknown }> {
  const admin = await connectAdmin(inject("adminEndpoint"));
  const [row] = await admin.query(`SELECT pid, backend_xmin AS xmin, state FROM pg_stat_activity
    WHERE application_name = 'train-sim/claim' ORDER BY backend_start DESC LIMIT 1`);
  await admin.close();
  return row as { pid: number; xmin: unknown; state: unknown };
}

it("keeps another from the same namespace until it is released, and nobody from others", async () => {
  const namespace = testNamespace("claim");
  const first = await claimOf(namespace);
  const refusal: unknown = await claimOf(namespace).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UsageError);
  expect((refusal as UsageError).message).toMatch(
    new RegExp(`^schema "${namespace}" is in use by another train-sim \\(process \\d+ of the server\\)$`),
  );
  const other = await claimOf(testNamespace("claim"));
  expect([await first.isHeld(), await other.isHeld()]).toEqual([true, true]);
  await first.release();
  const next = await claimOf(namespace);
  await Promise.all([other.release(), next.release()]);
});

it("keeps no row from being vacuumed", async () => {
  const claim = await claimOf(testNamespace("claim"));
  expect(await lastClaim()).toMatchObject({ state: "idle in transaction", xmin: null });
  await claim.release();
});

it("is lost with its session, says so, and can be had by the next", async () => {
  const namespace = testNamespace("claim");
  const claim = await claimOf(namespace);
  const { pid } = await lastClaim();
  const admin = await connectAdmin(inject("adminEndpoint"));
  await admin.query("SELECT pg_terminate_backend($1)", [pid]);
  await admin.close();
  expect(await claim.isHeld()).toBe(false);
  const next = await claimOf(namespace);
  expect(await next.isHeld()).toBe(true);
  await Promise.all([claim.release(), next.release()]);
});

it("asks nothing of a server without such locks", async () => {
  const claim = await claimNamespace({ ...inject("adminEndpoint"), port: 1 }, "any", dialectOf("dsql"));
  expect(await claim.isHeld()).toBe(true);
  await claim.release();
});
