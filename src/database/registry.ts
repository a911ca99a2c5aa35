import type { DialectCapabilities, MissingCapability } from "./capabilities.js";
import type { AdminOptions, AdminSession, Database } from "./contract.js";
import type { Endpoint, EndpointUrl } from "./endpoint.js";
import { mongodb } from "./mongodb/mongodb.js";
import { mysql } from "./mysql/mysql.js";
import { postgresql } from "./postgres/postgresql.js";
import { asTrainSimError, type TrainSimError } from "../foundation/errors.js";

const REGISTERED_DATABASES = [postgresql, mysql, mongodb] as const;
const DATABASES: readonly Database[] = REGISTERED_DATABASES;

type DialectsOf<Member> = Member extends { readonly dialects: infer Dialects } ? keyof Dialects : never;
export type DialectName = DialectsOf<(typeof REGISTERED_DATABASES)[number]>;
export const DIALECTS = DATABASES.flatMap(({ dialects }) => Object.keys(dialects)) as DialectName[];
/** The dialect of the servers that train-sim starts. */
export const DEFAULT_DIALECT: DialectName = "postgres";

/** Schemes of connection URLs; the first is the scheme of `URL_EXAMPLE`. */
export const SCHEMES = DATABASES.flatMap(({ urls }) => urls.schemes);
export const URL_EXAMPLE = postgresql.urls.example;

const databaseWithScheme = (scheme: string): Database | undefined =>
  DATABASES.find(({ urls }) => urls.schemes.includes(scheme));

export function databaseOf({ scheme }: Pick<Endpoint, "scheme">): Database {
  const database = databaseWithScheme(scheme);
  if (!database) throw new RangeError(`no database has URLs of ${scheme}`);
  return database;
}

export function databaseOfDialect(dialect: string): Database {
  const database = DATABASES.find(({ dialects }) => Object.hasOwn(dialects, dialect));
  if (!database) throw new RangeError(`no database speaks ${dialect}`);
  return database;
}

/** The database to which the scheme of a connection URL belongs; undefined for an unknown scheme. */
export function databaseOfUrl(text: string): Database | undefined {
  return databaseWithScheme(/^([\w+]+):\/\//.exec(text)?.[1] ?? "");
}

/** The dialect that a URL's scheme names, else the first of its database. */
export function dialectOfUrl(text: string): DialectName {
  const names = Object.keys((databaseOfUrl(text) ?? postgresql).dialects) as DialectName[];
  return names.find((name) => text.startsWith(`${name}://`)) ?? names[0] ?? DEFAULT_DIALECT;
}

/** The endpoint of a URL, read by the database's `Urls.read`; an unknown scheme is refused. */
export function readUrl(
  url: EndpointUrl,
  tls?: Parameters<Database["urls"]["read"]>[1],
  environment?: NodeJS.ProcessEnv,
): Endpoint {
  return (databaseOfUrl(url.url) ?? postgresql).urls.read(url, tls, environment);
}

export function ignoredVariables(environment: NodeJS.ProcessEnv): string[] {
  return DATABASES.flatMap(({ urls }) => urls.ignoredVariables(environment));
}

export function administer(endpoint: Endpoint, options?: AdminOptions): Promise<AdminSession> {
  return databaseOf(endpoint).administer(endpoint, options);
}

export function explain(error: unknown): TrainSimError | undefined {
  for (const { failures } of DATABASES) {
    const explanation = failures.explain(error);
    if (explanation) return explanation;
  }
  return undefined;
}

/** The error in words for users. An error that no database explains keeps its message. */
export function explainedError(error: unknown): TrainSimError {
  return explain(error) ?? asTrainSimError(error);
}

export function isConflict(code: string): boolean {
  return DATABASES.some(({ failures }) => failures.isConflict(code));
}

export function isUnreadableTable(error: unknown): boolean {
  return DATABASES.some(({ failures }) => failures.isUnreadableTable(error));
}

export function capabilitiesOf(name: DialectName): DialectCapabilities {
  const capabilities = databaseOfDialect(name).dialects[name];
  if (!capabilities) throw new RangeError(`${name} has no capabilities`);
  return capabilities;
}

/** Reason why the dialect lacks that level of a factor; undefined if it has the level. */
export function missingLevel(
  name: DialectName,
  factor: string,
  level: string,
): MissingCapability | undefined {
  return capabilitiesOf(name).unsupportedLevels[factor]?.[level];
}

/** @param unsupportedLevels levels that are refused, by factor. Default: levels that the dialect lacks. */
export function levelProblems(
  name: DialectName,
  levels: Readonly<Record<string, string | undefined>>,
  unsupportedLevels = capabilitiesOf(name).unsupportedLevels,
): { readonly path: readonly string[]; readonly message: string }[] {
  const { label } = capabilitiesOf(name);
  return Object.entries(unsupportedLevels).flatMap(([factor, missing]) => {
    const level = levels[factor];
    const lack = level === undefined ? undefined : missing[level];
    if (!lack) return [];
    const message = `${label} does not have ${factor}: ${level}: ${lack.reason}; use ${factor}: ${lack.nearest}`;
    return [{ path: [factor], message }];
  });
}
