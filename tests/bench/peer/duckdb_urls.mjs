// The lines that duckdb.mjs has stored: node duckdb_urls.mjs FILE
import {DuckDBInstance} from "@duckdb/node-api";

const instance = await DuckDBInstance.create(process.argv[2]);
const connection = await instance.connect();
await connection.run("copy urls to '/dev/stdout' (header false, delimiter '\t', quote '', escape '')");
