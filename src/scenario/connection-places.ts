// Places of connection URLs and TLS files: paths become absolute, and the environment completes the URLs.
import path from "node:path";
import { databaseAt } from "../database/registry.js";
import { mapTexts, type Mapping, type Path } from "../syntax/paths.js";

/** Matches the paths of keys that hold certificate files; such files are relative to the scenario. */
const PEM_PATH = /(^|\.)target\.(ca|cert|key)$/;
/** Matches the paths of keys that hold connection URLs, whose parameters may name certificate files. */
const URL_PATH = /(^|\.)(target|pool)(\.(url|urls|urls\.url|adminUrl))?$/;

/** The path as text without list indices; a factor has the path of the key that it varies. */
function keysOf(at: Path): string {
  const keys = at.filter((part) => typeof part === "string");
  return keys.join(".").replace(/\[\d+\]/g, "");
}

export function withAbsoluteFiles(raw: Mapping, directory: string): Mapping {
  const absolute = (file: string): string => path.resolve(directory, file);
  return mapTexts(raw, (text, at) => {
    const keys = keysOf(at);
    if (PEM_PATH.test(keys)) return text === "" ? text : absolute(text);
    return URL_PATH.test(keys) ? (databaseAt(text)?.urls.withFiles(text, absolute) ?? text) : text;
  }) as Mapping;
}

const TLS_KEY = /(?:^|\.)target\.(sslmode|ca|cert|key)$/;
const POOL = /(^|\.)pool(\.|$)/;

/** The scenario with its URLs completed from the environment; what a URL or a key of the target states has precedence. */
export function withCompleteUrls(raw: Mapping, environment: NodeJS.ProcessEnv): Mapping {
  const stated = statedKeys(raw);
  return mapTexts(raw, (text, at) => {
    const keys = keysOf(at);
    if (!URL_PATH.test(keys)) return text;
    return databaseAt(text)?.urls.complete(text, environment, POOL.test(keys) ? "pooler" : stated) ?? text;
  }) as Mapping;
}

/** TLS keys that the target states, directly or as factors. */
function statedKeys(raw: Mapping): ReadonlySet<string> {
  const stated = new Set<string>();
  mapTexts(raw, (text, at) => {
    const [, key] = TLS_KEY.exec(keysOf(at)) ?? [];
    if (key !== undefined) stated.add(key);
    return text;
  });
  return stated;
}
