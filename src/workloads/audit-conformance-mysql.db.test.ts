// The same suite on MySQL and MariaDB, for the workloads that have a store there; `npm test` tries each on one of them.
import { afterAll, beforeAll, describe } from "vitest";
import { describeAudit } from "../../test/support/audits/audit-suite.js";
import { accounts } from "../../test/support/audits/accounts.js";
import { documents } from "../../test/support/audits/documents.js";
import { changesOnMySql } from "../../test/support/audits/family.js";
import { casesOf } from "../../test/support/lanes.js";
import { mySqlUrlOf, useMySqlServer, type MySqlServerName } from "../../test/support/mysql-servers.js";
import { testNamespace } from "../../test/support/namespace.js";
import { connectMySqlAdmin, type MySqlAdmin } from "../database/mysql/admin.js";

const FAMILIES = {
  mysql: casesOf([documents, accounts], 1),
  mariadb: casesOf([accounts, documents], 1),
};

describe.each<MySqlServerName>(["mysql", "mariadb"])("on %s", (dialect) => {
  const server = useMySqlServer(dialect);
  let admin: MySqlAdmin;
  beforeAll(async () => {
    admin = await connectMySqlAdmin(server().endpoint);
  });
  afterAll(() => admin.close());
  const namespace = testNamespace("audited");

  for (const family of FAMILIES[dialect]) {
    const changes = [...changesOnMySql(family)];
    // A change of each kind, and in the full lane all others.
    changes.sort((a, b) => Number(a.kind === undefined) - Number(b.kind === undefined));
    describeAudit(`the audit of ${family.scenario.workload}`, family, {
      namespace,
      admin: () => admin,
      keys: () => ({ dialect, target: mySqlUrlOf(server().endpoint) }),
      changes: casesOf(changes, changes.filter(({ kind }) => kind !== undefined).length),
    });
  }
});
