// The levels that are a database's own: its dialect, the isolation of a transaction, how tables are stored, how clients log in.
// Names only; what a dialect makes of them is in `dialects/`.

export const ISOLATIONS = ["read committed", "repeatable read", "serializable"] as const;

export type Isolation = (typeof ISOLATIONS)[number];

/** How tables are stored, beside the payload: `default` is what the database does by itself. */
export const STORAGES = [
  ...(["default", "hash-sharded", "unlogged", "partitioned"] as const),
  ...(["ao-row", "ao-column", "pax", "pax-no-cluster"] as const),
] as const;

export type Storage = (typeof STORAGES)[number];

export const DIALECTS = ["postgres", "cockroachdb", "dsql", "cloudberry"] as const;

export type DialectName = (typeof DIALECTS)[number];

/** How clients log in to servers and poolers that train-sim starts, as these name it. */
export const AUTHS = ["scram-sha-256", "trust"] as const;

export type Auth = (typeof AUTHS)[number];

/** Of PostgreSQL's lock modes those that get in somebody's way, from vacuum's to everybody's. */
export const LOCK_MODES = [
  "share update exclusive",
  "share",
  "share row exclusive",
  "exclusive",
  "access exclusive",
] as const;

export type LockMode = (typeof LOCK_MODES)[number];
