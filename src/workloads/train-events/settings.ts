// The levels of Train Events: payloads, locking, statement shapes, roles and how they are combined.
// Names only.

export const PAYLOADS = ["jsonb", "jsonb-manual", "text", "text-generated"] as const;

export type Payload = (typeof PAYLOADS)[number];

export const LOCKINGS = ["for-update", "skip-locked", "nowait"] as const;

export type Locking = (typeof LOCKINGS)[number];

export const STATEMENT_SHAPES = ["set-based", "row-by-row", "single-statement"] as const;

export type StatementShape = (typeof STATEMENT_SHAPES)[number];

export const TOPOLOGIES = ["actors", "cycle"] as const;

export type Topology = (typeof TOPOLOGIES)[number];

/** Groups of clients; `cycle` is the one of the cycle topology, whose clients do add, process, archive in turn. */
export const ROLES = ["producers", "consumers", "archivers", "readers", "cycle"] as const;

export type Role = (typeof ROLES)[number];
