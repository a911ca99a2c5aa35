// A user's SQL file on MySQL and MariaDB: what the server refuses is named with its line, before the first trial.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AuditedTrial, settingsOf } from "../../../test/support/audits/trial.js";
import { casesOf } from "../../../test/support/lanes.js";
import { mySqlUrlOf, useMySqlServer, type MySqlServerName } from "../../../test/support/mysql-servers.js";
import { dropNamespace, testNamespace } from "../../../test/support/namespace.js";
import { connectMySqlAdmin, type MySqlAdmin } from "../../database/mysql/admin.js";
import { storeOf, workloadOf } from "../registry.js";

const FILE = `-- setting: owner = O'Brien
-- schema
CREATE TABLE account (id int AUTO_INCREMENT PRIMARY KEY, \`owner\` varchar(40), balance int NOT NULL); # all accounts
CREATE TABLE entry (id char(36) PRIMARY KEY, account int NOT NULL, amount int NOT NULL);
-- preload
INSERT INTO account (\`owner\`, balance) VALUES ('it\\'s; :me', 0), (:owner, 0);
-- name: pay
-- param: id = uuid()
-- param: account = uniform(1, 2)
-- param: amount = uniform(1, 100)
INSERT INTO entry VALUES (:id, :account, :amount);
-- expect: rows = 1
UPDATE account SET balance = balance + :amount WHERE id = :account AND :amount > 0;
-- name: open
-- counts: rows
INSERT INTO account (balance) VALUES (0), (0);
-- name: look
-- readonly
-- returning: balance as found
SELECT balance FROM account ORDER BY id LIMIT 1;
SELECT :found + 1;
-- invariant: every payment is there
-- acknowledged: pay.id
SELECT id FROM entry;
-- invariant: balances add up
SELECT (SELECT sum(balance) FROM account) = (SELECT coalesce(sum(amount), 0) FROM entry);
`;

describe.each<MySqlServerName>(casesOf(["mariadb", "mysql"], 1))("on %s", (dialect) => {
  const server = useMySqlServer(dialect);
  const namespace = testNamespace("script");
  let admin: MySqlAdmin;
  beforeAll(async () => {
    admin = await connectMySqlAdmin(server().endpoint);
  });
  afterAll(async () => {
    await dropNamespace(admin, namespace, dialect);
    await admin.close();
  });
  const keysOf = (sql: string) => ({
    workload: { file: "bank.sql", sql },
    target: mySqlUrlOf(server().endpoint),
    actors: { clients: { clients: 2 } },
  });
  const tryOut = async (sql: string): Promise<readonly string[]> => {
    const settings = settingsOf(namespace, keysOf(sql));
    const found = await workloadOf(settings).loading?.tryOut?.(storeOf(settings), admin, settings);
    return found ?? expect.fail("no try-out");
  };

  it("accepts a file with its quotes, comments and parameters, and audits its transactions", async () => {
    expect(await tryOut(FILE)).toEqual([]);
    const trial = await AuditedTrial.begin(admin, namespace, keysOf(FILE));
    await trial.work({ clients: 60 });
    const owners = await admin.query(
      `SELECT owner FROM ${namespace}.account WHERE owner IS NOT NULL ORDER BY id`,
    );
    expect(owners.map(({ owner }) => owner)).toEqual(["it's; :me", "O'Brien"]);
    const found = await trial.audit();
    expect(found).toMatchObject({ verdict: "ok", violations: [], lost: 0, unexpected: 0, duplicated: 0 });
    expect(found.published).toBeGreaterThan(20);
    await trial.change("DELETE FROM entry LIMIT 1");
    expect(await trial.audit()).toMatchObject({ verdict: "violated", lost: 1 });
  });

  it("names every statement that the server refuses, with its line", async () => {
    const problems = await tryOut(
      FILE.replace("balance int NOT NULL); #", "balance int NOT NULLL); #")
        .replace("INSERT INTO entry VALUES (:id, :account, :amount)", "INSERT INTO entry VALUES (:id)")
        .replace("SELECT id FROM entry", "SELECT id, amount FROM entry"),
    );
    const lines = problems.map((words) => words.split(":").slice(0, 2).join(":"));
    expect(lines).toContain("bank.sql:3");
    expect(lines).toContain("bank.sql:11");
    expect(problems.join("\n")).toContain("bank.sql:11:1: Column count doesn't match value count");
    expect(problems.join("\n")).toContain(
      'invariant "every payment is there" returns 2 columns; it takes one',
    );
  });
});
