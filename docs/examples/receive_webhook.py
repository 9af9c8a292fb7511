#!/usr/bin/env python3
"""A receiver of Preferee's webhooks, with nothing but Python: checks signatures, and processes each message once.

Reads PREFEREE_WEBHOOK_SECRET (whsec_…) from the environment and listens on the port given. Put it behind HTTPS.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: Older messages may be replayed copies.
OLDEST_SECONDS = 5 * 60


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> str:
    """Return the message's id if it was recently signed with the secret; raises ValueError otherwise."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    message, sent_at = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > OLDEST_SECONDS:
        raise ValueError("too old, or the clocks differ")
    right = hmac.digest(key, f"{message}.{sent_at}.".encode() + body, hashlib.sha256)
    for signature in headers["webhook-signature"].split():  # two while the secret is rotated
        version, _, text = signature.partition(",")
        if version == "v1" and hmac.compare_digest(text, base64.b64encode(right).decode()):
            return message
    raise ValueError("signed with another secret, or changed on the way")


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to accepted messages, 400 to everything else."""

    seen: set[str] = set()  # store this in your database: a message may arrive twice, days apart

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            message = verify(os.environ["PREFEREE_WEBHOOK_SECRET"], self.headers, body)
        except (KeyError, TypeError, ValueError) as error:
            return self.send_error(400, str(error))
        if message not in self.seen:
            self.seen.add(message)
            told = json.loads(body)
            print(told["type"], told["data"], flush=True)  # respond at once, and do slow work elsewhere
        self.send_response(204)
        return self.end_headers()


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
