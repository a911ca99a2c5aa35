// The audit of workload connections: the table has each acknowledged row, and no other but those whose commit was never
// answered. A statement without an answer is sent again, so its row may be there as often as it was sent.
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { counted } from "../../foundation/units.js";
import { Findings } from "../findings.js";
import { WrittenRows, Writes, type NumberedWrite } from "../numbered-writes.js";
import type { Audited, AuditInputs } from "../workload.js";
import { NAME, type Treatment } from "./settings.js";
import type { ConnectionsStore } from "./store.js";

export const VIOLATIONS = ["lost", "unexpected", "duplicated", "changed"] as const;

const CLIENT_IDS = 1e10;
export const idOf = ({ client, number }: NumberedWrite): number => client * CLIENT_IDS + number;
const writeOf = (id: number): NumberedWrite => {
  return { client: Math.floor(id / CLIENT_IDS), number: id % CLIENT_IDS };
};

const Told = z.array(Writes);

const WORDS = {
  lost: () => "acknowledged, and not in the table",
  unexpected: () => "in the table, and never acknowledged",
  duplicated: (copies: number) => `in the table ${copies} times`,
} as const;

export async function auditOn(
  store: ConnectionsStore,
  admin: AdminSession,
  { settings, told, unclosed }: AuditInputs<Treatment>,
): Promise<Audited> {
  const rows = new WrittenRows(told.flatMap((one) => Told.parse(one)));
  const isWhole = unclosed.length === 0;
  const found = new Findings(VIOLATIONS);
  await store.scan(admin, settings, ({ id, name }) => {
    const write = writeOf(id === null ? Number.NaN : Number(id));
    if (!rows.add(write)) {
      if (isWhole || rows.knows(write.client))
        found.add("unexpected", String(id), "in the table, and never sent");
    } else if (name !== NAME) found.add("changed", String(id), "another name than was sent");
  });
  const { acknowledged, inDoubt, inDoubtFound } = rows.compare((kind, write, copies) =>
    found.add(kind, String(idOf(write)), WORDS[kind](copies)),
  );
  const { lost, unexpected, duplicated, changed } = found.counts;
  const violations = [
    ...(lost > 0 ? [`${lost} of ${counted(acknowledged, "acknowledged row")} not in the table`] : []),
    ...(unexpected > 0 ? [`${counted(unexpected, "row")} in the table without an acknowledgement`] : []),
    ...(duplicated > 0 ? [`${counted(duplicated, "row")} in the table more often than sent`] : []),
    ...(changed > 0 ? [`${counted(changed, "row")} in the table with another name than was sent`] : []),
  ];
  const audited = {
    verdict: violations.length > 0 ? ("violated" as const) : ("ok" as const),
    published: acknowledged,
    inDoubt,
    inDoubtFound,
    ...found.counts,
    violations,
    named: found.named,
    notAudited: unclosed.map(
      (name) => `${name} ended without its account of inserts: its last ones are unknown`,
    ),
  };
  return { findings: audited };
}
