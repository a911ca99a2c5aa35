// Changes planted into the tables of workloads other than Train Events, one at a time, on each database that has a store.
// The conformance suite of audits holds the audit's counts and names for the same changes.
import { afterAll, beforeAll, describe, inject } from "vitest";
import type { AdminSession } from "../../src/database/contract.js";
import { connectMySqlAdmin } from "../../src/database/mysql/admin.js";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import type { DialectName } from "../../src/database/registry.js";
import type { Mapping } from "../../src/syntax/paths.js";
import { accounts } from "../support/audits/accounts.js";
import { documents } from "../support/audits/documents.js";
import { changesOnMySql, type AuditedFamily, type TableChange } from "../support/audits/family.js";
import { AUDITED } from "../support/audits/registry.js";
import { AuditedTrial } from "../support/audits/trial.js";
import { mySqlUrlOf, useMySqlServer, type MySqlServerName } from "../support/mysql-servers.js";
import { dropNamespace, testNamespace } from "../support/namespace.js";
import { mutant, type Verdict } from "./mutant.js";

interface Place {
  readonly dialect: DialectName;
  readonly connect: () => Promise<AdminSession>;
  /** Keys of the scenario that name the server, if it is not PostgreSQL. */
  readonly keys?: () => Mapping;
  readonly families: readonly AuditedFamily[];
  readonly changesOf: (family: AuditedFamily) => readonly TableChange[];
  /** SQL that changes the key of each document, and changes it back. */
  readonly thereAndBack: string;
}

const kindOf = ([first = ""]: readonly string[]): string => first.split(" ")[0] ?? "";

function plantChanges({ dialect, connect, keys, families, changesOf, thereAndBack }: Place): void {
  const namespace = testNamespace("family_tables");
  let admin: AdminSession;
  beforeAll(async () => {
    admin = await connect();
  });
  afterAll(async () => {
    await dropNamespace(admin, namespace, dialect);
    await admin.close();
  });

  async function plantChange(
    { scenario, iterations }: AuditedFamily,
    { change, own = {} }: Pick<TableChange, "change" | "own">,
  ): Promise<Verdict> {
    const trial = await AuditedTrial.begin(admin, namespace, { ...scenario, ...keys?.(), ...own });
    await trial.work(iterations);
    await trial.change(change);
    const { verdict, violations, named = [] } = await trial.audit();
    return { verdict, violations, named };
  }

  for (const family of families) {
    const { workload } = family.scenario;
    const title = dialect === "postgres" ? workload : `${workload} on ${dialect}`;
    for (const change of changesOf(family))
      mutant("tables", change.what, () => plantChange(family, change), {
        ...{ family: title, as: kindOf(change.named) },
      });
    if (workload === "documents")
      mutant(
        "tables",
        "a document is changed, and changed back",
        () => plantChange(family, { change: thereAndBack }),
        { family: title, missed: "the audit sees the rows that are there at the end" },
      );
  }
}

describe("PostgreSQL", () => {
  plantChanges({
    dialect: "postgres",
    connect: () => connectAdmin(inject("adminEndpoint"), { purpose: "mutants" }),
    families: AUDITED.filter(({ scenario: { workload } }) => workload !== "train-events"),
    changesOf: ({ changes }) => changes,
    thereAndBack: "UPDATE documents SET id = id || 'x'; UPDATE documents SET id = left(id, -1)",
  });
});

describe.each<MySqlServerName>(["mysql", "mariadb"])("%s", (dialect) => {
  const server = useMySqlServer(dialect);
  plantChanges({
    dialect,
    connect: () => connectMySqlAdmin(server().endpoint),
    keys: () => ({ dialect, target: mySqlUrlOf(server().endpoint) }),
    families: [accounts, documents],
    changesOf: changesOnMySql,
    thereAndBack:
      "UPDATE documents SET id = CONCAT(id, 'x'); UPDATE documents SET id = LEFT(id, CHAR_LENGTH(id) - 1)",
  });
});
