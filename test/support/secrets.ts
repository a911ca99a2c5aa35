// Passwords for tests of leaks, and the search for them. A password has a core that no encoding but base64 changes, so that
// a search without a hit shows that no form of it is there: not raw, not in a URL, not in JSON.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateSecret } from "../../src/foundation/prng.js";

export interface TestSecret {
  readonly password: string;
  /** The password in the encoding of a URL. */
  readonly encoded: string;
  /** Forms of the password that no output may contain. */
  readonly forms: readonly string[];
}

/**
 * A password with characters that URLs, YAML, JSON, SQL and PgBouncer's list of users must quote, around letters and
 * digits.
 */
export function testSecret(): TestSecret {
  const password = `p@:/?#'"\\é ${generateSecret(12)} $&%`;
  return { password, encoded: encodeURIComponent(password), forms: formsOf(password) };
}

/** Forms of a password to search for: its longest run of letters and digits, and base64 of that run at each offset. */
export function formsOf(password: string): string[] {
  const core = (password.match(/[A-Za-z0-9]+/g) ?? []).sort((a, b) => b.length - a.length)[0] ?? password;
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${" ".repeat(offset)}${core}`).toString("base64");
    // The first and the last characters of base64 depend on neighbouring bytes, so they are cut off.
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [core, ...inBase64];
}

/**
 * Path and content of every file below a directory. Links are not followed; files of a running server may vanish meanwhile.
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

/** Names of the texts that contain a form of the secret. A test expects none. */
export function leaksIn(texts: Readonly<Record<string, string>>, forms: readonly string[]): string[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    forms.some((form) => text.includes(form)) ? [name] : [],
  );
}
