// Members of a schema by PostgreSQL's catalogue of dependencies, and objects elsewhere that depend on it.

/**
 * CTE `own`: everything in the schema $1, and each part of a table there that has no schema, such as a trigger, a default
 * or a policy. A cast or transform of the schema's types and functions, and an extension that was put into the schema, are
 * included, since they hold nothing that could be lost.
 */
const OWN_OBJECTS_SQL = `WITH RECURSIVE own (classid, objid) AS (
  SELECT 'pg_namespace'::regclass::oid, oid FROM pg_namespace WHERE nspname = $1
  UNION
  SELECT d.classid, d.objid
  FROM own
  JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (own.classid, own.objid)
  CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) AS named
  WHERE named.schema IN (quote_ident($1), 'pg_toast')
    OR named.schema IS NULL
      AND (d.deptype <> 'n' OR d.classid IN ('pg_cast'::regclass, 'pg_transform'::regclass, 'pg_extension'::regclass))
)`;

/**
 * Query for the names of the objects in `strangers (classid, objid)`. A view's query is a rule, which appears as the view.
 */
const STRANGER_NAMES_SQL = `SELECT named.type || ' ' || named.identity AS name
FROM strangers AS s
LEFT JOIN pg_rewrite AS r ON s.classid = 'pg_rewrite'::regclass AND r.oid = s.objid AND r.rulename = '_RETURN'
CROSS JOIN LATERAL pg_identify_object(
  CASE WHEN r.oid IS NULL THEN s.classid ELSE 'pg_class'::regclass END, coalesce(r.ev_class, s.objid), 0) AS named
WHERE named.schema IS NULL OR named.schema !~ '^pg_(toast|temp)'
GROUP BY named.type, named.identity
ORDER BY named.type = 'type', name`;

/** CTE `own`: the schema $1, the tables in it that $2 names (one per line), and everything that is dropped with these. */
const OWN_TABLES_SQL = `WITH RECURSIVE own (classid, objid) AS (
  SELECT * FROM (
    SELECT 'pg_namespace'::regclass::oid, oid FROM pg_namespace WHERE nspname = $1
    UNION
    SELECT 'pg_class'::regclass, c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = ANY (string_to_array($2, E'\\n'))
  ) AS named
  UNION
  SELECT d.classid, d.objid
  FROM own
  JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (own.classid, own.objid)
  WHERE d.deptype <> 'n'
)`;

/** CTE `strangers`: objects outside of `own` that depend on an object in it. */
const DEPENDING_OBJECTS_SQL = `strangers AS (
  SELECT d.classid, d.objid
  FROM own
  JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (own.classid, own.objid)
  WHERE (d.classid, d.objid) NOT IN (SELECT classid, objid FROM own)
)`;

/** Queries for the objects that keep a namespace from being dropped, by their names, such as `view public.v`. */
export interface DependantQueries {
  /** Query for objects outside of the schema $1 that depend on an object in it. */
  readonly schemaDependantsQuery: string;
  /**
   * Query for objects that depend on the schema $1 or its tables that $2 names (one per line), and are no part of these
   * tables.
   */
  readonly tableDependantsQuery: string;
}

export const DEPENDANT_QUERIES: DependantQueries = {
  schemaDependantsQuery: `${OWN_OBJECTS_SQL}, ${DEPENDING_OBJECTS_SQL}\n${STRANGER_NAMES_SQL}`,
  tableDependantsQuery: `${OWN_TABLES_SQL}, ${DEPENDING_OBJECTS_SQL}\n${STRANGER_NAMES_SQL}`,
};

/**
 * SQL expression: true if the transaction that made a visible row is in progress, which means the current transaction or a
 * part of it.
 */
const IS_NEW_ROW_SQL = `CASE WHEN age(xmin) <= 0 THEN txid_status(txid_current() - age(xmin)) = 'in progress' ELSE false END`;

/** SQL expression: true if the row was committed after the snapshot $2. The transaction needs a number beforehand. */
const IS_LATER_ROW_SQL = `CASE WHEN age(xmin) BETWEEN 0 AND txid_current() - txid_snapshot_xmin($2::txid_snapshot)
  THEN NOT txid_visible_in_snapshot(txid_current() - age(xmin), $2::txid_snapshot) ELSE false END`;

/** A CTE: objects outside of `own` with a row of the catalogue that meets the condition. */
const objectsMadeSql = (name: string, condition: string): string => `${name} (classid, objid) AS (
  SELECT classid, objid FROM pg_depend WHERE ${condition} AND (classid, objid) NOT IN (SELECT classid, objid FROM own)
  UNION
  SELECT 'pg_cast'::regclass, oid FROM pg_cast
  WHERE ${condition} AND ('pg_cast'::regclass, oid) NOT IN (SELECT classid, objid FROM own)
)`;

/** Query for the names of all objects outside of the schema $1 that the current transaction has made. */
export const OBJECTS_MADE_ELSEWHERE_SQL = `${OWN_OBJECTS_SQL}, ${objectsMadeSql("strangers", IS_NEW_ROW_SQL)}
${STRANGER_NAMES_SQL}`;

/**
 * Query for the names of all objects outside of the schema $1 that were made since the snapshot $2, without their parts
 * such as indexes. Extensions are left out: one that exists is not made again.
 */
export const OBJECTS_MADE_SINCE_SQL = `${OWN_OBJECTS_SQL}, extensions (classid, objid) AS (
  SELECT 'pg_extension'::regclass::oid, oid FROM pg_extension
  UNION
  SELECT d.classid, d.objid
  FROM extensions
  JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (extensions.classid, extensions.objid)
  WHERE d.deptype <> 'n'
), ${objectsMadeSql("made", IS_LATER_ROW_SQL)}, parts AS (
  SELECT d.classid, d.objid
  FROM made
  JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (made.classid, made.objid)
  WHERE d.deptype IN ('a', 'i')
), strangers AS (SELECT * FROM made EXCEPT SELECT * FROM extensions EXCEPT SELECT * FROM parts)
${STRANGER_NAMES_SQL}`;
