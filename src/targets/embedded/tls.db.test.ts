// Log-in over TLS to an embedded server and to the PgBouncer before it, with certificates that train-sim makes.
import { afterEach, expect, it } from "vitest";
import { pgBouncerEnv, startPgBouncers } from "../../../test/support/pgbouncers.js";
import { connectAdmin } from "../../database/postgres/admin.js";
import { AUTH_METHODS, type Endpoint } from "../../database/endpoint.js";
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

it.each(AUTH_METHODS)(
  "auth %s over TLS refuses clients without TLS, at the server and at PgBouncer",
  async (auth) => {
    const settings = embeddedSettings.resolve({ auth, tls: true });
    const server = await embedded.start(settings, { maxConnectionsNeeded: 10 });
    stops.push(() => server.stop());
    const upstream = server.endpoints[0] as Endpoint;
    const pool = { mode: "transaction", size: 2, instances: 1, maxPreparedStatements: 0 } as const;
    const demand = { maxClientConnections: 10, auth: server.auth };
    const pooler = await startPgBouncers({ ...pool, ...demand }, upstream, pgBouncerEnv());
    stops.push(() => pooler.stop());
    const pooled = pooler.endpoints[0] as Endpoint;
    expect(await sessionAt(upstream)).toEqual({
      ssl: true,
      client_dn: auth === "cert" ? "/CN=postgres" : null,
    });
    expect(await sessionAt(pooled)).toMatchObject({ ssl: true });
    for (const { tls, password, ...endpoint } of [upstream, pooled]) {
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
