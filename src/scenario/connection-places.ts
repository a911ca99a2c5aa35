// The places of a scenario that hold connection URLs and TLS files: paths become absolute there, and libpq's variables
// complete the URLs.
import path from "node:path";
import { TLS_PARAMETERS, withFiles } from "../database/postgres/endpoint/connection-url.js";
import { UrlCompletion, type Environment } from "../database/postgres/endpoint/libpq-variables.js";
import { mapTexts, type Mapping, type Path } from "../syntax/paths.js";

/** The places of certificate files, which are written relative to the scenario. */
const PEM_PATH = /(^|\.)target\.(ca|cert|key)$/;
/** The places of connection URLs, whose parameters may name such files. */
const URL_PATH = /(^|\.)(target|pool)(\.(url|urls|urls\.url|adminUrl))?$/;

/** The path without numbers of entries; a factor has the path of the key that it varies. */
function keysOf(at: Path): string {
  const keys = at.filter((part) => typeof part === "string");
  return keys.join(".").replace(/\[\d+\]/g, "");
}

export function withAbsoluteFiles(raw: Mapping, directory: string): Mapping {
  const absolute = (file: string): string => path.resolve(directory, file);
  return mapTexts(raw, (text, at) => {
    const keys = keysOf(at);
    if (PEM_PATH.test(keys)) return text === "" ? text : absolute(text);
    return URL_PATH.test(keys) ? withFiles(text, absolute) : text;
  }) as Mapping;
}

const TLS_KEY = /(?:^|\.)target\.(sslmode|ca|cert|key)$/;
const POOL = /(^|\.)pool(\.|$)/;

/** The scenario with its URLs completed by that environment; what a URL or a key of the target says counts first. */
export function withCompleteUrls(raw: Mapping, environment: Environment): Mapping {
  let made: UrlCompletion | undefined;
  const stated = statedParameters(raw);
  return mapTexts(raw, (text, at) => {
    const keys = keysOf(at);
    if (!URL_PATH.test(keys) || !text.startsWith("postgres")) return text;
    const completion = (made ??= new UrlCompletion(environment));
    return POOL.test(keys) ? completion.ofPooler(text) : completion.ofTarget(text, stated);
  }) as Mapping;
}

/** Parameters of a URL that keys of the target say, also as factors. */
function statedParameters(raw: Mapping): ReadonlySet<string> {
  const stated = new Set<string>();
  mapTexts(raw, (text, at) => {
    const [, key] = TLS_KEY.exec(keysOf(at)) ?? [];
    for (const [parameter, same] of Object.entries(TLS_PARAMETERS)) if (same === key) stated.add(parameter);
    return text;
  });
  return stated;
}
