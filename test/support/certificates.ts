// Certificates for tests, made with openssl when they are needed: a private key in the repository would be found by
// every scanner, and a certificate in it would expire one day.
// Without openssl on the machine the tests that need certificates fail and say so.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** PEM texts of a self-signed certificate for `commonName` and its key, valid for two days. */
export async function makeCertificate(commonName: string): Promise<{ cert: string; key: string }> {
  const directory = await mkdtemp(join(tmpdir(), "certificate-"));
  const [cert, key] = [join(directory, "cert"), join(directory, "key")];
  try {
    await promisify(execFile)("openssl", [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
      ...["-subj", `/CN=${commonName}`, "-keyout", key, "-out", cert],
    ]);
    return { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
  } finally {
    await rm(directory, { recursive: true });
  }
}
