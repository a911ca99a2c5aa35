// Places of connection URLs and TLS files: paths become absolute, and the environment completes the URLs.
import path from "node:path";
import { databaseOfUrl } from "../database/registry.js";
import { mapTexts, type Mapping, type Path } from "../syntax/paths.js";

/** Matches the paths of keys that hold files or directories, which are relative to the scenario. */
const FILE_KEY_PATH = /(^|\.)(target\.(ca|cert|key|binaries)|libraries)$/;
/** Matches the paths of keys that hold connection URLs, whose parameters may name certificate files. */
const URL_KEY_PATH = /(^|\.)(target|pool)(\.(url|urls|urls\.url|adminUrl))?$/;

/** The path as text without list indices; a factor has the path of the key that it varies. */
function keysOf(at: Path): string {
  const keys = at.filter((part) => typeof part === "string");
  return keys.join(".").replace(/\[\d+\]/g, "");
}

export function makeFilePathsAbsolute(raw: Mapping, directory: string): Mapping {
  const resolvePath = (file: string): string => path.resolve(directory, file);
  return mapTexts(raw, (text, at) => {
    const keys = keysOf(at);
    if (FILE_KEY_PATH.test(keys)) return text === "" ? text : resolvePath(text);
    return URL_KEY_PATH.test(keys)
      ? (databaseOfUrl(text)?.urls.changeFilePaths(text, resolvePath) ?? text)
      : text;
  }) as Mapping;
}

const TLS_KEY_PATH = /(?:^|\.)target\.(sslmode|ca|cert|key)$/;
const POOL_KEY_PATH = /(^|\.)pool(\.|$)/;

/** The scenario with its URLs completed from the environment; what a URL or a key of the target states has precedence. */
export function completeUrls(raw: Mapping, environment: NodeJS.ProcessEnv): Mapping {
  const statedTlsKeys = statedTlsKeysOf(raw);
  return mapTexts(raw, (text, at) => {
    const keys = keysOf(at);
    if (!URL_KEY_PATH.test(keys)) return text;
    return (
      databaseOfUrl(text)?.urls.complete(
        text,
        environment,
        POOL_KEY_PATH.test(keys) ? "pooler" : statedTlsKeys,
      ) ?? text
    );
  }) as Mapping;
}

/** TLS keys that the target states, directly or as factors. */
function statedTlsKeysOf(raw: Mapping): ReadonlySet<string> {
  const statedTlsKeys = new Set<string>();
  mapTexts(raw, (text, at) => {
    const [, key] = TLS_KEY_PATH.exec(keysOf(at)) ?? [];
    if (key !== undefined) statedTlsKeys.add(key);
    return text;
  });
  return statedTlsKeys;
}
