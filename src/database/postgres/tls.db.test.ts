// TLS against a PostgreSQL that really requires it, with certificates made for the occasion: an authority, a
// server certificate for `localhost` only, a client certificate, and a stranger's authority.
import type { Connection } from "../../database/sql.js";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../foundation/clock.js";
import { messageOf, TargetError } from "../../foundation/errors.js";
import { Prng } from "../../foundation/prng.js";
import type { Endpoint, TlsSettings } from "../endpoint.js";
import { startEmbedded } from "../../targets/embedded/embedded.js";
import { TcpProxy } from "../../faults/means/tcp-proxy.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { connectAdmin } from "./admin.js";
import { createConnectionSource } from "../../pools/registry.js";

const run = promisify(execFile);
const CLIENT = "signalman";

let directory: string;
let server: RunningTarget;
let ca: string;
let strangersCa: string;
let client: { cert: string; key: string };

async function openssl(...args: string[]): Promise<void> {
  try {
    await run("openssl", args, { cwd: directory });
  } catch (error) {
    throw new Error(`this test makes its certificates with openssl: ${messageOf(error)}`, { cause: error });
  }
}

const read = (name: string) => readFile(join(directory, name), "utf8");

async function makeAuthority(name: string): Promise<string> {
  await openssl(
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "2",
    "-keyout",
    `${name}.key`,
    "-out",
    `${name}.crt`,
    "-subj",
    `/CN=${name}`,
  );
  return read(`${name}.crt`);
}

/** A certificate for `commonName`, signed by the authority `ca`. */
async function makeCertificate(
  commonName: string,
  extension: string,
): Promise<{ cert: string; key: string }> {
  await writeFile(join(directory, `${commonName}.ext`), extension);
  await openssl(
    "req",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    `${commonName}.key`,
    "-out",
    `${commonName}.csr`,
    "-subj",
    `/CN=${commonName}`,
  );
  await openssl(
    "x509",
    "-req",
    "-days",
    "2",
    "-in",
    `${commonName}.csr`,
    "-out",
    `${commonName}.crt`,
    "-CA",
    "ca.crt",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    "-extfile",
    `${commonName}.ext`,
  );
  return { cert: await read(`${commonName}.crt`), key: await read(`${commonName}.key`) };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "train-sim-tls-test-"));
  ca = await makeAuthority("ca");
  strangersCa = await makeAuthority("stranger");
  const own = await makeCertificate("localhost", "subjectAltName=DNS:localhost");
  client = await makeCertificate(CLIENT, "extendedKeyUsage=clientAuth");
  const hba = [`hostssl all ${CLIENT} 127.0.0.1/32 cert`, "hostssl all all 127.0.0.1/32 scram-sha-256"];
  server = await startEmbedded(
    { fsync: "off" },
    { maxConnectionsNeeded: 20, tls: { ...own, clientCa: ca, hba } },
  );
  const admin = await connectAdmin(server.admin);
  await admin.query(`CREATE ROLE ${CLIENT} LOGIN`);
  await admin.close();
});

afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The server's endpoint with these TLS settings, or without TLS. */
function endpoint(tls: TlsSettings | undefined, changes: Partial<Endpoint> = {}): Endpoint {
  const { scheme, host, port, database, user, password } = server.admin;
  return {
    scheme,
    host,
    port,
    database,
    user,
    ...(password !== undefined && { password }),
    ...(tls && { tls }),
    ...changes,
  };
}

/** The session's protocol version and client certificate, as the server reports them. */
async function session(to: Endpoint) {
  const admin = await connectAdmin(to);
  const [row] = await admin.query(
    "SELECT ssl, version, client_dn, current_user AS who FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
  );
  await admin.close();
  return row;
}

async function refusal(to: Endpoint): Promise<string> {
  const error: unknown = await session(to).catch((reason: unknown) => reason);
  if (!(error instanceof TargetError)) return expect.unreachable("it was let in");
  return error.message;
}

const encrypted = { ssl: true, version: "TLSv1.3" };

