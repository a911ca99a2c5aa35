// Definitions of the workload's tables, which no other session may change. Reading them takes no noticeable lock.
import { SAMPLER_MARK, tableListSql, type TableSource } from "./view.js";

/** SQL expression for the storage of `part`, a table or an index. */
const STORAGE_SQL = `concat_ws(', ',
  CASE part.relpersistence WHEN 'u' THEN 'unlogged' ELSE 'logged' END,
  (SELECT 'tablespace ' || spcname FROM pg_tablespace WHERE oid = part.reltablespace),
  array_to_string(part.reloptions, ', '))`;

export const POSTGRES_TABLES: TableSource = {
  name: "pg_class",
  definitions: (
    survey,
  ) => `WITH ${SAMPLER_MARK} named AS (SELECT unnest(ARRAY[${tableListSql(survey)}]::regclass[]) AS oid),
    own AS (SELECT oid, oid::regclass::text AS name FROM (SELECT oid FROM named
      UNION SELECT relid FROM named, pg_partition_tree(named.oid)) AS all_of_them)
    SELECT 'table ' || own.name AS part, own.name AS table,
        concat_ws(', ', ${STORAGE_SQL}, (SELECT 'access method ' || amname FROM pg_am WHERE oid = part.relam),
          CASE WHEN relrowsecurity THEN 'row security' END) AS definition
      FROM own JOIN pg_class AS part ON part.oid = own.oid
    UNION ALL SELECT 'column ' || own.name || '.' || attname, own.name, concat_ws(', ', format_type(atttypid, atttypmod),
        CASE WHEN attnotnull THEN 'not null' END, 'storage ' || attstorage::text, 'compression ' || nullif(to_jsonb(pg_attribute) ->> 'attcompression', ''),
        array_to_string(attoptions, ', '), pg_get_expr(adbin, adrelid))
      FROM own JOIN pg_attribute ON attrelid = own.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attnum > 0 AND NOT attisdropped
    UNION ALL SELECT 'index ' || part.relname, own.name, concat_ws(', ', pg_get_indexdef(part.oid), ${STORAGE_SQL},
        CASE WHEN NOT indisvalid THEN 'invalid' END)
      FROM own JOIN pg_index ON indrelid = own.oid JOIN pg_class AS part ON part.oid = indexrelid
    UNION ALL SELECT 'constraint ' || conname, own.name, pg_get_constraintdef(pg_constraint.oid)
      FROM own JOIN pg_constraint ON conrelid = own.oid WHERE contype <> 'n'
    UNION ALL SELECT 'trigger ' || tgname, own.name, pg_get_triggerdef(pg_trigger.oid) || ', enabled ' || tgenabled::text
      FROM own JOIN pg_trigger ON tgrelid = own.oid WHERE NOT tgisinternal`,
};
