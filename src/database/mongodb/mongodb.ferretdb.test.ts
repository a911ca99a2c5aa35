// The adapter of MongoDB on FerretDB: sessions, control sessions, namespaces, claims, evidence.
import type { Db } from "mongodb";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { makeCertificate } from "../../../test/support/certificates.js";
import { FerretDb } from "../../../test/support/ferretdb/ferretdb.js";
import { scratchDirectory } from "../../../test/support/train-sim.js";
import { TcpProxy } from "../../faults/means/tcp-proxy.js";
import { systemClock, wallClockMs } from "../../foundation/clock.js";
import { TargetError, UsageError } from "../../foundation/errors.js";
import { Prng } from "../../foundation/prng.js";
import { InDoubtError } from "../errors.js";
import { administer, type MongoAdmin } from "./admin.js";
import { mongodb } from "./mongodb.js";
import { MongoSession } from "./session.js";

const port = inject("ferretDbPort");
const at = (where: number, query = "w=1&journal=true") =>
  mongodb.urls.read({ url: `mongodb://127.0.0.1:${where}/?${query}` });
const endpoint = at(port);
const NAMESPACE = "adapter";
const tables = { variant: "workload documents", names: ["documents"] };
const tablesOf = (): readonly string[] => ["documents"];
const { namespaces, server } = mongodb;

let admin: MongoAdmin;
beforeAll(async () => {
  admin = await administer(endpoint);
});
afterAll(() => admin.close());

const inNamespace = <T>(name: string, work: (db: Db) => Promise<T>): Promise<T> =>
  admin.run((client) => work(client.db(name)));

async function openSession(where = endpoint, seen: string[] = []): Promise<MongoSession> {
  const report = (event: string): void => void seen.push(event);
  const session = new MongoSession({
    endpoint: where,
    applicationName: "train-sim/test",
    prepared: false,
    report,
  });
  await session.connect();
  return session;
}

const insertInto = (session: MongoSession, name: string) =>
  session.write("insert", (client) => client.db(NAMESPACE).collection("notes").insertOne({ name }));

describe("a session of the load", () => {
  it("answers, times its calls by name and reports that it is connected", async () => {
    const seen: string[] = [];
    const session = await openSession(endpoint, seen);
    const calls: string[] = [];
    session.observe({ onCall: (name, start, end) => void calls.push(`${name} ${end >= start}`) });
    await session.ping();
    await insertInto(session, "a");
    expect(calls).toEqual(["ping true", "insert true"]);
    await session.end();
    expect(seen).toEqual(["connected"]);
    expect(session.isBroken).toBe(true);
  });

  it("refuses a server that is away at once, with the way out", async () => {
    const seen: string[] = [];
    const startMs = systemClock.nowMs();
    const refused = openSession(at(1), seen);
    await expect(refused).rejects.toThrow(TargetError);
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(
        /^cannot connect to mongodb:\/\/127.0.0.1:1\/admin: nothing listens there/,
      ) as string,
      hint: expect.stringContaining("Check host and port") as string,
    });
    expect(systemClock.nowMs() - startMs).toBeLessThan(10_000);
    expect(seen).toEqual(["refused"]);
  });

  it("is broken when the server ends the connection, and says so before it sends a call", async () => {
    const proxy = await TcpProxy.open({ host: "127.0.0.1", port }, systemClock, new Prng(1));
    const seen: string[] = [];
    const session = await openSession(at(proxy.port), seen);
    await proxy.apply({ kind: "reset" });
    await expect.poll(() => session.isBroken).toBe(true);
    const error = await insertInto(session, "b").catch((failure: unknown) => failure);
    expect(error).not.toBeInstanceOf(InDoubtError);
    expect(mongodb.failures.classify(error).kind).toBe("reconnect");
    expect(seen).toEqual(["connected", "lost"]);
    await session.end();
    await proxy.close();
  });

  it("leaves a write in doubt whose answer is lost, and a read not", async () => {
    const proxy = await TcpProxy.open({ host: "127.0.0.1", port }, systemClock, new Prng(1));
    for (const kind of ["write", "read"] as const) {
      const session = await openSession(at(proxy.port));
      await proxy.apply({ kind: "blackhole" });
      const call =
        kind === "write"
          ? insertInto(session, "c")
          : session.read("read", (client) => client.db("x").command({ ping: 1 }));
      const ended = call.catch((failure: unknown) => failure);
      await systemClock.sleep(200);
      await proxy.apply({ kind: "reset" });
      const error = await ended;
      expect(error instanceof InDoubtError).toBe(kind === "write");
      expect(mongodb.failures.classify(error).kind).toBe(kind === "write" ? "in-doubt" : "reconnect");
      expect(session.isBroken).toBe(true);
      await session.end();
      await proxy.clear();
    }
    await proxy.close();
  });
});

