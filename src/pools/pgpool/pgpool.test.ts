// The configuration of a Pgpool-II, the state of its processes, and the scenarios that are refused for it.
import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import type { Endpoint } from "../../database/endpoint.js";
import { parseScenario } from "../../scenario/loader.js";
import { pgpoolConf, pgpoolPasswords } from "./pgpool-config.js";
import { readProcesses } from "./pgpool-console.js";
import { startPgpool } from "./start-pgpool.js";

const UPSTREAM: Endpoint = {
  scheme: "postgresql",
  host: "db",
  port: 5432,
  database: "trains",
  user: "rail",
  password: "secret",
};
const SETTINGS = { size: 8, instances: 1, maxClientConnections: 90 };
const PLACE = { directory: "/private", port: 9999 };

describe("pgpool.conf", () => {
  const lines = pgpoolConf(SETTINGS, UPSTREAM, PLACE).split("\n");

  it("allows a process for each client and one for statistics, with a backlog for waiting clients", () => {
    expect(lines).toContain("num_init_children = 9");
    expect(lines).toContain("listen_backlog_multiplier = 10");
  });

  it("listens on loopback and in its directory only, and contains no password", () => {
    expect(lines).toContain("listen_addresses = '127.0.0.1'");
    expect(lines).toContain("pcp_listen_addresses = ''");
    expect(lines).toContain("socket_dir = '/private'");
    expect(lines.join("\n")).not.toContain("secret");
  });

  it("refuses a host with a line break, and quotes an apostrophe", () => {
    const sly = { ...UPSTREAM, host: "db'\nport = 1" };
    expect(() => pgpoolConf(SETTINGS, sly, PLACE)).toThrow(UsageError);
    expect(pgpoolConf(SETTINGS, { ...UPSTREAM, host: "d'b" }, PLACE)).toContain("backend_hostname0 = 'd''b'");
  });
});

describe("the password list of Pgpool-II", () => {
  it("contains the client's user with the server's password", () => {
    expect(pgpoolPasswords(UPSTREAM, "p:w")).toBe("rail:TEXTp:w\n");
  });

  it("refuses a user with a colon", () => {
    expect(() => pgpoolPasswords({ ...UPSTREAM, user: "a:b" }, "p")).toThrow(/colon/);
  });
});

it("Pgpool-II is not started before a server with TLS, because it checks no certificate", async () => {
  const program = { path: "/nonexistent", version: "4.3.5" };
  const upstream: Endpoint = { ...UPSTREAM, tls: { mode: "require" } };
  await expect(startPgpool(program, SETTINGS, upstream)).rejects.toThrow(
    /with TLS: it would check no certificate/,
  );
});

describe("the processes of Pgpool-II", () => {
  const row = (status: string, database = "trains", username = "rail") => ({ status, database, username });

  it("are counted by state, without the session that asks", () => {
    const rows = [
      row("Execute command"),
      row("Execute command"),
      row("Idle in transaction"),
      row("Idle"),
      row("Wait for connection"),
      row("Wait for connection", "", ""),
      row("Idle", "others"),
    ];
    expect(readProcesses(rows, UPSTREAM)).toEqual({ clientsActive: 3, serversActive: 2, serversIdle: 2 });
  });

  it("are refused without their state, as before Pgpool-II 4.3", () => {
    expect(() => readProcesses([{ database: "trains", username: "rail" }], UPSTREAM)).toThrow(
      /4\.3 or newer/,
    );
  });
});

describe("a scenario with Pgpool-II", () => {
  const load = (pool: string, more = "") =>
    parseScenario(`name: a\nclients: 16\npool: ${pool}\n${more}`, "a.yaml");

  it.each([
    [
      "{ strategy: pgpool, size: 8, mode: transaction }",
      /pool\.mode: belongs to strategy pgbouncer or odyssey, not to pgpool: Pgpool-II pools by session only/,
    ],
    [
      "{ strategy: pgpool, size: 8, maxPreparedStatements: 1 }",
      /Pgpool-II pools by session, where named prepared/,
    ],
    ["{ strategy: pgpool, size: 8 }", /48 clients need a size of at least 48, not 8/],
    [
      "{ strategy: pgpool, url: postgresql://a@b/c, instances: 2 }",
      /is for Pgpool-IIs that train-sim starts/,
    ],
    ["{ strategy: pgpool, adminUrl: postgresql://a@b/c }", /is for your own Pgpool-II/],
  ])("is refused with the reason: %s", (pool, reason) => {
    expect(() => load(pool)).toThrow(reason);
  });

  it("may have fewer processes than clients if clients reconnect for each transaction", () => {
    const { treatments } = load("{ strategy: pgpool, reconnect: per-transaction, size: 8 }");
    expect(treatments[0]?.settings.pool).toEqual({
      strategy: "pgpool",
      reconnect: "per-transaction",
      size: 8,
      instances: 1,
      urls: [],
    });
  });

  it("may have faults of a pooler except a pause, which Pgpool-II lacks", () => {
    const withFault = (fault: string) =>
      load("{ strategy: pgpool, size: 64, instances: 2 }", `faults: [{ at: 1s, for: 1s, kind: ${fault} }]`);
    for (const fault of ["pooler-kill, instance: 2", "pooler-restart", "process-stop, process: pooler"])
      expect(withFault(fault).treatments[0]?.settings.faults).toHaveLength(1);
    expect(() => withFault("pooler-pause")).toThrow(
      /pooler-pause needs a pooler that can hold transactions back, and Pgpool-II cannot/,
    );
  });
});
