export const SHUTDOWN_MODES = ["fast", "immediate"] as const;

export type ShutdownMode = (typeof SHUTDOWN_MODES)[number];

export const FULL_DISKS = ["tables", "wal"] as const;

export type FullDisk = (typeof FULL_DISKS)[number];
