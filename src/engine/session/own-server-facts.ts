import type { ServerFact } from "../../database/contract.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import { administer, databaseOf } from "../../database/registry.js";
import type { OwnServer } from "./preflight.js";

/** Facts about a user's server, its product and version first; none if it cannot be asked. Obstacles say why. */
export async function factsOf({ target: { admin: endpoint } }: OwnServer): Promise<ServerFact[]> {
  const { server } = databaseOf(endpoint);
  const admin = await administer(endpoint, { purpose: "preflight" }).catch(() => undefined);
  if (!admin) return [];
  try {
    const { product, version, connections } = await server.info(admin);
    const { max, reserved, inUse } = connections;
    const isLocal = (await server.serverProcessOf(admin)) !== undefined;
    return [
      {
        state: "ok",
        what: "server",
        words: `${product} ${version} at ${describeEndpoint(endpoint)}`,
        remedy: "",
      },
      ...tlsFacts(endpoint),
      ...((await server.facts?.(admin)) ?? []),
      ...(max === undefined
        ? []
        : [
            {
              state: "ok" as const,
              what: "connections",
              words: `at most ${max}, of which ${reserved} are reserved and ${inUse} in use`,
              remedy: "",
            },
          ]),
      ...(isLocal ? [] : [HOST_FACT]),
    ];
  } catch {
    return [];
  } finally {
    await admin.close();
  }
}

const HOST_FACT: ServerFact = {
  state: "optional",
  what: "evidence",
  words:
    "the server's process cannot be seen from here: evidence will lack its CPU and disk, and other programs there are not noticed",
  remedy: "Read them in the service's own monitoring.",
};

const LOCAL_HOST = /^(localhost$|127\.|::1$|\/)/;

function tlsFacts({ host, tls }: Endpoint): ServerFact[] {
  if (!tls)
    return LOCAL_HOST.test(host)
      ? []
      : [
          {
            state: "warning",
            what: "TLS",
            words: "none: others can read passwords and data on the way",
            remedy: "Add sslmode=verify-full&sslrootcert=FILE to the URL, with the CA of the server.",
          },
        ];
  const isChecked = tls.mode !== "require" || tls.ca !== undefined;
  return [
    {
      state: isChecked ? "ok" : "warning",
      what: "TLS",
      words: `sslmode ${tls.mode}: the server's certificate is ${isChecked ? "checked" : "not checked"}`,
      remedy: isChecked ? "" : "Use sslmode=verify-full&sslrootcert=FILE, with the CA of the server.",
    },
  ];
}
