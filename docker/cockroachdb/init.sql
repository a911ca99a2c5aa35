-- What train-sim needs in a CockroachDB cluster: a database, and the role `pgb` that train-sim and PgBouncer log in
-- as. A cluster that exists already needs the same; may be run again. The password is given apart from this file.
CREATE DATABASE IF NOT EXISTS train_sim;
CREATE ROLE IF NOT EXISTS pgb WITH LOGIN;

-- To make, own and drop the schema of train-sim, and nothing else.
GRANT CONNECT, CREATE ON DATABASE train_sim TO pgb;

-- To read what explains a result: sessions, statement statistics and contention of the cluster; its settings; its nodes.
GRANT SYSTEM VIEWACTIVITY, VIEWCLUSTERSETTING, VIEWCLUSTERMETADATA TO pgb;
