// Parts of connection URLs that all databases read alike. No password gets into a message.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import { nearest } from "../syntax/nearest.js";
import { hintOf, type Refusal } from "../syntax/problems.js";
import type { TlsSettings } from "./endpoint.js";
import { tlsModeOfKeys, tlsRefusal, type TlsKeys } from "./tls.js";

/** The URL as messages show it: without the password, and without parameters, which may hold one. */
export function withoutPassword(url: string): string {
  const scheme = /^[a-z]+:\/\//i.exec(url)?.[0] ?? "";
  const afterScheme = url.slice(scheme.length);
  // The last @ ends the user information, so that a password with an unescaped /, ? or @ is removed as a whole.
  const at = afterScheme.lastIndexOf("@");
  const user = at < 0 ? "" : `${/^[^:]*/.exec(afterScheme.slice(0, at))?.[0] ?? ""}@`;
  const [address, query] = splitOnce(afterScheme.slice(at + 1), "?");
  // Text in the place of a port that is no number may be a password whose @host was forgotten.
  const maskedAddress = address.replace(/:(?!\d*(\/|$))[^\]]*$/, ":...");
  return `${scheme}${user}${maskedAddress}${query === undefined ? "" : "?..."}`;
}

export function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Refuses a parameter of a URL. `ignored` has parameters that are known and not supported, each with the way out. */
export function unknownParameter(
  key: string,
  known: readonly string[],
  ignored: Readonly<Record<string, string>> = {},
): Refusal {
  const way = Object.hasOwn(ignored, key) ? ignored[key] : undefined;
  if (way !== undefined) return { words: `the parameter ${key}, which is not supported`, way };
  // Only a key that resembles a parameter is named: any other may be a piece of a password.
  const near = nearest(key, known);
  if (near === undefined) return { words: "an unknown parameter", way: `known ones are ${known.join(", ")}` };
  return { words: `the unknown parameter ${key}`, way: `did you mean ${near}?` };
}

export function refusedUrlError(safeUrl: string, refusal: Refusal): UsageError {
  return new UsageError(`${safeUrl}: ${refusal.words}`, hintOf(refusal));
}

/** TLS settings with libpq's meaning: `require` with a CA is `verify-ca`; certificates alone mean the strictest mode. */
export function readTls(safeUrl: string, files: TlsKeys): TlsSettings | undefined {
  const refusal = tlsRefusal(files);
  if (refusal) throw refusedUrlError(safeUrl, refusal);
  const statedMode = tlsModeOfKeys(files);
  if (statedMode === "disable") return undefined;
  const { ca, cert, key } = files;
  const tls = {
    mode: statedMode === "require" && ca !== undefined ? ("verify-ca" as const) : statedMode,
    ...(ca !== undefined && { ca: readPem("ca", ca, (pem) => new X509Certificate(pem)) }),
    ...(cert !== undefined && { cert: readPem("cert", cert, (pem) => new X509Certificate(pem)) }),
    ...(key !== undefined && { key: readPem("key", key, (pem) => createPrivateKey(pem)) }),
  };
  if (tls.cert !== undefined && tls.key !== undefined)
    assertKeyMatchesCert(tls.cert, tls.key, `${cert} and ${key}`);
  return tls;
}

/** Reads a PEM file; `check` throws if the contents are not of the expected kind. */
function readPem(option: "ca" | "cert" | "key", file: string, check: (pem: string) => unknown): string {
  const path = resolve(file);
  let pem: string;
  try {
    pem = readFileSync(path, "utf8");
  } catch (error) {
    const reason = {
      ENOENT: "there is no such file",
      EACCES: "it may not be read",
      EISDIR: "it is a directory",
    }[codeOf(error) ?? ""];
    throw new UsageError(
      `target.${option}: cannot read ${path}: ${reason ?? messageOf(error)}`,
      "Give the path of a PEM file that the user who runs train-sim can read.",
      { cause: error },
    );
  }
  try {
    check(pem);
  } catch (error) {
    const wanted = option === "key" ? "an unencrypted private key" : "a certificate";
    throw new UsageError(`target.${option}: ${path} does not hold ${wanted} in PEM form`, "", {
      cause: error,
    });
  }
  return pem;
}

function assertKeyMatchesCert(cert: string, key: string, files: string): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  throw new UsageError(
    `target.cert and target.key do not belong together: ${files}`,
    "Use the key that the certificate was made for.",
  );
}
