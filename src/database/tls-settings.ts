// TLS of an endpoint: files of the keys are read and checked here, and become Node's options when a connection is opened.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import { hintOf } from "../syntax/problems.js";
import type { TlsSettings } from "./endpoint.js";
import { tlsModeOfKeys, tlsRefusal, type TlsKeys } from "./tls.js";

/** TLS settings with libpq's meaning: `require` with a CA is `verify-ca`; certificates alone mean the strictest mode. */
export function readTls(safeUrl: string, files: TlsKeys): TlsSettings | undefined {
  const refusal = tlsRefusal(files);
  if (refusal) throw new UsageError(`${safeUrl}: ${refusal.words}`, hintOf(refusal));
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

/**
 * Options for libpq's TLS modes: `require` encrypts without a check, except that a `ca` makes it `verify-ca`; `verify-ca`
 * checks the chain to the `ca` (or to Node's roots); `verify-full` also checks the name.
 */
export function tlsOptions(tls: TlsSettings): ConnectionOptions {
  const isCertificateVerified = tls.mode !== "require" || tls.ca !== undefined;
  return {
    rejectUnauthorized: isCertificateVerified,
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.cert !== undefined && { cert: tls.cert }),
    ...(tls.key !== undefined && { key: tls.key }),
    ...(tls.mode !== "verify-full" && { checkServerIdentity: () => undefined }),
    ...(tls.serverName !== undefined && serverNameOptions(tls.serverName, tls.mode === "verify-full")),
  };
}

/** TLS options behind a proxy: the certificate is checked against `serverName`, which may be an address (no SNI). */
function serverNameOptions(serverName: string, isChecked: boolean): ConnectionOptions {
  return {
    ...(isIP(serverName) === 0 && { servername: serverName }),
    ...(isChecked && {
      checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate),
    }),
  };
}
