// The check of an Odyssey that runs already, before any trial: its console's routes against the scenario's settings.
import type { Obstacle } from "../../database/contract.js";
import type { Endpoint } from "../../database/endpoint.js";
import { administer } from "../../database/registry.js";
import { askConsole, numberOf, withConsole } from "../console.js";
import { poolDifferences, unpreparedObstacles } from "../running-checks.js";
import type { RunningPooler } from "../running-pooler.js";
import { readVersion, routesOf } from "./odyssey-console.js";
import type { OdysseyPool } from "./settings.js";

type RequiredSettings = Pick<OdysseyPool, "mode" | "size" | "preparedStatements">;

export async function odysseyObstacles(
  required: RequiredSettings,
  { endpoints, consoles }: RunningPooler,
  isPrepared: boolean,
): Promise<Obstacle[]> {
  const [[console], [endpoint]] = [consoles, endpoints];
  const differences = console && endpoint ? await differencesAt(console, endpoint, required) : [];
  if (required.mode === "session" || !required.preparedStatements || !isPrepared) return differences;
  const remedy =
    "Set pool.preparedStatements: false, or give Odyssey pool_reserve_prepared_statement yes for that user.";
  return [
    ...differences,
    ...(await unpreparedObstacles(endpoints, "pool.preparedStatements is true", remedy)),
  ];
}

async function differencesAt(
  console: Endpoint,
  endpoint: Endpoint,
  required: RequiredSettings,
): Promise<Obstacle[]> {
  // A route exists while it has a client.
  const client = await administer(endpoint, { purpose: "preflight", keepsTimeLimits: true });
  try {
    return await withConsole(console, async (opened) => {
      const version = await readVersion(opened);
      const [route] = routesOf(await askConsole(opened, "SHOW DATABASES"), endpoint);
      if (!route) return [];
      const size = numberOf(route, "pool_size");
      return poolDifferences(
        {
          ...{ product: "Odyssey", version },
          modeSetting: (mode) => `pool "${mode}"`,
          sizeSetting: (servers) => `pool_size ${servers}`,
        },
        required,
        // A size of 0 is no limit.
        { mode: String(route["pool_mode"]), size: size > 0 ? size : undefined },
      );
    });
  } finally {
    await client.close();
  }
}
