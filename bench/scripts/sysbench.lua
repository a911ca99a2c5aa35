-- Reads a document by its key, uniformly drawn, with a prepared statement.
sysbench.cmdline.options = {
  statement = { "Statement with one parameter, the key", "" },
  documents = { "Number of documents", 1 },
}

local connection, statement, key

function thread_init()
  connection = sysbench.sql.driver():connect()
  statement = connection:prepare(sysbench.opt.statement)
  key = statement:bind_create(sysbench.sql.type.CHAR, 20)
  statement:bind_param(key)
end

function event()
  key:set(string.format("p%019d", sysbench.rand.uniform(0, sysbench.opt.documents - 1)))
  statement:execute():free()
end
