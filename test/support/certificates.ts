// Certificates for tests, made when they are needed: a private key in the repository would be found by every scanner, and a
// certificate in it would expire one day.
import { generate } from "selfsigned";

/** PEM texts of a self-signed certificate for `commonName` and its key. */
export async function makeCertificate(commonName: string): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: commonName }], {
    ...{ keyType: "ec", algorithm: "sha256", extensions: [{ name: "basicConstraints", cA: true }] },
  });
  return { cert, key };
}
