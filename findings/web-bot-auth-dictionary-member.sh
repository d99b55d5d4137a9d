#!/bin/sh
# web-bot-auth 0.1.3 (npm, with http-message-sig 0.2.0): a signature that covers a
# member of a dictionary field does not verify.
#
# RFC 9421, 2.1.2: the component `"signature-agent";key="sig1"` is the value of that
# one member of the field Signature-Agent.  Drafts of Web Bot Auth since 2026 have
# signatures cover that field so.  The signature base that verify() makes has the
# parameter, but the value of the whole field, `sig1="https://bot.example"`, so a
# valid signature does not fit.  The older form, a field that is one string, verifies.
# Seen with node 20.20.2.
#
# Installs the pinned packages into a temporary folder; fails if what it sees has
# changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts web-bot-auth@0.1.3 http-message-sig@0.2.0
cat >probe.mjs <<'END'
import { generateKeyPairSync, sign, verify as fits } from 'node:crypto';
import { verify } from 'web-bot-auth';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const created = Math.floor(Date.now() / 1000) - 1;
const nonce = Buffer.alloc(64, 7).toString('base64');
const agent = '"https://bot.example"';
const forms = [
    ['string', '"signature-agent"', agent, 'fits'],
    ['dictionary', '"signature-agent";key="sig1"', `sig1=${agent}`, 'does not fit'],
];
for (const [form, component, field, expected] of forms) {
    const input = `("@authority" ${component});created=${created};expires=${created + 60};nonce="${nonce}"`
        + ';keyid="k";alg="ed25519";tag="web-bot-auth"';
    const base = `"@authority": www.example.com\n${component}: ${agent}\n"@signature-params": ${input}`;
    const value = sign(null, Buffer.from(base), privateKey).toString('base64');
    let seen;
    await verify({
        method: 'GET',
        url: 'https://www.example.com/',
        headers: { 'signature-agent': field, 'signature-input': `sig1=${input}`, signature: `sig1=:${value}:` },
    }, (data, signature) => {
        seen = fits(null, Buffer.from(data), publicKey, signature) ? 'fits' : 'does not fit';
        console.log(`${form}: the base has ${data.split('\n')[1]}: ${seen}`);
    });
    if (seen !== expected) {
        console.log('this has changed');
        process.exitCode = 1;
    }
}
END
node probe.mjs
