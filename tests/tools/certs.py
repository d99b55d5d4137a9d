"""A certificate authority for one test, and certificates signed by it."""
import os
import subprocess


# made in no time, as RSA keys are not
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def openssl(*args):
    subprocess.run(("openssl",) + args, check=True, capture_output=True)


class Authority:
    """Its own certificate, for --cacert, is at .path."""

    def __init__(self, folder):
        self.folder = folder
        self.key = os.path.join(folder, "ca.key")
        self.path = os.path.join(folder, "ca.pem")
        self.count = 0
        openssl("req", "-x509", *NEW_KEY, "-days", "7",
                "-keyout", self.key, "-out", self.path, "-subj", "/CN=freshet test CA",
                "-addext", "basicConstraints=critical,CA:TRUE",
                "-addext", "keyUsage=critical,keyCertSign")

    def sign(self, names, days=7):
        """A certificate for the names; (certificate path, key path)."""
        self.count += 1
        stem = os.path.join(self.folder, "server-%d" % self.count)
        alternatives = ",".join(
            ("IP:" if n.replace(".", "").isdigit() else "DNS:") + n for n in names)
        openssl("req", *NEW_KEY, "-keyout", stem + ".key",
                "-out", stem + ".csr", "-subj", "/CN=freshet test server")
        with open(stem + ".ext", "w", encoding="ascii") as f:
            f.write("subjectAltName=%s\n" % alternatives)
        openssl("x509", "-req", "-in", stem + ".csr", "-CA", self.path, "-CAkey", self.key,
                "-set_serial", str(self.count), "-days", str(days),
                "-extfile", stem + ".ext", "-out", stem + ".pem")
        return stem + ".pem", stem + ".key"
