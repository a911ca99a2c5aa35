// Commands by which a user goes on after a run, each a line for a shell, without passwords.
import { shellWord } from "../../foundation/shown.js";
import { keyWithoutPasswords, withoutPasswords } from "../../foundation/secrets.js";
import type { Overrides } from "../../scenario/plan/overrides.js";
import type { Experiment } from "../../scenario/settings.js";
import { hasPooler } from "../../pools/registry.js";
import { databaseOfUrl, DEFAULT_DIALECT, type DialectName } from "../../database/registry.js";
import type { TargetSettings } from "../../targets/registry.js";

export type UrlTarget = Extract<TargetSettings, { kind: "url" }>;

/** The URL of train-sim's control connection, TLS files included, without the password. */
function adminUrlOf(target: UrlTarget): string {
  const url = withoutPasswords(target.adminUrl ?? target.urls[0]?.url ?? "");
  return databaseOfUrl(url)?.urls.addTlsParameters(url, target) ?? url;
}

const hasPassword = (url = ""): boolean => withoutPasswords(url) !== url;

/** The command `train-sim schema drop --url ... --namespace ...` for the namespace. */
export function schemaDropCommand(
  target: UrlTarget,
  namespace: string,
  dialect: DialectName,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const { adminUrl, urls, passwordCommand } = target;
  const words = ["npx", "train-sim", "schema", "drop", "--url", adminUrlOf(target), "--namespace", namespace];
  if (dialect !== DEFAULT_DIALECT) words.push("--dialect", dialect);
  const isPasswordOmitted =
    hasPassword(adminUrl ?? urls[0]?.url) ||
    passwordCommand !== undefined ||
    (adminUrl !== undefined && Boolean(env["TRAIN_SIM_ADMIN_PASSWORD"]));
  return shellCommand(words, isPasswordOmitted);
}

export function schemaDropCommands({ treatments }: Experiment): string[] {
  const commands = treatments.flatMap(({ settings: { target, namespace, dialect } }) =>
    target.kind === "url" ? [schemaDropCommand(target, namespace, dialect)] : [],
  );
  return [...new Set(commands)];
}

function holdsPassword({ treatments }: Experiment): boolean {
  const urls = treatments.flatMap(({ settings: { target, pool } }) => [
    ...(target.kind === "url" ? [target.adminUrl, ...target.urls.map(({ url }) => url)] : []),
    ...(hasPooler(pool) ? [pool.adminUrl, ...pool.urls.map(({ url }) => url)] : []),
  ]);
  return urls.some(hasPassword);
}

/**
 * The command `train-sim run --resume ...`. It names the scenario and overrides again if the stored one lacks passwords.
 * `joinArguments` is how agents join, which no directory stores.
 */
export function resumeCommand(
  experiment: Experiment,
  directory: string,
  scenario: string | undefined,
  { set = [], against, trials, duration, seed, agents }: Overrides,
  joinArguments: readonly string[] = [],
): string {
  if (scenario === undefined || !holdsPassword(experiment))
    return shellCommand(["npx", "train-sim", "run", "--resume", directory, ...joinArguments], false);
  const settings = set.map((pair) => keyWithoutPasswords(pair));
  const words = ["npx", "train-sim", "run", scenario, ...settings.flatMap((pair) => ["--set", pair])];
  for (const [name, value] of Object.entries({ against, trials, duration, seed, agents }))
    if (value !== undefined) words.push(`--${name}`, String(value));
  words.push("--resume", directory, ...joinArguments);
  return shellCommand(
    words,
    settings.some((pair, number) => pair !== set[number]),
  );
}

function shellCommand(words: readonly string[], lacksPassword: boolean): string {
  return `${words.map(shellWord).join(" ")}${lacksPassword ? " (with its password in PGPASSWORD)" : ""}`;
}
