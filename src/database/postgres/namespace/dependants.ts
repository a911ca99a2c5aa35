// Members of a schema by PostgreSQL's catalogue of dependencies, and objects elsewhere that depend on it.

/**
 * CTE `own`: everything in the schema $1, and each part without a schema, such as a trigger, a default or a policy, of a
 * table there. A cast or a transform of its types and functions holds nothing that could be lost, and is included.
 */
const OWN = `WITH RECURSIVE own (classid, objid) AS (
  SELECT 'pg_namespace'::regclass::oid, oid FROM pg_namespace WHERE nspname = $1
  UNION
  SELECT d.classid, d.objid
  FROM own
  JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (own.classid, own.objid)
  CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) AS named
  WHERE named.schema IN (quote_ident($1), 'pg_toast')
    OR named.schema IS NULL
      AND (d.deptype <> 'n' OR d.classid IN ('pg_cast'::regclass, 'pg_transform'::regclass))
)`;

/** Query for the names of `strangers (classid, objid)`; the rule that is a view's query appears as the view. */
const NAMES = `SELECT named.type || ' ' || named.identity AS name
FROM strangers AS s
LEFT JOIN pg_rewrite AS r ON s.classid = 'pg_rewrite'::regclass AND r.oid = s.objid AND r.rulename = '_RETURN'
CROSS JOIN LATERAL pg_identify_object(
  CASE WHEN r.oid IS NULL THEN s.classid ELSE 'pg_class'::regclass END, coalesce(r.ev_class, s.objid), 0) AS named
WHERE named.schema IS NULL OR named.schema !~ '^pg_(toast|temp)'
GROUP BY named.type, named.identity
ORDER BY named.type = 'type', name`;

/** CTE `own`: the schema $1, its tables that $2 names one per line, and everything that is dropped with them. */
const OWN_TABLES = `WITH RECURSIVE own (classid, objid) AS (
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

/** CTE `strangers`: objects that depend on `own` and are no part of it. */
const DEPENDING = `strangers AS (
  SELECT d.classid, d.objid
  FROM own
  JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (own.classid, own.objid)
  WHERE (d.classid, d.objid) NOT IN (SELECT classid, objid FROM own)
)`;

/** Queries that name each object that keeps a namespace from being dropped, such as `view public.v`. */
export interface Dependants {
  /** Objects outside of the schema $1 that depend on an object in it. */
  readonly ofSchema: string;
  /** Objects in the schema $1 or outside that are no part of the tables that $2 names one per line. */
  readonly ofTables: string;
}

export const DEPENDANTS: Dependants = {
  ofSchema: `${OWN}, ${DEPENDING}\n${NAMES}`,
  ofTables: `${OWN_TABLES}, ${DEPENDING}\n${NAMES}`,
};

/** True if a visible row's transaction is in progress: it is the current transaction or a part of it. */
const IS_NEW = `CASE WHEN age(xmin) <= 0 THEN txid_status(txid_current() - age(xmin)) = 'in progress' ELSE false END`;

/** Query that names each object that the current transaction has made outside of the schema $1. */
export const MADE_ELSEWHERE = `${OWN}, strangers AS (
  SELECT classid, objid FROM pg_depend WHERE ${IS_NEW} AND (classid, objid) NOT IN (SELECT classid, objid FROM own)
  UNION
  SELECT 'pg_cast'::regclass, oid FROM pg_cast
  WHERE ${IS_NEW} AND ('pg_cast'::regclass, oid) NOT IN (SELECT classid, objid FROM own)
)
${NAMES}`;
