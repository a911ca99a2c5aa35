// Certificates of a server or pooler that train-sim starts: valid for a year, and deleted with the directory of the product.
import type { TlsSettings } from "./endpoint.js";

export interface SelfMadeCertificates {
  /** Certificate and key as PEM text. The certificate also signs the clients' certificate. */
  readonly server: { readonly cert: string; readonly key: string };
  /** TLS settings of the clients. They do not verify the host name, because a network fault's proxy may be in between. */
  readonly client: TlsSettings & { readonly mode: "verify-ca"; readonly ca: string };
  /** Certificate and key with which clients log in as the user. */
  readonly login: { readonly cert: string; readonly key: string };
}

/** A value, escaped for the distinguished name of a certificate (RFC 4514). */
function escapedValue(value: string): string {
  return value.replace(/[\\,+"<>;=#]|^ | $/g, "\\$&");
}

/** Makes certificates for a product and its clients, with keys on the elliptic curve P-256, signed with SHA-256. */
export async function makeCertificates(product: string, user: string): Promise<SelfMadeCertificates> {
  const { generate } = await import("selfsigned");
  const certificates = await generate([{ name: "commonName", value: `${product} of train-sim` }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "basicConstraints", cA: true, critical: true }],
    clientCertificate: { cn: escapedValue(user) },
  });
  const { cert, private: key, clientcert, clientprivate } = certificates;
  if (clientcert === undefined || clientprivate === undefined)
    throw new Error("no client certificate was made");
  return {
    server: { cert, key },
    client: { mode: "verify-ca", ca: cert },
    login: { cert: clientcert, key: clientprivate },
  };
}