describe("TLS", () => {
  it("encrypts, and checks the certificate and its name as the URL says", async () => {
    const directory = scratchDirectory();
    mkdirSync(directory, { recursive: true });
    const { cert, key } = await makeCertificate("localhost");
    const files = { cert: join(directory, "cert.pem"), key: join(directory, "key.pem") };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    const secured = await FerretDb.start(files);
    const outcomeOf = async (query: string): Promise<string> => {
      try {
        const opened = await administer(at(secured.tlsPort, query), { connectTimeoutMs: 5_000 });
        await opened.close();
        return "connected";
      } catch (error) {
        return (error as Error).message;
      }
    };
    const ca = `tlsCAFile=${encodeURIComponent(files.cert)}`;
    expect(await outcomeOf("tls=true&tlsAllowInvalidCertificates=true")).toBe("connected");
    expect(await outcomeOf(`tls=true&tlsAllowInvalidHostnames=true&${ca}`)).toBe("connected");
    expect(await outcomeOf("tls=true")).toContain("the server's certificate cannot be trusted");
    expect(await outcomeOf(`tls=true&${ca}`)).toContain(
      'the server\'s certificate is not for host "127.0.0.1"',
    );
    expect(await outcomeOf("")).toContain("cannot connect");
    await secured.stop();
  });
});

