import * as z from "zod";
import { wordsOfCommand } from "../../foundation/process/run-command.js";
import { urlsText, type EndpointUrl, type PasswordCommand } from "../../database/endpoint.js";
import { SSL_MODES, type TlsKeys } from "../../database/tls.js";
import { connectionUrlSchema, tlsFindings, tlsModeOf, urlListSchema, urlsOf } from "../../database/urls.js";
import type { Finding } from "../../syntax/problems.js";
import { commandWords, duration, HOUR_MS } from "../../syntax/scalars.js";
import type { TargetSettingsOf } from "../target.js";

export type UrlSettings = {
  readonly kind: "url";
  readonly urls: readonly EndpointUrl[];
  /** URL for train-sim's control sessions, which need the owner of the namespace. Default: the first of `urls`. */
  readonly adminUrl?: string;
  /** Command that prints the password for `urls` and for an `adminUrl` that has none. */
  readonly passwordCommand?: PasswordCommand;
} & TlsKeys;

/** Default interval of the password command: shorter than the 15 minutes for which an IAM token is valid. */
const DEFAULT_PASSWORD_INTERVAL_MS = 600_000;

const pemFile = (what: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({ description: `Path of ${what}, PEM; relative to the scenario file.` });

const keys = {
  url: connectionUrlSchema(
    "Connection URL of a running database. The password is better left to PGPASSWORD.",
  ).optional(),
  urls: urlListSchema(
    "Several nodes of one database, each a connection URL or { url, region, weight }; clients are spread over them by weight, and change to the next node if one is lost.",
  ),
  adminUrl: connectionUrlSchema(
    "URL of train-sim's own connections, whose role owns the namespace; the roles of urls then get grants. " +
      "Its password may come from TRAIN_SIM_ADMIN_PASSWORD. Default: the first of urls.",
  ).optional(),
  passwordCommand: commandWords(
    "Command that prints the password of urls, and of adminUrl if that has none, such as a short-lived token: a list of words, or a text that /bin/sh runs. Each worker thread runs it when the server " +
      "asks for a password. It has 10 s, and none of the environment's passwords.",
  ).optional(),
  passwordEvery: duration(
    "How long a printed password is used for new connections. Default 10m.",
    1_000,
    24 * HOUR_MS,
  ).optional(),
  sslmode: z.enum(SSL_MODES).optional().meta({
    description: "TLS, like libpq's sslmode. Default: the URL's, else no TLS.",
  }),
  ca: pemFile("the CA that signed the server's certificate"),
  cert: pemFile("the client certificate"),
  key: pemFile("the client certificate's key"),
};
type UrlKeyValues = z.output<z.ZodObject<typeof keys>>;

function resolve(input: UrlKeyValues): UrlSettings {
  const { adminUrl, passwordCommand, passwordEvery, sslmode, ca, cert, key } = input;
  const reuseMs = passwordEvery ?? DEFAULT_PASSWORD_INTERVAL_MS;
  return {
    kind: "url",
    urls: urlsOf(input),
    ...(adminUrl !== undefined && { adminUrl }),
    ...(passwordCommand !== undefined && {
      passwordCommand: {
        words: wordsOfCommand(passwordCommand),
        reuseMs,
      },
    }),
    ...(sslmode && { sslmode }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function urlProblems({ url, urls }: UrlKeyValues): Finding[] {
  if (url !== undefined && urls !== undefined)
    return [{ path: ["target", "url"], message: "url and urls exclude each other; keep one" }];
  if (url !== undefined || urls !== undefined) return [];
  return [
    { path: ["target"], message: "kind url needs a url, such as postgresql://user@host:5432/database" },
  ];
}

function passwordEveryProblems({ passwordEvery, passwordCommand }: UrlKeyValues): Finding[] {
  if (passwordEvery === undefined || passwordCommand !== undefined) return [];
  return [{ path: ["target", "passwordEvery"], message: "has no effect without target.passwordCommand" }];
}

function certificateProblems({ cert, key }: UrlKeyValues): Finding[] {
  if ((cert === undefined) === (key === undefined)) return [];
  const [there, absent] = cert === undefined ? ["key", "cert"] : ["cert", "key"];
  return [{ path: ["target", there], message: `a client certificate needs both; ${absent} is missing` }];
}

/** Reason to refuse the target's files for TLS: one of its URLs does not use TLS. Undefined if all URLs use it. */
function tlsFileObjection(target: UrlKeyValues): string | undefined {
  const urls = urlsOf(target).map(({ url }) => url);
  if (target.adminUrl !== undefined) urls.push(target.adminUrl);
  const isTlsOff = (keys: TlsKeys) => (url: string) => tlsModeOf(url, keys) === "disable";
  const { sslmode } = target;
  const isTlsOffByUrl = urls.some(isTlsOff({ sslmode: "require" }));
  if (urls.length > 0 && urls.every(isTlsOff({ sslmode }))) {
    const remedy = isTlsOffByUrl
      ? "take sslmode=disable out of the URL"
      : "set target.sslmode to require, verify-ca or verify-full";
    return `has no effect without TLS; ${remedy}`;
  }
  if (!urls.some(isTlsOff(target))) return undefined;
  const where = isTlsOffByUrl ? "a URL says sslmode=disable" : "target.sslmode is disable for another URL";
  return `is for all URLs of the target, and ${where}; let all of them have TLS, or none`;
}

function tlsFileProblems(target: UrlKeyValues): Finding[] {
  const message = tlsFileObjection(target);
  if (message === undefined) return [];
  return (["ca", "cert", "key"] as const)
    .filter((file) => target[file] !== undefined)
    .map((file) => ({ path: ["target", file], message }));
}

export const urlSettings: TargetSettingsOf<UrlSettings, typeof keys> = {
  name: "url",
  description: "one that runs already",
  keys,
  reason: { keys: ["url", "urls"], words: "a URL is given" },
  resolve,
  keyProblems: (given) => [
    ...urlProblems(given),
    ...passwordEveryProblems(given),
    ...certificateProblems(given),
    ...tlsFileProblems(given),
    ...tlsFindings("target", given, given),
  ],
  text: ({ urls }) => urlsText(urls),
};
