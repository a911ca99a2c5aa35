// Certificates for tests, made on demand: scanners would find a private key in the repository, and a certificate in it
// would expire one day.
import { generate } from "selfsigned";

/** A self-signed certificate for `commonName` and its key, as PEM texts. */
export async function makeCertificate(commonName: string): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: commonName }], {
    ...{ keyType: "ec", algorithm: "sha256", extensions: [{ name: "basicConstraints", cA: true }] },
  });
  return { cert, key };
}
