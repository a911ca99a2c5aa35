// Why named prepared statements will fail through a PgBouncer that runs already; its console says more than a trial of it.
import { connectConsole } from "../../database/admin.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint/endpoint.js";
import { preparesThrough } from "../../database/prepared-through.js";
import { isVersionAtLeast } from "../find-program.js";
import type { RunningPooler } from "../running-pooler.js";
import type { Obstacle } from "../strategy.js";
import type { PgBouncerPool } from "./settings.js";

export async function statementObstacles(
  { mode, maxPreparedStatements }: Pick<PgBouncerPool, "mode" | "maxPreparedStatements">,
  { endpoints, consoles }: RunningPooler,
  isPrepared: boolean,
): Promise<Obstacle[]> {
  const [console] = consoles;
  const told = console && (await consoleWords(console));
  if (mode === "session" || maxPreparedStatements === 0 || !isPrepared) return [];
  const remedy =
    "Set pool.maxPreparedStatements: 0, or give PgBouncer 1.21 or newer max_prepared_statements = 200.";
  const stated = `pool.maxPreparedStatements is ${maxPreparedStatements}`;
  if (told !== undefined) return [{ kind: "unfit", words: `${stated}, but ${told}`, remedy }];
  const works = await Promise.all(endpoints.map(preparesThrough));
  return endpoints.flatMap((endpoint, index): Obstacle[] => {
    if (works[index] !== false) return [];
    const words = `${stated}, but a statement prepared through ${describeEndpoint(endpoint)} was not there in the next transaction`;
    return [{ kind: "unfit", words, remedy }];
  });
}

/** What its console says against prepared statements, if anything. Rejects where it cannot be asked, as a trial would. */
async function consoleWords(console: Endpoint): Promise<string | undefined> {
  const client = await connectConsole(console);
  try {
    const version = await client.version();
    if (!isVersionAtLeast(version, "1.21"))
      return `PgBouncer ${version} has no prepared statements outside session mode`;
    const config = await client.run("SHOW CONFIG");
    const stated = config.find(({ key }) => key === "max_prepared_statements")?.["value"];
    return String(stated) === "0" ? `PgBouncer ${version} is set to max_prepared_statements = 0` : undefined;
  } finally {
    await client.close();
  }
}

export async function versionAt(console: Endpoint): Promise<string> {
  const client = await connectConsole(console);
  try {
    return await client.version();
  } finally {
    await client.close();
  }
}
