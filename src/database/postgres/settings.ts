export const DIALECTS = ["postgres", "cockroachdb", "dsql", "cloudberry"] as const;

export type DialectName = (typeof DIALECTS)[number];
