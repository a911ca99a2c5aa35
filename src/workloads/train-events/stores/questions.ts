import { bindAhead } from "../../../database/postgres/wire/bind-message.js";
import { uuidArray } from "../../../database/postgres/wire/binary-arrays.js";
import type { Connection, SqlValue, Statement } from "../../../database/sql.js";
import { QUESTION_KINDS, READ_OPERATIONS, type QuestionKind } from "../settings.js";
import { EVENT_COLUMNS, RECENT_LIMIT, type StatementContext } from "./statements.js";
import { PAYLOAD_TRAITS } from "../settings.js";
import type { Question, EventOperations } from "../store.js";

/** Runs the statements of a read, in a transaction if the level needs one. */
export type ReadRunner = <T>(connection: Connection, ask: () => Promise<T>) => Promise<T>;

/**
 * Query of a kind of question. `path` has the same condition at every payload level. With an index on the document it uses
 * it; otherwise it reads all documents, and parses them if they are text.
 */
function textOf(kind: QuestionKind, { tables, payload }: StatementContext): string {
  const rows = `SELECT ${EVENT_COLUMNS}\nFROM ${tables.events}`;
  const document = PAYLOAD_TRAITS[payload].columnType === "text" ? "payload::jsonb" : "payload";
  switch (kind) {
    case "id":
      return `${rows} WHERE id = $1::uuid`;
    case "authority":
      return `${rows} WHERE authority_id = $1::uuid`;
    case "typeTime":
      return `${rows} WHERE event_type = $1::text AND created_at BETWEEN $2::timestamptz AND $3::timestamptz
ORDER BY created_at DESC LIMIT $4`;
    case "path":
      return `${rows} WHERE ${document} @> $1::jsonb`;
    case "newest":
      return `${rows} ORDER BY created_at DESC LIMIT $1`;
    case "byType":
      return `SELECT event_type, count(*) AS count, max(created_at) AS newest
FROM ${tables.events} GROUP BY event_type ORDER BY event_type`;
  }
}

function valuesOf(question: Question): SqlValue[] {
  switch (question.kind) {
    case "id":
      return [question.id];
    case "authority":
      return [question.authorityId];
    case "typeTime":
      return [question.eventType, question.from, question.to, RECENT_LIMIT];
    case "path":
      return [JSON.stringify(question.part)];
    case "newest":
      return [RECENT_LIMIT];
    case "byType":
      return [];
  }
}

/** $1 authorities, $2 a type, $3 most events of each. An array is joined through a limit: see `statements.ts`. */
function someLive({ tables }: StatementContext): Statement {
  return {
    name: "probe.live",
    text: `(SELECT ${EVENT_COLUMNS}
FROM (SELECT * FROM unnest($1::uuid[]) AS u (authority_id) LIMIT $3) AS a
JOIN ${tables.events} AS e ON e.authority_id = a.authority_id LIMIT $3)
UNION ALL
(SELECT ${EVENT_COLUMNS}
FROM ${tables.events} WHERE event_type = $2::text ORDER BY created_at DESC LIMIT $3)`,
  };
}

export function questionsOf(
  context: StatementContext,
  inRead: ReadRunner,
): Pick<EventOperations, "ask" | "someLive"> & { readonly statements: readonly Statement[] } {
  const statements = Object.fromEntries(
    QUESTION_KINDS.map((kind) => [kind, { name: READ_OPERATIONS[kind], text: textOf(kind, context) }]),
  ) as Record<QuestionKind, Statement>;
  const asked = QUESTION_KINDS.filter((kind) => context.reads[kind] > 0).map((kind) => statements[kind]);
  const probe = someLive(context);
  return {
    statements: asked.length > 0 ? [...asked, probe] : [],
    ask(question) {
      const statement = statements[question.kind];
      const values = bindAhead(statement, valuesOf(question));
      return (connection: Connection) => inRead(connection, () => connection.execute(statement, values));
    },
    someLive: (connection: Connection, { authorityIds, eventType, most }) =>
      connection.execute(probe, [uuidArray(authorityIds), eventType, most]),
  };
}
