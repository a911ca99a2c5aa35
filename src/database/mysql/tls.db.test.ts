// TLS to real servers of MySQL and MariaDB: what URLs ask for, what the server requires, and what is refused.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../../test/support/certificates.js";
import { casesOf } from "../../../test/support/lanes.js";
import {
  mySqlUrlOf,
  startMySqlServer,
  type MySqlServer,
  type MySqlServerName,
} from "../../../test/support/mysql-servers.js";
import { scratchDirectory } from "../../../test/support/train-sim.js";
import { messageOf } from "../../foundation/errors.js";
import { makePrivateDirectory, type PrivateDirectory } from "../../foundation/process/private-directory.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";
import { mysql } from "./mysql.js";
import { MySqlSession } from "./session.js";

describe.each<MySqlServerName>(casesOf(["mysql", "mariadb"], 1))("TLS to %s", (name) => {
  let directory: PrivateDirectory;
  let server: MySqlServer;
  let admin: MySqlAdmin;
  const files = { own: "", ownKey: "", strange: "" };

  beforeAll(async () => {
    directory = await makePrivateDirectory("tls");
    // The certificate of the server is its own authority, and the server accepts clients that have it.
    const [own, strange] = [await makeCertificate("localhost"), await makeCertificate("stranger")];
    const [cert, key] = [await directory.write("cert", own.cert), await directory.write("key", own.key)];
    server = await startMySqlServer(name, [`--ssl-ca=${cert}`, `--ssl-cert=${cert}`, `--ssl-key=${key}`]);
    admin = await connectMySqlAdmin(server.endpoint);
    await admin.query("CREATE USER signalman@'127.0.0.1' IDENTIFIED BY 'flag' REQUIRE X509");
    await admin.query("GRANT ALL ON *.* TO signalman@'127.0.0.1'");
    const texts = { own: own.cert, ownKey: own.key, strange: strange.cert };
    for (const file of ["own", "ownKey", "strange"] as const) {
      files[file] = join(scratchDirectory(), `${file}.pem`);
      writeFileSync(files[file], texts[file]);
    }
  });
  afterAll(async () => {
    await admin.close();
    await server.stop();
    await directory.remove();
  });

  /** The cipher of a session that a URL with the parameters opens, or the message of its failure. */
  async function outcomeOf(query: string, changes: Partial<MySqlServer["endpoint"]> = {}): Promise<string> {
    const url = `${mySqlUrlOf({ ...server.endpoint, host: "localhost", ...changes })}?${query}`;
    const endpoint = mysql.urls.read({ url });
    const session = new MySqlSession({ endpoint, applicationName: "train-sim/test", prepared: true });
    try {
      await session.connect();
      const [row] = await session.execute({ name: "cipher", text: "SHOW STATUS LIKE 'Ssl_cipher'" }, []);
      return `cipher ${String(row?.[1])}`;
    } catch (error) {
      return messageOf(error);
    } finally {
      await session.end();
    }
  }

  it("encrypts as the URL asks, and leaves other sessions plain", async () => {
    expect(await outcomeOf("")).toBe("cipher ");
    expect(await outcomeOf("ssl-mode=required")).toMatch(/^cipher \w/);
  });

  it("accepts the certificate that the ca signed, and refuses any other", async () => {
    const strange = `ssl-ca=${files.strange}`;
    for (const query of [`ssl-mode=verify_ca&ssl-ca=${files.own}`, `ssl-ca=${files.own}`])
      expect(await outcomeOf(query), query).toMatch(/^cipher \w/);
    for (const query of [strange, `ssl-mode=verify_ca&${strange}`, `ssl-mode=required&${strange}`])
      expect(await outcomeOf(query), query).toContain("the server's certificate cannot be trusted");
    expect(await outcomeOf("ssl-mode=verify_identity")).toContain("cannot be trusted");
  });

  it("refuses a certificate for another host name, unless the name is not verified", async () => {
    const other = { host: "127.0.0.1" };
    expect(await outcomeOf(`ssl-mode=verify_ca&ssl-ca=${files.own}`, other)).toMatch(/^cipher \w/);
    expect(await outcomeOf(`ssl-ca=${files.own}`, other)).toContain(
      `the server's certificate is not for host "127.0.0.1"`,
    );
  });

  it("logs in with a client certificate where the account needs one", async () => {
    const account = { user: "signalman", password: "flag" };
    const certificate = `ssl-cert=${files.own}&ssl-key=${files.ownKey}`;
    expect(await outcomeOf(`ssl-ca=${files.own}&${certificate}`, account)).toMatch(/^cipher \w/);
    expect(await outcomeOf(`ssl-ca=${files.own}`, account)).toContain(`user "signalman" was refused`);
  });

  it("names TLS as the way to a server that requires secure transport", async () => {
    await admin.query("SET GLOBAL require_secure_transport = ON");
    // MariaDB answers as to a wrong password.
    const refusal = name === "mysql" ? "the server takes TLS connections only" : `user "train" was refused`;
    expect(await outcomeOf("")).toContain(refusal);
    expect(await outcomeOf("ssl-mode=required")).toMatch(/^cipher \w/);
    await admin.query("SET GLOBAL require_secure_transport = OFF");
  });
});
