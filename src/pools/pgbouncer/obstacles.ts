// The check of a PgBouncer that runs already, before any trial: its console's settings against the scenario's.
import type { Endpoint } from "../../database/endpoint.js";
import { isVersionAtLeast } from "../find-program.js";
import { withConsole } from "../console.js";
import { poolDifferences, unpreparedObstacles, type CheckedProduct } from "../running-checks.js";
import type { RunningPooler } from "../running-pooler.js";
import type { Obstacle } from "../../database/contract.js";
import { readConfig, readVersion } from "./console.js";
import { readPoolSize } from "./pooler-statistics.js";
import type { PgBouncerPool } from "./settings.js";

type RequiredSettings = Pick<PgBouncerPool, "mode" | "size" | "maxPreparedStatements" | "settings">;

/** Settings that a console reports, and the pool size of one database. */
interface ObservedSettings {
  readonly version: string;
  readonly mode: string;
  readonly maxPreparedStatements: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  /** Pool size of the database; undefined if the console does not list the database by name. */
  readonly size: number | undefined;
}

export async function pgbouncerObstacles(
  requiredSettings: RequiredSettings,
  { endpoints, consoles }: RunningPooler,
  isPrepared: boolean,
): Promise<Obstacle[]> {
  const [console] = consoles;
  const [endpoint] = endpoints;
  const observedSettings = console && endpoint && (await observedSettingsAt(console, endpoint.database));
  return [
    ...(observedSettings ? differences(requiredSettings, observedSettings) : []),
    ...(await statementObstacles(requiredSettings, endpoints, observedSettings, isPrepared)),
  ];
}

function differences({ settings = {}, ...required }: RequiredSettings, seen: ObservedSettings): Obstacle[] {
  const { version } = seen;
  const checked: CheckedProduct = {
    ...{ product: "PgBouncer", version },
    modeSetting: (mode) => `pool_mode = ${mode}`,
    sizeSetting: (size) => `default_pool_size = ${size}`,
  };
  const found = poolDifferences(checked, required, seen);
  for (const [name, value] of Object.entries(settings)) {
    const seenValue = seen.settings[name];
    if (seenValue === undefined || seenValue === value) continue;
    found.push({
      kind: "unfit",
      words: `pool.settings has ${name} = ${value}, but PgBouncer ${version} has ${name} = ${seenValue}`,
      remedy: "Remove it from pool.settings: train-sim reads it from the console.",
    });
  }
  return found;
}

async function statementObstacles(
  { mode, maxPreparedStatements }: RequiredSettings,
  endpoints: readonly Endpoint[],
  configured: ObservedSettings | undefined,
  isPrepared: boolean,
): Promise<Obstacle[]> {
  if (mode === "session" || maxPreparedStatements === 0 || !isPrepared) return [];
  const remedy =
    "Set pool.maxPreparedStatements: 0, or give PgBouncer 1.21 or newer max_prepared_statements = 200.";
  const settingText = `pool.maxPreparedStatements is ${maxPreparedStatements}`;
  const obstacle = configured && versionObstacle(configured);
  if (obstacle !== undefined) return [{ kind: "unfit", words: `${settingText}, but ${obstacle}`, remedy }];
  return unpreparedObstacles(endpoints, settingText, remedy);
}

function versionObstacle({ version, maxPreparedStatements }: ObservedSettings): string | undefined {
  if (!isVersionAtLeast(version, "1.21"))
    return `PgBouncer ${version} has no prepared statements outside session mode`;
  return maxPreparedStatements === "0"
    ? `PgBouncer ${version} is set to max_prepared_statements = 0`
    : undefined;
}

const observedSettingsAt = (at: Endpoint, database: string): Promise<ObservedSettings> =>
  withConsole(at, async (console) => {
    const version = await readVersion(console);
    const config = await readConfig(console);
    const databases = await console.query("SHOW DATABASES");
    const databasePoolMode = databases.find(({ name }) => name === database)?.["pool_mode"];
    return {
      version,
      mode:
        typeof databasePoolMode === "string" && databasePoolMode !== ""
          ? databasePoolMode
          : String(config["pool_mode"]),
      maxPreparedStatements: config["max_prepared_statements"],
      settings: config,
      size: readPoolSize(databases, database),
    };
  });
