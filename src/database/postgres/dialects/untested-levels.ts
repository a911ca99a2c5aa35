/** Levels of `documentPlace` that the relatives of PostgreSQL lack. */
export const UNTESTED_DOCUMENT_PLACES = {
  database: { reason: "train-sim has tested jsonb_build_object on PostgreSQL only", nearest: "client" },
} as const;
