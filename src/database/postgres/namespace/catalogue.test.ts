// DDL where each statement is a transaction by itself, on a made-up Aurora DSQL: what a change of the catalogue interrupts is
// sent again, and an index that could not be made is no namespace to measure on. On real servers: `namespace.db.test.ts`.
import { ensureNamespace } from "../../../../test/support/namespace.js";
import { expect, it } from "vitest";
import { TargetError } from "../../../foundation/errors.js";
import type { AdminClient } from "../admin.js";
import { dsql } from "../dialects/dsql/dialect.js";
import type { SqlRow } from "../../sql.js";

const SETTINGS = { namespace: "train_sim", payload: "text" } as const;

/**
 * A server that answers like DSQL: a job for each index, which succeeds if `hasSucceeded`; the first `interruptions` DDL
 * statements fail.
 */
function server(hasSucceeded: boolean, interruptions = 0): AdminClient & { readonly sent: string[] } {
  const sent: string[] = [];
  let left = interruptions;
  const answer = (text: string): SqlRow[] => {
    if (/^CREATE (UNIQUE )?INDEX ASYNC/.test(text)) return [{ job_id: "j1" }];
    return text === dsql.awaitJobStatement ? [{ wait_for_job: hasSucceeded }] : [];
  };
  return {
    sent,
    endpoint: { scheme: "postgresql", host: "dsql", port: 5432, database: "d", user: "u" },
    execute: () => Promise.resolve([]),
    close: () => Promise.resolve(),
    query: (text) => {
      sent.push(text);
      if (!text.startsWith("CREATE") || left === 0) return Promise.resolve(answer(text));
      left--;
      const error = Object.assign(new Error("schema has been updated by another transaction (OC001)"), {
        code: "40001",
      });
      return Promise.reject(error);
    },
  };
}

it("a statement that a change of the catalogue interrupted is repeated a few times", async () => {
  const calm = server(true);
  expect(await ensureNamespace(calm, SETTINGS, "dsql")).toBe("created");
  const shaken = server(true, 2);
  expect(await ensureNamespace(shaken, SETTINGS, "dsql")).toBe("created");
  expect(shaken.sent).toHaveLength(calm.sent.length + 2);
  expect(new Set(shaken.sent)).toEqual(new Set(calm.sent));
  await expect(ensureNamespace(server(true, 100), SETTINGS, "dsql")).rejects.toThrow(/OC001/);
});

it("a namespace is not created if the server could not build an index", async () => {
  const making = ensureNamespace(server(false), SETTINGS, "dsql");
  await expect(making).rejects.toThrow(/job j1 failed, of CREATE INDEX ASYNC/);
  await expect(making).rejects.toBeInstanceOf(TargetError);
});