describe("the server", () => {
  it("states product, version and the write concern of the load", async () => {
    const info = await server.info(admin);
    expect(info).toMatchObject({
      product: "FerretDB",
      dialect: "mongodb",
      versionText: expect.stringMatching(/^FerretDB .*, which answers as MongoDB 7/) as string,
      settings: { writeConcern: "w=1 journal=true" },
    });
    const unstated = await administer(at(port, ""));
    expect((await server.info(unstated)).settings).toMatchObject({ writeConcern: "the server's default" });
    await unstated.close();
  });

  it("has one identity until it is started again", async () => {
    const other = await FerretDb.start();
    const first = await server.identity(at(other.port));
    expect(await server.identity(at(other.port))).toEqual(first);
    expect(await server.identity(at(other.port, "w=majority"))).toEqual(first);
    await other.kill();
    await other.startAgain();
    expect((await server.identity(at(other.port))).systemIdentifier).not.toBe(first.systemIdentifier);
    await other.stop();
  });

  it("is reported as lost if it is killed, and answers control sessions after its next start", async () => {
    const other = await FerretDb.start();
    const control = await administer(at(other.port), { connectTimeoutMs: 5_000 });
    const seen: string[] = [];
    const session = await openSession(at(other.port), seen);
    await other.kill();
    await expect.poll(() => session.isBroken).toBe(true);
    await expect(control.command({ ping: 1 })).rejects.toThrow(/^lost the connection to mongodb:/);
    await other.startAgain();
    expect(await control.command({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(seen).toEqual(["connected", "lost"]);
    const again = await openSession(at(other.port));
    await again.ping();
    await Promise.all([again.end(), session.end(), control.close()]);
    await other.stop();
  });

  it("states its clock", async () => {
    expect(Math.abs((await server.clockMs(admin)) - wallClockMs())).toBeLessThan(5_000);
  });
});

describe("a namespace", () => {
  it("is created with its collections, kept, reset and dropped", async () => {
    const settings = { namespace: "ns_own", tables, run: "r1" };
    expect(await namespaces.state(admin, "ns_own", "mongodb")).toEqual({ kind: "absent" });
    expect(await namespaces.apply(admin, settings, "mongodb")).toBe("created");
    expect(await namespaces.apply(admin, settings, "mongodb")).toBe("unchanged");
    expect(await namespaces.state(admin, "ns_own", "mongodb")).toEqual({ kind: "ours", run: "r1" });
    await inNamespace("ns_own", (db) => db.collection("documents").insertOne({ a: 1 }));
    await namespaces.reset(admin, settings, "mongodb", tablesOf);
    expect(await inNamespace("ns_own", (db) => db.collection("documents").countDocuments())).toBe(0);
    expect(await namespaces.drop(admin, "ns_own", "mongodb", tablesOf)).toBe(true);
    expect(await namespaces.drop(admin, "ns_own", "mongodb", tablesOf)).toBe(false);
    expect(await namespaces.state(admin, "ns_own", "mongodb")).toEqual({ kind: "absent" });
  });

  it("is never touched if others made it, or if others work in it", async () => {
    await inNamespace("ns_foreign", (db) => db.collection("things").insertOne({ a: 1 }));
    const settings = { namespace: "ns_foreign", tables };
    const refused = /exists and was not made by train-sim/;
    await expect(namespaces.apply(admin, settings, "mongodb")).rejects.toThrow(refused);
    await expect(namespaces.reset(admin, settings, "mongodb", tablesOf)).rejects.toThrow(refused);
    await expect(namespaces.drop(admin, "ns_foreign", "mongodb", tablesOf)).rejects.toThrow(refused);
    await expect(namespaces.claim(endpoint, "ns_foreign", "mongodb")).rejects.toThrow(refused);
    await namespaces.apply(admin, { namespace: "ns_mixed", tables }, "mongodb");
    await inNamespace("ns_mixed", (db) => db.collection("things").insertOne({ a: 1 }));
    await expect(namespaces.drop(admin, "ns_mixed", "mongodb", tablesOf)).rejects.toThrow(
      "has collections that train-sim did not make, so it is not dropped: things",
    );
    expect(await inNamespace("ns_mixed", (db) => db.collection("things").countDocuments())).toBe(1);
  });

  it.each(["admin", "local", "9x", "a.b", "x".repeat(64)])("is refused with the name %s", async (name) => {
    await expect(namespaces.apply(admin, { namespace: name, tables }, "mongodb")).rejects.toThrow(UsageError);
  });

  it("is printed as commands of mongosh", () => {
    const indexes = { documents: [{ paths: ["data.id", "data.a"], isUnique: true }] };
    expect(namespaces.ddl({ namespace: "n", tables: { ...tables, indexes } as never }, "mongodb")).toEqual([
      'db.getSiblingDB("n").createCollection("documents")',
      'db.getSiblingDB("n").documents.createIndex({"data.id":1,"data.a":1}, {"unique":true})',
    ]);
  });
});

describe("a claim", () => {
  it("keeps other runs away until it is released, and survives a reset", async () => {
    const claim = await namespaces.claim(endpoint, "ns_claim", "mongodb");
    const run = claim.run ?? expect.fail("a claim names its run");
    await expect(namespaces.claim(endpoint, "ns_claim", "mongodb")).rejects.toThrow(
      "another run works in database",
    );
    await namespaces.reset(admin, { namespace: "ns_claim", tables, run }, "mongodb", tablesOf);
    await claim.confirm();
    expect(await namespaces.isRunActive(admin, "ns_claim", run)).toBe(true);
    await namespaces.drop(admin, "ns_claim", "mongodb", tablesOf);
    await claim.release();
    expect(await namespaces.isRunActive(admin, "ns_claim", run)).toBe(false);
    expect(await inNamespace("ns_claim", (db) => db.listCollections().toArray())).toEqual([]);
  });

  it("is taken over, with a note, once a run that ended without releasing it is silent", async () => {
    await namespaces.reset(admin, { namespace: "ns_left", tables, run: "gone" }, "mongodb", tablesOf);
    const renewed = new Date((await server.clockMs(admin)) - 60_000);
    await inNamespace("ns_left", (db) =>
      db
        .collection<{ _id: string; run: string; renewed: Date }>("train_sim")
        .insertOne({ _id: "claim", run: "gone", renewed }),
    );
    const notes: string[] = [];
    const note = (words: string): void => void notes.push(words);
    const claim = await namespaces.claim(endpoint, "ns_left", "mongodb", { note });
    expect(notes).toEqual(['database "ns_left" was left by an earlier run, which has ended']);
    await claim.release();
  });

  it("is lost when another run has taken it", async () => {
    const claim = await namespaces.claim(endpoint, "ns_lost", "mongodb");
    await inNamespace("ns_lost", (db) =>
      db.collection<{ _id: string }>("train_sim").updateOne({ _id: "claim" }, { $set: { run: "other" } }),
    );
    await expect(claim.confirm()).rejects.toThrow('this run lost its claim of database "ns_lost"');
    await expect(claim.lossRejection).rejects.toThrow(TargetError);
    await claim.release();
  });
});

it("evidence has sizes and the server's start, and names what the server does not show", async () => {
  await namespaces.reset(admin, { namespace: "ns_seen", tables }, "mongodb", tablesOf);
  await inNamespace("ns_seen", (db) => db.collection("documents").insertOne({ a: "x".repeat(100_000) }));
  const reader = mongodb.evidence.reader({
    endpoint,
    dialect: "mongodb",
    workload: { tables: { documents: "ns_seen.documents" }, loadNames: [], groups: [] },
    isOwnServer: false,
  });
  const [first, second] = [await reader.sample(), await reader.sample()];
  expect(first["size.tableBytes"]).toBeGreaterThan(100_000);
  expect(first["statistics.began"]).toBeGreaterThan(0);
  expect(second["statistics.began"]).toBe(first["statistics.began"]);
  expect(first).not.toHaveProperty("wal.bytes");
  expect(reader.skipped).toContainEqual({
    source: "serverStatus wiredTiger.log",
    reason: "the server does not show it",
  });
  await reader.close();
});

it("obstacles are found before a run: another user of the load, and a foreign database", async () => {
  await inNamespace("ns_taken", (db) => db.collection("things").insertOne({ a: 1 }));
  const demand = {
    admin: endpoint,
    servers: [endpoint],
    clientEndpoints: [{ key: "target.urls" as const, endpoint }],
    namespaces: ["ns_taken"],
    loadConnections: 4,
    controlConnections: 4,
    tablesOf,
  };
  expect(await server.obstacles(demand)).toEqual([
    {
      kind: "unfit",
      words: expect.stringContaining("ns_taken") as string,
      remedy: expect.any(String) as string,
    },
  ]);
  const away = { ...demand, admin: at(1), namespaces: [] };
  expect(await server.obstacles(away)).toMatchObject([{ kind: "unreachable" }]);
});
