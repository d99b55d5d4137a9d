// Judge signed requests, lines of tests/tools/sign.c on stdin, with a directory of keys, and the directory's own
// answer: node verify.mjs NODE_MODULES DIRECTORY ANSWER
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.argv[2] + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const bot = await load("web-bot-auth");
const { verifierFromJWK } = await load("web-bot-auth/crypto");
const sig = await load("http-message-sig");

const keys = JSON.parse(readFileSync(process.argv[3], "utf8")).keys;
const verifiers = new Map(), webKeys = new Map();
for (const key of keys) {
  verifiers.set(key.kid, await verifierFromJWK(key));
  webKeys.set(key.kid, await crypto.subtle.importKey("jwk", key, { name: "Ed25519" }, true, ["verify"]));
}
const resolve = (found) => sig.webcrypto.verifier(webKeys.get(found.parameters.keyid));

function headersOf(r) {
  const headers = { "signature-input": r.input, signature: r.signature };
  if (r.agent !== null) headers["signature-agent"] = r.agent;
  return headers;
}

// web-bot-auth 0.1.3 knows the old forms alone
async function byBot(r) {
  const message = { method: "GET", url: "https://" + r.authority + "/", headers: headersOf(r) };
  await bot.verify(message, (data, signature, params) => verifiers.get(params.keyid)(data, signature, params));
}

async function bySig(r) {
  await sig.verifySignature(
    { kind: "request", method: "GET", targetUri: "https://" + r.authority + "/",
      fields: Object.entries(headersOf(r)).map(([name, value]) => ({ name, value })) },
    { resolveVerifier: resolve,
      policy: { algorithms: ["ed25519"], requiredComponents: ["@authority"],
                requiredParameters: ["created", "expires", "keyid", "tag", "nonce"] } });
}

async function verifies(by, r) {
  try { await by(r); return true; } catch { return false; }
}

// The same with one bit changed, in turns in each of the texts.
function changed(r, turn) {
  const names = ["signature", "input", "authority", ...(r.agent === null ? [] : ["agent"])];
  const name = names[turn % names.length];
  for (;;) {
    const other = { ...r };
    if (name === "signature") {
      const [label, text] = r.signature.split(/=(.*)/s);
      const bytes = Buffer.from(text.slice(1, -1), "base64");
      bytes[Math.floor(Math.random() * bytes.length)] ^= 1 << Math.floor(Math.random() * 8);
      other.signature = label + "=:" + bytes.toString("base64") + ":";
      return other;
    }
    // a field is ASCII; web-bot-auth takes the space of Latin-1 for a space
    const bytes = Buffer.from(r[name], "latin1");
    bytes[Math.floor(Math.random() * bytes.length)] ^= 1 << Math.floor(Math.random() * 7);
    other[name] = bytes.toString("latin1");
    if (name !== "authority") return other;
    // another spelling of the same host is no other host
    try {
      if (new URL("https://" + other.authority + "/").host !== new URL("https://" + r.authority + "/").host) return other;
    } catch { return other; }
  }
}

const counts = { requests: 0, good: 0, botGood: 0, bot: 0, changedGood: 0, changedBotGood: 0 };
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const r = JSON.parse(line), other = changed(r, counts.requests);
  counts.requests++;
  counts.good += await verifies(bySig, r);
  counts.changedGood += await verifies(bySig, other);
  if (r.old) {
    counts.bot++;
    counts.botGood += await verifies(byBot, r);
    counts.changedBotGood += await verifies(byBot, other);
  }
}

// The answer with the directory: by each of its keys.
const answer = JSON.parse(readFileSync(process.argv[4], "utf8"));
counts.directory = 0;
for (let i = 0; i < keys.length; i++)
  counts.directory += await verifies(() => sig.verifySignature(
    { kind: "response", status: 200, request: { kind: "request", method: "GET", targetUri: answer.url, fields: [] },
      fields: [{ name: "signature-input", value: answer.input }, { name: "signature", value: answer.signature }] },
    { label: "binding" + i, resolveVerifier: resolve,
      policy: { algorithms: ["ed25519"], requiredComponents: [{ name: "@authority", parameters: { req: true } }],
                requiredParameters: ["created", "expires", "keyid", "tag"] } }));
counts.thumbprints = 0;
const { helpers } = bot;
for (const key of keys)
  counts.thumbprints += (await bot.jwkToKeyID(key, helpers.WEBCRYPTO_SHA256, helpers.BASE64URL_DECODE)) === key.kid;
console.log(JSON.stringify(counts));
