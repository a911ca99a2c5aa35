import * as z from "zod";

/** Rows of accounts in one unit of scale. */
export const ACCOUNTS_PER_SCALE = 100_000;
export const TELLERS_PER_SCALE = 10;

export const scaleKey = z
  .int()
  .min(1)
  .max(10_000)
  .default(1)
  .meta({ description: `Accounts in the table, in units of ${ACCOUNTS_PER_SCALE}. Default 1.` });
