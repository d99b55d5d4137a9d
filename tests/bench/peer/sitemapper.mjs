// sitemapper follows the index by itself: node sitemapper.mjs INDEX
import Sitemapper from "sitemapper";

const {sites, errors} = await new Sitemapper({url: process.argv[2], timeout: 600000}).fetch();
if (errors.length > 0)
  throw new Error(JSON.stringify(errors[0]));
process.stdout.write(sites.join("\n") + "\n");
