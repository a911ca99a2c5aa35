const TIME_LIMIT_SETTINGS = [
  "statement_timeout",
  "lock_timeout",
  "transaction_timeout",
  "idle_in_transaction_session_timeout",
  "idle_session_timeout",
];

export const IS_TIME_LIMIT_SQL = `name IN (${TIME_LIMIT_SETTINGS.map((name) => `'${name}'`).join(", ")}) AND setting <> '0'`;

export const LIFT_TIME_LIMITS_SQL = `SELECT set_config(name, '0', false) FROM pg_settings WHERE ${IS_TIME_LIMIT_SQL}`;
