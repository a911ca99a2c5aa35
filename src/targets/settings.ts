// What a target is started or reached with, as a scenario resolves it.
// Types only.
import type { TlsFiles } from "../database/endpoint/connection-url.js";
import type { EndpointUrl, PasswordCommand } from "../database/endpoint/endpoint.js";

export type TargetSettings =
  | {
      readonly kind: "embedded";
      /** PostgreSQL configuration parameters, as `shared_buffers: 256MB`. */
      readonly settings: Readonly<Record<string, string>>;
      /** Loopback port; 0 picks a free one. */
      readonly port: number;
    }
  | {
      readonly kind: "container";
      readonly image: string;
      readonly settings: Readonly<Record<string, string>>;
    }
  | ({
      readonly kind: "url";
      /** Nodes of one database; a password may come from PGPASSWORD. */
      readonly urls: readonly EndpointUrl[];
      /** Where train-sim itself connects, as the owner of the namespace; the first of `urls` when left out. */
      readonly adminUrl?: string;
      /** Prints the password of `urls`, and of `adminUrl` where that has none. */
      readonly passwordCommand?: PasswordCommand;
    } & TlsFiles);

export const SHUTDOWNS = ["fast", "immediate"] as const;

export type Shutdown = (typeof SHUTDOWNS)[number];

export const FULL_DISKS = ["tables", "wal"] as const;

export type FullDisk = (typeof FULL_DISKS)[number];
