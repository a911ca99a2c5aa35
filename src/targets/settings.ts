export const SHUTDOWNS = ["fast", "immediate"] as const;

export type Shutdown = (typeof SHUTDOWNS)[number];

export const FULL_DISKS = ["tables", "wal"] as const;

export type FullDisk = (typeof FULL_DISKS)[number];
