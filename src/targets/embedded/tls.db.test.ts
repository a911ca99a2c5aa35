// Log-in over TLS to an embedded server and to the poolers before it, with certificates that train-sim makes.
import { afterEach, expect, it } from "vitest";
import { pgBouncerEnv, startPgBouncers } from "../../../test/support/pgbouncers.js";
import { poolerEnv } from "../../../test/support/poolers.js";
import { startPoolers } from "../../pools/managed.js";
import { odysseyKind } from "../../pools/odyssey/odyssey.js";
import { connectAdmin } from "../../database/postgres/admin.js";
import { AUTH_METHODS, type Auth, type Endpoint } from "../../database/endpoint.js";
import { embedded } from "./embedded.js";
import { embeddedSettings } from "./settings.js";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Whether the server session is encrypted, and the subject of the client certificate; null without a certificate. */
async function sessionAt(endpoint: Endpoint): Promise<unknown> {
  const admin = await connectAdmin(endpoint);
  try {
    return (await admin.query("SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))[0];
  } finally {
    await admin.close();
  }
}

/** A server over TLS with that log-in, and both poolers that can stand before it. */
async function start(auth: Auth, login?: "password"): Promise<{ upstream: Endpoint; pooled: Endpoint[] }> {
  const settings = embeddedSettings.resolve({ auth, tls: true });
  const server = await embedded.start(settings, { maxConnectionsNeeded: 10 });
  stops.push(() => server.stop());
  const upstream = server.endpoints[0] as Endpoint;
  const pool = { mode: "transaction", size: 2, instances: 1, maxClientConnections: 10 } as const;
  const demand = { ...pool, auth: server.auth, ...(login && { login }) };
  const poolers = [
    await startPgBouncers({ ...demand, maxPreparedStatements: 0 }, upstream, pgBouncerEnv()),
    await startPoolers(
      odysseyKind,
      { ...demand, preparedStatements: false },
      [upstream],
      poolerEnv("odyssey"),
    ),
  ];
  for (const pooler of poolers) stops.push(() => pooler.stop());
  return { upstream, pooled: poolers.flatMap(({ endpoints }) => endpoints) };
}

it.each(AUTH_METHODS)(
  "auth %s over TLS refuses clients without TLS, at the server and at its poolers",
  async (auth) => {
    const { upstream, pooled } = await start(auth);
    expect(await sessionAt(upstream)).toEqual({
      ssl: true,
      client_dn: auth === "cert" ? "/CN=postgres" : null,
    });
    for (const endpoint of pooled) expect(await sessionAt(endpoint)).toMatchObject({ ssl: true });
    for (const { tls, password, ...endpoint } of [upstream, ...pooled]) {
      await expect(sessionAt({ ...endpoint, ...(password !== undefined && { password }) })).rejects.toThrow();
      const anonymous = { mode: "verify-ca", ca: tls?.ca ?? "" } as const;
      const loggedIn = sessionAt({ ...endpoint, password: "wrong", tls: anonymous });
      if (auth === "trust") await loggedIn;
      else await expect(loggedIn).rejects.toThrow();
      const withPassword = sessionAt({
        ...endpoint,
        ...(password !== undefined && { password }),
        tls: anonymous,
      });
      if (auth === "cert") await expect(withPassword).rejects.toThrow();
      else await withPassword;
    }
  },
);

it("a pooler with login password takes passwords, and logs in to a server with auth cert by certificate", async () => {
  const { pooled } = await start("cert", "password");
  for (const endpoint of pooled) {
    expect(endpoint.tls).not.toHaveProperty("cert");
    expect(await sessionAt(endpoint)).toEqual({ ssl: true, client_dn: "/CN=postgres" });
    await expect(sessionAt({ ...endpoint, password: "wrong" })).rejects.toThrow();
  }
});
