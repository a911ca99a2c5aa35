// Whether connections to a URL are encrypted, told from the words of a scenario as `target/url.ts` tells it: a URL's own
// parameters go before the keys of the target, and files without a mode ask for the strictest. It is for the rules,
// which want to know before anything is started. It reads no file and refuses nothing.

/** The keys of a target that say something about TLS. */
export interface TlsKeys<Mode extends string = string> {
  readonly sslmode?: Mode | undefined;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The mode that they ask for. */
export function statedTlsMode<Mode extends string>({
  sslmode,
  ca,
  cert,
  key,
}: TlsKeys<Mode>): Mode | "verify-full" | "require" | "disable" {
  if (sslmode !== undefined) return sslmode;
  if (ca !== undefined) return "verify-full";
  return (cert ?? key) === undefined ? "disable" : "require";
}

/** libpq's `sslmode` of connections to a valid URL; `disable` without TLS. */
export function tlsModeOf(url: string, target: TlsKeys = {}): string {
  const { sslmode, sslrootcert, sslcert, sslkey } = Object.fromEntries(new URL(url).searchParams);
  return statedTlsMode({
    sslmode: sslmode ?? target.sslmode,
    ca: sslrootcert ?? target.ca,
    cert: sslcert ?? target.cert,
    key: sslkey ?? target.key,
  });
}
