// TLS as the keys of a target and the parameters of a URL state it, with the names of libpq. Pure: no file is read.
import type { Refusal } from "../syntax/problems.js";

export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;

type SslMode = (typeof SSL_MODES)[number];

/** TLS keys: `sslmode`, and the paths of PEM files. */
export interface TlsKeys {
  readonly sslmode?: SslMode | undefined;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** TLS mode that the keys mean. Files without a mode mean the strictest mode. */
export function tlsModeOfKeys({ sslmode, ca, cert, key }: TlsKeys): SslMode {
  if (sslmode !== undefined) return sslmode;
  if (ca !== undefined) return "verify-full";
  return (cert ?? key) === undefined ? "disable" : "require";
}

/** A refusal of keys that exclude or need each other; `about` names them. */
export interface TlsRefusal extends Refusal {
  readonly about: readonly (keyof TlsKeys)[];
}

/** The refusal of TLS keys that a URL and its target state together; undefined if they fit together. */
export function tlsRefusal(keys: TlsKeys): TlsRefusal | undefined {
  const { ca, cert, key } = keys;
  const mode = tlsModeOfKeys(keys);
  if (mode === "disable") {
    if ([ca, cert, key].every((file) => file === undefined)) return undefined;
    const words = "sslmode is disable, yet TLS files are given";
    return { about: ["ca", "cert", "key"], words, way: "leave out one of the two" };
  }
  if ((cert === undefined) !== (key === undefined)) {
    const missingKey = cert === undefined ? "cert" : "key";
    const words = `a client certificate needs both cert and key, and ${missingKey} is missing`;
    return { about: ["cert", "key"], words, way: "name both files" };
  }
  if (mode !== "verify-ca" || ca !== undefined) return undefined;
  const words = "sslmode verify-ca needs the CA to verify against";
  const way = "name its PEM file: sslrootcert in the URL, or target.ca for the URLs of the target";
  return { about: ["sslmode"], words, way };
}