describe("a server that accepts TLS only", () => {
  it("refuses a plain connection with a remedy", async () => {
    await expect(session(endpoint(undefined))).rejects.toMatchObject({
      message: expect.stringContaining("the server takes TLS connections only") as string,
      hint: expect.stringContaining("sslmode: require") as string,
      exitCode: 111,
    });
  });

  it("is encrypted without verification for sslmode require", async () => {
    expect(await session(endpoint({ mode: "require" }))).toMatchObject(encrypted);
  });

  it("is refused for sslmode require with a CA if its certificate is another authority's", async () => {
    expect(await session(endpoint({ mode: "require", ca }))).toMatchObject(encrypted);
    expect(await refusal(endpoint({ mode: "require", ca: strangersCa }))).toContain("cannot be trusted");
  });

  it("is accepted under any host name for verify-ca, but not with another authority", async () => {
    expect(await session(endpoint({ mode: "verify-ca", ca }))).toMatchObject(encrypted);
    expect(await refusal(endpoint({ mode: "verify-ca", ca: strangersCa }))).toContain("cannot be trusted");
    expect(await refusal(endpoint({ mode: "verify-ca" }))).toContain("cannot be trusted");
  });

  it("is accepted for verify-full only under the host name in its certificate", async () => {
    const tls: TlsSettings = { mode: "verify-full", ca };
    expect(await session(endpoint(tls, { host: "localhost" }))).toMatchObject(encrypted);
    expect(await refusal(endpoint(tls, { host: "127.0.0.1" }))).toContain("certificate is not for host");
  });

  it("is verified under its own name through a proxy, which does not change TLS", async () => {
    const { port } = server.admin;
    const proxy = await TcpProxy.open({ host: "127.0.0.1", port }, systemClock, new Prng(1));
    const through = (serverName: string): Endpoint =>
      endpoint({ mode: "verify-full", ca, serverName }, { host: "127.0.0.1", port: proxy.port });
    expect(await session(through("localhost"))).toMatchObject(encrypted);
    for (const other of ["elsewhere.example", "127.0.0.1"])
      expect(await refusal(through(other))).toContain("certificate is not for host");
    await proxy.close();
  });

  it("accepts a client certificate in place of a password", async () => {
    const tls: TlsSettings = { mode: "verify-ca", ca, ...client };
    const { host, port, database } = server.admin;
    expect(await session({ scheme: "postgresql", host, port, database, user: CLIENT, tls })).toMatchObject({
      ...encrypted,
      who: CLIENT,
      client_dn: `/CN=${CLIENT}`,
    });
  });

  it("refuses that user without the certificate, or with another user's certificate", async () => {
    const { host, port, database } = server.admin;
    const without = {
      scheme: "postgresql",
      host,
      port,
      database,
      user: CLIENT,
      tls: { mode: "require" } as const,
    };
    expect(await refusal(without)).toContain("wants a client certificate");
    const tls: TlsSettings = { mode: "require", ...client };
    const other = { scheme: "postgresql", host, port, database, user: "postgres", tls };
    expect(await refusal(other)).toContain("asks for a password and none was given");
  });

  it("is not contacted with an invalid certificate file, and the error states this", async () => {
    expect(await refusal(endpoint({ mode: "require", cert: "not PEM", key: "not PEM" }))).toContain(
      "TLS could not be set up",
    );
  });

  it("is used through the direct and the pg-pool strategy", async () => {
    for (const pool of [
      { strategy: "direct", reconnect: "never" },
      { strategy: "pg-pool", size: 2 },
    ] as const) {
      const source = createConnectionSource({
        pool,
        endpoints: [endpoint({ mode: "verify-full", ca }, { host: "localhost" })],
        clients: 2,
        firstClient: 0,
        clientsOfTrial: 2,
        workers: 1,
        workerIndex: 0,
        prepared: true,
        applicationName: "train-sim/test",
      });
      await source.openConnections();
      const lease = await source.acquire(1);
      const text = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
      expect(await (lease.connection as Connection).execute({ name: "test.ssl", text }, [])).toEqual([
        [true],
      ]);
      await lease.release(false);
      await source.close();
    }
  });
});
