// Connection URLs of a scenario. Messages never repeat a URL, for it may hold a password.
import * as z from "zod";
import { urlRefusal } from "./endpoint/connection-url.js";
import type { EndpointUrl } from "../endpoint.js";
import { custom, type Parsed } from "../../syntax/scalars.js";

export const URL_FORM = "postgresql://user@host:5432/database";

/** Why a URL cannot be read, from the part behind its last `@`, which holds no password if it has the form of an address. */
function unreadable(input: string): string {
  const [place = ""] = input.slice(input.indexOf("://") + 3).split(/[/?#]/);
  const address = place.slice(place.lastIndexOf("@") + 1);
  if (/^[\w.-]+(:\d+)?(,[\w.-]+(:\d+)?)+$/.test(address))
    return "names several hosts; list each as a URL of its own in urls";
  if (/^[\da-f]*:[\da-f]*:[\da-f:.]*$/i.test(address))
    return "has an IPv6 address without brackets; write it as [::1]:5432";
  const [, port] = /^(?:[\w.-]+|\[[\da-f:.]+\]):(.*)$/i.exec(address) ?? [];
  // Without an @ it may be a password whose host was forgotten.
  if (port !== undefined && (/^\d+$/.test(port) || place.includes("@")))
    return "has a port that is none; ports are 1 to 65535";
  if (address === "" && /[?&]host=/.test(input) && !/[#]/.test(input))
    return "names a socket beside a user; write postgresql:///database?host=/var/run/postgresql&user=name";
  return "cannot be read; characters as @ / : # ? in a password are written %40 %2F %3A %23 %3F";
}

/** A connection URL; messages never repeat it, for it may hold a password. */
export function connectionUrl(description: string) {
  const schema = {
    title: "connection URL",
    description,
    type: "string",
    pattern: "^postgres(ql)?://",
    examples: [URL_FORM],
  };
  return custom(schema, (input): Parsed<string> => {
    if (typeof input !== "string") return { message: `expected a connection URL, as ${URL_FORM}` };
    if (!/^postgres(ql)?:\/\//.test(input))
      return { message: `a connection URL starts with postgresql://, as ${URL_FORM}` };
    const url = URL.canParse(input) ? new URL(input) : undefined;
    if (url === undefined || url.hash !== "" || url.search.includes("@") || url.hostname.includes(","))
      return { message: `this connection URL ${unreadable(input)}` };
    const refusal = urlRefusal(url);
    if (refusal) return { message: `this connection URL has ${refusal.words}; ${refusal.way}` };
    return url.hostname === "" && !url.searchParams.get("host")
      ? { message: `this connection URL names no host, as ${URL_FORM}, and PGHOST is not set` }
      : { value: input };
  });
}

const WEIGHT_MAX = 1_000_000;

const PlacedUrl = z
  .strictObject({
    url: connectionUrl("The connection URL."),
    region: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,62}$/, "expected a short name of letters, digits, dots and dashes")
      .optional()
      .meta({ description: "Where the endpoint is, as eu-west-1; results are split by it." }),
    weight: z
      .number()
      .gt(0)
      .max(WEIGHT_MAX)
      .optional()
      .meta({ description: "Share of the clients beside the other endpoints'. Default 1." }),
  })
  .meta({ title: "Endpoint" });

/** Several connection URLs, each alone or with its region and weight. */
export const urlList = (description: string) =>
  z
    .array(z.union([connectionUrl("One connection URL."), PlacedUrl]))
    .min(1)
    .max(1000)
    .optional()
    .meta({ description });

/** Connection URLs that a mapping may give, as it writes them. */
export interface UrlKeys {
  readonly url?: string | undefined;
  readonly urls?: readonly (string | z.output<typeof PlacedUrl>)[] | undefined;
  readonly adminUrl?: string | undefined;
}

/** The entries of `urls`, or the one `url`. */
export function urlsOf({ url, urls }: UrlKeys): EndpointUrl[] {
  return (urls ?? (url === undefined ? [] : [url])).map((entry) => {
    if (typeof entry === "string") return { url: entry, weight: 1 };
    const { region, weight = 1 } = entry;
    return { url: entry.url, ...(region !== undefined && { region }), weight };
  });
}
