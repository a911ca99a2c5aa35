// How a server that train-sim runs can be taken down, and which parts of its disk can be filled.
export const SHUTDOWNS = ["fast", "immediate"] as const;

export type Shutdown = (typeof SHUTDOWNS)[number];

export const FULL_DISKS = ["tables", "wal"] as const;

export type FullDisk = (typeof FULL_DISKS)[number];
