// Lines of stdin into a table of a file: node duckdb.mjs FILE
import {DuckDBInstance} from "@duckdb/node-api";

const instance = await DuckDBInstance.create(process.argv[2]);
const connection = await instance.connect();
await connection.run("create table urls as select * from read_csv('/dev/stdin', header = false,"
  + " columns = {'url': 'varchar'}, delim = '\t', quote = '', escape = '', auto_detect = false)");
connection.closeSync();
instance.closeSync();
