"""A site behind a wall that lets signed requests in (RFC 9421, Web Bot Auth), verified by Python's
cryptography:

    wall = Wall()
    wall.admit(public_key_pem)
    ... wall.unsigned(), wall.verdicts() ...

Requests without a valid signature are refused with a challenge. What stands behind the wall is put
as for any Site."""
import base64
import email.utils
import hashlib
import json
import re
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from server import Reply, Site

DICTIONARY = ('sig1=("@authority" "signature-agent";key="sig1");created;expires;nonce;keyid;'
              'tag="web-bot-auth"')
STRING = 'sig1=("@authority" "signature-agent");created;expires;keyid;tag="web-bot-auth"'


def unpadded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def thumbprint(public):
    """RFC 7638, by way of RFC 8037."""
    x = unpadded(public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw))
    text = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":"))
    return unpadded(hashlib.sha256(text.encode()).digest())


def public_of(pem):
    """The public key of a private one."""
    return serialization.load_pem_private_key(pem, None).public_key()


class Wall(Site):
    """challenge: Accept-Signature, None: none; status: of a refusal; headers: of it, further ones;
    ends: a signature that is valid is let in; now(): seconds since the Epoch."""

    def __init__(self, challenge=DICTIONARY, status=401, headers=(), ends=True, now=time.time,
                 **kwargs):
        self.keys = {}
        self.challenge, self.status, self.extra = challenge, status, list(headers)
        self.ends, self.now = ends, now
        self.open = set()       # paths that need no signature
        self.seen = []          # (target, verdict), in order
        self.times = []         # of now(), for each
        super().__init__(**kwargs)

    def admit(self, public):
        self.keys[thumbprint(public)] = public

    def forget(self):
        super().forget()
        self.seen = []
        self.times = []

    def unsigned(self):
        return [target for target, verdict in self.seen if verdict == "unsigned"]

    def signed(self):
        return [target for target, verdict in self.seen if verdict != "unsigned"]

    def verdicts(self):
        return {verdict for _, verdict in self.seen}

    def find(self, request):
        verdict = verify(request.header, request.host, self.keys, self.now())
        self.seen.append((request.target, verdict))
        self.times.append(self.now())
        if request.target in self.open or (verdict == "valid" and self.ends):
            return super().find(request)
        headers = [("Date", email.utils.formatdate(self.now(), usegmt=True))] + self.extra
        headers += ([("Accept-Signature", self.challenge)] if self.challenge else [])
        return Reply(b"sign\n", status=self.status, headers=headers)


def verify(header, host, keys, now):
    """"valid", "unsigned", or what is wrong. header(name): a field of the request, or None."""
    given = header("Signature-Input")
    if given is None:
        return "unsigned"
    match = re.fullmatch(r'([a-z0-9]+)=(\(([^)]*)\)(.*))', given)
    value = re.fullmatch(r'([a-z0-9]+)=:([A-Za-z0-9+/=]+):', header("Signature") or "")
    if match is None or value is None or match[1] != value[1]:
        return "not readable: %s" % given
    params = dict(re.findall(r';([a-z]+)=("[^"]*"|[0-9]+)', match[4]))
    key = keys.get(params.get("keyid", "").strip('"'))
    if key is None:
        return "another key"
    lines = []
    for name, params_of in re.findall(r'"([^"]*)"((?:;[a-z]+="[^"]*")*)', match[3]):
        if name == "@authority":
            lines.append('"@authority": %s' % re.sub(r":80$", "", host.lower()))
        elif name == "signature-agent":
            agent = header("Signature-Agent")
            member = re.fullmatch(r';key="([^"]*)"', params_of)
            if member is not None:
                agent = re.fullmatch(re.escape(member[1]) + "=(.*)", agent)[1]
            lines.append('"signature-agent"%s: %s' % (params_of, agent))
        else:
            return "covers %s" % name
    if not lines or not lines[0].startswith('"@authority"'):
        return "covers no authority"
    lines.append('"@signature-params": %s' % match[2])
    try:
        key.verify(base64.b64decode(value[2]), "\n".join(lines).encode())
    except InvalidSignature:
        return "not valid"
    if int(params["created"]) > now + 30 or int(params["expires"]) < now:
        return "not now"
    return "valid" if params.get("tag") == '"web-bot-auth"' else "another tag"
