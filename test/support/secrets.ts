// Passwords for tests of leaks, and the search for them. A password has a core that no encoding but base64 changes, so that
// a search without a hit shows that no form of it is there: not raw, not in a URL, not in JSON.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateSecret } from "../../src/foundation/prng.js";

export interface TestSecret {
  readonly password: string;
  /** The password in the encoding of a URL. */
  readonly encoded: string;
  /** Texts that must not be found anywhere. */
  readonly forms: readonly string[];
}

/**
 * A password with signs that URLs, YAML, JSON, SQL and PgBouncer's user list each have to quote, around a core of letters.
 */
export function testSecret(): TestSecret {
  const password = `p@:/?#'"\\é ${generateSecret(12)} $&%`;
  return { password, encoded: encodeURIComponent(password), forms: formsOf(password) };
}

/** The longest run of letters and digits, and its base64 forms at each offset of its first byte. */
export function formsOf(password: string): string[] {
  const core = (password.match(/[A-Za-z0-9]+/g) ?? []).sort((a, b) => b.length - a.length)[0] ?? password;
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${" ".repeat(offset)}${core}`).toString("base64");
    // The first and last signs depend on the neighbours too.
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [core, ...inBase64];
}

/**
 * Every file below a directory, links not followed, with its path and its content byte by byte. Files of a running server
 * come and go.
 */
export function filesBelow(directory: string): { path: string; content: string }[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.flatMap((name) => {
    const path = join(directory, name);
    try {
      return lstatSync(path).isFile() ? [{ path, content: readFileSync(path, "latin1") }] : [];
    } catch {
      return [];
    }
  });
}

/** Names of the texts that contain a form of the secret; must be empty. */
export function leaksIn(texts: Readonly<Record<string, string>>, forms: readonly string[]): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    forms.some((form) => text.includes(form)) ? [name] : [],
  );
}
