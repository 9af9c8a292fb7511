"""Check AWS Signature Version 4 on the server.

This follows AWS's documentation "Create a signed AWS API request" (canonical request, string to sign, signing key).
The service takes requests to ``/`` without a query, so the canonical query string is empty.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from marketplace.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
)

ALGORITHM = "AWS4-HMAC-SHA256"
SKEW = timedelta(minutes=15)
_STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class Credential:
    """The parts of a signature, from the headers ``Authorization`` and ``X-Amz-Date`` (``stamp``)."""

    access_key: str
    day: str
    region: str
    service: str
    signed_headers: tuple[str, ...]
    signature: str
    stamp: str

    @property
    def scope(self) -> str:
        """The day, region and service in the form in which they are signed."""
        return f"{self.day}/{self.region}/{self.service}/aws4_request"


def read_credential(headers: Mapping[str, str]) -> Credential:
    """Read ``authorization`` and ``x-amz-date`` from lower-case ``headers``; raises if they are malformed."""
    authorization = headers.get("authorization", "")
    if not authorization:
        raise MissingAuthenticationTokenException
    algorithm, _, rest = authorization.partition(" ")
    if algorithm != ALGORITHM:
        raise IncompleteSignatureException(f"Unsupported AWS 'algorithm': '{algorithm}'.")
    parts = dict(part.strip().partition("=")[::2] for part in rest.split(","))
    for name in ("Credential", "SignedHeaders", "Signature"):
        if not parts.get(name):
            raise IncompleteSignatureException(f"Authorization header requires '{name}' parameter.")
    scope = parts["Credential"].split("/")
    if len(scope) != 5 or scope[4] != "aws4_request":
        raise IncompleteSignatureException("Credential must have exactly 5 slash-delimited elements.")
    stamp = headers.get("x-amz-date", "")
    if not re.fullmatch(r"\d{8}T\d{6}Z", stamp):
        raise IncompleteSignatureException(
            "Authorization header requires existence of an 'X-Amz-Date' header."
        )
    names = tuple(parts["SignedHeaders"].split(";"))
    if not {"host", "x-amz-date", "x-amz-target"} <= set(names):
        raise InvalidSignatureException("'Host', 'X-Amz-Date' and 'X-Amz-Target' must be signed headers.")
    return Credential(scope[0], scope[1], scope[2], scope[3], names, parts["Signature"], stamp)


def check_scope(credential: Credential, *, region: str, service: str, now: datetime) -> None:
    """Refuse a signature for another region or service, or one whose time differs by more than 15 minutes."""
    if credential.region != region:
        raise InvalidSignatureException(
            f"Credential should be scoped to a valid region, not '{credential.region}'."
        )
    if credential.service != service:
        raise InvalidSignatureException(f"Credential should be scoped to correct service: '{service}'.")
    try:
        made = datetime.strptime(credential.stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        raise IncompleteSignatureException(f"'{credential.stamp}' is not a date.") from None
    if credential.day != credential.stamp[:8]:
        raise InvalidSignatureException(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 date."
        )
    if made < now - SKEW:
        raise InvalidSignatureException(
            f"Signature expired: {credential.stamp} is now earlier than {(now - SKEW).strftime(_STAMP)} "
            f"({now.strftime(_STAMP)} - 15 min.)"
        )
    if made > now + SKEW:
        raise InvalidSignatureException(
            f"Signature not yet current: {credential.stamp} is still later than "
            f"{(now + SKEW).strftime(_STAMP)} ({now.strftime(_STAMP)} + 15 min.)"
        )


def check_signature(
    credential: Credential, secret: str, *, method: str, path: str, headers: Mapping[str, str], body: bytes
) -> None:
    """Check the signature against one computed from ``secret``; raises InvalidSignatureException."""
    lines = "".join(
        f"{name}:{' '.join(headers.get(name, '').split())}\n" for name in credential.signed_headers
    )
    signed_names = ";".join(credential.signed_headers)
    canonical = f"{method}\n{path}\n\n{lines}\n{signed_names}\n{hashlib.sha256(body).hexdigest()}"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    text = f"{ALGORITHM}\n{credential.stamp}\n{credential.scope}\n{digest}"
    key = f"AWS4{secret}".encode()
    for part in (credential.day, credential.region, credential.service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    expected = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    # Compare bytes: comparing text allows only ASCII, and a header can have any characters.
    if not hmac.compare_digest(expected.encode(), credential.signature.encode("utf-8", "replace")):
        raise InvalidSignatureException(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method."
        )
