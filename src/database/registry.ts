import type { DialectCapabilities, MissingCapability } from "./capabilities.js";
import type { AdminOptions, AdminSession, Database } from "./contract.js";
import type { Endpoint, EndpointUrl } from "./endpoint.js";
import { postgresql } from "./postgres/postgresql.js";
import { asTrainSimError, type TrainSimError } from "../foundation/errors.js";

const REGISTERED_DATABASES = [postgresql] as const;
const DATABASES: readonly Database[] = REGISTERED_DATABASES;

type DialectsOf<Member> = Member extends { readonly dialects: infer Dialects } ? keyof Dialects : never;
export type DialectName = DialectsOf<(typeof REGISTERED_DATABASES)[number]>;
export const DIALECTS = DATABASES.flatMap(({ dialects }) => Object.keys(dialects)) as DialectName[];
export const DEFAULT_DIALECT: DialectName = "postgres";

/** Schemes of connection URLs; the first is the scheme of `URL_EXAMPLE`. */
export const SCHEMES = DATABASES.flatMap(({ urls }) => urls.schemes);
export const URL_EXAMPLE = postgresql.urls.example;

const withScheme = (scheme: string): Database | undefined =>
  DATABASES.find(({ urls }) => urls.schemes.includes(scheme));

export function databaseOf({ scheme }: Pick<Endpoint, "scheme">): Database {
  const found = withScheme(scheme);
  if (!found) throw new RangeError(`no database has URLs of ${scheme}`);
  return found;
}

export function databaseSpeaking(dialect: string): Database {
  const found = DATABASES.find(({ dialects }) => Object.hasOwn(dialects, dialect));
  if (!found) throw new RangeError(`no database speaks ${dialect}`);
  return found;
}

/** The database to which the scheme of a connection URL belongs; undefined for an unknown scheme. */
export function databaseAt(text: string): Database | undefined {
  return withScheme(/^(\w+):\/\//.exec(text)?.[1] ?? "");
}

/** The endpoint of a URL, read by the database's `Urls.read`; an unknown scheme is refused. */
export function readUrl(
  url: EndpointUrl,
  tls?: Parameters<Database["urls"]["read"]>[1],
  environment?: NodeJS.ProcessEnv,
): Endpoint {
  return (databaseAt(url.url) ?? postgresql).urls.read(url, tls, environment);
}

export function ignoredVariables(environment: NodeJS.ProcessEnv): string[] {
  return DATABASES.flatMap(({ urls }) => urls.ignoredVariables(environment));
}

export function administer(endpoint: Endpoint, options?: AdminOptions): Promise<AdminSession> {
  return databaseOf(endpoint).administer(endpoint, options);
}

export function explained(error: unknown): TrainSimError | undefined {
  for (const { failures } of DATABASES) {
    const known = failures.explained(error);
    if (known) return known;
  }
  return undefined;
}

/** The error in words for users. An error that no database explains keeps its message. */
export function explainedError(error: unknown): TrainSimError {
  return explained(error) ?? asTrainSimError(error);
}

export function isConflict(code: string): boolean {
  return DATABASES.some(({ failures }) => failures.isConflict(code));
}

export function capabilitiesOf(name: DialectName): DialectCapabilities {
  const found = databaseSpeaking(name).dialects[name];
  if (!found) throw new RangeError(`${name} has no capabilities`);
  return found;
}

/** Reason why the dialect lacks that level of a factor; undefined if it has the level. */
export function missingLevel(
  name: DialectName,
  factor: string,
  level: string,
): MissingCapability | undefined {
  return capabilitiesOf(name).lacks[factor]?.[level];
}

export function levelProblems(
  name: DialectName,
  levels: Readonly<Record<string, string | undefined>>,
): { readonly path: readonly string[]; readonly message: string }[] {
  const { label, lacks } = capabilitiesOf(name);
  return Object.keys(lacks).flatMap((factor) => {
    const level = levels[factor];
    const lack = level === undefined ? undefined : missingLevel(name, factor, level);
    if (!lack) return [];
    const message = `${label} does not have ${factor}: ${level}: ${lack.reason}; use ${factor}: ${lack.nearest}`;
    return [{ path: [factor], message }];
  });
}
