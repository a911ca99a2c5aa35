// Whether connections to a URL are encrypted, told from the words of a scenario as `target/url.ts` tells it: a URL's own
// parameters go before the keys of the target, and files without a mode ask for the strictest. It is for the rules,
// which want to know before anything is started. It reads no file and refuses nothing.

/** The keys of a target that say something about TLS. */
export interface TlsKeys {
  readonly sslmode?: string | undefined;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** libpq's `sslmode` of connections to a valid URL; `disable` without TLS. */
export function tlsModeOf(url: string, target: TlsKeys = {}): string {
  const { sslmode, sslrootcert, sslcert, sslkey } = Object.fromEntries(new URL(url).searchParams);
  const stated = sslmode ?? target.sslmode;
  if (stated !== undefined) return stated;
  if ((sslrootcert ?? target.ca) !== undefined) return "verify-full";
  return (sslcert ?? sslkey ?? target.cert ?? target.key) === undefined ? "disable" : "require";
}
