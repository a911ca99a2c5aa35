// Statistics on a real server while another session holds a lock that ANALYZE needs: it gives up, says so, and leaves its
// session as it was.
import { expect, inject, it } from "vitest";
import { TargetError } from "../../foundation/errors.js";
import { dropNamespace, resetNamespace, testNamespace } from "../../../test/support/namespace.js";
import { connectAdmin } from "./admin.js";
import { refreshStatistics } from "./statistics.js";
import { postgres } from "./dialects/postgres/dialect.js";
import { tablesOf } from "../../workloads/train-events/stores/tables.js";

/** A dialect that analyses tables of any size. */
const anySize = { ...postgres, tablePagesQuery: "SELECT 1000 AS pages, $1::text AS name" };

it("ANALYZE gives up on another session's lock with the server's message, and succeeds after its release", async () => {
  const namespace = testNamespace("statistics");
  const admin = await connectAdmin(inject("adminEndpoint"), { purpose: "statistics" });
  const other = await connectAdmin(inject("adminEndpoint"), { purpose: "other" });
  try {
    await resetNamespace(admin, { namespace, payload: "text" });
    await other.query(`BEGIN; LOCK TABLE ${namespace}.event_status IN SHARE UPDATE EXCLUSIVE MODE`);
    const [before] = await admin.query("SHOW lock_timeout");

    const refused = await refreshStatistics(
      admin,
      { namespace, tables: Object.values(tablesOf(postgres, namespace)) },
      anySize,
      { lockTimeout: "50ms" },
    ).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TargetError);
    expect((refused as TargetError).message).toMatch(
      /schema "\w+" not refreshed: .* for 50ms \(canceling statement due to lock timeout\)/,
    );
    expect(await admin.query("SHOW lock_timeout")).toEqual([before]);

    await other.query("ROLLBACK");
    expect(
      await refreshStatistics(
        admin,
        { namespace, tables: Object.values(tablesOf(postgres, namespace)) },
        anySize,
        { lockTimeout: "10s" },
      ),
    ).toHaveLength(3);
  } finally {
    await other.close();
    await dropNamespace(admin, namespace);
    await admin.close();
  }
});
