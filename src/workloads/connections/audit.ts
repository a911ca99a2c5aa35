// The table has each acknowledged row, and a row without an answer at most as often as it was sent.
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { counted } from "../../foundation/units.js";
import { Findings } from "../findings.js";
import { WrittenRows, Writes, type NumberedWrite } from "../numbered-writes.js";
import type { AuditOutcome, AuditInputs } from "../workload.js";
import { INSERTED_NAME, type Treatment } from "./settings.js";
import type { ConnectionsStore } from "./store.js";

export const VIOLATIONS = ["lost", "unexpected", "duplicated", "changed"] as const;

const IDS_PER_CLIENT = 1e10;
export const idOf = ({ client, number }: NumberedWrite): number => client * IDS_PER_CLIENT + number;
const writeOf = (id: number): NumberedWrite => {
  return { client: Math.floor(id / IDS_PER_CLIENT), number: id % IDS_PER_CLIENT };
};

const WorkerAccount = z.array(Writes);

const FINDING_WORDS = {
  lost: () => "acknowledged, and not in the table",
  unexpected: () => "in the table, and never acknowledged",
  duplicated: (copies: number) => `in the table ${copies} times`,
} as const;

export async function audit(
  store: ConnectionsStore,
  admin: AdminSession,
  { settings, workerAccounts, unclosed }: AuditInputs<Treatment>,
): Promise<AuditOutcome> {
  const rows = new WrittenRows(workerAccounts.flatMap((one) => WorkerAccount.parse(one)));
  const isWhole = unclosed.length === 0;
  const found = new Findings(VIOLATIONS);
  await store.scan(admin, settings, ({ id, name }) => {
    const write = writeOf(id === null ? Number.NaN : Number(id));
    if (!rows.add(write)) {
      if (isWhole || rows.hasWritesOf(write.client))
        found.add("unexpected", String(id), "in the table, and never sent");
    } else if (name !== INSERTED_NAME) found.add("changed", String(id), "another name than was sent");
  });
  const { acknowledged, inDoubt, inDoubtFound } = rows.compare((kind, write, copies) =>
    found.add(kind, String(idOf(write)), FINDING_WORDS[kind](copies)),
  );
  const notAudited = unclosed.map(
    (name) => `${name} ended without its account of inserts: its last ones are unknown`,
  );
  const words = {
    lost: (n: number) => `${n} of ${counted(acknowledged, "acknowledged row")} not in the table`,
    unexpected: (n: number) => `${counted(n, "row")} in the table without an acknowledgement`,
    duplicated: (n: number) => `${counted(n, "row")} in the table more often than sent`,
    changed: (n: number) => `${counted(n, "row")} in the table with another name than was sent`,
  };
  return { findings: found.result({ published: acknowledged, inDoubt, inDoubtFound }, words, notAudited) };
}
