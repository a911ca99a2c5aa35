import type { AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { fillTables } from "../../../database/postgres/fill-tables.js";
import { withinLockTimeout } from "../../../database/postgres/lock-timeout.js";
import { inSnapshot } from "../../../database/postgres/namespace/snapshot.js";
import { uuidBytesArray } from "../../../database/postgres/wire/binary-arrays.js";
import { bindAhead, MessageMemory } from "../../../database/postgres/wire/bind-message.js";
import type { EventStore, EventTables } from "../store.js";
import { readPassesPerEvent, readQueueState, readTableCounts } from "./audit-queries.js";
import {
  eventRows,
  presentKeys,
  readClock,
  readKeySums,
  readMisplaced,
  readWrittenEvents,
} from "./audit-scans.js";
import { batchArrays, documentRoom } from "./batch-arrays.js";
import { eventOperations } from "./operations.js";
import { QUEUE_VIEWS } from "./queue-depth.js";
import { addStatements } from "./set-based.js";
import { tableSetOf, tablesOf } from "./tables.js";
import { createVerification } from "./verification.js";

export const postgres: EventStore = {
  tables: tableSetOf,
  statements: (settings) => eventOperations(settings).statements,
  evidence: [QUEUE_VIEWS],
  operations: eventOperations,
  verification: createVerification,
  clock: (admin: AdminClient) => readClock(admin),

  fill(admin: AdminClient, settings, batchesWith, lockTimeout) {
    const { namespace, dialect: name, prepared } = settings;
    const dialect = dialectOf(name);
    const context = { ...settings, dialect, tables: tablesOf(dialect, namespace) };
    const { addEvents, addStatus } = addStatements(context);
    const { allocate } = new MessageMemory();
    const tables = Object.values(context.tables);
    const options = { namespace, tables, dialect, prepared: prepared !== false, lockTimeout };
    return fillTables(admin, options, async (session) => {
      for (const batch of batchesWith(documentRoom(context))) {
        await session.execute(addEvents, bindAhead(addEvents, batchArrays(context, batch), allocate));
        await session.execute(addStatus, bindAhead(addStatus, [uuidBytesArray(batch.keys)], allocate));
      }
    });
  },

  queueState: (admin: AdminClient, settings) =>
    readQueueState(admin, settings.namespace, { ...settings, dialect: dialectOf(settings.dialect) }),

  scan(admin: AdminClient, { namespace, dialect: name }, read, lockTimeout) {
    const dialect = dialectOf(name);
    const all = tablesOf(dialect, namespace);
    const tables: EventTables = {
      clockSkewMs: dialect.clockSkewMs,
      writesJsonbAsPostgres: dialect.writesJsonbAsPostgres,
      clock: () => readClock(admin),
      keySums: () => readKeySums(admin, all, dialect),
      presentKeys: (ranges) => presentKeys(admin, all, ranges, dialect),
      events: (clock) => eventRows(admin, all, clock),
      writtenEvents: (ids) => readWrittenEvents(admin, all, ids),
      misplacedRows: (most) => readMisplaced(admin, all, most),
      counts: () => readTableCounts(admin, namespace, dialect),
      passesPerEvent: () => readPassesPerEvent(admin, namespace, dialect),
    };
    const failure = `schema "${namespace}" not audited`;
    return withinLockTimeout({ client: admin, dialect, failure, lockTimeout }, () =>
      inSnapshot(admin, () => read(tables)),
    );
  },
};
